/** Word search in large tables: the same as in small ones where nothing is left out, close to it where something is. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ScopeKey } from "../../src/domain/Ids.ts"
import { terms } from "../../src/domain/Words.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as LexicalIndexFts5 from "../../src/layers/sql/LexicalIndexFts5.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import { type LexicalEntry, LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { Transaction } from "../../src/services/Transaction.ts"
import * as LexicalIndexContract from "../contracts/LexicalIndex.contract.ts"
import { documentId, newScope } from "../support/Corpora.ts"
import { library } from "../support/Libraries.ts"
import { random } from "../support/Random.ts"

const stores = (filename: string) =>
  LexicalIndexFts5.layer.pipe(
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(Client.layer({ filename, create: true }))
  )
const indexWith = (settings: Partial<LexicalIndexFts5.Settings>): Layer.Layer<LexicalIndex, unknown> =>
  LexicalIndexFts5.layerWith({ ...LexicalIndexFts5.defaults, ...settings }).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(Client.layer({ filename: ":memory:", create: true }))
  )

/** Every table is large and is summarised after every change. */
const always = indexWith({ largeFrom: 1, commonFrom: 3, postings: 1e9 })
const eager = Layer.effect(
  LexicalIndex,
  Effect.map(LexicalIndex, (index) =>
    LexicalIndex.of({
      ...index,
      put: (scope, ...rest) => Effect.zipRight(index.put(scope, ...rest), index.summarise(scope)),
      remove: (scope, ...rest) => Effect.zipRight(index.remove(scope, ...rest), index.summarise(scope)),
      clear: (scope, ...rest) => Effect.zipRight(index.clear(scope, ...rest), index.summarise(scope))
    })
  )
).pipe(Layer.provide(always))

LexicalIndexContract.contract("in SQLite, every table large", eager)

const entries: ReadonlyArray<LexicalEntry> = library(5, 3000, "titled").flatMap(({ passages }) =>
  passages.map(({ document, id, text, title }) => ({ id, title, body: text, document }))
)
const r = random(9)
const questions = Array.from({ length: 40 }, () => r.some(terms(r.pick(entries).body), 3, 7))

/** What is found for each question, and how often the words stand, in an index that took `order` in this order. */
const found = (settings: Partial<LexicalIndexFts5.Settings>, order: ReadonlyArray<LexicalEntry>) =>
  Effect.gen(function* () {
    const index = yield* LexicalIndex
    const scope = newScope()
    yield* index.put(scope, "Passage", order)
    yield* index.summarise(scope)
    const hits = yield* Effect.forEach(questions, (wanted) => index.search(scope, "Passage", wanted, 10))
    return { hits, counts: yield* index.frequencies(scope, [...new Set(questions.flat()), "nowhere"]) }
  }).pipe(Effect.provide(indexWith(settings)))

