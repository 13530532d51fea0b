/** Vectors in the {@link Memory} of this process. */
import { Effect, Layer, Option } from "effect"
import { type StoredVector, type VectorKind, VectorStore } from "../../services/VectorStore.ts"
import { Memory } from "./Memory.ts"

const make = Effect.map(Memory, (memory) => {
  const byKind = { Passage: memory.tables<StoredVector>(), Relation: memory.tables<StoredVector>() }
  const table = (scope: string, kind: VectorKind) => byKind[kind](scope)
  /** Whoever gave or got a vector may write to it; what is kept here stays as it was. */
  const copy = ({ id, vector }: StoredVector): StoredVector => ({ id, vector: vector.slice() })

  return VectorStore.of({
    put: (scope, kind, vectors) =>
      memory.use(() => {
        for (const stored of vectors) table(scope, kind).set(stored.id, copy(stored))
      }),
    remove: (scope, kind, ids) =>
      memory.use(() => {
        for (const id of ids) table(scope, kind).delete(id)
      }),
    clear: (scope, kind) => memory.use(() => table(scope, kind).clear()),
    count: (scope, kind) => memory.use(() => table(scope, kind).size()),
    get: (scope, kind, ids) =>
      memory.use(() =>
        ids.flatMap((id) => {
          const stored = table(scope, kind).get(id)
          return stored === undefined ? [] : [copy(stored)]
        })
      ),
    page: (scope, kind, after, limit) =>
      memory.use(() =>
        table(scope, kind)
          .page(
            Option.getOrElse(after, () => ""),
            limit
          )
          .map(copy)
      )
  })
})

export const layer: Layer.Layer<VectorStore, never, Memory> = Layer.effect(VectorStore, make)
