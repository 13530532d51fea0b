/** SMP: reusable artifacts under the permission table (contract section 5). What a cycle makes is persisted by the {@link import("./Journal.ts").Journal} with its action. */
import { Context, type Effect } from "effect"
import type { Artifact, Claim, PermissionDenied } from "../domain/Artifact.ts"
import type { ArtifactId, RunId, ScopeKey } from "../domain/Ids.ts"
import type { StoreError } from "./StoreError.ts"

export class SharedMemoryPool extends Context.Tag("staterag/services/SharedMemoryPool")<
  SharedMemoryPool,
  {
    /**
     * U: ids of global artifacts of `scope` and task artifacts of `run` whose keys share a term with `terms`, most shared first, then by id;
     * at most `limit`. An artifact is left out once a content hash that it rests on is no longer in the corpus, or its days are over at `now`.
     */
    readonly expose: (
      scope: ScopeKey,
      run: RunId,
      terms: ReadonlyArray<string>,
      limit: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<ArtifactId>, StoreError>
    /** The artifacts with these ids, each permitted for `claim` or the whole read is refused. Unknown ids are left out. */
    readonly read: (
      claim: Claim,
      ids: ReadonlyArray<ArtifactId>
    ) => Effect.Effect<ReadonlyArray<Artifact>, StoreError | PermissionDenied>
    /** The claiming role's own private artifacts of its run, by id. */
    readonly own: (claim: Claim) => Effect.Effect<ReadonlyArray<Artifact>, StoreError | PermissionDenied>
    /** How many artifacts a scope holds, by memory scope. */
    readonly count: (
      scope: ScopeKey
    ) => Effect.Effect<{ readonly Global: number; readonly Task: number; readonly Private: number }, StoreError>
  }
>() {}