describe("C34 what is kept of a word", () => {
  const put = (scope: ScopeKey, id: string, body: string) =>
    Effect.flatMap(LexicalIndex, (index) =>
      index.put(scope, "Passage", [{ id, title: "", body, document: documentId("d") }])
    )
  const ids = (scope: ScopeKey) =>
    Effect.flatMap(LexicalIndex, (index) =>
      Effect.map(index.search(scope, "Passage", ["cat"], 10), (hits) => hits.map(({ id }) => id).sort())
    )
  const holding = (scope: ScopeKey) =>
    Effect.flatMap(LexicalIndex, (index) =>
      Effect.map(index.frequencies(scope, ["cat", "dog"]), ({ byTerm }) => [...byTerm.values()])
    )

  it.scoped("is not used once another connection has changed the table", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "staterag-words-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const opened = Layer.build(stores(join(folder, "staterag.db")))
      const [one, other] = [yield* opened, yield* opened]
      const scope = newScope()
      yield* Effect.provide(put(scope, "a", "cat"), one)
      expect(yield* Effect.provide(ids(scope), one)).toEqual(["a"])
      expect(yield* Effect.provide(holding(scope), one)).toEqual([1, 0])
      yield* Effect.provide(put(scope, "b", "cat dog"), other)
      expect(yield* Effect.provide(ids(scope), one)).toEqual(["a", "b"])
      expect(yield* Effect.provide(holding(scope), one)).toEqual([2, 1])
      yield* Effect.provide(
        Effect.flatMap(LexicalIndex, (index) => index.remove(scope, "Passage", ["a"])),
        other
      )
      expect(yield* Effect.provide(ids(scope), one)).toEqual(["b"])
      expect(yield* Effect.provide(holding(scope), one)).toEqual([1, 1])
      // the row that is free again stands for another entry
      yield* Effect.provide(
        Effect.flatMap(LexicalIndex, (index) => index.remove(scope, "Passage", ["b"])),
        other
      )
      yield* Effect.provide(put(scope, "c", "cat"), other)
      expect(yield* Effect.provide(ids(scope), one)).toEqual(["c"])
    })
  )

  it.effect("is not made of what a transaction takes back", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transaction
      const scope = newScope()
      yield* put(scope, "a", "cat")
      expect(yield* ids(scope)).toEqual(["a"])
      const inside = yield* Effect.either(
        atomically(
          Effect.gen(function* () {
            yield* put(scope, "b", "cat")
            return yield* Effect.fail(yield* ids(scope))
          })
        )
      )
      expect(inside).toMatchObject({ left: ["a", "b"] })
      expect(yield* ids(scope)).toEqual(["a"])
    }).pipe(Effect.provide(stores(":memory:")))
  )
})

describe("C18 a large word table", () => {
  const large = { largeFrom: 1000, commonFrom: 20, postings: 600, texts: 20 }

  it.effect("gives nine in ten of the ten best where common words are left out, with their true scores", () =>
    Effect.gen(function* () {
      const truth = yield* found({}, entries)
      const here = yield* found(large, entries)
      expect(here.counts).toEqual(truth.counts)
      let shared = 0
      let wanted = 0
      for (const [i, hits] of truth.hits.entries()) {
        const scores = new Map(here.hits[i]?.map(({ id, score }) => [id, score]))
        for (const { id, score } of hits) {
          wanted++
          const other = scores.get(id)
          if (other === undefined) continue
          shared++
          expect(Math.abs(other - score)).toBeLessThan(1e-9)
        }
      }
      expect(wanted).toBe(400)
      expect(shared / wanted).toBeGreaterThan(0.9)
      // or nothing was left out
      expect(shared).toBeLessThan(wanted)
    })
  )

  it.effect("C8 L4 finds the same in whatever order it was filled", () =>
    Effect.gen(function* () {
      expect(yield* found(large, r.shuffled(entries))).toEqual(yield* found(large, entries))
    })
  )

  it.effect("what was counted is counted again after a change", () =>
    Effect.gen(function* () {
      const index = yield* LexicalIndex
      const scope = newScope()
      const common = (n: number): LexicalEntry => ({ id: `c${n}`, title: "", body: "cat", document: documentId("d") })
      const counted = Effect.map(index.frequencies(scope, ["cat"]), ({ byTerm, passages }) => [
        passages,
        byTerm.get("cat")
      ])
      yield* index.put(
        scope,
        "Passage",
        Array.from({ length: 40 }, (_, n) => common(n))
      )
      yield* index.summarise(scope)
      expect(yield* counted).toEqual([40, 40])
      yield* index.remove(scope, "Passage", ["c3", "c4"])
      expect(yield* counted).toEqual([38, 38])
      yield* index.summarise(scope)
      yield* index.put(scope, "Passage", [common(50)])
      expect(yield* counted).toEqual([39, 39])
      expect((yield* index.search(scope, "Passage", ["cat"], 50)).length).toBe(39)
    }).pipe(Effect.provide(indexWith({ largeFrom: 1, commonFrom: 3 })))
  )
})
