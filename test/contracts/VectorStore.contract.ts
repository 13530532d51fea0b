/** What every VectorStore promises. */
import { expect, layer as provide } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { type StoredVector, VectorStore } from "../../src/services/VectorStore.ts"
import { awkward, newScope } from "../support/Corpora.ts"

const vector = (id: string, ...components: ReadonlyArray<number>): StoredVector => ({
  id,
  vector: Float32Array.from(components)
})

export const contract = (name: string, stores: Layer.Layer<VectorStore, unknown>): void =>
  provide(stores)(`VectorStore ${name}`, (it) => {
    it.effect("holds nothing in a scope that was never indexed, and takes empty batches", () =>
      Effect.gen(function* () {
        const store = yield* VectorStore
        const scope = newScope()
        expect(yield* store.count(scope, "Passage")).toBe(0)
        expect(yield* store.get(scope, "Passage", ["a"])).toEqual([])
        expect(yield* store.page(scope, "Passage", Option.none(), 5)).toEqual([])
        yield* store.remove(scope, "Passage", ["a"])
        yield* store.clear(scope, "Passage")
        yield* store.put(scope, "Passage", [])
        yield* store.remove(scope, "Passage", [])
        expect(yield* store.get(scope, "Passage", [])).toEqual([])
      })
    )

    it.effect("gives back every bit, for any id, in the order that was asked for", () =>
      Effect.gen(function* () {
        const store = yield* VectorStore
        const scope = newScope()
        const wide = Float32Array.from({ length: 1024 }, (_, i) => Math.fround(Math.sin(i)) / 7)
        // a view into a larger buffer, at an odd place
        const vectors = awkward.map((id, i) => ({ id, vector: wide.subarray(i, i + 384) }))
        yield* store.put(scope, "Relation", vectors)
        const found = yield* store.get(scope, "Relation", ["nobody", ...[...awkward].reverse(), ...awkward.slice(0, 1)])
        expect(found.map(({ id }) => id)).toEqual([...[...awkward].reverse(), ...awkward.slice(0, 1)])
        for (const { id, vector: bits } of found) {
          expect(bits).toEqual(Float32Array.from(vectors.find((stored) => stored.id === id)?.vector ?? []))
        }
        yield* store.remove(scope, "Relation", awkward)
        expect(yield* store.count(scope, "Relation")).toBe(0)
      })
    )

    it.effect("what was given or got can be written to without changing what is kept", () =>
      Effect.gen(function* () {
        const store = yield* VectorStore
        const scope = newScope()
        const given = vector("a", 1, 2)
        yield* store.put(scope, "Passage", [given])
        given.vector[0] = 9
        for (const got of yield* store.get(scope, "Passage", ["a"])) got.vector[1] = 9
        for (const got of yield* store.page(scope, "Passage", Option.none(), 1)) got.vector[1] = 9
        expect(yield* store.get(scope, "Passage", ["a"])).toEqual([vector("a", 1, 2)])
      })
    )

    it.effect("a vector is replaced by id; kinds are apart", () =>
      Effect.gen(function* () {
        const store = yield* VectorStore
        const scope = newScope()
        yield* store.put(scope, "Passage", [vector("a", 1), vector("b", 2)])
        yield* store.put(scope, "Relation", [vector("a", 3)])
        yield* store.put(scope, "Passage", [vector("a", 4)])
        expect(yield* store.get(scope, "Passage", ["a", "b"])).toEqual([vector("a", 4), vector("b", 2)])
        expect(yield* store.get(scope, "Relation", ["a", "b"])).toEqual([vector("a", 3)])
        yield* store.clear(scope, "Relation")
        expect(yield* store.count(scope, "Relation")).toBe(0)
        expect(yield* store.count(scope, "Passage")).toBe(2)
      })
    )

    it.effect("C27 two scopes never see each other", () =>
      Effect.gen(function* () {
        const store = yield* VectorStore
        const [mine, theirs] = [newScope(), newScope()]
        yield* store.put(mine, "Passage", [vector("a", 1)])
        yield* store.put(theirs, "Passage", [vector("a", 2), vector("b", 3)])
        expect(yield* store.get(mine, "Passage", ["a", "b"])).toEqual([vector("a", 1)])
        expect(yield* store.page(mine, "Passage", Option.none(), 9)).toEqual([vector("a", 1)])
        expect(yield* store.count(mine, "Passage")).toBe(1)
        yield* store.remove(mine, "Passage", ["a", "b"])
        yield* store.clear(mine, "Passage")
        expect(yield* store.count(theirs, "Passage")).toBe(2)
      })
    )

    it.effect("takes 40,000 vectors at once, and pages walk each once by id", () =>
      Effect.gen(function* () {
        const store = yield* VectorStore
        const scope = newScope()
        const ids = Array.from({ length: 40_000 }, (_, i) => ((i * 7919) % 40_000).toString(16).padStart(5, "0"))
        yield* store.put(
          scope,
          "Passage",
          ids.map((id) => vector(id, Number.parseInt(id, 16), 1))
        )
        expect(yield* store.count(scope, "Passage")).toBe(40_000)
        const seen: Array<string> = []
        for (let after: Option.Option<string> = Option.none(); ; ) {
          const page = yield* store.page(scope, "Passage", after, 7000)
          expect(page.length).toBeLessThanOrEqual(7000)
          const last = page.at(-1)
          if (last === undefined) break
          seen.push(...page.map(({ id }) => id))
          after = Option.some(last.id)
        }
        expect(seen).toEqual([...ids].sort())
        expect(yield* store.get(scope, "Passage", ids)).toHaveLength(40_000)
        yield* store.remove(scope, "Passage", ids.slice(1))
        expect(yield* store.page(scope, "Passage", Option.none(), 9)).toEqual([vector(ids[0] ?? "", 0, 1)])
      })
    )
  })
