/** What models have cost in a state folder, from the calls that its journal keeps: of questions, of indexing, of searches (C28). */
import { Effect } from "effect"
import { Bill, billOf } from "../domain/Bill.ts"
import type { Event } from "../domain/Event.ts"
import type { RunId, ScopeKey } from "../domain/Ids.ts"
import { metered, noUsage, type Usage } from "../domain/Usage.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Journal } from "../services/Journal.ts"
import type { StoreError, UnknownRun } from "../services/StoreError.ts"
import { recordedIn } from "./Recorder.ts"

export { Bill }

export interface UsageOptions {
  /** Of one scope alone; of all that are indexed where undefined. */
  readonly scope?: ScopeKey | undefined
  /** Milliseconds since the epoch; calls before do not count. */
  readonly since?: number | undefined
}

/** What a run has cost, also where it was killed before its events said so. */
export const usageOfRun: (scope: ScopeKey, run: RunId) => Effect.Effect<Usage, StoreError | UnknownRun, Journal> =
  Effect.fn("usageOfRun")(function* (scope: ScopeKey, run: RunId) {
    const journal = yield* Journal
    const events: ReadonlyArray<Event> = yield* journal.events(scope, run)
    const { calls, isMetered } = recordedIn(events, yield* journal.calls(scope, run))
    const all = [
      ...events.flatMap((event) => (event.tag === "ModelCalled" ? [event.call] : [])),
      ...calls.filter((kept) => !isMetered(kept)).map(({ call }) => call)
    ]
    return all.reduce(metered, noUsage)
  })

/** Sums every call that is kept. What `prune` has removed is not counted any more; what was forgotten is. */
export const usage: (options: UsageOptions) => Effect.Effect<Bill, StoreError, CorpusStore | Journal> = Effect.fn(
  "usage"
)(function* ({ scope, since }: UsageOptions) {
  const journal = yield* Journal
  const scopes = scope === undefined ? yield* (yield* CorpusStore).scopes : [scope]
  const items = yield* Effect.forEach(scopes, (key) =>
    Effect.map(journal.billed(key, since ?? 0), (calls) => calls.map(({ at, call }) => ({ scope: key, at, call })))
  )
  return billOf(items.flat(), since ?? null)
})
