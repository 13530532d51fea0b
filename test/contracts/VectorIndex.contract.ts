/** What every VectorIndex promises: the same answers as looking at every stored vector. */
import { expect, layer as provide } from "@effect/vitest"
import { Effect, Either, type Layer } from "effect"
import { CorpusRevision, ScopeKey } from "../../src/domain/Ids.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import type { Hit } from "../../src/services/LexicalIndex.ts"
import { VectorIndex } from "../../src/services/VectorIndex.ts"
import { type StoredVector, type VectorKind, VectorStore } from "../../src/services/VectorStore.ts"
import { random } from "../support/Random.ts"

export const dimensions = 64

/** Unit vectors in clusters, as texts about a few things give them. */
export const clustered = (seed: number, count: number, prefix = "v"): ReadonlyArray<StoredVector> => {
  const r = random(seed)
  const centres = Array.from({ length: 12 }, () => Array.from({ length: dimensions }, () => r.next() - 0.5))
  return Array.from({ length: count }, (_, n) => {
    const centre = r.pick(centres)
    const raw = Float32Array.from(centre, (part) => part + (r.next() - 0.5) * 0.8)
    const length = Math.hypot(...raw)
    return { id: `${prefix}${String(n).padStart(5, "0")}`, vector: raw.map((part) => part / length) }
  })
}

/** The nearest by looking at every one. */
export const oracle = (vectors: ReadonlyArray<StoredVector>, query: Float32Array, limit: number): ReadonlyArray<Hit> =>
  vectors
    .map(({ id, vector }) => ({ id, score: vector.reduce((sum, part, i) => sum + part * (query[i] ?? 0), 0) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit)

/** Declares what the store holds to be a revision. */
export const revise = (scope: ScopeKey, revision: string) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    yield* corpus.put(scope, [])
    yield* corpus.setRevision(scope, {
      revision: CorpusRevision.make(revision),
      embedding: "test",
      dimensions,
      indexedAt: 0
    })
  })

export const filled = (scope: ScopeKey, kind: VectorKind, vectors: ReadonlyArray<StoredVector>, revision: string) =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    yield* store.put(scope, kind, vectors)
    yield* revise(scope, revision)
  })

const ids = (hits: ReadonlyArray<Hit> | undefined): ReadonlyArray<string> => (hits ?? []).map(({ id }) => id)

