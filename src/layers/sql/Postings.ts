/**
 * What each word adds to the score of each entry that holds it: `bm25()` is a sum over the words of a query, so the score for many words is the
 * sum of the scores for one, to the last bit. Words are asked again and again within a question and between questions, so what was found
 * for one is kept in memory as long as its table stays as it is.
 */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Schema } from "effect"
import type { StoreError } from "../../services/StoreError.ts"
import type { Execute } from "./Execute.ts"
import { compile, decodeRows, texts } from "./Rows.ts"

export interface Posting {
  /** Ascending. */
  readonly rows: Int32Array
  /** By place in `rows`: what the word adds there; positive. */
  readonly parts: Float64Array
}

/** Postings kept in memory, over all tables: 12 bytes each. */
const mostKept = 4_000_000

/** FTS5's own records of a table: its totals, and which segments hold it. Every change changes them. */
const selectStamp = (table: string): string =>
  `SELECT group_concat(hex(block)) FROM (SELECT block FROM ${table}_data WHERE id IN (1, 10) ORDER BY id)`
const selectParts = (table: string): string =>
  `SELECT j.key AS word, ${table}.rowid AS row, -bm25(${table}, 2.0, 1.0) AS part
   FROM json_each(?1) j CROSS JOIN ${table} WHERE ${table} MATCH j.value`

const fitPart = compile(Schema.Struct({ word: Schema.String, row: Schema.Int, part: Schema.Number }))

const isOpen = Effect.contextWith(
  (context: Context.Context<never>) => Context.getOption(context, SqlClient.TransactionConnection)._tag === "Some"
)

export interface Postings {
  /** The postings of words (each quoted, by term), by term; `since` tells apart what the corpus was at different times. */
  readonly of: (
    run: Execute,
    method: string,
    table: string,
    since: string,
    words: ReadonlyMap<string, string>
  ) => Effect.Effect<ReadonlyMap<string, Posting>, StoreError>
  /** To be called with every change of a table. */
  readonly drop: (table: string) => void
}

export const make = (): Postings => {
  const tables = new Map<string, { readonly stamp: string; readonly words: Map<string, Posting> }>()
  let kept = 0

  const drop = (table: string): void => {
    for (const { rows } of tables.get(table)?.words.values() ?? []) kept -= rows.length
    tables.delete(table)
  }
  const stampOf = (run: Execute, method: string, table: string, since: string) =>
    Effect.gen(function* () {
      const [stamp] = yield* texts(method, table, yield* run(selectStamp(table), []))
      return `${since} ${stamp}`
    })
  const fetch = Effect.fnUntraced(function* (
    run: Execute,
    method: string,
    table: string,
    words: ReadonlyArray<readonly [string, string]>
  ): Effect.fn.Return<Map<string, Posting>, StoreError> {
    const found = yield* decodeRows(
      method,
      table,
      fitPart,
      yield* run(selectParts(table), [JSON.stringify(Object.fromEntries(words))])
    )
    const postings = new Map<string, Posting>()
    // the rows of one word come together
    for (let from = 0; from < found.length; ) {
      const word = found[from]?.word ?? ""
      let to = from
      while (found[to]?.word === word) to++
      const own = found.slice(from, to)
      postings.set(word, {
        rows: Int32Array.from(own, ({ row }) => row),
        parts: Float64Array.from(own, ({ part }) => part)
      })
      from = to
    }
    for (const [word] of words)
      if (!postings.has(word)) postings.set(word, { rows: new Int32Array(0), parts: new Float64Array(0) })
    return postings
  })

  return {
    drop,
    of: Effect.fnUntraced(function* (run, method, table, since, words) {
      // what a transaction has not committed may never have been
      if (yield* isOpen) return yield* fetch(run, method, table, [...words])
      const stamp = yield* stampOf(run, method, table, since)
      if (tables.get(table)?.stamp !== stamp) drop(table)
      const known = tables.get(table)?.words
      const missing = [...words].filter(([word]) => known?.has(word) !== true)
      const fresh = missing.length === 0 ? undefined : yield* fetch(run, method, table, missing)
      const found = new Map<string, Posting>()
      for (const word of words.keys()) {
        const posting = fresh?.get(word) ?? known?.get(word)
        if (posting !== undefined) found.set(word, posting)
      }
      // kept only if nobody has changed the table in between
      if (fresh === undefined || (yield* stampOf(run, method, table, since)) !== stamp) return found
      for (const { rows } of fresh.values()) kept += rows.length
      if (kept > mostKept) {
        tables.clear()
        kept = 0
        for (const { rows } of fresh.values()) kept += rows.length
      }
      const own = tables.get(table) ?? { stamp, words: new Map<string, Posting>() }
      if (own.stamp !== stamp) return found
      tables.set(table, own)
      for (const [word, posting] of fresh) own.words.set(word, posting)
      return found
    })
  }
}
