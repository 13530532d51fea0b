/**
 * What `bm25()` counts anew for each search, kept for large word tables: FTS5 walks every entry of a word to know how many there are.
 *
 * Kept are the common words only; a rare one is counted where it is met. Any change to a word table drops what is kept of it, so whatever is
 * there is true; {@link summarise} makes it again.
 */
import { Effect, Schema } from "effect"
import type { ScopeKey } from "../../domain/Ids.ts"
import type { LexicalKind } from "../../services/LexicalIndex.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { Execute } from "./Execute.ts"
import { compile, damaged, decodeRows, integer } from "./Rows.ts"
import { wordTable } from "./Scopes.ts"

/** Of a table that is large enough. */
export interface Statistics {
  readonly entries: number
  /** Mean number of words an entry. */
  readonly length: number
  /** In how many entries a common word stands; of those that were asked for. */
  readonly common: ReadonlyMap<string, number>
}

export interface Sizes {
  /** From this many entries on, a table is large. */
  readonly largeFrom: number
  /** From this many entries on, a word is common. */
  readonly commonFrom: number
}

// no term holds ASCII punctuation
const entriesKey = "#entries"
const wordsKey = "#words"

const select = `SELECT s.id AS scope, coalesce(s.revision, '') || coalesce(s.indexed_at, '') AS since, f.term, f.entries FROM staterag_scope s LEFT JOIN staterag_frequency f
  ON f.scope = s.id AND f.kind = ?2 AND f.term IN (SELECT value FROM json_each(?3)) WHERE s.key = ?1`
const drop = "DELETE FROM staterag_frequency WHERE scope = ?1 AND kind = ?2"
const selectKept = `SELECT count(*) FROM staterag_frequency WHERE scope = ?1 AND kind = ?2 AND term = '${entriesKey}'`
/** FTS5 keeps one row here for each that it indexes; there is no shorter way to their number. */
export const selectSize = (table: string): string => `SELECT count(*) FROM ${table}_docsize`
const insertOne = "INSERT INTO staterag_frequency (scope, kind, term, entries) VALUES (?1, ?2, ?3, ?4)"
const vocabulary = "temp.staterag_vocabulary"
const insertCommon = `INSERT INTO staterag_frequency (scope, kind, term, entries)
  SELECT ?1, ?2, term, doc FROM ${vocabulary} WHERE doc >= ?3`

const fitRow = compile(
  Schema.Struct({
    scope: Schema.Int,
    since: Schema.String,
    term: Schema.NullOr(Schema.String),
    entries: Schema.NullOr(Schema.Int)
  })
)

export interface Scope {
  readonly scope: number
  /** Its revision and when that was made. */
  readonly since: string
  readonly statistics: Statistics | undefined
}

/** The number of a scope and, of a large table, what is kept of it; undefined where there is no such scope. */
export const look = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  key: ScopeKey,
  kind: LexicalKind,
  terms: ReadonlyArray<string>
): Effect.fn.Return<Scope | undefined, StoreError> {
  const asked = JSON.stringify([entriesKey, wordsKey, ...terms])
  const rows = yield* decodeRows(method, "staterag_frequency", fitRow, yield* run(select, [key, kind, asked]))
  if (rows[0] === undefined) return undefined
  const { scope, since } = rows[0]
  const common = new Map<string, number>()
  for (const { entries, term } of rows) if (term !== null && entries !== null) common.set(term, entries)
  const entries = common.get(entriesKey)
  const words = common.get(wordsKey)
  if (entries === undefined) return { scope, since, statistics: undefined }
  if (words === undefined || entries < 1) return yield* damaged(method, "staterag_frequency", entriesKey)
  common.delete(entriesKey)
  common.delete(wordsKey)
  return { scope, since, statistics: { entries, length: words / entries, common } }
})

/** To be called with every change of a word table. */
export const forget = (run: Execute, scope: number, kind: LexicalKind): Effect.Effect<void, StoreError> =>
  Effect.asVoid(run(drop, [scope, kind]))

/**
 * Makes the statistics of a large table, where they are not there; inside the caller's transaction. The
 * segments that the table came in are merged: a rare word is then found in one step and not in a dozen.
 */
export const summarise = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  scope: number,
  kind: LexicalKind,
  { commonFrom, largeFrom }: Sizes
): Effect.fn.Return<void, StoreError> {
  if ((yield* integer(method, "staterag_frequency", yield* run(selectKept, [scope, kind]))) > 0) return
  const table = wordTable(kind, scope)
  const entries = yield* integer(method, table, yield* run(selectSize(table), []))
  if (entries < Math.max(1, largeFrom)) return
  yield* run(`INSERT INTO ${table} (${table}) VALUES ('optimize')`, [])
  yield* run(`CREATE VIRTUAL TABLE ${vocabulary} USING fts5vocab(main, ${table}, row)`, [])
  const words = yield* integer(method, table, yield* run(`SELECT sum(cnt) FROM ${vocabulary}`, []))
  yield* run(insertCommon, [scope, kind, commonFrom])
  yield* run(`DROP TABLE ${vocabulary}`, [])
  yield* run(insertOne, [scope, kind, entriesKey, entries])
  yield* run(insertOne, [scope, kind, wordsKey, words])
})
