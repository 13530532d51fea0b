/**
 * Where a run meets the world outside, and how it ends in ⊥: defects, silence and a corpus that moved become typed reasons, written to the
 * journal before they are raised (C10, C34, C35).
 */
import { Cause, type Clock, Duration, Effect, Either, Option, Schema } from "effect"
import { type BudgetKind, budgetKinds, type Cost, dearer, noCost, overrun, type Spending } from "../domain/Action.ts"
import { BudgetExhausted, CorpusChanged, Incomplete, IncompleteCause, RoleFailed } from "../domain/Errors.ts"
import type { Past } from "../domain/Past.ts"
import type { Policy } from "../domain/Policy.ts"
import type { Usage } from "../domain/Usage.ts"
import type { CorpusStore } from "../services/CorpusStore.ts"
import type { Inquiry } from "../services/Roles.ts"
import type { StaleWriter, StoreError } from "../services/StoreError.ts"
import type { Ledger } from "./Ledger.ts"
import type { Recorder } from "./Recorder.ts"

export type Stage = Incomplete["stage"]
/** How a run fails to end: in ⊥, or because its journal could not be kept. */
export type Failure = Incomplete | StoreError | StaleWriter

/** Tokens that the reader's question and answer are expected to take beside the evidence. */
const readerOverhead = 1024

export interface Guard {
  /** Ends the run in ⊥: journals the reason and raises it. `context` is what was refused. */
  readonly fail: (stage: Stage, cause: IncompleteCause, context?: string) => Effect.Effect<never, Failure>
  /** Asks somebody outside: their defects become typed reasons, and so does their silence where time is limited. */
  readonly asked: <A>(
    stage: Stage & RoleFailed["role"],
    ask: () => Effect.Effect<A, IncompleteCause>
  ) => Effect.Effect<A, Failure>
  /** ⊥ if the corpus is no longer what the run has read (C34). */
  readonly unchanged: (stage: Stage) => Effect.Effect<void, Failure>
  /** The budget that has been overrun, if one has: inside a cycle this is ⊥ (C35). */
  readonly struck: () => BudgetExhausted | undefined
  /** What the run has cost until now. */
  readonly spending: () => Spending
  /** Remembers what a cycle cost, for what the next may cost. */
  readonly noteCycle: (before: Usage, timeMs: number) => void
}

export const make = (
  corpus: typeof CorpusStore.Service,
  inquiry: Inquiry,
  ledger: Ledger,
  recorder: Recorder,
  clock: Clock.Clock,
  past: Past
): Guard => {
  const { policy, run, scope } = inquiry
  const startedAt = clock.unsafeCurrentTimeMillis() - past.workedMs
  let dearest = past.dearestCycle

  const fail = (stage: Stage, cause: IncompleteCause, context = ""): Effect.Effect<never, Failure> =>
    Effect.suspend(() => {
      ledger.record(
        cause._tag === "ProposalRefused"
          ? { tag: "ProposalRefused", role: cause.role, rule: cause.rule, reason: cause.reason, context }
          : { tag: "StageFailed", stage, cause }
      )
      ledger.record({ tag: "RunEnded", outcome: "Incomplete", reason: { stage, cause } })
      return Effect.zipRight(ledger.flush([]), new Incomplete({ run, stage, cause }))
    })
  const exhausted = (budget: BudgetKind) => new BudgetExhausted({ budget, limit: policy.budget[budget] ?? 0 })
  const spending = (): Spending => ({
    usage: ledger.view().usage,
    elapsedMs: clock.unsafeCurrentTimeMillis() - startedAt,
    dearestCycle: dearest,
    readerShare: readerShare(ledger.view().usage, dearest, policy)
  })

  const isLimited = budgetKinds.some((kind) => policy.budget[kind] !== null)
  const struck = (): BudgetExhausted | undefined => {
    const budget = isLimited ? overrun(policy, spending()) : undefined
    return budget === undefined ? undefined : exhausted(budget)
  }

  const asked = <A>(
    stage: Stage & RoleFailed["role"],
    ask: () => Effect.Effect<A, IncompleteCause>
  ): Effect.Effect<A, Failure> => {
    const { time } = policy.budget
    const { leave } = recorder
    const limited = Effect.suspend(() => {
      recorder.enter(stage)
      return time === null
        ? ask()
        : Effect.timeoutFail(Effect.suspend(ask), {
            duration: Duration.millis(Math.max(0, time - (clock.unsafeCurrentTimeMillis() - startedAt))),
            onTimeout: (): IncompleteCause => exhausted("time")
          })
    })
    const told = leave === undefined ? limited : Effect.ensuring(limited, Effect.sync(leave))
    // one operator for failures and defects, since a run asks at least fifteen times; who interrupts the run passes it by
    return Effect.catchAllCause(told, (cause) => {
      const reason = Cause.failureOrCause(cause)
      const said = Either.isRight(reason)
        ? new RoleFailed({ role: stage, ...died(reason.right) })
        : isCause(reason.left)
          ? reason.left
          : new RoleFailed({ role: stage, reason: "Failed", detail: shown(reason.left) })
      // it may have failed only because the corpus has moved on under it; the Reader reads no corpus, and time has only one reason
      return stage === "Reader" || said._tag === "BudgetExhausted"
        ? fail(stage, said)
        : Effect.zipRight(unchanged(stage), fail(stage, said))
    })
  }

  const unchanged = (stage: Stage): Effect.Effect<void, Failure> =>
    Effect.matchEffect(corpus.revision(scope), {
      onFailure: (error) =>
        error._tag === "StoreError"
          ? Effect.fail(error)
          : fail(stage, new CorpusChanged({ expected: inquiry.revision, found: "" })),
      onSuccess: ({ revision }) =>
        revision === inquiry.revision
          ? Effect.void
          : fail(stage, new CorpusChanged({ expected: inquiry.revision, found: revision }))
    })

  const noteCycle = (before: Usage, timeMs: number): void => {
    const after = ledger.view().usage
    dearest = dearer(dearest, {
      tokens: after.promptTokens + after.completionTokens - before.promptTokens - before.completionTokens,
      calls: after.calls - before.calls,
      money: (after.money ?? 0) - (before.money ?? 0),
      timeMs
    })
  }

  return { fail, asked, unchanged, struck, spending, noteCycle }
}

/** Whether a role failed as its type says; another thing would not go into the journal. */
const isCause = Schema.is(IncompleteCause)
const died = (cause: Cause.Cause<never>): { readonly reason: "Died"; readonly detail: string } => ({
  reason: "Died",
  detail: Option.match(Cause.dieOption(cause), { onNone: () => "it interrupted itself", onSome: shown })
})
/** Total, although a defect can be anything. */
const shown = (defect: unknown): string =>
  Either.getOrElse(
    Either.try(() => String(defect)),
    () => typeof defect
  )

/**
 * A run that has called no model needs nothing set aside for one. Else one call with all the evidence: its money by what a reader-equivalent
 * token has cost the run, its time by what a call of the dearest cycle took.
 */
const readerShare = (usage: Usage, dearest: Cost, policy: Policy): Cost => {
  if (usage.calls === 0) return noCost
  const tokens = policy.evidenceTokens + readerOverhead
  const perToken = usage.readerEquivalentTokens > 0 ? (usage.money ?? 0) / usage.readerEquivalentTokens : 0
  const timeMs = dearest.calls > 0 ? dearest.timeMs / dearest.calls : 0
  return { tokens, calls: 1, money: perToken * tokens, timeMs }
}
