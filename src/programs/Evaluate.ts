/**
 * Asks questions by several methods and measures what comes back.
 *
 *     questions × methods ─▶ known already? ─ yes ─────────────────────────▶ report
 *                                └ no ─▶ ask, timed ─▶ record ─▶ details ┘
 *
 * Each result is handed to `record` before the next question is asked, so that an evaluation that is interrupted goes on where it was.
 */
import { Effect } from "effect"
import type { Question } from "../domain/Dataset.ts"
import { isResult, type Kept, type Prepared, type Result } from "../domain/EvalResult.ts"
import type { CorpusRevision, ScopeKey } from "../domain/Ids.ts"
import { ModelError, type ModelFault } from "../domain/ModelError.ts"
import type { Policy } from "../domain/Policy.ts"
import { version } from "../domain/Version.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { CpuTime } from "../services/CpuTime.ts"
import { Digest } from "../services/Digest.ts"
import { Progress } from "../services/Progress.ts"
import { TokenCounter } from "../services/TokenCounter.ts"
import { passagesOf } from "./baselines/Bm25.ts"
import { type Broken, incomplete, type Unready } from "./baselines/Method.ts"
import { type MethodName, make, type Services } from "./baselines/Methods.ts"
import { keepingCalls } from "./OtherCalls.ts"

export { confinable, isMethod, type MethodName, methodNames, plainNames } from "./baselines/Methods.ts"

export interface Options<E, R> {
  readonly questions: ReadonlyArray<Question>
  readonly methods: ReadonlyArray<MethodName>
  readonly scope: ScopeKey
  readonly policy: Policy
  /** Compares every navigation with scoring all Evidence nodes. */
  readonly navigation: boolean
  /** Questions asked at a time. With more than one, CPU time belongs to no question and is not reported. */
  readonly concurrency: number
  /** What an earlier, interrupted evaluation kept; what is of another policy, corpus or version is not used. */
  readonly known: ReadonlyArray<Kept>
  readonly record: (kept: Kept) => Effect.Effect<void, E, R>
  /** Names whatever a method draws at random. */
  readonly seed: number
  /** Which models answer, and how they are asked; results of others are not used. */
  readonly models?: string
}

export interface Evaluation {
  readonly results: ReadonlyArray<Result>
  /** What each method took to be made ready, in the order of methods. */
  readonly prepared: ReadonlyArray<Prepared>
  /** How many of them were known before. */
  readonly reused: number
  readonly policyHash: string
  readonly corpusRevision: CorpusRevision
}

/** The hash of a policy, as runs and reports state it. */
export const policyHashOf = (policy: Policy, hash: Digest["Type"]["hash"]): string =>
  hash("policy", JSON.stringify(policy)).slice(0, 16)

/** Faults that every question would meet: going on would only cost. */
const lasting: ReadonlySet<ModelFault> = new Set<ModelFault>([
  "Unauthorized",
  "QuotaExhausted",
  "UnknownModel",
  "NotInstalled",
  "BadFile",
  "OtherModel",
  "Unkept"
])

const placeOf = (id: string, method: string): string => JSON.stringify([method, id])

/** The first words of a text that `limit` tokens hold. */
const clipped = (count: (text: string) => number, text: string, limit: number): string => {
  const words = text.split(/(?<=\s)/)
  let most = words.length
  while (most > 0 && count(words.slice(0, most).join("")) > limit) most--
  return words.slice(0, most).join("").trim()
}

