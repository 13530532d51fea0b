/** Graphs straight from documents: the product's builder over stores in memory, with hashed vectors. */
import { Effect, Layer } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import type { WholeGraph } from "../../src/domain/tam/Graph.ts"
import { embedText } from "../../src/layers/embedding/Hashed.ts"
import * as CorpusStores from "../../src/layers/memory/CorpusStores.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import { buildTam } from "../../src/programs/BuildTam.ts"
import { entryOf } from "../../src/programs/IndexPassages.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import type { Book } from "./Libraries.ts"

export const scope = ScopeKey.make("library")
const dimensions = 64

export const hashed = Layer.succeed(EmbeddingModel, {
  id: `hashed-${dimensions}`,
  dimensions,
  kind: "Spelling",
  embed: (texts) => Effect.sync(() => texts.map((text) => embedText(text, dimensions)))
})

/** Puts books into the corpus and the word index. */
export const put = (books: ReadonlyArray<Book>) =>
  Effect.gen(function* () {
    yield* (yield* CorpusStore).put(scope, books)
    yield* (yield* LexicalIndex).put(scope, "Passage", books.flatMap(({ passages }) => passages).map(entryOf))
  })

/** All that is stored of the graph, in canonical order. */
export const graph = Effect.gen(function* () {
  const tam = yield* TamStore
  const { children, nodes, regions } = yield* tam.load(scope)
  const passages = [...new Set([...regions.values()].flat())].sort()
  const whole: WholeGraph = {
    nodes: [...nodes.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    edges: [...children]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([from, own]) => [...own].sort().map((to) => ({ from, to }))),
    regions: new Map([...regions].sort(([a], [b]) => (a < b ? -1 : 1))),
    links: yield* tam.links(scope, passages),
    evidence: yield* tam.evidenceOf(scope, passages)
  }
  return whole
})

export const builtFrom = (books: ReadonlyArray<Book>): Promise<WholeGraph> =>
  put(books).pipe(
    Effect.zipRight(buildTam(scope)),
    Effect.zipRight(graph),
    Effect.provide(Layer.mergeAll(hashed, DigestNode.layer, CorpusStores.layer.pipe(Layer.provide(Memory.layer)))),
    Effect.runPromise
  )
