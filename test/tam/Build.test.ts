/** Building TAM: from any corpus, in any order, after any history, and no more work than the change asks for. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import type { Passage } from "../../src/domain/Corpus.ts"
import { NodeId, PassageId } from "../../src/domain/Ids.ts"
import { admissible, wellFormed } from "../../src/domain/Tam.ts"
import { mostNeighbours } from "../../src/domain/tam/Bonds.ts"
import type { WholeGraph } from "../../src/domain/tam/Graph.ts"
import { mostDirect } from "../../src/domain/tam/Relations.ts"
import { levelOf } from "../../src/domain/tam/Topics.ts"
import { embedText } from "../../src/layers/embedding/Hashed.ts"
import * as CorpusStores from "../../src/layers/memory/CorpusStores.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import { buildTam } from "../../src/programs/BuildTam.ts"
import type { CorpusStore } from "../../src/services/CorpusStore.ts"
import type { Digest } from "../../src/services/Digest.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import type { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import type { VectorStore } from "../../src/services/VectorStore.ts"
import { builtFrom, put, scope } from "../support/Building.ts"
import { step } from "../support/Edits.ts"
import { type Book, library, manners } from "../support/Libraries.ts"
import { random } from "../support/Random.ts"

const portrait = ({ edges, evidence, links, nodes, regions }: WholeGraph): string =>
  JSON.stringify([nodes, edges, [...regions], links, [...evidence]])
const typesOf = (graph: WholeGraph) => new Map(graph.nodes.map(({ id, type }) => [id, type]))
const passagesOf = (books: ReadonlyArray<Book>): ReadonlyArray<Passage> => books.flatMap(({ passages }) => passages)

describe("pain 13, C5 corpora of every size and manner build", () => {
  for (const manner of manners) {
    it(`${manner}: 0, 1, 2, 11, 12 and 150 passages`, async () => {
      for (const size of [0, 1, 2, 11, 12, 150]) {
        const books = library(size + 3, size, manner)
        const graph = await builtFrom(books)
        const passages = new Map(passagesOf(books).map((passage) => [passage.id, passage]))
        expect(passages.size).toBe(size)
        expect(Either.isRight(wellFormed(graph, (id) => passages.has(id)))).toBe(true)
        expect(graph.evidence.size).toBe(size)
        for (const [id, node] of graph.evidence) {
          const region = graph.regions.get(node) ?? []
          expect(region[0]).toBe(id)
          expect(new Set(region).size).toBe(region.length)
          expect(region.length).toBeLessThanOrEqual(mostNeighbours + 1)
        }
        const types = typesOf(graph)
        for (const { from, to } of graph.edges) {
          const [a, b] = [types.get(from), types.get(to)]
          expect(a !== undefined && b !== undefined && admissible[a][b]).toBe(true)
        }
        expect(new Set(graph.edges.map(({ from, to }) => `${from} ${to}`)).size).toBe(graph.edges.length)
        for (const { from, to, weight } of graph.links) {
          expect(from).not.toBe(to)
          expect(weight > 0 && weight <= 1).toBe(true)
        }
      }
    })
  }

  it("2,000 passages, with a passage under several Relations and Topics above Topics", async () => {
    const books = library(1, 2000, "titled")
    const graph = await builtFrom(books)
    expect(Either.isRight(wellFormed(graph, (id) => graph.evidence.has(id)))).toBe(true)
    const types = typesOf(graph)
    const parents = new Map<NodeId, number>()
    for (const { to } of graph.edges) parents.set(to, (parents.get(to) ?? 0) + 1)
    const several = [...graph.evidence.values()].filter((id) => (parents.get(id) ?? 0) > 1)
    expect(several.length).toBeGreaterThan(1000)
    const overTopics = graph.edges.filter(({ from, to }) => types.get(from) === "Topic" && types.get(to) === "Topic")
    expect(overTopics.length).toBeGreaterThan(10)
    expect(graph.links.length).toBeGreaterThan(200)
  })

  it("a passage hangs under what it is about and under what it mentions", async () => {
    const graph = await builtFrom(library(1, 200, "titled"))
    const names = new Map(graph.nodes.map(({ abstraction, id }) => [id, abstraction.split("\n")[0]]))
    const texts = new Map(graph.nodes.map(({ abstraction, id }) => [id, abstraction]))
    for (const { from, to } of graph.links.slice(0, 50)) {
      const target = graph.evidence.get(to)
      const title = texts.get(target ?? NodeId.make("none"))?.split("\n")[0]
      const above = graph.edges
        .filter((edge) => edge.to === graph.evidence.get(from))
        .map((edge) => names.get(edge.from))
      expect(above).toContain(title)
      expect(
        texts
          .get(graph.evidence.get(from) ?? NodeId.make("none"))
          ?.split("\n")
          .at(-1)
      ).toContain(title)
    }
  })

  it("long documents are parted: no Relation holds more than it should directly", async () => {
    for (const manner of ["long", "namesakes", "headed"] as const) {
      const books = library(4, 700, manner)
      const graph = await builtFrom(books)
      expect(Either.isRight(wellFormed(graph, (id) => graph.evidence.has(id)))).toBe(true)
      const types = typesOf(graph)
      const direct = new Map<NodeId, number>()
      for (const { from, to } of graph.edges) {
        if (types.get(to) === "Evidence") direct.set(from, (direct.get(from) ?? 0) + 1)
      }
      // what a name is about, and the 25 passages that may mention it
      expect(Math.max(...direct.values())).toBeLessThanOrEqual(mostDirect + 25)
    }
  })

  it("prose without names or titles has regions: the neighbours in the document come into them", async () => {
    const [book] = library(2, 40, "long")
    if (book === undefined) throw new Error("an empty library")
    const graph = await builtFrom([book])
    book.passages.forEach(({ id }, place) => {
      const region = graph.regions.get(NodeId.make(`E:${id}`)) ?? []
      for (const next of book.passages.slice(Math.max(0, place - 1), place + 2)) expect(region).toContain(next.id)
    })
  })
})

describe("C8 a graph is a function of its corpus", () => {
  it("in any order: byte for byte", async () => {
    for (const [seed, manner] of manners.entries()) {
      const books = library(seed + 40, 120, manner)
      const expected = portrait(await builtFrom(books))
      for (let shuffle = 0; shuffle < 3; shuffle++)
        expect(portrait(await builtFrom(random(shuffle).shuffled(books)))).toBe(expected)
    }
  })

  it("a document that shares no word with the others moves no Relation, region or link of theirs", async () => {
    for (const manner of ["titled", "headed", "caseless"] as const) {
      const books = library(60, 150, manner)
      const [stranger] = library(61, 1, "unspaced")
      if (stranger === undefined) throw new Error("an empty library")
      const before = await builtFrom(books)
      const after = await builtFrom([...books, stranger])
      const relations = new Map(after.nodes.map((node) => [node.id, node.abstraction]))
      for (const { abstraction, id, type } of before.nodes) {
        if (type === "Relation" || type === "Evidence") expect(relations.get(id)).toBe(abstraction)
      }
      for (const [id, region] of before.regions) expect(after.regions.get(id)).toEqual(region)
      expect(after.links).toEqual(before.links)
    }
  })

  it("Topics nest: a centre of a level is one of each below, and every Relation has one or two parents", async () => {
    const graph = await builtFrom(library(70, 1500, "titled"))
    const types = typesOf(graph)
    const parents = new Map<NodeId, number>()
    for (const { from, to } of graph.edges) {
      if (types.get(from) === "Topic") parents.set(to, (parents.get(to) ?? 0) + 1)
    }
    for (const { id, type } of graph.nodes) {
      if (type === "Relation") {
        expect([1, 2]).toContain(parents.get(id))
        for (let level = 1; level <= levelOf(id); level++)
          expect(types.get(NodeId.make(`T:${level}:${id}`))).toBe("Topic")
      }
      if (type === "Topic") expect(levelOf(NodeId.make(id.slice(4)))).toBeGreaterThanOrEqual(Number(id.charAt(2)))
    }
  })
})

// ---- over the stores

/** Counts the texts that are embedded. */
const counting = () => {
  const seen: Array<string> = []
  const layer = Layer.succeed(EmbeddingModel, {
    id: "counted-64",
    dimensions: 64,
    kind: "Spelling",
    embed: (texts) =>
      Effect.sync(() => {
        seen.push(...texts)
        return texts.map((text) => embedText(text, 64))
      })
  })
  return { layer, seen }
}
const shelfOf = (books: ReadonlyArray<Book>) => new Map(books.map((one) => [one.document.id, one]))

