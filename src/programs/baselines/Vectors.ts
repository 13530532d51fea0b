/** Vectors of passages and of texts, held for methods that look at all of them. */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { ScopeKey } from "../../domain/Ids.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"
import { VectorStore } from "../../services/VectorStore.ts"

const page = 1000
/** Texts that are embedded between two chances for other fibers. */
const batch = 256

/** The stored vectors of these passages, in their order; an empty one for a passage that has none. */
export const vectorsOf = Effect.fnUntraced(function* (scope: ScopeKey, passages: ReadonlyArray<Passage>) {
  const store = yield* VectorStore
  const held = new Map<string, Float32Array>()
  for (let after = Option.none<string>(); ; ) {
    const some = yield* store.page(scope, "Passage", after, page)
    const last = some.at(-1)
    if (last === undefined) break
    for (const { id, vector } of some) held.set(id, vector)
    after = Option.some(last.id)
  }
  return passages.map(({ id }) => held.get(id) ?? new Float32Array(0))
})

export const embedAll = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const model = yield* EmbeddingModel
  const found: Array<Float32Array> = []
  for (let at = 0; at < texts.length; at += batch) {
    for (const vector of yield* model.embed(texts.slice(at, at + batch))) found.push(vector)
    yield* Effect.yieldNow()
  }
  return found
})

/** What makes the vector of a question, to be held from one question to the next: the rest of the context is each question's own. */
export const embedder = Effect.map(
  EmbeddingModel,
  ({ embed }) =>
    (question: string) =>
      Effect.map(embed([question]), ([vector = new Float32Array(0)]) => vector)
)

/** The cosine of two unit vectors; 0 where one is empty. */
export const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < b.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/** The cosine of each vector with `query`. */
export const cosines = (query: Float32Array, vectors: ReadonlyArray<Float32Array>): Float64Array =>
  Float64Array.from(vectors, (vector) => cosine(query, vector))

/** Places of the `limit` greatest, greatest first, ties by place. */
export const greatest = (scores: Float64Array, limit: number): ReadonlyArray<number> => {
  const better = (x: number, y: number): number => (scores[y] ?? 0) - (scores[x] ?? 0) || x - y
  if (limit >= scores.length) return Array.from(scores.keys()).sort(better)
  const best: Array<number> = []
  for (let at = 0; at < scores.length; at++) {
    const last = best.at(-1)
    if (last !== undefined && best.length >= limit && better(at, last) > 0) continue
    let place = best.length
    while (place > 0 && better(at, best[place - 1] ?? at) < 0) place--
    best.splice(place, 0, at)
    if (best.length > limit) best.pop()
  }
  return best
}

/** Scores brought to [0, 1]; all 1 where they are equal. */
export const normalised = (scores: Float64Array): Float64Array => {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const score of scores) {
    if (score < low) low = score
    if (score > high) high = score
  }
  return scores.map((score) => (high > low ? (score - low) / (high - low) : 1))
}
