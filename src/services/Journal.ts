/** The journal of runs (C30): events in order, written by one holder of a fencing token. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Artifact, AtMost } from "../domain/Artifact.ts"
import type { Event } from "../domain/Event.ts"
import { RunId, ScopeKey } from "../domain/Ids.ts"
import type { StaleWriter, StoreError, UnknownRun } from "./StoreError.ts"

/** Grows with every writer that opens a run; only the newest may write. */
export const FencingToken = Schema.NonNegativeInt.pipe(Schema.brand("FencingToken"))
export type FencingToken = typeof FencingToken.Type

/** A run at a glance. `outcome` is null while it is open, or where it was killed. */
export const RunSummary = Schema.Struct({
  run: RunId,
  scope: ScopeKey,
  question: Schema.String,
  startedAt: Schema.Number,
  outcome: Schema.NullOr(Schema.String),
  cycles: Schema.NonNegativeInt
})
export type RunSummary = typeof RunSummary.Type

export class Journal extends Context.Tag("staterag/services/Journal")<
  Journal,
  {
    /**
     * Opens a run with its first events, of which the first is `RunStarted`; gives the token to write with. `StaleWriter` (with token 0)
     * where something has been forgotten and the revision that it reads is not the current one: nothing is written (C34).
     */
    readonly begin: (
      events: readonly [Extract<Event, { readonly tag: "RunStarted" }>, ...ReadonlyArray<Event>]
    ) => Effect.Effect<FencingToken, StoreError | StaleWriter>
    /**
     * Appends events and persists artifacts in one transaction, if `token` is still the newest (C24, C30).
     *
     * Events that leave a gap, repeat one or do not encode, and artifacts that their producer may not write, are `Unreadable`: nothing is
     * written. An artifact whose id is there already stays as it was. With `atMost`, the oldest of a kind go first where there are more.
     */
    readonly commit: (
      run: RunId,
      token: FencingToken,
      events: ReadonlyArray<Event>,
      artifacts: ReadonlyArray<Artifact>,
      atMost?: AtMost
    ) => Effect.Effect<void, StoreError | StaleWriter>
    /** Takes a run over: a new token, which makes the old one stale. */
    readonly takeOver: (run: RunId) => Effect.Effect<FencingToken, StoreError | UnknownRun>
    /** The events of a run in order. */
    readonly events: (scope: ScopeKey, run: RunId) => Effect.Effect<ReadonlyArray<Event>, StoreError | UnknownRun>
    /** The newest run of a scope. */
    readonly latest: (scope: ScopeKey) => Effect.Effect<Option.Option<RunId>, StoreError>
    /** Runs of a scope, newest first. */
    readonly runs: (
      scope: ScopeKey,
      filter: { readonly outcome?: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<RunSummary>, StoreError>
  }
>() {}
