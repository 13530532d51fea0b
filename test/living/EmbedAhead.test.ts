/** A model that is called takes its time: nobody waits for it with the database locked, and what it gave is paid for once (C28, L4). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { embedText } from "../../src/layers/embedding/Hashed.ts"
import { make } from "../../src/layers/embedding/Making.ts"
import * as DocumentParserLocal from "../../src/layers/ingest/DocumentParserLocal.ts"
import * as SourceFilesLocal from "../../src/layers/ingest/SourceFilesLocal.ts"
import * as VectorIndexMemory from "../../src/layers/memory/VectorIndexMemory.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as CorpusStores from "../../src/layers/sql/CorpusStores.ts"
import * as ModelCacheSql from "../../src/layers/sql/ModelCacheSql.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { Transaction } from "../../src/services/Transaction.ts"
import { index, snapshot } from "../support/Indexing.ts"
import { platform } from "../support/ModelRuns.ts"

const folder = mkdtempSync(join(tmpdir(), "staterag-ahead-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let made = 0

const files = (name: string, changed = false): string => {
  const root = join(folder, name)
  mkdirSync(root, { recursive: true })
  for (let n = 0; n < 12; n++) {
    const more = changed && n === 3 ? " It was built anew by Orla Fenn." : ""
    writeFileSync(join(root, `${n}.md`), `# Tower ${n}\n\nTower ${n} was built in ${1800 + n} by Ada Quill.${more}`)
  }
  return root
}

/** The index over a database, with a model that tells what it is asked; `during` runs in each call. */
const over = (database: string, asked: Array<string>, during: Effect.Effect<void>, caches: boolean) => {
  const model = Layer.effect(
    EmbeddingModel,
    Effect.gen(function* () {
      const pacing = yield* Pacing.make({ concurrency: 1, deadline: "1 minute" })
      const provider = {
        id: "called:e",
        system: "called",
        model: "e",
        endpoint: "here",
        vectors: (texts: ReadonlyArray<string>) =>
          Effect.map(during, () => {
            asked.push(...texts)
            return { vectors: texts.map((text) => embedText(text, 32)), tokens: Option.some(1) }
          })
      }
      return yield* make(provider, { pacing, cards: {}, dimensions: 32, batchTexts: 4 })
    }).pipe(Effect.orDie)
  )
  const client = Client.layer({ filename: database, create: true })
  return Layer.mergeAll(DocumentParserLocal.layer, SourceFilesLocal.layer, model).pipe(
    Layer.provideMerge(VectorIndexMemory.layer),
    Layer.provideMerge(caches ? ModelCacheSql.layer : Layer.empty),
    Layer.provideMerge(CorpusStores.layer),
    Layer.provide(client),
    Layer.provideMerge(Layer.merge(platform, NodeContext.layer)),
    Layer.orDie
  )
}

describe("embedding by a model that is called", () => {
  it.live("holds no lock meanwhile: another process writes in every call", () =>
    Effect.gen(function* () {
      const database = join(folder, `${++made}.db`)
      const root = files("locks")
      let written = 0
      const write = Effect.flatMap(Transaction, ({ atomically }) => atomically(Effect.void)).pipe(
        Effect.provide(CorpusStores.layer.pipe(Layer.provide(Client.layer({ filename: database, create: true })))),
        Effect.timeout("2 seconds"),
        Effect.matchEffect({ onFailure: () => Effect.void, onSuccess: () => Effect.sync(() => void written++) })
      )
      const asked: Array<string> = []
      let calls = 0
      const layer = over(
        database,
        asked,
        Effect.zipRight(
          Effect.sync(() => void calls++),
          write
        ),
        true
      )
      const first = yield* index([root]).pipe(Effect.provide(layer))
      expect(first.documents.added).toBe(12)
      files("locks", true)
      const before = asked.length
      yield* index([root]).pipe(Effect.provide(layer))
      expect(calls).toBeGreaterThan(4)
      expect(written).toBe(calls)
      // of what changed, the new texts alone, and each text once
      expect(asked.length - before).toBeGreaterThan(0)
      expect(asked.length - before).toBeLessThan(before / 2)
      expect(new Set(asked).size).toBe(asked.length)
    })
  )

  it.live("pays once for what came before the run was stopped, and leaves the index as it was", () =>
    Effect.gen(function* () {
      const database = join(folder, `${++made}.db`)
      const root = files("stops")
      const asked: Array<string> = []
      let calls = 0
      const hang = Effect.suspend(() => (++calls === 3 ? Effect.never : Effect.void))
      const layer = over(database, asked, hang, true)
      const running = yield* Effect.fork(index([root]).pipe(Effect.provide(layer)))
      while (calls < 3) yield* Effect.sleep("5 millis")
      yield* Fiber.interrupt(running)
      const paid = asked.length
      expect(paid).toBe(8)
      yield* index([root]).pipe(Effect.provide(layer))
      expect(new Set(asked).size).toBe(asked.length)
    })
  )

  it.live("leaves what a model leaves that is asked in the middle", () =>
    Effect.gen(function* () {
      const root = files("same")
      const of = (caches: boolean) =>
        Effect.zipRight(index([root]), snapshot).pipe(
          Effect.provide(over(join(folder, `${++made}.db`), [], Effect.void, caches))
        )
      expect(yield* of(true)).toEqual(yield* of(false))
    })
  )
})
