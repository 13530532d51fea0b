/** Vectors in SQLite, as blobs of 32-bit floats in the byte order of the machine's typed arrays (little-endian wherever Node runs). */
import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, Option } from "effect"
import type { StoreError } from "../../services/StoreError.ts"
import { Transaction } from "../../services/Transaction.ts"
import { type StoredVector, VectorStore } from "../../services/VectorStore.ts"
import { insertRows, type Row } from "./Execute.ts"
import { methods } from "./Methods.ts"
import { damaged, integer } from "./Rows.ts"
import { ensureScope, scope } from "./Scopes.ts"

const selectCount = `SELECT count(*) FROM staterag_vector WHERE scope = ${scope} AND kind = ?2`
const selectByIds = `SELECT v.id, v.vector FROM json_each(?3) j
  CROSS JOIN staterag_vector v ON v.scope = ${scope} AND v.kind = ?2 AND v.id = j.value`
const selectPage = `SELECT id, vector FROM staterag_vector
  WHERE scope = ${scope} AND kind = ?2 AND id > ?3 ORDER BY id LIMIT ?4`
const deleteByIds = `DELETE FROM staterag_vector
  WHERE scope = ${scope} AND kind = ?2 AND id IN (SELECT value FROM json_each(?3))`
const deleteKind = `DELETE FROM staterag_vector WHERE scope = ${scope} AND kind = ?2`
const insertVector = "staterag_vector (scope, kind, id, vector)"
const vectorAgain = "ON CONFLICT (scope, kind, id) DO UPDATE SET vector = excluded.vector"

const bytesOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

const vectorsOf = (
  method: string,
  rows: ReadonlyArray<Row>
): Either.Either<ReadonlyArray<StoredVector>, StoreError> => {
  const vectors: Array<StoredVector> = []
  for (const { id, vector } of rows) {
    if (
      typeof id !== "string" ||
      !(vector instanceof Uint8Array) ||
      vector.byteLength % 4 !== 0 ||
      vector.byteLength === 0
    ) {
      return Either.left(damaged(method, "staterag_vector", id))
    }
    // copied: the driver's bytes need not begin where a 32-bit number may
    const own = new Uint8Array(vector)
    vectors.push({ id, vector: new Float32Array(own.buffer) })
  }
  return Either.right(vectors)
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { atomically } = yield* Transaction
  const at = methods(sql, "VectorStore", ["put", "remove", "clear", "count", "get", "page"])
  return VectorStore.of({
    put: Effect.fnUntraced(function* (key, kind, vectors) {
      const { method, run } = at.put
      if (vectors.length === 0) return
      yield* atomically(
        Effect.flatMap(ensureScope(run, method, key), (number) =>
          insertRows(
            run,
            insertVector,
            vectors.map(({ id, vector }) => [number, kind, id, bytesOf(vector)]),
            vectorAgain
          )
        )
      )
    }),
    remove: (key, kind, ids) => Effect.asVoid(at.remove.run(deleteByIds, [key, kind, JSON.stringify(ids)])),
    clear: (key, kind) => Effect.asVoid(at.clear.run(deleteKind, [key, kind])),
    count: Effect.fnUntraced(function* (key, kind) {
      const { method, run } = at.count
      return yield* integer(method, "staterag_vector", yield* run(selectCount, [key, kind]))
    }),
    get: Effect.fnUntraced(function* (key, kind, ids) {
      const { method, run } = at.get
      if (ids.length === 0) return []
      const rows = yield* run(selectByIds, [key, kind, JSON.stringify([...new Set(ids)])])
      const found = new Map((yield* vectorsOf(method, rows)).map((stored) => [stored.id, stored]))
      return ids.flatMap((id) => found.get(id) ?? [])
    }),
    page: Effect.fnUntraced(function* (key, kind, after, limit) {
      const { method, run } = at.page
      return yield* vectorsOf(method, yield* run(selectPage, [key, kind, Option.getOrElse(after, () => ""), limit]))
    })
  })
})

export const layer: Layer.Layer<VectorStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(VectorStore, make)