/** `recall`: the share of the nearest that must be found, for indexes that do not promise all of them. */
export const contract = (
  name: string,
  index: Layer.Layer<VectorIndex | VectorStore | CorpusStore, unknown>,
  recall = 1
): void =>
  provide(index)(name, (it) => {
    it.effect("gives empty lists where nothing is stored, and under an unknown scope", () =>
      Effect.gen(function* () {
        const { search } = yield* VectorIndex
        const [first, second] = clustered(1, 2)
        const queries = [first, second].flatMap((stored) => (stored === undefined ? [] : [stored.vector]))
        expect(yield* search(ScopeKey.make("nobody"), "Passage", queries, 3)).toEqual([[], []])
        yield* revise(ScopeKey.make("bare"), "r0")
        expect(yield* search(ScopeKey.make("bare"), "Relation", queries, 3)).toEqual([[], []])
      })
    )

    it.effect("among some ids, gives the nearest of them alone, whether few or many", () =>
      Effect.gen(function* () {
        const scope = ScopeKey.make("among")
        const vectors = clustered(5, 6000)
        yield* filled(scope, "Passage", vectors, "r1")
        const queries = clustered(6, 6).map(({ vector }) => vector)
        const { search } = yield* VectorIndex
        for (const [every, limit] of [
          [600, 200],
          [60, 3],
          [2, 40]
        ] as const) {
          const own = vectors.filter((_, n) => n % every === 1)
          const found = yield* search(scope, "Passage", queries, limit, [...own.map(({ id }) => id), "unknown"])
          queries.forEach((query, i) => {
            const wanted = oracle(own, query, limit)
            if (recall === 1 || own.length < 1000) expect(ids(found[i])).toEqual(ids(wanted))
            else expect(ids(found[i]).every((id) => own.some((stored) => stored.id === id))).toBe(true)
            expect(found[i]).toHaveLength(wanted.length)
          })
        }
        expect(yield* search(scope, "Passage", queries, 3, [])).toEqual(queries.map(() => []))
      })
    )

    it.effect("agrees with looking at every vector, in ids, order and scores", () =>
      Effect.gen(function* () {
        const scope = ScopeKey.make("oracle")
        const vectors = clustered(2, 400)
        yield* filled(scope, "Passage", vectors, "r1")
        const queries = clustered(3, 40).map(({ vector }) => vector)
        let wanted = 0
        let met = 0
        for (const limit of [1, 7, 60, 1000]) {
          const found = yield* (yield* VectorIndex).search(scope, "Passage", queries, limit)
          queries.forEach((query, i) => {
            const all = new Map(oracle(vectors, query, vectors.length).map(({ id, score }) => [id, score]))
            const nearest = [...all.keys()].slice(0, limit)
            const got = ids(found[i])
            if (recall === 1) expect(got).toEqual(nearest)
            expect(got).toHaveLength(nearest.length)
            wanted += nearest.length
            met += nearest.filter((id) => got.includes(id)).length
            const scores = found[i]?.map(({ score }) => score) ?? []
            expect(scores).toEqual([...scores].sort((a, b) => b - a))
            for (const { id, score } of found[i] ?? []) expect(score).toBeCloseTo(all.get(id) ?? Number.NaN, 5)
          })
        }
        expect(met / wanted).toBeGreaterThanOrEqual(recall)
      })
    )

    it.effect("orders equal vectors by id, however many there are", () =>
      Effect.gen(function* () {
        const scope = ScopeKey.make("ties")
        const [one] = clustered(4, 1)
        if (one === undefined) return
        const copies = Array.from({ length: 250 }, (_, n) => ({
          id: `c${String(n).padStart(3, "0")}`,
          vector: one.vector
        }))
        yield* filled(scope, "Passage", [...clustered(5, 50), ...[...copies].reverse()], "r1")
        const [found] = yield* (yield* VectorIndex).search(scope, "Passage", [one.vector], 5)
        expect(ids(found)).toEqual(["c000", "c001", "c002", "c003", "c004"])
      })
    )

    it.effect("keeps scopes and kinds apart", () =>
      Effect.gen(function* () {
        const [a, b] = [ScopeKey.make("left"), ScopeKey.make("right")]
        yield* filled(a, "Passage", clustered(6, 5, "ap"), "r1")
        yield* filled(a, "Relation", clustered(6, 5, "ar"), "r1")
        yield* filled(b, "Passage", clustered(6, 5, "bp"), "r1")
        const query = clustered(6, 1).map(({ vector }) => vector)
        const { search } = yield* VectorIndex
        expect(ids((yield* search(a, "Passage", query, 1))[0])).toEqual(["ap00000"])
        expect(ids((yield* search(a, "Relation", query, 1))[0])).toEqual(["ar00000"])
        expect(ids((yield* search(b, "Passage", query, 1))[0])).toEqual(["bp00000"])
        expect(yield* search(b, "Relation", query, 1)).toEqual([[]])
      })
    )

    it.effect("follows the store from one revision to the next: what is removed is not found again", () =>
      Effect.gen(function* () {
        const scope = ScopeKey.make("moving")
        const vectors = clustered(7, 30)
        const query = vectors.slice(0, 1).map(({ vector }) => vector)
        yield* filled(scope, "Passage", vectors, "r1")
        const index = yield* VectorIndex
        yield* index.build(scope, CorpusRevision.make("r1"))
        expect(ids((yield* index.search(scope, "Passage", query, 1))[0])).toEqual(["v00000"])
        yield* (yield* VectorStore).remove(scope, "Passage", ["v00000"])
        yield* revise(scope, "r2")
        const left = vectors.slice(1)
        const [found] = yield* index.search(scope, "Passage", query, 30)
        expect(ids(found)).toEqual(ids(oracle(left, query[0] ?? new Float32Array(), 30)))
        yield* filled(scope, "Passage", clustered(8, 3, "new"), "r3")
        yield* index.build(scope, CorpusRevision.make("r3"))
        expect((yield* index.search(scope, "Passage", query, 99))[0]).toHaveLength(32)
      })
    )

    it.effect("follows a long row of changes that it is told of, as if each were built anew", () =>
      Effect.gen(function* () {
        const scope = ScopeKey.make("told")
        const r = random(31)
        const store = yield* VectorStore
        const index = yield* VectorIndex
        const held = new Map(clustered(32, 300).map((stored) => [stored.id, stored]))
        yield* filled(scope, "Passage", [...held.values()], "r0")
        yield* index.build(scope, CorpusRevision.make("r0"))
        let next = 0
        for (let step = 1; step <= 40; step++) {
          // one large change amid small ones
          const [come, gone] = step === 25 ? [90, 60] : [r.int(7), r.int(7)]
          const lost = Array.from({ length: gone }, () => r.pick([...held.keys()]))
          const fresh = clustered(100 + step, come).map(({ vector }, n) => ({
            id: n % 2 === 0 ? r.pick([...held.keys()]) : `n${String(next++).padStart(4, "0")}`,
            vector
          }))
          for (const id of lost) held.delete(id)
          for (const stored of fresh) held.set(stored.id, stored)
          yield* store.remove(scope, "Passage", lost)
          yield* store.put(scope, "Passage", fresh)
          yield* revise(scope, `r${step}`)
          yield* index.build(scope, CorpusRevision.make(`r${step}`), {
            since: CorpusRevision.make(`r${step - 1}`),
            ids: { Passage: new Set([...lost, ...fresh.map(({ id }) => id)]), Relation: new Set() }
          })
          expect(yield* index.status(scope)).toMatchObject({ fresh: true, vectors: held.size })
          const queries = clustered(200 + step, 3).map(({ vector }) => vector)
          const found = yield* index.search(scope, "Passage", queries, 12)
          queries.forEach((query, i) => {
            const nearest = ids(oracle([...held.values()], query, 12))
            if (recall === 1) expect(ids(found[i])).toEqual(nearest)
            else expect(ids(found[i]).every((id) => held.has(id))).toBe(true)
          })
        }
      })
    )

    it.effect("says how many vectors are cached, and that they are those of the revision", () =>
      Effect.gen(function* () {
        const scope = ScopeKey.make("status")
        yield* filled(scope, "Passage", clustered(9, 8), "r1")
        yield* filled(scope, "Relation", clustered(9, 4), "r1")
        const index = yield* VectorIndex
        yield* index.build(scope, CorpusRevision.make("r1"))
        expect(yield* index.status(scope)).toMatchObject({ fresh: true, vectors: 12 })
      })
    )

    it.effect("answers searches that run at once", () =>
      Effect.gen(function* () {
        const scope = ScopeKey.make("crowd")
        const vectors = clustered(10, 200)
        yield* filled(scope, "Passage", vectors, "r1")
        const { search } = yield* VectorIndex
        const found = yield* Effect.forEach(
          vectors.slice(0, 20),
          ({ vector }) => Effect.either(search(scope, "Passage", [vector], 1)),
          { concurrency: "unbounded" }
        )
        expect(found.map((either) => ids(Either.getOrElse(either, () => [])[0])[0])).toEqual(
          vectors.slice(0, 20).map(({ id }) => id)
        )
      })
    )
  })
