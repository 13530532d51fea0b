/** An index in memory over real files, whose parser and embedding model are watched. */
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Option, Order } from "effect"
import { type PassageId, ScopeKey } from "../../src/domain/Ids.ts"
import { embedText } from "../../src/layers/embedding/Hashed.ts"
import * as DocumentParserLocal from "../../src/layers/ingest/DocumentParserLocal.ts"
import * as SourceFilesLocal from "../../src/layers/ingest/SourceFilesLocal.ts"
import * as CorpusStores from "../../src/layers/memory/CorpusStores.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as VectorIndexMemory from "../../src/layers/memory/VectorIndexMemory.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import * as TokenCounterO200k from "../../src/layers/platform/TokenCounterO200k.ts"
import { type IndexOptions, indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { DocumentParser } from "../../src/services/DocumentParser.ts"
import { type EmbeddingError, EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { VectorStore } from "../../src/services/VectorStore.ts"

/** What was asked of the parser and of the model; `before` runs ahead of every embedding. */
export interface Watch {
  readonly parsed: Array<string>
  readonly embedded: Array<string>
  model: string
  before: Effect.Effect<void, EmbeddingError>
}

export const watching = (): Watch => ({ parsed: [], embedded: [], model: "hashed-64", before: Effect.void })

const dimensions = 64

const parser = (watch: Watch) =>
  Layer.effect(
    DocumentParser,
    Effect.map(DocumentParser, (real) => ({
      ...real,
      parse: (path, format, text) => {
        watch.parsed.push(path)
        return real.parse(path, format, text)
      }
    }))
  ).pipe(Layer.provide(DocumentParserLocal.layer))

const model = (watch: Watch) =>
  Layer.succeed(EmbeddingModel, {
    get id() {
      return watch.model
    },
    dimensions,
    kind: "Spelling",
    embed: (texts) =>
      Effect.as(
        watch.before,
        texts.map((text) => {
          watch.embedded.push(text)
          return embedText(`${watch.model} ${text}`, dimensions)
        })
      )
  })

export const world = (watch: Watch) =>
  Layer.mergeAll(parser(watch), model(watch), SourceFilesLocal.layer).pipe(
    Layer.provideMerge(VectorIndexMemory.layer),
    Layer.provideMerge(CorpusStores.layer),
    Layer.provide(Memory.layer),
    Layer.provideMerge(Layer.mergeAll(DigestNode.layer, TokenCounterO200k.layer, NodeContext.layer))
  )

export const scope = ScopeKey.make("default")

export const index = (paths: ReadonlyArray<string>, more: Partial<IndexOptions> = {}) =>
  indexCorpus({ scope, paths, ...more })

/** All that an index holds, but for where files lie and when they were changed. */
export const snapshot = Effect.gen(function* () {
  const corpus = yield* CorpusStore
  const vectors = yield* VectorStore
  const lexical = yield* LexicalIndex
  const passages = yield* corpus.page(scope, Option.none<PassageId>(), 100_000)
  const documents = yield* Effect.forEach(yield* corpus.documents(scope), ({ id }) => corpus.document(scope, id))
  const { edges, nodes, regions } = yield* (yield* TamStore).load(scope).pipe(
    Effect.map(({ children, nodes, regions }) => ({
      nodes: [...nodes.values()].sort(Order.mapInput(Order.string, ({ id }) => id)),
      edges: [...children].flatMap(([from, to]) => to.map((child) => `${from} ${child}`)).sort(),
      regions: [...regions].map(([node, region]) => [node, region.join(" ")] as const).sort()
    }))
  )
  const links = yield* (yield* TamStore).links(
    scope,
    passages.map(({ id }) => id)
  )
  return {
    documents,
    passages,
    sources: (yield* corpus.sources(scope)).map(({ bytes, hash, path }) => ({ bytes, hash, path })),
    revision: (yield* corpus.revision(scope)).revision,
    vectors: [
      yield* vectors.page(scope, "Passage", Option.none(), 100_000),
      yield* vectors.page(scope, "Relation", Option.none(), 100_000)
    ],
    hits: [
      yield* lexical.search(scope, "Passage", ["alpha", "beta", "gamma", "word"], 1000),
      yield* lexical.search(scope, "Relation", ["alpha", "beta", "gamma", "word"], 1000)
    ],
    nodes,
    edges,
    regions,
    links
  }
})
