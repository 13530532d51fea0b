/** The journal of runs (C30): events in order, written by one holder of a fencing token. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Artifact, AtMost } from "../domain/Artifact.ts"
import type { Event } from "../domain/Event.ts"
import { RunId, ScopeKey } from "../domain/Ids.ts"
import type { ModelCall } from "../domain/Usage.ts"
import { CallRecord } from "./ModelCalls.ts"
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

/** A model call with its place in the run: each place is taken once. */
export const KeptCall = Schema.Struct({
  /** The open or last cycle; 0 before the first. */
  cycle: Schema.NonNegativeInt,
  /** Who was asked. */
  stage: Schema.String,
  /** From 0, in the order of the answers of this stage in this cycle. */
  attempt: Schema.NonNegativeInt,
  /** Milliseconds since the epoch. */
  at: Schema.Finite,
  ...CallRecord.fields
})
export type KeptCall = typeof KeptCall.Type

/** What one call cost, whoever made it: `run` is a run, or the id of other work. */
export interface Billed {
  readonly run: string
  readonly at: number
  readonly call: ModelCall
}

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
    /**
     * Writes a model call of a run, if `token` is still the newest, before its answer is used (C30). Events stay as they are. A call whose
     * place is taken or that does not encode is `Unreadable`: nothing is written.
     */
    readonly keepCall: (
      run: RunId,
      token: FencingToken,
      call: KeptCall
    ) => Effect.Effect<void, StoreError | StaleWriter>
    /** The same for work that is no run: of an index run, say, whose own id `work` is. */
    readonly keepOther: (scope: ScopeKey, work: string, call: KeptCall) => Effect.Effect<void, StoreError>
    /** The model calls of a run that were kept, by cycle, stage and attempt; none of an unknown run. */
    readonly calls: (scope: ScopeKey, run: RunId) => Effect.Effect<ReadonlyArray<KeptCall>, StoreError>
    /** Every call of the scope since a time (ms): those that were kept, and those that are only in a run's events; by time. */
    readonly billed: (scope: ScopeKey, since: number) => Effect.Effect<ReadonlyArray<Billed>, StoreError>
    /**
     * Takes a run over: a new token, which makes the old one stale. `StaleWriter` where the run is open and another process that asks it is
     * still there ({@link Writers}): that one goes on, and nothing is paid for twice.
     */
    readonly takeOver: (run: RunId) => Effect.Effect<FencingToken, StoreError | UnknownRun | StaleWriter>
    /** Says that nobody asks a run any more that has not ended: whoever wrote it is there and has given up. Nothing where `token` is stale. */
    readonly leave: (run: RunId, token: FencingToken) => Effect.Effect<void, StoreError>
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
