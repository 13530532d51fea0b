/**
 * Word search by SQLite's FTS5 and its `bm25()`, word by word ({@link import("./Postings.ts")}, {@link import("./LexicalRanking.ts")}).
 *
 * `staterag_entry` names what each row of a scope's word table stands for. Every text is folded by `Words.terms` on its way in, so the index
 * holds terms, and a search compares terms with terms.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { terms } from "../../domain/Words.ts"
import { type Hit, type LexicalEntry, LexicalIndex, type LexicalKind } from "../../services/LexicalIndex.ts"
import { Transaction } from "../../services/Transaction.ts"
import { type Execute, insertRows } from "./Execute.ts"
import * as Ranking from "./LexicalRanking.ts"
import * as Statistics from "./LexicalStatistics.ts"
import { methods } from "./Methods.ts"
import * as Postings from "./Postings.ts"
import { by, compile, decodeRows, integer, parsed } from "./Rows.ts"
import { ensureScope, findScope, resetWords, scope, wordTable } from "./Scopes.ts"

/** The distinct terms that an index can hold, quoted: inside quotes nothing is an operator. Whatever has ASCII punctuation is no term. */
const quoted = (wanted: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(
    wanted
      .filter((term) => term !== "" && !/[\u0000-\u002f\u003a-\u0060\u007b-\u007f]/.test(term))
      .map((term) => [term, `"${term}"`])
  )

const kinds: ReadonlyArray<LexicalKind> = ["Passage", "Relation"]

const fitHit = compile(Schema.Struct({ id: Schema.String, score: Schema.Number }))
const fitRow = compile(Schema.Struct({ row: Schema.Int, id: Schema.String }))
const fitHolders = compile(Schema.Struct({ phrase: Schema.String, ids: Schema.String }))
const fitIds = compile(Schema.Array(Schema.String))
const fitFrequency = compile(Schema.Struct({ term: Schema.String, passages: Schema.Int }))

/** With a filter every match is looked up first, since the filter comes before the limit. */
const selectBestWithin = (table: string): string =>
  `SELECT e.id, -bm25(${table}, 2.0, 1.0) AS score FROM ${table} JOIN staterag_entry e ON e.row = ${table}.rowid
   WHERE ${table} MATCH ?1 AND e.document IN (SELECT value FROM json_each(?3)) ORDER BY score DESC LIMIT ?2`
/** With a limit, a common word costs no more than a rare one. */
const selectHolders = (table: string): string =>
  `SELECT j.key AS phrase, (SELECT json_group_array(e.id) FROM
     (SELECT rowid AS row FROM ${table} WHERE ${table} MATCH j.value LIMIT ?2) b JOIN staterag_entry e ON e.row = b.row) AS ids
   FROM json_each(?1) j`
const selectSpread = (table: string): string =>
  `SELECT j.key AS term, (SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH j.value LIMIT ?2)) AS passages
   FROM json_each(?1) j`
/** Entries that have words, and words that have an entry. */
const selectCount = (table: string): string =>
  `SELECT count(*) FROM staterag_entry e JOIN ${table}_docsize d ON d.id = e.row WHERE e.scope = ?1 AND e.kind = ?2`

const selectRows = `SELECT e.row, e.id FROM json_each(?3) j
  CROSS JOIN staterag_entry e ON e.scope = ${scope} AND e.kind = ?2 AND e.id = j.value`
const selectLastRow = "SELECT coalesce(max(row), 0) AS row FROM staterag_entry"
const deleteEntries = "DELETE FROM staterag_entry WHERE row IN (SELECT value FROM json_each(?1))"
const deleteKind = `DELETE FROM staterag_entry WHERE scope = ${scope} AND kind = ?2`
const deleteWords = (table: string): string => `DELETE FROM ${table} WHERE rowid IN (SELECT value FROM json_each(?1))`
/**
 * The words of a deleted row stay in older segments of the index until these are merged; this merges them, so that nothing of it is left.
 * FTS5's `secure-delete` would do it row by row, at 200 times the cost.
 */
const optimize = (table: string): string => `INSERT INTO ${table} (${table}) VALUES ('optimize')`

/** Phrases as queries on the body alone; see {@link quoted}. */
const inBody = (phrases: ReadonlyArray<string>): string =>
  JSON.stringify(
    Object.fromEntries(
      phrases
        .filter((phrase) => quoted(phrase.split(" ")).size === new Set(phrase.split(" ")).size)
        .map((phrase) => [phrase, `body : "${phrase}"`])
    )
  )

/** More than was asked for, so that those that tie with the last can be told apart by id. */
const spare = 32

/** How large tables are searched, once they have been summarised. */
export type Settings = Statistics.Sizes & Ranking.Limits
export const defaults: Settings = { largeFrom: 20_000, commonFrom: 512, ...Ranking.defaults }

const make = Effect.fnUntraced(function* (settings: Settings) {
  const sql = yield* SqlClient.SqlClient
  const { atomically } = yield* Transaction
  const postings = Postings.make()
  /** To be called before a word table changes. */
  const changes = (run: Execute, number: number, kind: LexicalKind) =>
    Effect.suspend(() => {
      postings.drop(wordTable(kind, number))
      return Statistics.forget(run, number, kind)
    })
  const at = methods(sql, "LexicalIndex", [
    "search",
    "frequencies",
    "holders",
    "spread",
    "count",
    "put",
    "remove",
    "clear",
    "compact",
    "summarise"
  ])

  return LexicalIndex.of({
    search: Effect.fnUntraced(function* (key, kind, wanted, limit, within) {
      const { method, run } = at.search
      const words = quoted(wanted)
      if (words.size === 0 || limit <= 0 || within?.length === 0) return []
      const found = yield* Statistics.look(run, method, key, kind, [...words.keys()])
      if (found === undefined) return []
      const table = wordTable(kind, found.scope)
      if (within === undefined) {
        return yield* Ranking.search(run, method, table, found, postings, words, limit, settings)
      }
      const match = [...words.values()].join(" OR ")
      for (let size = limit + spare; ; size *= 4) {
        const rows = yield* run(selectBestWithin(table), [match, size, JSON.stringify(within)])
        const hits: ReadonlyArray<Hit> = yield* decodeRows(method, "staterag_entry", fitHit, rows)
        const ranked = [...hits].sort(by((hit) => hit.id)).sort((a, b) => b.score - a.score)
        // were the last one tied with the limit's own, others with lower ids might be missing
        if (rows.length < size || ranked[limit - 1]?.score !== ranked.at(-1)?.score) return ranked.slice(0, limit)
      }
    }),
    frequencies: Effect.fnUntraced(function* (key, wanted) {
      const { method, run } = at.frequencies
      const byTerm = new Map(wanted.map((term) => [term, 0]))
      const words = new Map(quoted(wanted))
      const found = yield* Statistics.look(run, method, key, "Passage", [...words.keys()])
      if (found === undefined) return { passages: 0, byTerm }
      const table = wordTable("Passage", found.scope)
      const passages =
        found.statistics?.entries ?? (yield* integer(method, table, yield* run(Statistics.selectSize(table), [])))
      for (const [term, entries] of found.statistics?.common ?? []) {
        byTerm.set(term, entries)
        words.delete(term)
      }
      const look = yield* postings.look(run, method, table, found.since)
      for (const [term, entries] of yield* look.holding(words)) byTerm.set(term, entries)
      yield* look.keep
      return { passages, byTerm }
    }),
    holders: Effect.fnUntraced(function* (key, phrases, limit) {
      const { method, run } = at.holders
      const found = new Map<string, ReadonlyArray<string>>()
      const number = phrases.length === 0 ? undefined : yield* findScope(run, method, key)
      if (number === undefined) return found
      const table = wordTable("Passage", number)
      const rows = yield* run(selectHolders(table), [inBody(phrases), limit])
      for (const { ids, phrase } of yield* decodeRows(method, table, fitHolders, rows))
        found.set(
          phrase,
          Option.getOrElse(fitIds(parsed(ids)), () => [])
        )
      return found
    }),
    spread: Effect.fnUntraced(function* (key, words, limit) {
      const { method, run } = at.spread
      const found = new Map<string, number>()
      const number = words.length === 0 ? undefined : yield* findScope(run, method, key)
      if (number === undefined) return found
      const table = wordTable("Passage", number)
      const rows = yield* run(selectSpread(table), [inBody(words), limit])
      for (const { passages, term } of yield* decodeRows(method, table, fitFrequency, rows)) found.set(term, passages)
      return found
    }),
    count: Effect.fnUntraced(function* (key, kind) {
      const { method, run } = at.count
      const number = yield* findScope(run, method, key)
      if (number === undefined) return 0
      const table = wordTable(kind, number)
      return yield* integer(method, table, yield* run(selectCount(table), [number, kind]))
    }),
    put: Effect.fnUntraced(function* (key, kind, entries) {
      const { method, run } = at.put
      if (entries.length === 0) return
      const byId = new Map(entries.map((entry) => [entry.id, entry]))
      const folded = [...byId.values()].map((entry: LexicalEntry) => ({
        ...entry,
        title: terms(entry.title).join(" "),
        body: terms(entry.body).join(" ")
      }))
      yield* atomically(
        Effect.gen(function* () {
          const number = yield* ensureScope(run, method, key)
          const table = wordTable(kind, number)
          yield* changes(run, number, kind)
          const known = yield* run(selectRows, [key, kind, JSON.stringify([...byId.keys()])])
          const old = yield* decodeRows(method, "staterag_entry", fitRow, known)
          if (old.length > 0) {
            const rows = JSON.stringify(old.map(({ row }) => row))
            yield* run(deleteWords(table), [rows])
            yield* run(deleteEntries, [rows])
          }
          const last = yield* integer(method, "staterag_entry", yield* run(selectLastRow, []))
          yield* insertRows(
            run,
            "staterag_entry (row, scope, kind, id, document)",
            folded.map(({ id, document }, i) => [last + 1 + i, number, kind, id, document])
          )
          yield* insertRows(
            run,
            `${table} (rowid, title, body)`,
            folded.map(({ title, body }, i) => [last + 1 + i, title, body])
          )
        })
      )
    }),
    remove: Effect.fnUntraced(function* (key, kind, ids) {
      const { method, run } = at.remove
      if (ids.length === 0) return
      yield* atomically(
        Effect.gen(function* () {
          const number = yield* findScope(run, method, key)
          if (number === undefined) return
          const table = wordTable(kind, number)
          yield* changes(run, number, kind)
          const known = yield* run(selectRows, [key, kind, JSON.stringify([...new Set(ids)])])
          const old = yield* decodeRows(method, "staterag_entry", fitRow, known)
          if (old.length === 0) return
          const rows = JSON.stringify(old.map(({ row }) => row))
          yield* changes(run, number, kind)
          yield* run(deleteWords(table), [rows])
          yield* run(deleteEntries, [rows])
        })
      )
    }),
    clear: Effect.fnUntraced(function* (key, kind) {
      const { method, run } = at.clear
      yield* atomically(
        Effect.gen(function* () {
          const number = yield* findScope(run, method, key)
          if (number === undefined) return
          yield* changes(run, number, kind)
          yield* resetWords(run, kind, number)
          yield* run(deleteKind, [key, kind])
        })
      )
    }),
    compact: Effect.fnUntraced(function* (key) {
      const { method, run } = at.compact
      const number = yield* findScope(run, method, key)
      if (number === undefined) return
      for (const kind of kinds) yield* run(optimize(wordTable(kind, number)), [])
    }),
    summarise: Effect.fnUntraced(function* (key) {
      const { method, run } = at.summarise
      yield* atomically(
        Effect.gen(function* () {
          const number = yield* findScope(run, method, key)
          if (number === undefined) return
          for (const kind of kinds) yield* Statistics.summarise(run, method, number, kind, settings)
        })
      )
    })
  })
})

export const layerWith = (settings: Settings): Layer.Layer<LexicalIndex, never, SqlClient.SqlClient | Transaction> =>
  Layer.effect(LexicalIndex, make(settings))

export const layer = layerWith(defaults)
