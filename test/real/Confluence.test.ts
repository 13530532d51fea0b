/** L4 on real documents: 20 histories of parts of four corpora. */
import { describe, it } from "@effect/vitest"
import { confluent, inMemory, inSqlite } from "../support/Confluent.ts"
import { dataFolder, recordsOf } from "../support/Data.ts"
import { book } from "../support/Libraries.ts"
import { random } from "../support/Random.ts"

const sets = ["hotpotqa", "musique", "2wikimultihopqa", "2wikimultihopqa-hipporag"] as const

describe.runIf(dataFolder !== undefined)("L4, C8 build confluence on real corpora", () => {
  for (const set of sets) {
    for (const seed of [1, 2, 3, 4, 5]) {
      const where = seed === 1 ? "in SQLite" : "in memory"
      it.effect(
        `${set}, history ${seed}, ${where}`,
        () => {
          const r = random(seed)
          const from = r.int(3000)
          // two records a document, so that documents of several passages change too
          const records = recordsOf(set).slice(from, from + 240)
          const all = records.flatMap((one, n) =>
            n % 2 === 1 || records[n + 1] === undefined
              ? []
              : [
                  book(
                    one.id,
                    one.title,
                    [one, records[n + 1] ?? one].map(({ text }) => ({ text, headings: [] }))
                  )
                ]
          )
          return confluent(`${set} ${seed}`, r, all, seed === 1 ? inSqlite : inMemory, 3)
        },
        { timeout: 120_000 }
      )
    }
  }
})
