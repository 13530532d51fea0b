/**
 * The cache of models in SQLite: answers by request, vectors by model and text, each for one scope.
 *
 * When something was last used is written at most once an hour, so that a hit is a read.
 */
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { ModelReply } from "../../domain/ModelRequest.ts"
import { ModelCache } from "../../services/ModelCache.ts"
import { Transaction } from "../../services/Transaction.ts"
import { insertRows } from "./Execute.ts"
import { methods } from "./Methods.ts"
import { damaged, parsed } from "./Rows.ts"

const noticedMs = 3_600_000

const selectReply = "SELECT reply, used_at FROM staterag_model_reply WHERE scope = ?1 AND request = ?2"
const useReply = "UPDATE staterag_model_reply SET used_at = ?3 WHERE scope = ?1 AND request = ?2"
const insertReply = `INSERT INTO staterag_model_reply (scope, request, reply, created_at, used_at) VALUES (?1, ?2, ?3, ?4, ?4)
  ON CONFLICT (scope, request) DO UPDATE SET reply = excluded.reply, created_at = excluded.created_at, used_at = excluded.used_at`
const selectVectors = `SELECT v.text, v.vector, v.used_at FROM json_each(?3) j
  CROSS JOIN staterag_vector_cache v ON v.scope = ?1 AND v.model = ?2 AND v.text = j.value`
const useVectors = `UPDATE staterag_vector_cache SET used_at = ?4
  WHERE scope = ?1 AND model = ?2 AND text IN (SELECT value FROM json_each(?3))`
const insertVectors = "staterag_vector_cache (scope, model, text, vector, used_at)"
const vectorAgain =
  "ON CONFLICT (scope, model, text) DO UPDATE SET vector = excluded.vector, used_at = excluded.used_at"

const decodeReply = Schema.decodeUnknownOption(ModelReply)
const encodeReply = Schema.encodeSync(Schema.parseJson(ModelReply))

const vectorOf = (bytes: unknown): Option.Option<Float32Array> => {
  if (!(bytes instanceof Uint8Array) || bytes.byteLength === 0 || bytes.byteLength % 4 !== 0) return Option.none()
  // copied: the driver's bytes need not begin where a 32-bit number may
  return Option.some(new Float32Array(new Uint8Array(bytes).buffer))
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { atomically } = yield* Transaction
  const at = methods(sql, "ModelCache", ["reply", "keepReply", "vectors", "keepVectors"])
  const isNoticed = (usedAt: unknown, now: number): boolean => typeof usedAt === "number" && usedAt > now - noticedMs

  return ModelCache.of({
    reply: Effect.fnUntraced(function* (scope, request) {
      const { method, run } = at.reply
      const [row] = yield* run(selectReply, [scope, request])
      if (row === undefined) return Option.none()
      const reply = decodeReply(parsed(row.reply))
      if (Option.isNone(reply)) return yield* damaged(method, "staterag_model_reply", request)
      const now = yield* Clock.currentTimeMillis
      if (!isNoticed(row.used_at, now)) yield* atomically(run(useReply, [scope, request, now]))
      return reply
    }),
    keepReply: Effect.fnUntraced(function* (scope, request, reply) {
      const now = yield* Clock.currentTimeMillis
      yield* atomically(at.keepReply.run(insertReply, [scope, request, encodeReply(reply), now]))
    }),
    vectors: Effect.fnUntraced(function* (scope, model, texts) {
      if (texts.length === 0) return []
      const { method, run } = at.vectors
      const now = yield* Clock.currentTimeMillis
      const found = new Map<unknown, Float32Array>()
      const old: Array<unknown> = []
      for (const row of yield* run(selectVectors, [scope, model, JSON.stringify([...new Set(texts)])])) {
        const vector = vectorOf(row.vector)
        if (Option.isNone(vector)) return yield* damaged(method, "staterag_vector_cache", row.text)
        found.set(row.text, vector.value)
        if (!isNoticed(row.used_at, now)) old.push(row.text)
      }
      if (old.length > 0) yield* atomically(run(useVectors, [scope, model, JSON.stringify(old), now]))
      return texts.map((text) => Option.fromNullable(found.get(text)))
    }),
    keepVectors: Effect.fnUntraced(function* (scope, model, vectors) {
      if (vectors.length === 0) return
      const now = yield* Clock.currentTimeMillis
      const rows = new Map(
        vectors.map(({ text, vector }) => [
          text,
          [scope, model, text, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), now] as const
        ])
      )
      yield* atomically(insertRows(at.keepVectors.run, insertVectors, [...rows.values()], vectorAgain))
    })
  })
})

export const layer: Layer.Layer<ModelCache, never, SqlClient.SqlClient | Transaction> = Layer.effect(ModelCache, make)
