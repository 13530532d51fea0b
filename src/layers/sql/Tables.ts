/** What the steps of {@link import("./Migrations.ts")} make, and what of it a database has lost. */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Context, Effect, Schema } from "effect"
import type { StoreError } from "../../services/StoreError.ts"
import { translate } from "./Errors.ts"
import { execute } from "./Execute.ts"
import { compile, decodeRows } from "./Rows.ts"

const Made = Schema.Struct({
  type: Schema.Literal("table", "index", "trigger"),
  name: Schema.String,
  sql: Schema.String
})
export type Made = typeof Made.Type
type Steps = Effect.Effect<void, SqlError, SqlClient.SqlClient>
const fits = compile(Made)

// in the order of making: an index needs its table
const select = `SELECT type, name, sql FROM sqlite_master
  WHERE name LIKE 'staterag\\_%' ESCAPE '\\' AND type IN ('table', 'index', 'trigger') AND sql IS NOT NULL
  ORDER BY type = 'table' DESC, name`

const made = (sql: SqlClient.SqlClient, method: string): Effect.Effect<ReadonlyArray<Made>, StoreError> =>
  Effect.flatMap(execute(sql, method)(select, []), (rows) => decodeRows(method, "sqlite_master", fits, rows))

/** All that `steps` make, taken in memory. */
const expected = (steps: Steps, method: string): Effect.Effect<ReadonlyArray<Made>, StoreError> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.zipRight(Effect.mapError(steps, translate(method)), made(sql, method))
  ).pipe(
    Effect.provide(SqliteClient.layer({ filename: ":memory:", disableWAL: true })),
    // a transaction that is open is another database's
    Effect.mapInputContext((context: Context.Context<never>) => Context.omit(SqlClient.TransactionConnection)(context)),
    Effect.catchTag("ConfigError", Effect.die)
  )

/** What `steps` made and is gone, with the statement that makes it again, empty. The word tables of scopes are made with these. */
export const missing = (
  sql: SqlClient.SqlClient,
  steps: Steps,
  method: string
): Effect.Effect<ReadonlyArray<Made>, StoreError> =>
  Effect.gen(function* () {
    const have = new Set((yield* made(sql, method)).map(({ name }) => name))
    return (yield* expected(steps, method)).filter(({ name }) => !have.has(name))
  })
