/**
 * Scopes as the database numbers them.
 *
 * A scope has FTS5 tables of its own, made with it, so that no scope's words count in another's statistics (L5). The number of a scope is
 * looked up each time: what a transaction has made may be gone after it.
 */
import { Effect } from "effect"
import type { ScopeKey } from "../../domain/Ids.ts"
import type { LexicalKind } from "../../services/LexicalIndex.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { Execute } from "./Execute.ts"
import { integer } from "./Rows.ts"

/** The number of the scope whose key is the first parameter; no row fits where there is no such scope. */
export const scope = "(SELECT id FROM staterag_scope WHERE key = ?1)"

export const wordTable = (kind: LexicalKind, number: number): string =>
  `staterag_fts_${kind === "Passage" ? "passage" : "relation"}_${number}`

/**
 * Words arrive folded and joined by spaces, so the plain `ascii` tokenizer takes them as they are: it parts at ASCII punctuation and leaves
 * every other character alone, whatever this SQLite knows of Unicode.
 *
 * The table keeps its texts: a contentless one (`contentless_delete`) never takes a deleted row out of the totals that `bm25()` divides by,
 * so that its ranking would depend on what had once been there.
 */
const createWordTable = (kind: LexicalKind, number: number): string =>
  `CREATE VIRTUAL TABLE ${wordTable(kind, number)} USING fts5(title, body, tokenize = 'ascii')`

/** An empty word table, in the place of the one that may be there. */
export const resetWords = (run: Execute, kind: LexicalKind, number: number): Effect.Effect<void, StoreError> =>
  Effect.zipRight(
    run(`DROP TABLE IF EXISTS ${wordTable(kind, number)}`, []),
    Effect.asVoid(run(createWordTable(kind, number), []))
  )

export const findScope = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  key: ScopeKey
): Effect.fn.Return<number | undefined, StoreError> {
  const rows = yield* run("SELECT id FROM staterag_scope WHERE key = ?1", [key])
  return rows.length === 0 ? undefined : yield* integer(method, "staterag_scope", rows)
})

/** Inside the caller's transaction. */
export const ensureScope = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  key: ScopeKey
): Effect.fn.Return<number, StoreError> {
  const found = yield* findScope(run, method, key)
  if (found !== undefined) return found
  const number = yield* integer(
    method,
    "staterag_scope",
    yield* run("INSERT INTO staterag_scope (key) VALUES (?1) RETURNING id", [key])
  )
  yield* resetWords(run, "Passage", number)
  yield* resetWords(run, "Relation", number)
  return number
})