/** Every question by every method, in the order of methods, then questions. */
export const evaluate = <E, R>(options: Options<E, R>): Effect.Effect<Evaluation, Broken | Unready | E, Services | R> =>
  Effect.gen(function* () {
    const { concurrency, methods, models = "", navigation, policy, questions, scope, seed } = options
    const corpus = yield* CorpusStore
    const { hash } = yield* Digest
    const { milliseconds } = yield* CpuTime
    const { report } = yield* Progress
    const clock = yield* Effect.clock
    const { revision } = yield* corpus.revision(scope)
    const policyHash = policyHashOf(policy, hash)
    const key = hash("evaluation", version, policyHash, revision, String(navigation), String(seed), models).slice(0, 16)
    const kept = options.known.filter((line) => line.key === key)
    const known = new Map(kept.filter(isResult).map((result) => [placeOf(result.id, result.method), result]))
    const ready = new Map(kept.flatMap((line) => (isResult(line) ? [] : [[line.prepared, line]])))
    const counter = yield* TokenCounter
    const library = {
      passages: yield* Effect.cached(passagesOf(scope).pipe(Effect.provideService(CorpusStore, corpus)))
    }
    const alone = concurrency === 1
    /** Since `from`; null where the platform does not say, or several questions share the process. */
    const cpuSince = (from: number | null): number | null => {
      const now = milliseconds()
      return from === null || now === null ? null : now - from
    }
    const wallSince = (from: bigint): number => Number(clock.unsafeCurrentTimeNanos() - from) / 1e6
    const judgedPart = ({ answerTokens }: Question, short: string | null) =>
      short === null || answerTokens === undefined
        ? Effect.succeed(short)
        : Effect.map(counter.counter, (count) => clipped(count, short, answerTokens))
    let reused = 0
    let done = 0
    const results: Array<Result> = []

    for (const method of methods) {
      const earlier = (question: Question): Result | undefined => {
        const result = known.get(placeOf(question.id, method))
        return result?.question === question.question ? result : undefined
      }
      const isOpen = questions.some((question) => earlier(question) === undefined)
      if (!isOpen) {
        results.push(...questions.flatMap((question) => earlier(question) ?? []))
        reused += questions.length
        done += questions.length
        continue
      }
      const begunAt = clock.unsafeCurrentTimeNanos()
      const cpuBefore = milliseconds()
      const { answer, cost } = yield* keepingCalls(scope, "Preparing", (spent) =>
        Effect.map(make(method, { scope, policy, navigation, seed }, library), ({ answer, note = null }) => {
          const { calls, money, readerEquivalentTokens } = spent()
          const times = { wallMs: wallSince(begunAt), cpuMs: cpuSince(cpuBefore) }
          const cost: Prepared = { key, prepared: method, note, ...times, calls, readerEquivalentTokens, money }
          return { answer, cost }
        })
      )
      if (!ready.has(method)) {
        ready.set(method, cost)
        yield* options.record(cost)
      }
      const one = Effect.fnUntraced(function* (question: Question) {
        const before = earlier(question)
        if (before !== undefined) reused++
        const startedAt = clock.unsafeCurrentTimeNanos()
        const cpuAt = milliseconds()
        let result = before
        if (result === undefined) {
          const { detail, found, spent } = yield* keepingCalls(scope, "Experiment", (spent) =>
            answer(question).pipe(
              Effect.catchTag("ModelError", (error) =>
                lasting.has(error.fault) ? error : Effect.succeed(incomplete(error.message))
              ),
              Effect.flatMap((outcome) =>
                outcome.fault !== undefined && lasting.has(outcome.fault)
                  ? new ModelError({ model: `of ${method}`, fault: outcome.fault, detail: outcome.found.reason ?? "" })
                  : Effect.succeed({ ...outcome, spent: spent() })
              )
            )
          )
          const times = { wallMs: wallSince(startedAt), cpuMs: alone ? cpuSince(cpuAt) : null }
          const money = found.money == null && spent.money === null ? null : (found.money ?? 0) + (spent.money ?? 0)
          const calls = found.calls + spent.calls
          const readerEquivalentTokens = found.readerEquivalentTokens + spent.readerEquivalentTokens
          const asked = { key, id: question.id, question: question.question, method }
          const said = { ...found, evidence: found.evidence ?? [], short: yield* judgedPart(question, found.short) }
          result = { ...asked, ...said, ...(yield* detail), calls, readerEquivalentTokens, money, ...times }
          yield* options.record(result)
          // everything below may be synchronous: let signals and timers in
          yield* Effect.sleep(0)
        }
        yield* report({ label: `asking by ${method}`, done: ++done, total: questions.length * methods.length })
        return result
      })
      results.push(...(yield* Effect.forEach(questions, one, { concurrency })))
    }
    const prepared = methods.flatMap((method) => ready.get(method) ?? [])
    return { results, prepared, reused, policyHash, corpusRevision: revision }
  }).pipe(Effect.withSpan("Evaluate.evaluate"))
