/** What every LexicalIndex promises. */
import { expect, layer as provide } from "@effect/vitest"
import { Effect, FastCheck, type Layer } from "effect"
import { fold, terms } from "../../src/domain/Words.ts"
import { type LexicalEntry, LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { awkward, documentId, newScope } from "../support/Corpora.ts"

const entry = (id: string, body: string, title = "", document = "d"): LexicalEntry => ({
  id,
  title,
  body,
  document: documentId(document)
})

/** BM25 as the service promises it, written down a second time, term by term. */
export const bm25 = (
  entries: ReadonlyArray<LexicalEntry>,
  wanted: ReadonlyArray<string>
): ReadonlyMap<string, number> => {
  const texts = entries.map(({ id, title, body }) => ({ id, heads: terms(title), rest: terms(body) }))
  const average = texts.reduce((sum, { heads, rest }) => sum + heads.length + rest.length, 0) / texts.length
  const scores = new Map<string, number>()
  for (const term of new Set(wanted)) {
    const holding = texts.filter(({ heads, rest }) => heads.includes(term) || rest.includes(term))
    const odds = Math.log((texts.length - holding.length + 0.5) / (holding.length + 0.5))
    for (const { id, heads, rest } of holding) {
      const f = 2 * heads.filter((t) => t === term).length + rest.filter((t) => t === term).length
      const norm = 1.2 * (0.25 + (0.75 * (heads.length + rest.length)) / average)
      scores.set(id, (scores.get(id) ?? 0) + ((odds > 0 ? odds : 1e-6) * f * 2.2) / (f + norm))
    }
  }
  return scores
}

const vocabulary = ["cat", "dog", "bird", "fish", "tree", "house", "river", "stone", "東京都", "café", "2024", "naïve"]
const corpora = FastCheck.array(
  FastCheck.tuple(
    FastCheck.array(FastCheck.constantFrom(...vocabulary), { maxLength: 2 }),
    FastCheck.array(FastCheck.constantFrom(...vocabulary), { maxLength: 12 })
  ),
  { minLength: 1, maxLength: 14 }
)
const queries = FastCheck.array(FastCheck.constantFrom(...vocabulary), { minLength: 1, maxLength: 4 })

export const contract = (name: string, stores: Layer.Layer<LexicalIndex, unknown>): void =>
  provide(stores)(`LexicalIndex ${name}`, (it) => {
    it.effect("counts what can be found, of each kind", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const [scope, other] = [newScope(), newScope()]
        const counts = Effect.all([index.count(scope, "Passage"), index.count(scope, "Relation")])
        expect(yield* counts).toEqual([0, 0])
        yield* index.put(scope, "Passage", [entry("a", "one"), entry("b", ""), entry("c", "three")])
        yield* index.put(scope, "Relation", [entry("a", "one")])
        yield* index.put(other, "Passage", [entry("d", "one")])
        yield* index.put(scope, "Passage", [entry("a", "again")])
        expect(yield* counts).toEqual([3, 1])
        yield* index.remove(scope, "Passage", ["a", "x"])
        yield* index.clear(scope, "Relation")
        expect(yield* counts).toEqual([2, 0])
      })
    )

    it.effect("finds nothing in a scope that was never indexed, and takes empty input", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const scope = newScope()
        expect(yield* index.search(scope, "Passage", ["cat"], 10)).toEqual([])
        expect(yield* index.frequencies(scope, ["cat"])).toEqual({ passages: 0, byTerm: new Map([["cat", 0]]) })
        yield* index.remove(scope, "Passage", ["a"])
        yield* index.clear(scope, "Relation")
        yield* index.put(scope, "Passage", [])
        yield* index.put(scope, "Passage", [entry("a", "cat")])
        expect(yield* index.search(scope, "Passage", [], 10)).toEqual([])
        expect(yield* index.search(scope, "Passage", ["cat"], 0)).toEqual([])
        expect(yield* index.search(scope, "Passage", ["cat"], 10, [])).toEqual([])
        expect(yield* index.frequencies(scope, [])).toEqual({ passages: 1, byTerm: new Map() })
        yield* index.remove(scope, "Passage", [])
      })
    )

    it.effect("scores and orders by BM25 with the title counted twice, whatever came and went before", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        let ranked = 0
        for (const [texts, wanted, limit] of FastCheck.sample(
          FastCheck.tuple(corpora, queries, FastCheck.integer({ min: 1, max: 15 })),
          { numRuns: 60, seed: 11 }
        )) {
          const scope = newScope()
          const entries = texts.map(([title, body], i) => entry(`e${i}`, body.join(" "), title.join(" ")))
          // a history: every entry was something else, and others were there
          yield* index.put(scope, "Passage", [
            entry("gone", "cat dog cat dog"),
            ...entries.map(({ id }) => entry(id, "bird fish"))
          ])
          yield* index.put(scope, "Passage", entries)
          yield* index.remove(scope, "Passage", ["gone"])
          const asked = wanted.flatMap(terms)
          const expected = [...bm25(entries, asked)]
          expected.sort(([a, x], [b, y]) => (Math.abs(x - y) > 1e-12 ? y - x : a < b ? -1 : 1))
          const hits = yield* index.search(scope, "Passage", asked, limit)
          expect(hits.map(({ id }) => id)).toEqual(expected.slice(0, limit).map(([id]) => id))
          for (const [i, { score }] of hits.entries()) {
            expect(Math.abs(score - (expected[i]?.[1] ?? 0))).toBeLessThan(1e-9)
            expect(score).toBeGreaterThan(0)
          }
          const counts = yield* index.frequencies(scope, asked)
          expect(counts.passages).toBe(entries.length)
          for (const term of asked) {
            expect(counts.byTerm.get(term)).toBe(
              entries.filter(({ title, body }) => terms(title).includes(term) || terms(body).includes(term)).length
            )
          }
          ranked += hits.length
        }
        expect(ranked).toBeGreaterThan(150)
      })
    )

    it.effect("ties go by id, also across the limit", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const scope = newScope()
        const ids = Array.from({ length: 500 }, (_, i) => `e${String((i * 7919) % 500).padStart(3, "0")}`)
        yield* index.put(
          scope,
          "Passage",
          ids.map((id) => entry(id, "same words"))
        )
        const hits = yield* index.search(scope, "Passage", terms("same"), 7)
        expect(hits.map(({ id }) => id)).toEqual(["e000", "e001", "e002", "e003", "e004", "e005", "e006"])
        expect(new Set(hits.map(({ score }) => score)).size).toBe(1)
      })
    )

    it.effect("a filter on documents comes before the limit and leaves the statistics alone", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const scope = newScope()
        const entries = Array.from({ length: 60 }, (_, i) =>
          entry(
            `e${String(i).padStart(2, "0")}`,
            i < 50 ? "cat cat cat" : "cat and much else",
            "",
            i < 50 ? "near" : 'it\'s "far"'
          )
        )
        yield* index.put(scope, "Passage", [...entries, { ...entry("none", "cat"), document: null }])
        const all = yield* index.search(scope, "Passage", ["cat"], 100)
        const far = yield* index.search(scope, "Passage", ["cat"], 5, [documentId('it\'s "far"'), documentId("nobody")])
        expect(far.map(({ id }) => id)).toEqual(["e50", "e51", "e52", "e53", "e54"])
        expect(far).toEqual(all.filter(({ id }) => id >= "e50" && id <= "e54"))
        expect(yield* index.search(scope, "Passage", ["cat"], 5, [documentId("nobody")])).toEqual([])
      })
    )

    it.effect("finds words of every script by their terms", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const scope = newScope()
        const texts = {
          japanese: "東京都の人口は多い。",
          chinese: "我们在北京大学学习",
          korean: "서울특별시 인구",
          thai: "กรุงเทพมหานคร",
          greek: "Ὀδυσσεύς και Πηνελόπη",
          german: "Die Straße nach Köln",
          digits: "In 2024, version ⑴ and ½ of 3.14"
        }
        yield* index.put(
          scope,
          "Passage",
          Object.entries(texts).map(([id, text]) => entry(id, text))
        )
        const find = (text: string) =>
          Effect.map(index.search(scope, "Passage", terms(text), 3), (hits) => hits.map(({ id }) => id))
        expect(yield* find("人口")).toEqual(["japanese"])
        expect(yield* find("北京")).toEqual(["chinese"])
        expect(yield* find("서울")).toEqual(["korean"])
        expect(yield* find("เทพ")).toEqual(["thai"])
        expect(yield* find("οδυσσευς")).toEqual(["greek"])
        expect(yield* find("straße")).toEqual(["german"])
        expect(yield* find("koln")).toEqual(["german"])
        expect(yield* find("2024")).toEqual(["digits"])
        for (const text of Object.values(texts)) {
          for (const term of new Set(terms(text))) {
            expect((yield* index.frequencies(scope, [term])).byTerm.get(term)).toBeGreaterThan(0)
          }
        }
      })
    )

    it.effect("pain 33: ids, texts and terms with quotes, braces and operators are data", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const scope = newScope()
        yield* index.put(
          scope,
          "Passage",
          awkward.map((text) => entry(text, `${text} common`, text, text))
        )
        const all = yield* index.search(scope, "Passage", ["common"], 100)
        expect(all.map(({ id }) => id).sort()).toEqual([...awkward].sort())
        for (const text of awkward) {
          // raw text is no term: it may find nothing, and does no harm
          yield* index.search(scope, "Passage", [text], 10)
          const hits = yield* index.search(scope, "Passage", [...terms(text), "common"], 100, [documentId(text)])
          expect(hits.map(({ id }) => id)).toEqual([text])
          expect([...(yield* index.frequencies(scope, [text])).byTerm.keys()]).toEqual([text])
        }
        expect(yield* index.search(scope, "Passage", ["cat* OR dog", '"', "", "NOT", "common)"], 10)).toEqual([])
        yield* index.remove(scope, "Passage", awkward)
        expect(yield* index.search(scope, "Passage", ["common"], 100)).toEqual([])
      })
    )

    it.effect("kinds are apart; clearing one leaves the other", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const scope = newScope()
        yield* index.put(scope, "Passage", [entry("x", "cat one")])
        yield* index.put(scope, "Relation", [
          { ...entry("x", "cat two"), document: null },
          { ...entry("y", "cat"), document: null }
        ])
        expect((yield* index.search(scope, "Relation", ["cat"], 9)).map(({ id }) => id)).toEqual(["y", "x"])
        expect(yield* index.search(scope, "Passage", ["two"], 9)).toEqual([])
        expect((yield* index.frequencies(scope, ["cat"])).passages).toBe(1)
        yield* index.clear(scope, "Relation")
        expect(yield* index.search(scope, "Relation", ["cat"], 9)).toEqual([])
        expect(yield* index.search(scope, "Passage", ["cat"], 9)).toHaveLength(1)
        yield* index.put(scope, "Relation", [{ ...entry("z", "cat"), document: null }])
        expect((yield* index.search(scope, "Relation", ["cat"], 9)).map(({ id }) => id)).toEqual(["z"])
      })
    )

    it.effect("C27 L5 one scope's words change nothing in another: not a hit, not a score, not a count", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const [mine, theirs] = [newScope(), newScope()]
        yield* index.put(mine, "Passage", [entry("a", "cat dog"), entry("b", "dog bird bird")])
        const before = yield* index.search(mine, "Passage", ["cat", "dog", "bird"], 9)
        const counts = yield* index.frequencies(mine, ["cat", "dog"])
        yield* index.put(
          theirs,
          "Passage",
          Array.from({ length: 50 }, (_, i) => entry(i === 0 ? "a" : `t${i}`, "cat cat cat dog secret"))
        )
        expect(yield* index.search(mine, "Passage", ["cat", "dog", "bird"], 9)).toEqual(before)
        expect(yield* index.frequencies(mine, ["cat", "dog"])).toEqual(counts)
        expect(yield* index.search(mine, "Passage", ["secret"], 9)).toEqual([])
        yield* index.remove(theirs, "Passage", ["b"])
        yield* index.clear(theirs, "Passage")
        expect(yield* index.search(mine, "Passage", ["cat", "dog", "bird"], 9)).toEqual(before)
      })
    )

    it.effect("takes 40,000 entries at once", () =>
      Effect.gen(function* () {
        const index = yield* LexicalIndex
        const scope = newScope()
        const entries = Array.from({ length: 40_000 }, (_, i) => entry(`e${i}`, `word${i % 100} common`))
        yield* index.put(scope, "Passage", entries)
        expect((yield* index.frequencies(scope, ["word7", "common"])).byTerm).toEqual(
          new Map([
            ["word7", 400],
            ["common", 40_000]
          ])
        )
        yield* index.remove(
          scope,
          "Passage",
          entries.slice(1).map(({ id }) => id)
        )
        expect((yield* index.search(scope, "Passage", [fold("common")], 9)).map(({ id }) => id)).toEqual(["e0"])
      })
    )
  })
