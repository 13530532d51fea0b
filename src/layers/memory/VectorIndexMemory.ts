/** Nearest vectors by looking at every one in the {@link VectorStore}: slow, exact, and what other indexes are compared with. */
import { Effect, Layer, Option } from "effect"
import type { ScopeKey } from "../../domain/Ids.ts"
import type { Hit } from "../../services/LexicalIndex.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { type StoredVector, type VectorKind, VectorStore } from "../../services/VectorStore.ts"

const pageSize = 1000

const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

const better = (a: Hit, b: Hit): number => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export const layer: Layer.Layer<VectorIndex, never, VectorStore> = Layer.effect(
  VectorIndex,
  Effect.gen(function* () {
    const store = yield* VectorStore
    const all = Effect.fnUntraced(function* (scope: ScopeKey, kind: VectorKind) {
      const found: Array<StoredVector> = []
      for (;;) {
        const last = found.at(-1)
        const page = yield* store.page(scope, kind, Option.fromNullable(last?.id), pageSize)
        if (page.length === 0) return found
        found.push(...page)
      }
    })
    return {
      search: Effect.fnUntraced(function* (scope, kind, queries, limit, among) {
        const vectors =
          among === undefined ? yield* all(scope, kind) : yield* store.get(scope, kind, [...new Set(among)])
        return queries.map((query) =>
          vectors
            .map(({ id, vector }): Hit => ({ id, score: cosine(query, vector) }))
            .sort(better)
            .slice(0, limit)
        )
      }),
      build: () => Effect.void,
      status: Effect.fnUntraced(function* (scope) {
        const passages = yield* store.count(scope, "Passage")
        const relations = yield* store.count(scope, "Relation")
        return { fresh: true, vectors: passages + relations, bytes: 0 }
      })
    }
  })
)
