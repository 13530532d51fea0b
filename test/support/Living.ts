/** A small corpus whose every document has words that no other has, on every kind of store, and what is on disk of it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, type Layer, Option } from "effect"
import { type PassageId, ScopeKey } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Testing from "../../src/layers/Testing.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { VectorStore } from "../../src/services/VectorStore.ts"

export const scope = ScopeKey.make("default")

const work = mkdtempSync(join(tmpdir(), "staterag-living-"))
process.once("exit", () => rmSync(work, { recursive: true, force: true }))

let made = 0
/** A new empty folder. */
export const folder = (): string => {
  const path = join(work, String(++made))
  mkdirSync(path)
  return path
}

export const write = (root: string, files: { readonly [path: string]: string }): string => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** The product in memory, and over SQLite in a folder. */
export const kinds: ReadonlyArray<readonly [name: string, make: () => Layer.Layer<Embedded.Services, unknown>]> = [
  ["in memory", () => Testing.layer],
  ["in SQLite", () => Embedded.layer({ directory: folder() })]
]

export const index = (...paths: ReadonlyArray<string>) => indexCorpus({ scope, paths })

/** All that an index holds of the corpus, but for where files lie. */
export const portrait = Effect.gen(function* () {
  const corpus = yield* CorpusStore
  const vectors = yield* VectorStore
  const lexical = yield* LexicalIndex
  const tam = yield* TamStore
  const passages = yield* corpus.page(scope, Option.none<PassageId>(), 100_000)
  const graph = yield* tam.load(scope)
  const words = ["clock", "river", "bridge", "word", "town", "keeper"]
  return {
    revision: (yield* corpus.revision(scope)).revision,
    documents: yield* Effect.forEach(yield* corpus.documents(scope), ({ id }) => corpus.document(scope, id)),
    sources: (yield* corpus.sources(scope)).map(({ hash, path }) => ({ hash, path })),
    passages,
    nodes: [...graph.nodes].sort(([a], [b]) => (a < b ? -1 : 1)),
    edges: [...graph.children].map(([from, to]) => [from, ...[...to].sort()].join(" ")).sort(),
    regions: [...graph.regions].map(([node, region]) => `${node} ${region.join(" ")}`).sort(),
    links: yield* tam.links(
      scope,
      passages.map(({ id }) => id)
    ),
    vectors: [
      yield* vectors.page(scope, "Passage", Option.none(), 100_000),
      yield* vectors.page(scope, "Relation", Option.none(), 100_000)
    ],
    hits: [yield* lexical.search(scope, "Passage", words, 1000), yield* lexical.search(scope, "Relation", words, 1000)]
  }
})

const encodings = ["utf8", "utf16le"] as const

/** The files below a folder that hold one of the phrases, in any encoding that is used; by their paths, with the phrase. */
export const found = (root: string, phrases: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const bytes = readFileSync(join(entry.parentPath, entry.name))
      return phrases.flatMap((phrase) =>
        encodings.some((encoding) => bytes.includes(Buffer.from(phrase, encoding))) ? [`${entry.name}: ${phrase}`] : []
      )
    })
    .sort()
