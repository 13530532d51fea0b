/** RAPTOR: how a tree grows, what of it is read, and what it asks: one call a cluster, none a question but the reader's. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { defaultPolicy } from "../../../src/domain/Policy.ts"
import { generator } from "../../../src/domain/Statistics.ts"
import { layer } from "../../../src/layers/grouping/GroupingVendors.ts"
import { scripted } from "../../../src/layers/model/Scripted.ts"
import { passagesOf } from "../../../src/programs/baselines/Bm25.ts"
import { clusters, type Member } from "../../../src/programs/baselines/Clusters.ts"
import { grow } from "../../../src/programs/baselines/Raptor.ts"
import { CorpusStore } from "../../../src/services/CorpusStore.ts"
import { asked, modelled, promptsOf, questionsOf, result, rolesOf } from "../../support/Asked.ts"
import { corpus as pages } from "../../support/ModelWorld.ts"
import { library, scope, shelf } from "../../support/Shelf.ts"

const question = "In which city was the drummer on the album Counterparts born?"
const setting = { scope, policy: defaultPolicy, navigation: false, seed: 1 }
const tree = Effect.flatMap(passagesOf(scope), (passages) => grow(setting, { passages: Effect.succeed(passages) }))
const summaries = (text = "A summary of several pages.") => scripted(() => JSON.stringify({ summary: text }))

/** Members about one of two directions. */
const two = (each: number, tokens = 10): ReadonlyArray<Member> => {
  const { word } = generator(5)
  return [0, 1].flatMap((side) =>
    Array.from({ length: each }, () => ({
      tokens,
      vector: Float32Array.from(
        { length: 30 },
        (_, i) => word() / 4294967296 / 10 + (Math.floor(i / 15) === side ? 1 : 0)
      )
    }))
  )
}

describe("RAPTOR's clusters", () => {
  it.effect("fewer than twelve are one cluster, twelve that lie apart are not", () =>
    Effect.gen(function* () {
      expect(yield* clusters(two(5), 1)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
      const apart = yield* clusters(two(20), 1)
      const sides = apart.map((own) => new Set(own.map((place) => place < 20)))
      expect(sides.every(({ size }) => size === 1)).toBe(true)
      expect(new Set(apart.flat()).size).toBe(40)
    }).pipe(Effect.provide(layer))
  )

  it.effect("none is above 3,500 tokens, not even where there is nothing to part", () =>
    Effect.gen(function* () {
      expect(yield* clusters(two(3, 1000), 1)).toEqual([
        [0, 1, 2],
        [3, 4, 5]
      ])
      const equal = Array.from({ length: 40 }, () => ({ tokens: 1000, vector: Float32Array.of(1, 0, 0) }))
      const found = yield* clusters(equal, 1)
      expect(Math.max(...found.map(({ length }) => length))).toBe(3)
      expect(new Set(found.flat()).size).toBe(40)
      expect(yield* clusters([{ tokens: 9999, vector: Float32Array.of(1) }], 1)).toEqual([[0]])
    }).pipe(Effect.provide(layer))
  )
})

describe("RAPTOR's tree", () => {
  it.effect("without a model a summary is sentences of the corpus, and is read as the slices that they are", () =>
    Effect.gen(function* () {
      const { nodes, note } = yield* tree
      expect(note).toBe("PCA for UMAP, most specific sentences for summaries")
      const above = nodes.filter(({ layer }) => layer > 0)
      expect(above.length).toBeGreaterThan(0)
      const corpus = yield* CorpusStore
      const texts = new Map<string, string>()
      for (const { id } of yield* corpus.documents(scope)) {
        const document = yield* corpus.document(scope, id)
        if (document._tag === "Some") texts.set(id, document.value.text)
      }
      for (const { told } of above) {
        if (!("_tag" in told) || told._tag !== "Quoted") throw new Error("a summary that is not quoted")
        for (const { end, passage, start } of told.sentences)
          expect(texts.get(passage.document)?.slice(passage.start + start, passage.start + end)).toBe(
            passage.text.slice(start, end)
          )
      }
      // same seed, same tree
      expect((yield* tree).nodes).toEqual(nodes)
    }).pipe(Effect.provide(shelf(library)))
  )

  it.effect("eleven passages have no summary", () =>
    Effect.gen(function* () {
      const { nodes } = yield* tree
      expect(nodes.map(({ layer }) => layer)).toEqual(new Array(9).fill(0))
    }).pipe(Effect.provide(shelf(library.slice(0, 9))))
  )

  it.effect("with a model: one call a cluster, and none a question", () =>
    Effect.gen(function* () {
      const model = summaries()
      const { prepared, results } = yield* asked({
        model,
        methods: ["raptor"],
        questions: questionsOf(question, "Who directed The Ada Paradox?"),
        books: pages
      })
      const grown = (yield* Effect.provide(tree, modelled(summaries(), pages))).nodes.filter(
        ({ layer }) => layer > 0
      ).length
      expect(grown).toBeGreaterThan(2)
      expect(rolesOf(model)).toEqual(new Array(grown).fill("raptor.summarise"))
      expect(prepared[0]).toMatchObject({ calls: grown, note: "PCA for UMAP" })
      expect(results.map(({ calls }) => calls)).toEqual([0, 0])
      // every passage is shown to some call
      const shown = promptsOf(model, "raptor.summarise").flatMap(({ data }) => [...data.values()])
      for (const { text } of pages) expect(shown).toContain(text)
    })
  )

  it.effect("a summary that a model wrote is read, and is no document", () =>
    Effect.gen(function* () {
      const found = yield* result("raptor", summaries(question), question)
      expect(found.evidence[0]?.document).toMatch(/^summary:1\./)
      expect(found.documents.every((document) => /^d\d+$/.test(document))).toBe(true)
      expect(found.documents[0]).toBe("d0")
    })
  )

  it.effect("a cluster that the model cannot summarise is quoted, and said to be", () =>
    Effect.gen(function* () {
      const model = scripted((_, call) => (call === 1 ? { text: "", finish: "Refusal" } : '{"summary": "s"}'))
      const { prepared } = yield* asked({ model, methods: ["raptor"], questions: questionsOf(question) })
      expect(prepared[0]?.note).toBe("PCA for UMAP, substitutes for 1 summaries")
    })
  )
})
