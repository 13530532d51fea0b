/** Model calls as rows: what is written of one before its answer is used (C30), and what is read of them. */
import { Either, ParseResult, Schema } from "effect"
import type { RunId, ScopeKey } from "../../domain/Ids.ts"
import { ModelCall } from "../../domain/Usage.ts"
import { type Billed, type FencingToken, KeptCall } from "../../services/Journal.ts"
import { StoreError } from "../../services/StoreError.ts"
import type { Row, Value } from "./Execute.ts"
import { damaged, parsed } from "./Rows.ts"

const ownColumns = `cycle, stage, attempt, at, request, role, model, prompt_tokens, completion_tokens, size_ratio, money,
  cached, estimated, prompt_version, fault, reply`
const marks = ownColumns.replace(/\w+/g, "?")
const into = `INSERT INTO staterag_model_call (run, scope, ${ownColumns})`

/** Writes nothing, and gives no row, where the token is not the newest or the place is taken. */
export const insertOfRun = `${into} SELECT run, scope, ${marks} FROM staterag_run WHERE run = ? AND token = ?
  ON CONFLICT DO NOTHING RETURNING run`
export const insertOther = `${into} VALUES (?, ?, ${marks}) ON CONFLICT DO NOTHING RETURNING run`
export const selectOfRun = `SELECT ${ownColumns} FROM staterag_model_call WHERE run = ? AND scope = ?
  ORDER BY cycle, stage, attempt`
export const selectBilled = `SELECT run, ${ownColumns.replace("reply", "NULL AS reply")} FROM staterag_model_call
  WHERE scope = ? AND at >= ? ORDER BY at, run, cycle, stage, attempt`
/** Calls that are in events alone: metered by a role of somebody's own, or by a version that kept no calls. */
export const selectUnkept = `SELECT e.payload FROM staterag_event e JOIN staterag_run r ON r.run = e.run
  WHERE r.scope = ? AND e.tag = 'ModelCalled' AND e.at >= ? AND e.payload ->> '$.place' IS NULL ORDER BY e.at, e.run, e.sequence`

const encode = Schema.encodeEither(KeptCall)
const decode = Schema.decodeUnknownEither(KeptCall)

const valuesOf = (method: string, kept: KeptCall): Either.Either<ReadonlyArray<Value>, StoreError> =>
  Either.mapBoth(encode(kept), {
    onLeft: (error) =>
      new StoreError({
        reason: "Unreadable",
        method,
        detail: `a model call does not encode: ${ParseResult.TreeFormatter.formatErrorSync(error)}`,
        cause: error
      }),
    onRight: ({ at, attempt, call, cycle, reply, request, stage }) => [
      cycle,
      stage,
      attempt,
      at,
      request,
      call.role,
      call.model,
      call.promptTokens,
      call.completionTokens,
      call.sizeRatio,
      call.money,
      call.cached ? 1 : 0,
      call.estimated ? 1 : 0,
      call.promptVersion ?? null,
      call.fault ?? null,
      reply === null ? null : JSON.stringify(reply)
    ]
  })

/** The parameters of {@link insertOfRun}. */
export const ofRun = (method: string, run: RunId, token: FencingToken, kept: KeptCall) =>
  Either.map(valuesOf(method, kept), (values): ReadonlyArray<Value> => [...values, run, token])

/** The parameters of {@link insertOther}. */
export const ofOther = (method: string, scope: ScopeKey, work: string, kept: KeptCall) =>
  Either.map(valuesOf(method, kept), (values): ReadonlyArray<Value> => [work, scope, ...values])

const flag = (value: unknown): unknown => (value === 1 ? true : value === 0 ? false : value)
const unless = (name: string, value: unknown): object => (value === null ? {} : { [name]: value })

export const fromRow = (method: string, row: Row): Either.Either<KeptCall, StoreError> =>
  Either.mapLeft(
    decode({
      ...row,
      call: {
        role: row.role,
        model: row.model,
        promptTokens: row.prompt_tokens,
        completionTokens: row.completion_tokens,
        sizeRatio: row.size_ratio,
        money: row.money,
        cached: flag(row.cached),
        estimated: flag(row.estimated),
        ...unless("promptVersion", row.prompt_version),
        ...unless("fault", row.fault)
      },
      reply: row.reply === null ? null : parsed(row.reply)
    }),
    () => damaged(method, "staterag_model_call", [row.run, row.cycle, row.stage, row.attempt])
  )

const bill = Schema.decodeUnknownEither(Schema.Struct({ run: Schema.String, at: Schema.Finite, call: ModelCall }))

export const billedOfRow = (method: string, row: Row): Either.Either<Billed, StoreError> =>
  Either.map(fromRow(method, row), ({ at, call }) => ({ run: String(row.run), at, call }))

export const billedOfEvent = (method: string, payload: unknown): Either.Either<Billed, StoreError> =>
  Either.mapLeft(bill(parsed(payload)), () => damaged(method, "staterag_event", payload))
