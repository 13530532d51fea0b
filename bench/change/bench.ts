/**
 * What a change costs: 1,000 invented files are indexed, then nothing is changed, then one file after the other, each in its turn. CPU of
 * the steps in one process; the gate is one hundredth of the full build at the median, vector files included, besides what a run costs that
 * changes nothing. The first change moves one of the highest Topics' centres, which is dear and rare.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { type NodeId, ScopeKey } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { VectorIndex } from "../../src/services/VectorIndex.ts"
import { library } from "../../test/support/Libraries.ts"
import { random } from "../../test/support/Random.ts"
import { median, table } from "../report.ts"

const scope = ScopeKey.make("default")
const gate = 0.01

/** Files of some 6 passages each, named after each other, under headings. */
const documents = (
  count: number
): ReadonlyArray<{ readonly title: string; readonly pieces: ReadonlyArray<string> }> => {
  const r = random(7)
  const books = library(11, count * 20, "titled")
  const texts = books.flatMap(({ passages }) => passages.map(({ text }) => text))
  return books.slice(0, count).map(({ document }) => ({
    title: document.title,
    pieces: Array.from({ length: 6 }, () => `${r.pick(texts)} ${r.pick(texts)}`)
  }))
}
const markdown = ({ pieces, title }: ReturnType<typeof documents>[number]): string =>
  [`# ${title}`, ...pieces.map((piece, n) => (n === 0 ? piece : `## Part ${n}\n\n${piece}`))].join("\n\n")

const topics = Effect.gen(function* () {
  const tam = yield* TamStore
  const found: Array<NodeId> = []
  for (let after = ""; ; ) {
    const page = yield* tam.page(scope, "Topic", after, 1000)
    const last = page.at(-1)
    if (last === undefined) return new Set(found)
    for (const { id } of page) found.push(id)
    after = last.id
  }
})

const cpu = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = process.cpuUsage()
    const value = yield* effect
    const { system, user } = process.cpuUsage(before)
    return { value, ms: (system + user) / 1000 }
  })

export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const count = Number(args[0] ?? 1000)
  const work = mkdtempSync(join(tmpdir(), "staterag-change-"))
  const root = join(work, "files")
  mkdirSync(root)
  const all = documents(count)
  const write = (n: number, text: string) => writeFileSync(join(root, `${String(n).padStart(5, "0")}.md`), text)
  for (const [n, one] of all.entries()) write(n, markdown(one))
  let embedded = 0
  const counted = Layer.effect(
    EmbeddingModel,
    Effect.map(EmbeddingModel, (model) => ({
      ...model,
      embed: (texts: ReadonlyArray<string>) => {
        embedded += texts.length
        return model.embed(texts)
      }
    }))
  )
  let vectorFile = 0
  const watched = Layer.effect(
    VectorIndex,
    Effect.map(VectorIndex, (index) => ({
      ...index,
      build: (...given: Parameters<typeof index.build>) =>
        Effect.tap(cpu(index.build(...given)), ({ ms }) => Effect.sync(() => (vectorFile = ms))).pipe(Effect.asVoid)
    }))
  )
  const layer = Layer.provideMerge(
    watched,
    Layer.provideMerge(counted, Embedded.layer({ directory: join(work, "state") }))
  )
  const index = cpu(indexCorpus({ scope, paths: [root] }))
  const isWithin = await Effect.gen(function* () {
    const full = yield* index
    const nothing: Array<number> = []
    const rows: Array<ReadonlyArray<string>> = []
    const shares: Array<number> = []
    for (let n = 0; n < 8; n++) {
      nothing.push((yield* index).ms)
      const at = (n * 131 + 7) % count
      const one = all[at]
      if (one === undefined) continue
      const other = all[(at + 1) % count]
      write(
        at,
        markdown({
          ...one,
          pieces: one.pieces.map((piece, i) => (i === 2 ? `${piece} It stands by ${other?.title}.` : piece))
        })
      )
      embedded = 0
      const { ms } = yield* index
      const own = ms - median(nothing)
      shares.push(own / full.ms)
      rows.push([
        String(n + 1),
        own.toFixed(0),
        vectorFile.toFixed(0),
        ((100 * own) / full.ms).toFixed(2),
        String(embedded)
      ])
    }
    const before = yield* topics
    const changed = Math.ceil(count * 0.015)
    for (let n = 0; n < changed; n++) {
      const one = all[(n * 61) % count]
      if (one !== undefined)
        write(
          (n * 61) % count,
          markdown({ ...one, pieces: [...one.pieces.slice(1), "All of this was put in another way."] })
        )
    }
    const some = yield* index
    const after = yield* topics
    const kept = [...before].filter((id) => after.has(id)).length
    process.stdout.write(
      `${table(["one file changed", "ms", "of that vector file", "% of full", "texts embedded"], rows)}\n\nfull build ${full.ms.toFixed(0)} ms, ${full.value.passages} passages; nothing changed ${median(nothing).toFixed(0)} ms\n${changed} files changed: ${some.ms.toFixed(0)} ms, ${kept} of ${before.size} Topic ids stay (${((100 * kept) / before.size).toFixed(1)} %)\n`
    )
    return median(shares) <= gate && kept >= 0.95 * before.size
  }).pipe(Effect.provide(layer), Effect.runPromise)
  rmSync(work, { recursive: true, force: true })
  return isWithin
}
