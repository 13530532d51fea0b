/**
 * What each word adds to the score of each entry that holds it: `bm25()` is a sum over the words of a query, so the score for many words is the
 * sum of the scores for one, to the last bit. Words are asked again and again within a question and between questions, so what was found
 * for one is kept in memory as long as its table stays as it is; so is how many entries hold it, and which id stands in a row.
 */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Schema } from "effect"
import type { StoreError } from "../../services/StoreError.ts"
import type { Execute } from "./Execute.ts"
import { compile, damaged, decodeRows, texts } from "./Rows.ts"

export interface Posting {
  /** Ascending. */
  readonly rows: Int32Array
  /** By place in `rows`: what the word adds there; positive. */
  readonly parts: Float64Array
}

/** Postings kept in memory, over all tables: 12 bytes each. */
const mostKept = 4_000_000
/** As much as a number or an id that is kept counts among them. */
const one = 8

/** FTS5's own records of a table: its totals, and which segments hold it. Every change changes them. */
const selectStamp = (table: string): string =>
  `SELECT group_concat(hex(block)) FROM (SELECT block FROM ${table}_data WHERE id IN (1, 10) ORDER BY id)`
const selectParts = (table: string): string =>
  `SELECT j.key AS n, ${table}.rowid AS row, -bm25(${table}, 2.0, 1.0) AS part
   FROM json_each(?1) j CROSS JOIN ${table} WHERE ${table} MATCH j.value`
const selectHolding = (table: string): string =>
  `SELECT j.key AS word, (SELECT count(*) FROM ${table} WHERE ${table} MATCH j.value) AS entries FROM json_each(?1) j`
const selectIds = "SELECT e.row, e.id FROM json_each(?1) j CROSS JOIN staterag_entry e ON e.row = j.value"

const fitHolding = compile(Schema.Struct({ word: Schema.String, entries: Schema.Int }))
const fitId = compile(Schema.Struct({ row: Schema.Int, id: Schema.String }))

const isOpen = Effect.contextWith(
  (context: Context.Context<never>) => Context.getOption(context, SqlClient.TransactionConnection)._tag === "Some"
)

/** What is known of a word table. */
interface Table {
  readonly stamp: string
  readonly words: Map<string, Posting>
  readonly holding: Map<string, number>
  readonly ids: Map<number, string>
}
const empty = (stamp: string): Table => ({ stamp, words: new Map(), holding: new Map(), ids: new Map() })

/** A table for the length of one search. */
export interface Look {
  /** The postings of words (each quoted, by term), by term. */
  readonly of: (words: ReadonlyMap<string, string>) => Effect.Effect<ReadonlyMap<string, Posting>, StoreError>
  /** How many entries hold each of the words (each quoted, by term). */
  readonly holding: (words: ReadonlyMap<string, string>) => Effect.Effect<ReadonlyMap<string, number>, StoreError>
  /** What stands in rows, as far as anything does. */
  readonly ids: (rows: Iterable<number>) => Effect.Effect<ReadonlyMap<number, string>, StoreError>
  /** Keeps what was read, if the table is still what it was. */
  readonly keep: Effect.Effect<void, StoreError>
}

export interface Postings {
  /** `since` tells apart what the corpus was at different times. */
  readonly look: (run: Execute, method: string, table: string, since: string) => Effect.Effect<Look, StoreError>
  /** To be called with every change of a table. */
  readonly drop: (table: string) => void
}

/** What `known` or else `read` says of each of `wanted`; what was read goes to `fresh`. */
const lookUp = <K, V>(
  wanted: Iterable<K>,
  known: ReadonlyMap<K, V> | undefined,
  fresh: Map<K, V>,
  read: (missing: ReadonlyArray<K>) => Effect.Effect<void, StoreError>
): Effect.Effect<ReadonlyMap<K, V>, StoreError> => {
  const all = [...wanted]
  const missing = all.filter((key) => known?.has(key) !== true && !fresh.has(key))
  const found = () => {
    const values = new Map<K, V>()
    for (const key of all) {
      const value = fresh.get(key) ?? known?.get(key)
      if (value !== undefined) values.set(key, value)
    }
    return values
  }
  return missing.length === 0 ? Effect.sync(found) : Effect.map(read(missing), found)
}

