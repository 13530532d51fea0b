/**
 * The shared memory pool in SQLite. It only reads: what a cycle makes is written by the journal, with the cycle's action (C24).
 *
 * Every look-up names the scope key first, so an artifact of another scope key is as if it were not there (C27); within a scope key the
 * permission table decides, and names what it refuses (C23).
 */
import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, ParseResult, Schema } from "effect"
import { type Artifact, MemoryScope, permitOwn, permitRead } from "../../domain/Artifact.ts"
import { ArtifactId } from "../../domain/Ids.ts"
import { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import { StoreError } from "../../services/StoreError.ts"
import { columns, fromRow } from "./ArtifactRows.ts"
import { execute, type Row } from "./Execute.ts"

/** Most shared keys first; an artifact stands only while every document that it rests on is in the corpus as it was. */
const selectExposed = `SELECT a.id FROM staterag_artifact_key k
  JOIN staterag_artifact a ON a.scope_key = k.scope_key AND a.id = k.artifact
  WHERE k.scope_key = ? AND k.key IN (SELECT value FROM json_each(?))
    AND (a.scope = 'Global' OR (a.scope = 'Task' AND a.run = ?))
    AND (a.expires_at IS NULL OR a.expires_at > ?)
    AND NOT EXISTS (
      SELECT 1 FROM staterag_artifact_rest r WHERE r.scope_key = a.scope_key AND r.artifact = a.id
        AND NOT EXISTS (
          SELECT 1 FROM staterag_document d JOIN staterag_scope s ON s.id = d.scope
          WHERE s.key = a.scope_key AND d.hash = r.hash))
  GROUP BY a.id ORDER BY count(*) DESC, a.id LIMIT ?`
const selectByIds = `SELECT ${columns} FROM staterag_artifact a
  WHERE a.scope_key = ? AND a.id IN (SELECT value FROM json_each(?))`
const selectOwn = `SELECT ${columns} FROM staterag_artifact a
  WHERE a.scope_key = ? AND a.run = ? AND a.scope = 'Private' AND a.producer = ? ORDER BY a.id`
const selectCounts = "SELECT scope, count(*) AS artifacts FROM staterag_artifact WHERE scope_key = ? GROUP BY scope"

const decodeIds = Schema.decodeUnknownEither(Schema.Array(Schema.Struct({ id: ArtifactId })))
const decodeCounts = Schema.decodeUnknownEither(
  Schema.Array(Schema.Struct({ scope: MemoryScope, artifacts: Schema.NonNegativeInt }))
)
const unreadable = (method: string) => (error: ParseResult.ParseError) =>
  new StoreError({
    reason: "Unreadable",
    method,
    detail: `staterag_artifact: ${ParseResult.TreeFormatter.formatErrorSync(error)}`,
    cause: error
  })

export const layer: Layer.Layer<SharedMemoryPool, never, SqlClient.SqlClient> = Layer.effect(
  SharedMemoryPool,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const run = {
      expose: execute(sql, "SharedMemoryPool.expose"),
      read: execute(sql, "SharedMemoryPool.read"),
      own: execute(sql, "SharedMemoryPool.own"),
      count: execute(sql, "SharedMemoryPool.count")
    }
    const artifacts = (method: string, rows: ReadonlyArray<Row>): Either.Either<ReadonlyArray<Artifact>, StoreError> =>
      Either.all(rows.map(fromRow(method)))

    return {
      expose: Effect.fnUntraced(function* (scope, id, terms, limit, now) {
        const rows = yield* run.expose(selectExposed, [scope, JSON.stringify(terms), id, now, limit])
        return (yield* Either.mapLeft(decodeIds(rows), unreadable("SharedMemoryPool.expose"))).map((row) => row.id)
      }),
      read: Effect.fnUntraced(function* (claim, ids) {
        const rows = yield* run.read(selectByIds, [claim.scopeKey, JSON.stringify(ids)])
        const found = new Map(
          (yield* artifacts("SharedMemoryPool.read", rows)).map((artifact) => [artifact.id, artifact])
        )
        return yield* permitRead(
          claim,
          [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
        )
      }),
      own: Effect.fnUntraced(function* (claim) {
        const role = yield* permitOwn(claim)
        const rows = yield* run.own(selectOwn, [claim.scopeKey, claim.run, role])
        return yield* permitRead(claim, yield* artifacts("SharedMemoryPool.own", rows))
      }),
      count: Effect.fnUntraced(function* (scope) {
        const rows = yield* run.count(selectCounts, [scope])
        const counts = yield* Either.mapLeft(decodeCounts(rows), unreadable("SharedMemoryPool.count"))
        return {
          Global: 0,
          Task: 0,
          Private: 0,
          ...Object.fromEntries(counts.map((row) => [row.scope, row.artifacts]))
        }
      })
    }
  })
)
