/** A run from its journal: nothing is asked again, everything is folded from what was written (C30). */
import { Effect, Option, Schema } from "effect"
import { Answer } from "../domain/Answer.ts"
import { Event } from "../domain/Event.ts"
import type { RunId, ScopeKey } from "../domain/Ids.ts"
import { answerOf, statesOf } from "../domain/Report.ts"
import { fold, type MalformedJournal, type RunView } from "../domain/Run.ts"
import { State } from "../domain/State.ts"
import { Journal } from "../services/Journal.ts"
import { type StoreError, UnknownRun } from "../services/StoreError.ts"

/** The JSON of `explain --json`. */
export const Explanation = Schema.Struct({
  run: Answer,
  events: Schema.Array(Event),
  states: Schema.Array(Schema.Struct({ sequence: Schema.NonNegativeInt, state: State }))
})
export type Explanation = typeof Explanation.Type

type Failed = StoreError | UnknownRun | MalformedJournal

/** The events and the view of a run; the newest of the scope where `run` is none. */
export const read: (
  scope: ScopeKey,
  run: Option.Option<RunId>
) => Effect.Effect<{ readonly view: RunView; readonly events: ReadonlyArray<Event> }, Failed, Journal> = Effect.fn(
  "Explain.read"
)(function* (scope: ScopeKey, run: Option.Option<RunId>) {
  const journal = yield* Journal
  const id = Option.isSome(run) ? run : yield* journal.latest(scope)
  if (Option.isNone(id)) return yield* new UnknownRun({ run: "", known: [] })
  const events = yield* journal.events(scope, id.value)
  return { view: yield* fold(events), events }
})

/** What a run came to, its events, and the five-field state after each commit. */
export const explain: (scope: ScopeKey, run: Option.Option<RunId>) => Effect.Effect<Explanation, Failed, Journal> =
  Effect.fn("Explain.explain")(function* (scope: ScopeKey, run: Option.Option<RunId>) {
    const { events, view } = yield* read(scope, run)
    return { run: answerOf(view), events, states: yield* statesOf(events) }
  })
