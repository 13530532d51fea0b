/** L4: whatever came, changed and went on the way, what is kept is what a fresh build of the documents that are left would keep. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { confluent, inMemory, inSqlite } from "../support/Confluent.ts"
import { kept, pool, step } from "../support/Edits.ts"
import { book } from "../support/Libraries.ts"
import { random } from "../support/Random.ts"

const history = (seed: number, stores: typeof inMemory, size: number, steps: number) => {
  const r = random(seed)
  return confluent(`history ${seed}`, r, pool(r, size), stores, steps)
}

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
          (seed) => history(seed, stores, 4 + (seed % 24), 1 + (seed % 4)),
          { discard: true }
        ),
      { timeout: 120_000 }
    )
  }

  for (const seed of [2000, 2001, 2002, 2003]) {
    it.effect(`with Topics above Topics, history ${seed}`, () => history(seed, inMemory, 250, 3), {
      timeout: 120_000
    })
  }

  // more mention it than are read of a name, some of the first to be read go, and its mentions fall below a power of two
  it.effect("a title that many mention, of which some go", () =>
    Effect.gen(function* () {
      const noted = (text: string) => [{ text, headings: [] }]
      const all = [
        book("place", "Mistral Bay", noted("A bay in the south, where ships are built.")),
        ...Array.from({ length: 150 }, (_, n) =>
          book(`visit-${n}`, `Visit ${n}`, noted(`Keeper ${n} came to Mistral Bay in ${1500 + n} and left again.`))
        )
      ]
      const shelf = new Map(all.map((one) => [one.document.id, one]))
      const left = new Map(all.filter((_, n) => n % 5 < 3).map((one) => [one.document.id, one]))
      const lived = yield* step(new Map(), shelf, true).pipe(
        Effect.zipRight(step(shelf, left, false)),
        Effect.zipRight(kept),
        Effect.provide(inMemory)
      )
      const fresh = yield* step(new Map(), left, true).pipe(Effect.zipRight(kept), Effect.provide(inMemory))
      expect(lived).toEqual(fresh)
    })
  )
})
