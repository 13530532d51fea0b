/** How what models have said leaves the database: with what was forgotten, with its run, or by age and number. */
import { Effect } from "effect"
import type { ScopeKey } from "../../domain/Ids.ts"
import type { Outdated } from "../../services/Housekeeping.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { Method } from "./Methods.ts"
import { integer } from "./Rows.ts"

const everything: ReadonlyArray<string> = [
  "UPDATE staterag_model_call SET reply = NULL WHERE scope = ?1 AND reply IS NOT NULL",
  "DELETE FROM staterag_model_reply WHERE scope = ?1",
  "DELETE FROM staterag_vector_cache WHERE scope = ?1"
]

/** Inside the caller's transaction. */
export const removeAnswers = ({ run }: Method, scope: ScopeKey): Effect.Effect<void, StoreError> =>
  Effect.forEach(everything, (statement) => run(statement, [scope]), { discard: true })

const old = "scope = ?1 AND used_at < ?2"
const surplus = `scope = ?1 AND (used_at, request) <= (
  SELECT used_at, request FROM staterag_model_reply WHERE scope = ?1 ORDER BY used_at DESC, request DESC LIMIT 1 OFFSET ?2)`
const count = (table: string) => `(SELECT count(*) FROM ${table} WHERE scope = ?1)`
const fresh = (table: string) => `(SELECT count(*) FROM ${table} WHERE scope = ?1 AND used_at >= ?2)`
const counts = `SELECT ${count("staterag_model_reply")} + ${count("staterag_vector_cache")} AS n UNION ALL
  SELECT min(${fresh("staterag_model_reply")}, ?3) + ${fresh("staterag_vector_cache")}`

/** What is of no use once it is old, or once its run has its answer. */
const useless: ReadonlyArray<string> = [
  `UPDATE staterag_model_call SET reply = NULL WHERE scope = ?1 AND reply IS NOT NULL
    AND run IN (SELECT run FROM staterag_run WHERE scope = ?1 AND outcome IN ('Bypass', 'Release', 'Fallback'))`,
  "DELETE FROM staterag_model_call WHERE scope = ?1 AND at < ?2 AND run NOT IN (SELECT run FROM staterag_run)",
  `DELETE FROM staterag_model_reply WHERE ${old}`,
  `DELETE FROM staterag_vector_cache WHERE ${old}`
]

/** Inside the caller's transaction. */
export const removeCached = Effect.fnUntraced(function* (
  { method, run }: Method,
  scope: ScopeKey,
  { dryRun = false, keep = Number.MAX_SAFE_INTEGER, usedBefore = 0 }: Outdated
) {
  const [all, left] = yield* run(counts, [scope, usedBefore, keep])
  const before = yield* integer(method, "staterag_model_reply", [all ?? {}])
  const kept = yield* integer(method, "staterag_model_reply", [left ?? {}])
  if (dryRun) return { removed: before - kept, kept }
  for (const statement of useless) yield* run(statement, [scope, usedBefore])
  yield* run(`DELETE FROM staterag_model_reply WHERE ${surplus}`, [scope, keep])
  return { removed: before - kept, kept }
})
