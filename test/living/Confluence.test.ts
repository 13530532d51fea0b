/** L4: whatever came, changed and went on the way, what is kept is what a fresh build of the documents that are left would keep. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CorpusStoresMemory from "../../src/layers/memory/CorpusStores.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as CorpusStoresSql from "../../src/layers/sql/CorpusStores.ts"
import { hashed } from "../support/Building.ts"
import { edited, kept, pool, type Shelf, step } from "../support/Edits.ts"
import { random } from "../support/Random.ts"

const around = Layer.merge(hashed, DigestNode.layer)
const inMemory = CorpusStoresMemory.layer.pipe(Layer.provide(Memory.layer), Layer.merge(around))
const inSqlite = CorpusStoresSql.layer.pipe(
  Layer.provide(Client.layer({ filename: ":memory:", create: true })),
  Layer.orDie,
  Layer.merge(around)
)

/** One history and one fresh build of where it ends. */
const confluent = (seed: number, stores: typeof inMemory, size: number, steps: number) =>
  Effect.gen(function* () {
    const r = random(seed)
    const all = pool(r, size)
    const shelves: Array<Shelf> = [new Map(r.some(all, 1, all.length).map((one) => [one.document.id, one]))]
    for (let n = 0; n < steps; n++) shelves.push(edited(r, shelves.at(-1) ?? new Map(), all))
    const last = shelves.at(-1) ?? new Map()
    const lived = yield* Effect.gen(function* () {
      yield* step(new Map(), shelves[0] ?? new Map(), true)
      for (const [n, shelf] of shelves.entries()) if (n > 0) yield* step(shelves[n - 1] ?? new Map(), shelf, false)
      return yield* kept
    }).pipe(Effect.provide(stores))
    const fresh = yield* step(new Map(), last, true).pipe(Effect.zipRight(kept), Effect.provide(stores))
    if (JSON.stringify(lived) !== JSON.stringify(fresh)) expect(lived, `history ${seed}`).toEqual(fresh)
  })

describe("L4, C8 build confluence", () => {
  // 300 histories in tests of ten
  for (const [name, stores, from] of [
    ...Array.from({ length: 25 }, (_, n) => ["in memory", inMemory, 10 * n] as const),
    ...Array.from({ length: 5 }, (_, n) => ["in SQLite", inSqlite, 1000 + 10 * n] as const)
  ]) {
    it.effect(
      `${name}, histories ${from} to ${from + 9}`,
      () =>
        Effect.forEach(
          Array.from({ length: 10 }, (_, n) => from + n),
          (seed) => confluent(seed, stores, 4 + (seed % 24), 1 + (seed % 4)),
          { discard: true }
        ),
      { timeout: 120_000 }
    )
  }

  for (const seed of [2000, 2001, 2002, 2003]) {
    it.effect(`with Topics above Topics, history ${seed}`, () => confluent(seed, inMemory, 250, 3), {
      timeout: 120_000
    })
  }
})
