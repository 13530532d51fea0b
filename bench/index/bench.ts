/**
 * An index run against the sum of its parts, each run alone before it in the same process: embedding, the scan for titles, rows with FTS5,
 * vectors. Two sums are shown: that of passages alone, and that of all which the run embeds and writes (Relations with their words and
 * vectors, and the graph's nodes, edges, regions, links and notes), whose calls are recorded from a run and made again.
 * `--corpus FILE` names a JSON Lines corpus; without it one is invented.
 *
 * Gates: at most 1.5 times the sum of all, and 600 passages a second of CPU.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Option } from "effect"
import type { Passage } from "../../src/domain/Corpus.ts"
import { CorpusRevision, type PassageId, ScopeKey } from "../../src/domain/Ids.ts"
import type { GraphChange } from "../../src/domain/tam/Graph.ts"
import { titleTable } from "../../src/domain/tam/Titles.ts"
import { words } from "../../src/domain/Words.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { entryOf } from "../../src/programs/IndexPassages.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { TamStore } from "../../src/services/TamStore.ts"
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

/** What a run asks of the services that embed and write, in its order. */
const recorder = () => ({
  embedded: [] as Array<Parameters<EmbeddingModel["Type"]["embed"]>>,
  stored: [] as Array<Parameters<CorpusStore["Type"]["put"]>>,
  entered: [] as Array<Parameters<LexicalIndex["Type"]["put"]>>,
  vectors: [] as Array<Parameters<VectorStore["Type"]["put"]>>,
  graph: [] as Array<Parameters<TamStore["Type"]["change"]>>
})
type Record = ReturnType<typeof recorder>

/** A call that is written down before it is made. */
const noted =
  <Given extends ReadonlyArray<unknown>, A>(calls: Array<Given>, call: (...given: Given) => A) =>
  (...given: Given): A => {
    calls.push(given)
    return call(...given)
  }

/** A change of which every part can be taken more than once. */
const held = ({ depth, ...lists }: GraphChange): GraphChange => ({
  ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list]])),
  ...(depth === undefined ? {} : { depth })
})

const recording = <A, E, R>(effect: Effect.Effect<A, E, R>, record: Record) =>
  Effect.gen(function* () {
    const model = yield* EmbeddingModel
    const corpus = yield* CorpusStore
    const lexical = yield* LexicalIndex
    const store = yield* VectorStore
    const tam = yield* TamStore
    return yield* effect.pipe(
      Effect.provideService(EmbeddingModel, {
        ...model,
        embed: noted(record.embedded, model.embed)
      }),
      Effect.provideService(CorpusStore, {
        ...corpus,
        put: noted(record.stored, corpus.put)
      }),
      Effect.provideService(LexicalIndex, {
        ...lexical,
        put: noted(record.entered, lexical.put)
      }),
      Effect.provideService(VectorStore, {
        ...store,
        put: noted(record.vectors, store.put)
      }),
      Effect.provideService(TamStore, {
        ...tam,
        change: (key, change) => noted(record.graph, tam.change)(key, held(change))
      })
    )
  })

/** The same calls again, each kind alone; the scan for titles reads the passages alone and is measured with these. */
const all = ({ embedded, entered, graph, stored, vectors }: Record) =>
  Effect.gen(function* () {
    const model = yield* EmbeddingModel
    const { atomically } = yield* Transaction
    const corpus = yield* CorpusStore
    const lexical = yield* LexicalIndex
    const store = yield* VectorStore
    const tam = yield* TamStore
    const [, embedding] = yield* measured(Effect.forEach(embedded, (given) => model.embed(...given), { discard: true }))
    const [, rows] = yield* measured(
      atomically(
        Effect.zipRight(
          Effect.forEach(stored, (given) => corpus.put(...given), { discard: true }),
          Effect.forEach(entered, (given) => lexical.put(...given), { discard: true })
        )
      )
    )
    const revision = CorpusRevision.make("bench")
    const [, written] = yield* measured(
      Effect.gen(function* () {
        yield* atomically(Effect.forEach(vectors, (given) => store.put(...given), { discard: true }))
        yield* corpus.setRevision(scope, { revision, embedding: model.id, dimensions: model.dimensions, indexedAt: 0 })
        yield* (yield* VectorIndex).build(scope, revision)
      })
    )
    const [, changed] = yield* measured(
      atomically(Effect.forEach(graph, (given) => tam.change(...given), { discard: true }))
    )
    return { embedding, "rows with FTS5": rows, vectors: written, graph: changed }
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
    // once to know what is written, and so that both sides are compiled
    const record = recorder()
    const known = await into("first", Effect.zipRight(recording(indexed(file), record), contents))
    const alone: { readonly [part: string]: number } = await into("parts", parts(known))
    const whole: { readonly [part: string]: number } = { ...alone, ...(await into("all", all(record))) }
    const [{ passages, nodes }, run] = await into("whole", indexed(file))
    const sumOf = (costs: typeof alone) => Object.values(costs).reduce((sum, cpu) => sum + cpu, 0)
    const ms = (cpu: number | undefined) => cpu?.toFixed(0) ?? ""
    const [ratio, rate] = [run / sumOf(whole), (passages / run) * 1000]
    console.log(`${about}; node ${process.version}\n`)
    console.log(
      table(
        ["CPU ms", "passages alone", "all that is embedded and written"],
        [
          ...Object.keys(whole).map((part) => [part, ms(alone[part]), ms(whole[part])]),
          ["sum", ms(sumOf(alone)), ms(sumOf(whole))],
          ["the index run", ms(run), ms(run)],
          ["times the sum", (run / sumOf(alone)).toFixed(2), ratio.toFixed(2)]
        ]
      )
    )
    console.log(
      `\n${passages} passages, ${nodes.Relation} Relations: ${ratio.toFixed(2)} times the sum of all (gate 1.5), ` +
        `${rate.toFixed(0)} passages a second (gate 600)`
    )
    return ratio <= 1.5 && rate >= 600
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
