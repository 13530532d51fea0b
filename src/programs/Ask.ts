/** Asking one question of an indexed corpus: the product's front door. */
import { Effect, Option, Queue, Schema, Stream, Take } from "effect"
import type { Answer } from "../domain/Answer.ts"
import type { Event } from "../domain/Event.ts"
import { type DocumentId, RunId, ScopeKey } from "../domain/Ids.ts"
import type { Policy, PolicyError } from "../domain/Policy.ts"
import { answerOf } from "../domain/Report.ts"
import type { MalformedJournal } from "../domain/Run.ts"
import { CurrentPolicy } from "../services/Policies.ts"
import type { UnknownRun, UnknownScope } from "../services/StoreError.ts"
import * as Controller from "./Controller.ts"
import type { Failure } from "./Guard.ts"

/** Everything that answering needs; `Embedded.layer` provides it. */
export type Services = Controller.Services

/** The longest question that is taken, in UTF-16 code units. */
export const maxQuestion = 1_000_000

/** The question cannot be asked. */
export class InvalidQuestion extends Schema.TaggedError<InvalidQuestion>()("InvalidQuestion", {
  reason: Schema.Literal("Empty", "TooLong", "Scope")
}) {
  override get message(): string {
    return {
      Empty: "the question is empty",
      TooLong: `the question is longer than ${maxQuestion} characters`,
      Scope:
        "a scope key starts with a letter or digit and holds letters, digits, dots, dashes and underscores, 128 at most"
    }[this.reason]
  }
}

export interface Options {
  /** χ: which corpus is asked. Required: there is no default scope in the library. */
  readonly scope: string
  /** The policy in force where undefined. */
  readonly policy?: Policy | undefined
  /** Only these documents, filtered before ranking. */
  readonly within?: ReadonlyArray<DocumentId> | undefined
}

type Failed = Failure | InvalidQuestion | PolicyError | UnknownScope
type NotResumed = Failure | InvalidQuestion | UnknownRun | MalformedJournal
type Observe = Controller.Request["observe"]

const scopeOf = (key: string) =>
  Option.match(Schema.decodeOption(ScopeKey)(key), {
    onNone: () => new InvalidQuestion({ reason: "Scope" }),
    onSome: Effect.succeed
  })

const request = Effect.fnUntraced(function* (question: string, options: Options, observe: Observe) {
  const scope = yield* scopeOf(options.scope)
  if (question.trim() === "") return yield* new InvalidQuestion({ reason: "Empty" })
  if (question.length > maxQuestion) return yield* new InvalidQuestion({ reason: "TooLong" })
  const policy = options.policy ?? (yield* CurrentPolicy)
  const controller = yield* Controller.make
  return yield* controller.run({
    question: question.trim(),
    scope,
    policy,
    within: options.within,
    observe
  })
})

/**
 * Answers `question` from the corpus of `scope`, under the whole contract. ⊥ is an `Incomplete` in the error channel; "not found" is an
 * answer whose `answered` is false.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { Ask, Embedded } from "staterag"
 *
 * export const program = Ask.ask("Who maintains the parser?", { scope: "docs" }).pipe(
 *   Effect.map((answer) => answer.answer),
 *   Effect.provide(Embedded.layer({ directory: ".staterag" }))
 * )
 * ```
 */
export const ask = (question: string, options: Options): Effect.Effect<Answer, Failed, Services> =>
  Effect.map(request(question, options, undefined), answerOf)

const continuation = Effect.fnUntraced(function* (run: string, options: Pick<Options, "scope">, observe: Observe) {
  const scope = yield* scopeOf(options.scope)
  const controller = yield* Controller.make
  return yield* controller.resume({ run: RunId.make(run), scope, observe })
})

/**
 * Goes on with a run that was killed or interrupted, or whose model failed: under its own policy, on the answers that models had given
 * already, so that at most the call in flight is paid twice (C30). A run that has ended is answered as it was. One that another process still
 * asks is not taken over: `StaleWriter`; of two in one process who go on with one run, the first to lose it fails with that.
 */
export const resume = (run: string, options: Pick<Options, "scope">): Effect.Effect<Answer, NotResumed, Services> =>
  Effect.map(continuation(run, options, undefined), answerOf)

/**
 * {@link ask} as a stream of the run's events, as they happen; the reader's text comes in `AnswerDelta`s, where its model streams. A consumer
 * that stops early interrupts the run, which its journal then says.
 */
export const askStream = (question: string, options: Options): Stream.Stream<Event, Failed, Services> =>
  streamed((observe) => request(question, options, observe))

/** {@link resume} as a stream of events, from `RunResumed` on; none of a run that has ended. */
export const resumeStream = (
  run: string,
  options: Pick<Options, "scope">
): Stream.Stream<Event, NotResumed, Services> => streamed((observe) => continuation(run, options, observe))

const streamed = <E, R>(running: (observe: Observe) => Effect.Effect<unknown, E, R>): Stream.Stream<Event, E, R> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Take.Take<Event, E>>()
      const observe = (event: Event): void => {
        Queue.unsafeOffer(queue, Take.of(event))
      }
      yield* running(observe).pipe(
        // or a run whose roles never wait would be over before its first event is taken
        Effect.withMaxOpsBeforeYield(16),
        Effect.matchCauseEffect({
          onFailure: (cause) => Queue.offer(queue, Take.failCause(cause)),
          onSuccess: () => Queue.offer(queue, Take.end)
        }),
        Effect.forkScoped
      )
      return Stream.flattenTake(Stream.fromQueue(queue))
    })
  )
