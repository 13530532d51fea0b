/** Vectors as they are kept with the truth: unit length, finite, one model a scope. The {@link import("./VectorIndex.ts").VectorIndex} is a cache of this. */
import { Context, type Effect, type Option } from "effect"
import type { ScopeKey } from "../domain/Ids.ts"
import type { StoreError } from "./StoreError.ts"

/** What a vector stands for: a passage, or a Relation node of TAM. */
export type VectorKind = "Passage" | "Relation"

export interface StoredVector {
  readonly id: string
  readonly vector: Float32Array
}

export class VectorStore extends Context.Tag("staterag/services/VectorStore")<
  VectorStore,
  {
    /** Adds vectors, replacing those with the same id. */
    readonly put: (
      scope: ScopeKey,
      kind: VectorKind,
      vectors: ReadonlyArray<StoredVector>
    ) => Effect.Effect<void, StoreError>
    readonly remove: (scope: ScopeKey, kind: VectorKind, ids: ReadonlyArray<string>) => Effect.Effect<void, StoreError>
    readonly clear: (scope: ScopeKey, kind: VectorKind) => Effect.Effect<void, StoreError>
    readonly count: (scope: ScopeKey, kind: VectorKind) => Effect.Effect<number, StoreError>
    readonly get: (
      scope: ScopeKey,
      kind: VectorKind,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredVector>, StoreError>
    /** Vectors in the order of their ids, after `after`, at most `limit`. */
    readonly page: (
      scope: ScopeKey,
      kind: VectorKind,
      after: Option.Option<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredVector>, StoreError>
  }
>() {}
