/**
 * What is done to what is kept, apart from answering: forgetting (C34), pruning, checking. No role and no run has this door; whoever may
 * open it owns the whole scope.
 */
import { Context, type Effect } from "effect"
import type { Artifact } from "../domain/Artifact.ts"
import type { Event } from "../domain/Event.ts"
import type { ArtifactId, RunId, ScopeKey } from "../domain/Ids.ts"
import type { StoreError, UnknownRun } from "./StoreError.ts"

export interface Fault {
  /** `Tables`: what `restore` makes again. */
  readonly part: "Words" | "Database" | "FreeSpace" | "Tables"
  readonly detail: string
}

/** Which of what is cached goes; with `dryRun` it is only counted. */
export interface Outdated {
  readonly usedBefore?: number | undefined
  readonly keep?: number | undefined
  readonly dryRun?: boolean | undefined
}

export class Housekeeping extends Context.Tag("staterag/services/Housekeeping")<
  Housekeeping,
  {
    /** All artifacts of a scope, whoever made them, by id. */
    readonly artifacts: (scope: ScopeKey) => Effect.Effect<ReadonlyArray<Artifact>, StoreError>
    readonly removeArtifacts: (scope: ScopeKey, ids: ReadonlyArray<ArtifactId>) => Effect.Effect<void, StoreError>
    /**
     * Writes these events of a run in the place of those that have their sequences and tags (C34). Others stay; the run's standing does
     * not change. Events that have no counterpart are `Unreadable`: nothing is written.
     */
    readonly rewrite: (
      scope: ScopeKey,
      run: RunId,
      events: ReadonlyArray<Event>
    ) => Effect.Effect<void, StoreError | UnknownRun>
    /** Removes runs with their events, model calls, task and private artifacts. Whoever still writes one is stale; unknown runs count for nothing. */
    readonly removeRuns: (scope: ScopeKey, runs: ReadonlyArray<RunId>) => Effect.Effect<void, StoreError>
    /**
     * Keeps out what is still in somebody's memory: the writers of the scope's open runs are stale, and from now on a run begins only on
     * the scope's current revision. What was forgotten owes a {@link Housekeeping} `scrub` from then on.
     */
    readonly fence: (scope: ScopeKey) => Effect.Effect<void, StoreError>
    /**
     * Removes what models have said and what they made of texts: the answers of calls, and all that is cached of the scope. What calls have
     * cost stays.
     */
    readonly removeAnswers: (scope: ScopeKey) => Effect.Effect<void, StoreError>
    /**
     * Removes what is cached of the scope and was last used before a time (ms), and all but the `keep` answers that were used last. With it
     * go the answers of runs that have come to an answer of their own, and calls from before that time that belong to no run.
     */
    readonly removeCached: (
      scope: ScopeKey,
      which: Outdated
    ) => Effect.Effect<{ readonly removed: number; readonly kept: number }, StoreError>
    /** Bytes that all scopes take, without logs and caches; 0 where nothing is on disk. */
    readonly bytes: Effect.Effect<number, StoreError>
    /** What each table takes of these, with its indexes, in bytes, largest first; a scope's word tables stand together with those of others. Reads every page. */
    readonly tables: Effect.Effect<ReadonlyArray<readonly [table: string, bytes: number]>, StoreError>
    /**
     * Leaves nothing of what was removed: not in indexes, free space or logs; and gives the space back. Reads and writes everything once.
     * Never inside a transaction. `Busy` where another process goes on reading what is gone.
     */
    readonly scrub: Effect.Effect<void, StoreError>
    /** Scrubs if that is still owed: whoever forgot was killed before. Where it cannot be done now, that is logged, and it stays owed. */
    readonly settle: Effect.Effect<void, StoreError>
    /** Makes tables again that are gone, empty; all that was in them is made from what is left, or lost. */
    readonly restore: Effect.Effect<void, StoreError>
    /** What the database finds wrong with itself, in its own words: in the word indexes of the scope, or in anything. */
    readonly faults: (scope: ScopeKey) => Effect.Effect<ReadonlyArray<Fault>, StoreError>
  }
>() {}
