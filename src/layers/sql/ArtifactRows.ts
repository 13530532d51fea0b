/** Artifacts as rows: what a commit writes of them (inside its transaction), and what the pool reads. */
import { Effect, Either, ParseResult, Schema } from "effect"
import { Artifact, type AtMost, keysOf, Payload } from "../../domain/Artifact.ts"
import { ContentHash, type ScopeKey } from "../../domain/Ids.ts"
import { StoreError } from "../../services/StoreError.ts"
import { type Execute, insertRows, type Row, type Value } from "./Execute.ts"

const unreadable = (method: string, detail: string, cause: unknown): StoreError =>
  new StoreError({ reason: "Unreadable", method, detail, cause })

// ---- writing

const encodePayload = Schema.encodeEither(Schema.parseJson(Payload))
const insertArtifacts = "staterag_artifact (id, scope_key, scope, run, producer, kind, payload, created_at, expires_at)"
const insertKeys =
  "INSERT INTO staterag_artifact_key (scope_key, key, artifact) SELECT ?, json_extract(value, '$[1]'), json_extract(value, '$[0]') FROM json_each(?)"
const insertRests =
  "INSERT INTO staterag_artifact_rest (scope_key, artifact, hash) SELECT ?, json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?)"
const removeExpired = "DELETE FROM staterag_artifact WHERE scope_key = ? AND expires_at IS NOT NULL AND expires_at <= ?"
const removeOldest = `DELETE FROM staterag_artifact WHERE scope_key = ? AND kind = ? AND (created_at, id) <= (
  SELECT created_at, id FROM staterag_artifact WHERE scope_key = ? AND kind = ?
  ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?)`

const toRow = (method: string, artifact: Artifact): Either.Either<ReadonlyArray<Value>, StoreError> =>
  Either.mapBoth(encodePayload(artifact.payload), {
    onLeft: (error) => unreadable(method, `artifact ${artifact.id} does not encode: ${error.message}`, error),
    onRight: (payload) => [
      artifact.id,
      artifact.scopeKey,
      artifact.scope,
      artifact.run,
      artifact.producer,
      artifact.payload.kind,
      payload,
      artifact.createdAt,
      artifact.expiresAt
    ]
  })

/**
 * Drops what has had its days, adds the artifacts whose ids are new with their keys and hashes, and lets the oldest of a kind go where there
 * are more than `atMost`. All artifacts belong to `scope`. Runs inside the caller's transaction.
 */
export const persist = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  scope: ScopeKey,
  artifacts: ReadonlyArray<Artifact>,
  atMost: AtMost | undefined
): Effect.fn.Return<void, StoreError> {
  const rows = yield* Either.all(artifacts.map((artifact) => toRow(method, artifact)))
  yield* run(removeExpired, [scope, Math.max(...artifacts.map((artifact) => artifact.createdAt))])
  const added = yield* insertRows(run, insertArtifacts, rows, "ON CONFLICT DO NOTHING RETURNING id")
  const ids = new Set(added.map((row) => row.id))
  const fresh = artifacts.filter(({ id }) => ids.delete(id))
  if (fresh.length === 0) return
  const keys = fresh.flatMap(({ id, payload }) => keysOf(payload).map((key) => [id, key]))
  const rests = fresh.flatMap(({ id, restsOn }) => [...new Set(restsOn)].map((hash) => [id, hash]))
  if (keys.length > 0) yield* run(insertKeys, [scope, JSON.stringify(keys)])
  if (rests.length > 0) yield* run(insertRests, [scope, JSON.stringify(rests)])
  if (atMost === undefined) return
  for (const kind of new Set(fresh.map(({ payload }) => payload.kind))) {
    const limit = atMost[kind]
    if (limit !== null) yield* run(removeOldest, [scope, kind, scope, kind, limit])
  }
})

// ---- reading

/** What `fromRow` needs, of a table `a`. */
export const columns = `a.id, a.scope_key, a.scope, a.run, a.producer, a.payload, a.created_at, a.expires_at,
  (SELECT json_group_array(hash) FROM (SELECT hash FROM staterag_artifact_rest r
    WHERE r.scope_key = a.scope_key AND r.artifact = a.id ORDER BY hash)) AS rests_on`

const { createdAt, expiresAt: _, restsOn: __, payload: ___, scopeKey, ...same } = Artifact.fields
const ArtifactRow = Schema.Struct({
  ...same,
  scope_key: scopeKey,
  payload: Schema.parseJson(Payload),
  rests_on: Schema.parseJson(Schema.Array(ContentHash)),
  created_at: createdAt,
  expires_at: Schema.NullOr(Schema.Number)
})
const decode = Schema.decodeUnknownEither(ArtifactRow)

/** The artifact of a row; one that does not decode is `Unreadable`. */
export const fromRow =
  (method: string) =>
  (row: Row): Either.Either<Artifact, StoreError> =>
    Either.mapBoth(decode(row), {
      onLeft: (error) =>
        unreadable(
          method,
          `staterag_artifact ${String(row.id)} does not decode: ${ParseResult.TreeFormatter.formatErrorSync(error)}`,
          error
        ),
      onRight: ({ created_at, expires_at, rests_on, scope_key, ...rest }) => ({
        ...rest,
        scopeKey: scope_key,
        restsOn: rests_on,
        createdAt: created_at,
        expiresAt: expires_at
      })
    })