export const make = (): Postings => {
  const tables = new Map<string, Table>()
  let kept = 0

  const sizeOf = ({ holding, ids, words }: Table): number => {
    let size = one * (holding.size + ids.size + words.size)
    for (const { rows } of words.values()) size += rows.length
    return size
  }
  const drop = (table: string): void => {
    const gone = tables.get(table)
    if (gone !== undefined) kept -= sizeOf(gone)
    tables.delete(table)
  }
  const stampOf = (run: Execute, method: string, table: string, since: string) =>
    Effect.gen(function* () {
      const [stamp] = yield* texts(method, table, yield* run(selectStamp(table), []))
      return `${since} ${stamp}`
    })
  const readParts = Effect.fnUntraced(function* (
    run: Execute,
    method: string,
    table: string,
    words: ReadonlyMap<string, string>,
    missing: ReadonlyArray<string>,
    postings: Map<string, Posting>
  ): Effect.fn.Return<void, StoreError> {
    const found = yield* run(selectParts(table), [JSON.stringify(missing.map((word) => words.get(word)))])
    // the rows of one word come together; there are too many of them to be copied
    for (let from = 0; from < found.length; ) {
      const n = found[from]?.n
      let to = from
      while (to < found.length && found[to]?.n === n) to++
      const word = typeof n === "number" ? missing[n] : undefined
      if (word === undefined) return yield* damaged(method, table, n)
      const rows = new Int32Array(to - from)
      const parts = new Float64Array(to - from)
      for (let i = from; i < to; i++) {
        const { part, row } = found[i] ?? {}
        if (typeof row !== "number" || typeof part !== "number" || !Number.isInteger(row))
          return yield* damaged(method, table, word)
        rows[i - from] = row
        parts[i - from] = part
      }
      postings.set(word, { rows, parts })
      from = to
    }
    for (const word of missing)
      if (!postings.has(word)) postings.set(word, { rows: new Int32Array(0), parts: new Float64Array(0) })
  })

  return {
    drop,
    look: Effect.fnUntraced(function* (run, method, table, since): Effect.fn.Return<Look, StoreError> {
      // what a transaction has not committed may never have been
      const stamp = (yield* isOpen) ? undefined : yield* stampOf(run, method, table, since)
      if (stamp !== undefined && tables.get(table)?.stamp !== stamp) drop(table)
      const known = stamp === undefined ? undefined : tables.get(table)
      const fresh = empty(stamp ?? "")
      const keep = Effect.gen(function* () {
        const size = sizeOf(fresh)
        if (stamp === undefined || size === 0 || (yield* stampOf(run, method, table, since)) !== stamp) return
        kept += size
        if (kept > mostKept) {
          tables.clear()
          kept = size
        }
        const own = tables.get(table) ?? empty(stamp)
        if (own.stamp !== stamp) {
          kept -= size
          return
        }
        tables.set(table, own)
        for (const [word, posting] of fresh.words) own.words.set(word, posting)
        for (const [word, entries] of fresh.holding) own.holding.set(word, entries)
        for (const [row, id] of fresh.ids) own.ids.set(row, id)
      })
      return {
        keep,
        of: (words) =>
          lookUp(words.keys(), known?.words, fresh.words, (missing) =>
            readParts(run, method, table, words, missing, fresh.words)
          ),
        holding: (words) =>
          lookUp(
            words.keys(),
            known?.holding,
            fresh.holding,
            Effect.fnUntraced(function* (missing) {
              const asked = JSON.stringify(Object.fromEntries(missing.map((word) => [word, words.get(word)])))
              const rows = yield* run(selectHolding(table), [asked])
              for (const { entries, word } of yield* decodeRows(method, table, fitHolding, rows))
                fresh.holding.set(word, entries)
            })
          ),
        ids: (rows) =>
          lookUp(
            rows,
            known?.ids,
            fresh.ids,
            Effect.fnUntraced(function* (missing) {
              const found = yield* run(selectIds, [JSON.stringify(missing)])
              for (const { id, row } of yield* decodeRows(method, "staterag_entry", fitId, found))
                fresh.ids.set(row, id)
            })
          )
      }
    })
  }
}
