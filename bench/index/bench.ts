/**
 * An index run against the sum of its parts, each run alone before it in the same process: embedding, the scan for titles, rows with FTS5,
 * vectors. `--corpus FILE` names a JSON Lines corpus; without it one is invented.
 *
 * Gates: at most 1.5 times the sum, and 600 passages a second of CPU.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Option } from "effect"
import type { Passage } from "../../src/domain/Corpus.ts"
import { CorpusRevision, type PassageId, ScopeKey } from "../../src/domain/Ids.ts"
import { titleTable } from "../../src/domain/tam/Titles.ts"
import { words } from "../../src/domain/Words.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { entryOf } from "../../src/programs/IndexPassages.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { Transaction } from "../../src/services/Transaction.ts"
import { VectorIndex } from "../../src/services/VectorIndex.ts"
import { type StoredVector, VectorStore } from "../../src/services/VectorStore.ts"
import { table } from "../report.ts"
import { encyclopaedia } from "../size/corpus.ts"

export const about = "an index run against the sum of its parts (CPU, gates 1.5 × and 600 passages/s)"

const batch = 200
const scope = ScopeKey.make("index")

const measured = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const before = process.cpuUsage()
    return Effect.map(effect, (value) => {
      const { system, user } = process.cpuUsage(before)
      return [value, (system + user) / 1000] as const
    })
  })

const indexed = (file: string) => measured(indexCorpus({ scope, paths: [file] }))

/** Every passage and document of the index that was made. */
const contents = Effect.gen(function* () {
  const corpus = yield* CorpusStore
  const passages: Array<Passage> = []
  for (let after = Option.none<PassageId>(); ; ) {
    const page = yield* corpus.page(scope, after, 1000)
    const last = page.at(-1)
    if (last === undefined) break
    passages.push(...page)
    after = Option.some(last.id)
  }
  const documents = yield* Effect.forEach(yield* corpus.documents(scope), ({ id }) => corpus.document(scope, id))
  return { passages, documents: documents.flatMap(Option.toArray) }
})

const parts = ({ documents, passages }: Effect.Effect.Success<typeof contents>) =>
  Effect.gen(function* () {
    const model = yield* EmbeddingModel
    const { atomically } = yield* Transaction
    const corpus = yield* CorpusStore
    const lexical = yield* LexicalIndex
    const store = yield* VectorStore
    const slices = Array.from({ length: Math.ceil(passages.length / batch) }, (_, i) =>
      passages.slice(i * batch, (i + 1) * batch)
    )
    const [vectors, embedding] = yield* measured(
      Effect.forEach(slices, (slice) => model.embed(slice.map(({ text, title }) => `${title}\n${text}`)))
    )
    const [, scan] = yield* measured(
      Effect.sync(() => {
        const titles = titleTable(documents.map(({ title }) => title))
        for (const { text } of passages) titles.mentions(text, words(text))
      })
    )
    const own = new Map<string, Array<Passage>>()
    for (const passage of passages) {
      const list = own.get(passage.document)
      if (list === undefined) own.set(passage.document, [passage])
      else list.push(passage)
    }
    const [, rows] = yield* measured(
      atomically(
        Effect.gen(function* () {
          for (let at = 0; at < documents.length; at += batch) {
            const entries = documents
              .slice(at, at + batch)
              .map((document) => ({ document, passages: own.get(document.id) ?? [] }))
            yield* corpus.put(scope, entries)
            yield* lexical.put(
              scope,
              "Passage",
              entries.flatMap((entry) => entry.passages.map(entryOf))
            )
          }
        })
      )
    )
    const stored = slices.map((slice, i) =>
      slice.flatMap(({ id }, n): ReadonlyArray<StoredVector> => {
        const vector = vectors[i]?.[n]
        return vector === undefined ? [] : [{ id, vector }]
      })
    )
    const revision = CorpusRevision.make("bench")
    const [, written] = yield* measured(
      Effect.gen(function* () {
        yield* atomically(Effect.forEach(stored, (slice) => store.put(scope, "Passage", slice), { discard: true }))
        yield* corpus.setRevision(scope, { revision, embedding: model.id, dimensions: model.dimensions, indexedAt: 0 })
        yield* (yield* VectorIndex).build(scope, revision)
      })
    )
    return { embedding, "scan for titles": scan, "rows with FTS5": rows, vectors: written }
  })

/** Runs the benchmark; false where a gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const home = mkdtempSync(join(tmpdir(), "staterag-index-"))
  try {
    const named = args.includes("--corpus") ? args[args.indexOf("--corpus") + 1] : undefined
    const file = named === undefined ? join(home, "corpus.jsonl") : resolve(named)
    if (named === undefined) {
      const { record } = encyclopaedia(6000)
      writeFileSync(file, Array.from({ length: 6000 }, (_, n) => `${JSON.stringify(record(n))}\n`).join(""))
    }
    const into = <A, E>(name: string, effect: Effect.Effect<A, E, Embedded.Services>): Promise<A> =>
      effect.pipe(Effect.provide(Embedded.layer({ directory: join(home, name) })), Effect.runPromise)
    // once to know the passages, and so that both sides are compiled
    const held = await into("first", Effect.zipRight(indexed(file), contents))
    const alone = await into("parts", parts(held))
    const [{ passages, nodes }, whole] = await into("whole", indexed(file))
    const sum = Object.values(alone).reduce((all, cpu) => all + cpu, 0)
    const rate = (passages / whole) * 1000
    console.log(`${about}; node ${process.version}\n`)
    console.log(
      table(
        ["", "CPU ms"],
        [...Object.entries(alone), ["sum of the parts", sum] as const, ["the index run", whole] as const].map(
          ([name, cpu]) => [name, cpu.toFixed(0)]
        )
      )
    )
    console.log(
      `\n${passages} passages, ${nodes.Relation} Relations: ${(whole / sum).toFixed(2)} times the sum (gate 1.5), ` +
        `${rate.toFixed(0)} passages a second (gate 600)`
    )
    return whole <= 1.5 * sum && rate >= 600
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
