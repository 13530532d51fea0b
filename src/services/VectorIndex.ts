/** Nearest vectors by cosine: a cache over the {@link VectorStore}, rebuilt from it on any doubt. */
import { Context, type Effect } from "effect"
import type { CorpusRevision, ScopeKey } from "../domain/Ids.ts"
import type { Hit } from "./LexicalIndex.ts"
import type { StoreError } from "./StoreError.ts"
import type { VectorKind } from "./VectorStore.ts"

/** Which vectors of a revision may be others than in the one `since`; those that are no longer there included. */
export interface VectorChange {
  readonly since: CorpusRevision
  readonly ids: Readonly<Record<VectorKind, ReadonlySet<string>>>
}

export class VectorIndex extends Context.Tag("staterag/services/VectorIndex")<
  VectorIndex,
  {
    /**
     * For each query (unit length) the `limit` nearest, best first, ties by id; `score` is the cosine.
     * Every query has the dimensions of the stored vectors. An empty index gives empty lists. With `among` only the vectors of these ids count.
     */
    readonly search: (
      scope: ScopeKey,
      kind: VectorKind,
      queries: ReadonlyArray<Float32Array>,
      limit: number,
      among?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<Hit>>, StoreError>
    /**
     * Writes the cache for a revision; called after an index run. With `change`, a cache of the revision before may be brought up to date;
     * without, it is written whole, and nothing stays of vectors that are gone.
     */
    readonly build: (
      scope: ScopeKey,
      revision: CorpusRevision,
      change?: VectorChange
    ) => Effect.Effect<void, StoreError>
    /** What is cached: whether it belongs to the current revision, how many vectors, bytes on disk. */
    readonly status: (
      scope: ScopeKey
    ) => Effect.Effect<{ readonly fresh: boolean; readonly vectors: number; readonly bytes: number }, StoreError>
  }
>() {}
