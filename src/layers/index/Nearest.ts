/** The nearest of a loaded index: candidates of its searcher, scored on the stored vectors. */
import { Effect, Option } from "effect"
import type { ScopeKey } from "../../domain/Ids.ts"
import type { Hit } from "../../services/LexicalIndex.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { VectorKind, VectorStore } from "../../services/VectorStore.ts"
import type { Searcher } from "./Searchers.ts"

export interface Loaded {
  readonly revision: string
  readonly ids: ReadonlyArray<string>
  readonly searcher: Searcher
}

/** What a loaded index has read from the store: it is gone with the index, and so with the revision. */
interface Known {
  /** Where each id stands, once somebody has asked for some ids alone. */
  places: ReadonlyMap<string, number> | undefined
  /** By place. */
  readonly vectors: Map<number, Float32Array>
  /** The newest answers, by what was asked: the cycles of one question ask for some texts again. */
  readonly answers: Array<{ readonly query: Float32Array; readonly limit: number; readonly hits: ReadonlyArray<Hit> }>
}
/** Numbers of vectors kept in memory, over all indexes: 16 MB. */
const mostNumbers = 4_194_304
const mostAnswers = 32
/** Where at most so many ids are asked for alone, each is scored: 2.5 KB are read for each. */
const mostScored = 2000

const isSame = (a: Float32Array, b: Float32Array): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}
const better = (a: Hit, b: Hit): number => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export const make = (
  store: VectorStore["Type"],
  revisionOf: (scope: ScopeKey) => Effect.Effect<Option.Option<string>, StoreError>
) => {
  let known = new WeakMap<Loaded, Known>()
  let numbers = 0
  const knownOf = (loaded: Loaded): Known => {
    const found = known.get(loaded) ?? { places: undefined, vectors: new Map(), answers: [] }
    known.set(loaded, found)
    return found
  }

  const placesOf = (loaded: Loaded, ids: ReadonlyArray<string>): ReadonlySet<number> => {
    const own = knownOf(loaded)
    own.places ??= new Map(loaded.ids.map((id, place) => [id, place]))
    const { places } = own
    return new Set(ids.flatMap((id) => places.get(id) ?? []))
  }

  /** The stored vectors at these places, by place; kept only if the corpus is still that revision when they have been read. */
  const vectorsAt = Effect.fnUntraced(function* (
    scope: ScopeKey,
    kind: VectorKind,
    loaded: Loaded,
    places: ReadonlyArray<number>
  ) {
    const { vectors } = knownOf(loaded)
    const missing = places.filter((place) => !vectors.has(place))
    if (missing.length === 0) return { vectors, isCurrent: true }
    const placeOf = new Map(missing.map((place) => [loaded.ids[place] ?? "", place]))
    const read = yield* store.get(scope, kind, [...placeOf.keys()])
    const isCurrent = Option.contains(yield* revisionOf(scope), loaded.revision)
    const found = isCurrent ? vectors : new Map(vectors)
    for (const { id, vector } of read) {
      const place = placeOf.get(id)
      if (place === undefined) continue
      found.set(place, vector)
      if (isCurrent) numbers += vector.length
    }
    if (numbers > mostNumbers) {
      known = new WeakMap()
      numbers = 0
    }
    return { vectors: found, isCurrent }
  })

  /** Scores places on the stored vectors; `isCurrent` as {@link vectorsAt} tells it. */
  const scored = Effect.fnUntraced(function* (
    scope: ScopeKey,
    kind: VectorKind,
    loaded: Loaded,
    query: Float32Array,
    places: ReadonlyArray<number>
  ) {
    const { isCurrent, vectors } = yield* vectorsAt(scope, kind, loaded, places)
    const hits: ReadonlyArray<Hit> = places
      .flatMap((place) => {
        const vector = vectors.get(place)
        return vector === undefined ? [] : [{ id: loaded.ids[place] ?? "", score: cosine(query, vector) }]
      })
      .sort(better)
    return { hits, isCurrent }
  })

  /**
   * Scores proposals on the stored vectors; asks for more until nothing that was not proposed can belong to the result. What lies two errors
   * below the last that was wanted does not, and is not read.
   */
  const proposed = Effect.fnUntraced(function* (
    scope: ScopeKey,
    kind: VectorKind,
    loaded: Loaded,
    query: Float32Array,
    limit: number,
    allowed?: ReadonlySet<number>
  ) {
    const { searcher } = loaded
    for (let asked = 2 * limit + 24; ; asked *= 4) {
      const wanted = Math.min(asked, searcher.most)
      const { near, places } = searcher.propose(query, wanted)
      const farthest = near[near.length - 1] ?? -1
      const found = places.flatMap((place, i) =>
        allowed === undefined || allowed.has(place) ? [{ place, near: near[i] ?? -1 }] : []
      )
      const isLast = wanted >= searcher.most
      if (!isLast && found.length < limit) continue
      const least = (found[limit - 1]?.near ?? -1) - 2 * searcher.error
      const close = found.flatMap((one) => (one.near >= least ? [one.place] : []))
      const { hits, isCurrent } = yield* scored(scope, kind, loaded, query, close)
      const last = hits[Math.min(limit, hits.length) - 1]
      if (isLast || last === undefined || last.score > farthest + searcher.error)
        return { hits: hits.slice(0, limit), isCurrent }
    }
  })

  const nearest = Effect.fnUntraced(function* (
    scope: ScopeKey,
    kind: VectorKind,
    loaded: Loaded,
    query: Float32Array,
    limit: number
  ) {
    const { answers } = knownOf(loaded)
    const before = answers.find((one) => one.limit === limit && isSame(one.query, query))
    if (before !== undefined) return before.hits
    const { hits, isCurrent } = yield* proposed(scope, kind, loaded, query, limit)
    if (isCurrent) {
      // what was known is forgotten when it has grown too large
      const { answers: kept } = knownOf(loaded)
      kept.push({ query, limit, hits })
      if (kept.length > mostAnswers) kept.shift()
    }
    return hits
  })

  /** A few are scored each; of many, those that are proposed, and all of them where a graph proposes too few. */
  const nearestOf = Effect.fnUntraced(function* (
    scope: ScopeKey,
    kind: VectorKind,
    loaded: Loaded,
    query: Float32Array,
    limit: number,
    among: ReadonlySet<number>
  ) {
    if (among.size > mostScored) {
      const { hits } = yield* proposed(scope, kind, loaded, query, limit, among)
      if (hits.length >= Math.min(limit, among.size)) return hits
    }
    return (yield* scored(scope, kind, loaded, query, [...among])).hits.slice(0, limit)
  })

  return { nearest, nearestOf, placesOf }
}
