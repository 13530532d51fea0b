/** A run that is gone on with, as its journal holds it (C30). */
import { Effect, Option, Schema } from "effect"
import { Incomplete } from "../domain/Errors.ts"
import type { RunId, ScopeKey } from "../domain/Ids.ts"
import { fold, isResumable, MalformedJournal, type Phase, type RunView } from "../domain/Run.ts"
import { Journal } from "../services/Journal.ts"
import type { StoreError } from "../services/StoreError.ts"
import type { Stage } from "./Guard.ts"

/** Plain values, all the way down: the state is lent to roles, which may not write into it. Errors of events stay as they are. */
const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

/** Events, start and view of a run. */
export const standing = Effect.fnUntraced(function* (journal: typeof Journal.Service, scope: ScopeKey, run: RunId) {
  const events = frozen(yield* journal.events(scope, run))
  const view = yield* fold(events)
  const [started] = events
  // a journal that folds starts so
  if (started?.tag !== "RunStarted") return yield* new MalformedJournal({ run, sequence: 0, reason: "it has no start" })
  if (view.phase === "Staging" || view.phase === "Refused")
    return yield* new MalformedJournal({ run, sequence: view.sequence, reason: "it breaks off inside a cycle" })
  return { events, started, view }
})

/** Who is asked next in a run that rests so, for a refusal to name; undefined where the corpus is not looked at any more. */
export const stageOf = (phase: Phase): Stage | undefined => {
  switch (phase) {
    case "Opened":
      return "Initializer"
    case "Initialized":
      return "CompactEvidenceCheck"
    case "Ready":
      return "Planner"
    case "Selecting":
      return "Action"
    case "Admitted":
      return "Reader"
    default:
      return undefined
  }
}

const isStage = Schema.is(Incomplete.fields.stage)

/** The end that a run has come to: its view, or ⊥ again. */
export const ended = (view: RunView): Effect.Effect<RunView, Incomplete | MalformedJournal> =>
  Option.match(view.reason, {
    onNone: () => Effect.succeed(view),
    onSome: ({ cause, stage }) =>
      isStage(stage)
        ? new Incomplete({ run: view.run, stage, cause })
        : new MalformedJournal({ run: view.run, sequence: view.sequence - 1, reason: `${stage} is no stage` })
  })

/** How many runs are looked through for one to go on with. */
const lookedThrough = 1000

/** The newest run of a scope that can be gone on with, if there is one. */
export const newest: (scope: ScopeKey) => Effect.Effect<Option.Option<RunId>, StoreError, Journal> = Effect.fn(
  "Resume.newest"
)(function* (scope: ScopeKey) {
  const journal = yield* Journal
  const runs = yield* journal.runs(scope, { limit: lookedThrough })
  for (const { outcome, run } of runs) {
    if (outcome === null || outcome === "Interrupted") return Option.some(run)
    if (outcome !== "Incomplete") continue
    const view = yield* Effect.option(Effect.flatMap(journal.events(scope, run), fold))
    if (Option.exists(view, isResumable)) return Option.some(run)
  }
  return Option.none()
})
