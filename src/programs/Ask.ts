/** Asking one question of an indexed corpus: the product's front door. */
import { Effect, Option, Queue, Schema, Stream, Take } from "effect"
import type { Answer } from "../domain/Answer.ts"
import type { Event } from "../domain/Event.ts"
import { type DocumentId, ScopeKey } from "../domain/Ids.ts"
import type { Policy, PolicyError } from "../domain/Policy.ts"
import { answerOf } from "../domain/Report.ts"
import { CurrentPolicy } from "../services/Policies.ts"
import type { UnknownScope } from "../services/StoreError.ts"
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

const request = Effect.fnUntraced(function* (
  question: string,
  options: Options,
  observe: Controller.Request["observe"]
) {
  const scope = Schema.decodeOption(ScopeKey)(options.scope)
  if (Option.isNone(scope)) return yield* new InvalidQuestion({ reason: "Scope" })
  if (question.trim() === "") return yield* new InvalidQuestion({ reason: "Empty" })
  if (question.length > maxQuestion) return yield* new InvalidQuestion({ reason: "TooLong" })
  const policy = options.policy ?? (yield* CurrentPolicy)
  const controller = yield* Controller.make
  return yield* controller.run({
    question: question.trim(),
    scope: scope.value,
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

/**
 * The same as a stream of the run's events, as they happen. A consumer that stops early interrupts the run, which its journal then says.
 */
export const askStream = (question: string, options: Options): Stream.Stream<Event, Failed, Services> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Take.Take<Event, Failed>>()
      const observe = (event: Event): void => {
        Queue.unsafeOffer(queue, Take.of(event))
      }
      yield* request(question, options, observe).pipe(
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