type Stores = CorpusStore | TamStore | LexicalIndex | VectorStore | EmbeddingModel | Digest

const world = <A, E>(effect: Effect.Effect<A, E, Stores>, model = counting().layer) =>
  effect.pipe(
    Effect.provide(Layer.mergeAll(model, DigestNode.layer, CorpusStores.layer.pipe(Layer.provide(Memory.layer))))
  )

describe("C8 the build has no history", () => {
  it.effect("pain 1: nothing changed embeds nothing, and one more document little", () => {
    const { layer, seen } = counting()
    return world(
      Effect.gen(function* () {
        const books = library(90, 300, "titled")
        const first = yield* step(new Map(), shelfOf(books), true)
        expect(seen).toHaveLength(first.nodes.Relation)
        expect(yield* buildTam(scope, new Map())).toEqual(first)
        expect(seen).toHaveLength(first.nodes.Relation)
        const grown = yield* step(shelfOf(books), shelfOf([...books, ...library(91, 1, "titled")]), false)
        expect(grown.nodes.Evidence).toBe(301)
        expect(seen.length - first.nodes.Relation).toBeLessThan(first.nodes.Relation / 20)
      }),
      layer
    )
  })

  it.effect("a corpus without passages gives the root alone", () =>
    world(
      Effect.gen(function* () {
        yield* put([])
        expect(yield* buildTam(scope)).toEqual({ nodes: { Root: 1, Topic: 0, Relation: 0, Evidence: 0 }, edges: 0 })
        expect((yield* (yield* TamStore).load(scope)).nodes.size).toBe(1)
        expect(yield* (yield* TamStore).evidenceOf(scope, [PassageId.make("p")])).toEqual(new Map())
      })
    )
  )
})
