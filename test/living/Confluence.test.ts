/** L4: whatever came, changed and went on the way, what is kept is what a fresh build of the documents that are left would keep. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { confluent, inMemory, inSqlite } from "../support/Confluent.ts"
import { pool } from "../support/Edits.ts"
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
})
