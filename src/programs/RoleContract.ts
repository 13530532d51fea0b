/**
 * The contract as a check for roles of one's own: questions are asked with the roles in the context, and every proposal that a rule
 * refused, every role that broke and every state that broke a law is told. The same rules and folds judge that judge a live run.
 */
import { Effect, Either, Option, Schema } from "effect"
import { spanKey } from "../domain/Corpus.ts"
import type { ScopeKey } from "../domain/Ids.ts"
import type { Policy } from "../domain/Policy.ts"
import { fold } from "../domain/Run.ts"
import { terminalEvidence } from "../domain/TerminalEvidence.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Journal } from "../services/Journal.ts"
import type { UnknownRun } from "../services/StoreError.ts"
import { TokenCounter } from "../services/TokenCounter.ts"
import * as Ask from "./Ask.ts"

/** What was broken, where: `clause` is a clause or law of the contract. */
export const Breach = Schema.Struct({
  question: Schema.String,
  stage: Schema.String,
  clause: Schema.String,
  detail: Schema.String
})
export type Breach = typeof Breach.Type

type Failed = Exclude<Effect.Effect.Error<ReturnType<typeof Ask.ask>>, { readonly _tag: "Incomplete" }> | UnknownRun

const checkOne = Effect.fnUntraced(function* (question: string, scope: ScopeKey, policy: Policy | undefined) {
  const breach = (stage: string, clause: string, detail: string): Breach => ({ question, stage, clause, detail })
  const asked = yield* Ask.ask(question, { scope, policy }).pipe(
    Effect.map(Either.right),
    Effect.catchTag("Incomplete", (incomplete) => Effect.succeed(Either.left(incomplete)))
  )
  if (Either.isLeft(asked)) {
    const { cause, stage } = asked.left
    const clause =
      cause._tag === "ProposalRefused" ? `rule ${cause.rule}` : cause._tag === "RequiredUpdateFailure" ? "C12" : "C10"
    return [breach(stage, clause, cause.message)]
  }
  const found: Array<Breach> = []
  const { run } = asked.right
  const journal = yield* Journal
  const corpus = yield* CorpusStore
  const count = yield* (yield* TokenCounter).counter
  const events = yield* journal.events(scope, run)
  const folded = fold(events)
  if (Either.isLeft(folded)) return [breach("Journal", "L2", folded.left.message)]
  const view = folded.right
  const selected = Option.getOrElse(view.selected, () => [])
  const expected = Option.map(view.branch, (branch) =>
    terminalEvidence(
      { branch, bypass: view.bypass, cycles: view.cycles.map((cycle) => cycle.evidence) },
      view.policy,
      count
    )
  )
  if (JSON.stringify(Option.getOrElse(expected, () => [])) !== JSON.stringify(selected))
    found.push(breach("Reader", "L3", "the evidence is not equation (7)'s"))
  const said = yield* corpus.slices(scope, selected)
  for (const item of selected)
    if (said.get(spanKey(item)) !== item.text)
      found.push(breach("Retriever", "C14", `${item.document}:${item.line} is not what the corpus says`))
  return found
})

/**
 * Asks every question and gives the breaches in order; none where the roles keep the contract.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ids } from "staterag"
 * import { Planner, RoleContract, RoleFailed, layer } from "staterag/testing"
 *
 * const broken = Layer.succeed(Planner, {
 *   propose: () => new RoleFailed({ role: "Planner", reason: "Failed", detail: "not written yet" })
 * })
 * export const breaches = RoleContract.check(["Who wrote it?"], { scope: Ids.ScopeKey.make("docs") }).pipe(
 *   Effect.provide(Layer.provideMerge(broken, layer))
 * )
 * ```
 */
export const check = (
  questions: ReadonlyArray<string>,
  { policy, scope }: { readonly scope: ScopeKey; readonly policy?: Policy | undefined }
): Effect.Effect<ReadonlyArray<Breach>, Failed, Ask.Services> =>
  Effect.map(
    Effect.forEach(questions, (question) => checkOne(question, scope, policy)),
    (found) => found.flat()
  )
