/** A history of documents and a fresh build of where it ends, over stores of either kind: equal, byte for byte. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CorpusStoresMemory from "../../src/layers/memory/CorpusStores.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as CorpusStoresSql from "../../src/layers/sql/CorpusStores.ts"
import { hashed } from "./Building.ts"
import { edited, kept, type Shelf, step } from "./Edits.ts"
import type { Book } from "./Libraries.ts"
import type { Random } from "./Random.ts"

const around = Layer.merge(hashed, DigestNode.layer)
export const inMemory = CorpusStoresMemory.layer.pipe(Layer.provide(Memory.layer), Layer.merge(around))
export const inSqlite = CorpusStoresSql.layer.pipe(
  Layer.provide(Client.layer({ filename: ":memory:", create: true })),
  Layer.orDie,
  Layer.merge(around)
)

export const confluent = (
  name: string,
  r: Random,
  all: ReadonlyArray<Book>,
  stores: typeof inMemory,
  steps: number
): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const shelves: Array<Shelf> = [new Map(r.some(all, 1, all.length).map((one) => [one.document.id, one]))]
    for (let n = 0; n < steps; n++) shelves.push(edited(r, shelves.at(-1) ?? new Map(), all))
    const last = shelves.at(-1) ?? new Map()
    const lived = yield* Effect.gen(function* () {
      yield* step(new Map(), shelves[0] ?? new Map(), true)
      for (const [n, shelf] of shelves.entries()) if (n > 0) yield* step(shelves[n - 1] ?? new Map(), shelf, false)
      return yield* kept
    }).pipe(Effect.provide(stores))
    const fresh = yield* step(new Map(), last, true).pipe(Effect.zipRight(kept), Effect.provide(stores))
    if (JSON.stringify(lived) !== JSON.stringify(fresh)) expect(lived, name).toEqual(fresh)
  })
