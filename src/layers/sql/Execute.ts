/**
 * Statements as plain text and parameters, for the hot path: inside a transaction they run on its connection, without the query builder and
 * the span that every built statement costs. Parameters are always bound, never spliced in; the driver
 * takes them by position only (`?`, not `?1`).
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../../services/StoreError.ts"
import { whenFree } from "./Busy.ts"
import { codeOf, translate } from "./Errors.ts"

export type Value = string | number | null | Uint8Array
export type Row = { readonly [column: string]: unknown }
export type Execute = (text: string, values: ReadonlyArray<Value>) => Effect.Effect<ReadonlyArray<Row>, StoreError>

/**
 * Runs the statements of a `Service.method` on the open transaction's connection, or on `sql` where none is open; there
 * it waits for another process' lock. Column names come back as the database has them.
 */
export const execute = (sql: SqlClient.SqlClient, method: string): Execute => {
  const failed = translate(method)
  /** The client keeps a statement that could not be prepared as failed, also when its table has come meanwhile. */
  const again = (error: SqlError, afresh: () => Effect.Effect<ReadonlyArray<Row>, SqlError>) =>
    error.message?.startsWith("Failed to prepare") === true
      ? Effect.suspend(afresh).pipe(
          Effect.catchSomeDefect((defect) =>
            codeOf(defect) === undefined ? Option.none() : Option.some(Effect.fail(error))
          )
        )
      : Effect.fail(error)
  return (text, values) =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      const open = Context.getOption(context, SqlClient.TransactionConnection)
      if (open._tag === "Some") {
        const [connection] = open.value
        return connection.execute(text, values, undefined).pipe(
          Effect.catchAll((error) => again(error, () => connection.executeUnprepared(text, values, undefined))),
          Effect.mapError(failed)
        )
      }
      const statement = sql.unsafe<Row>(text, values)
      return statement.withoutTransform.pipe(
        Effect.catchAll((error) => again(error, () => statement.unprepared)),
        Effect.mapError(failed),
        whenFree
      )
    })
}

/** Rows a statement: keeps the number of different texts small, so that each is prepared once, and stays far below the parameter limit. */
const batch = 64
/** Statements between which nothing else gets its turn. */
const together = 32

/** Texts of inserts: few, asked for again and again. */
const inserts = new Map<string, string>()
const mostInserts = 2000

const insertOf = (into: string, rows: number, columns: number, tail: string): string => {
  const key = `${rows} ${columns} ${into} ${tail}`
  const known = inserts.get(key)
  if (known !== undefined) return known
  const row = `(${Array.from({ length: columns }, () => "?").join(", ")})`
  const made = `INSERT INTO ${into} VALUES ${Array.from({ length: rows }, () => row).join(", ")} ${tail}`
  if (inserts.size >= mostInserts) inserts.clear()
  inserts.set(key, made)
  return made
}

/** Inserts rows of equal length, many a statement; `tail` follows the values (a conflict clause, RETURNING). */
export const insertRows = (
  run: Execute,
  into: string,
  rows: ReadonlyArray<ReadonlyArray<Value>>,
  tail = ""
): Effect.Effect<ReadonlyArray<Row>, StoreError> => {
  const some = (part: ReadonlyArray<ReadonlyArray<Value>>) => {
    // `flat` takes several times as long
    const values: Array<Value> = []
    for (const row of part) for (const value of row) values.push(value)
    return run(insertOf(into, part.length, part[0]?.length ?? 0, tail), values)
  }
  if (rows.length === 0) return Effect.succeed([])
  if (rows.length <= batch) return some(rows)
  return Effect.map(
    Effect.forEach(
      Array.from({ length: Math.ceil(rows.length / batch) }, (_, i) => rows.slice(i * batch, (i + 1) * batch)),
      (part, n) => (n > 0 && n % together === 0 ? Effect.zipRight(Effect.sleep(0), some(part)) : some(part))
    ),
    (parts) => parts.flat()
  )
}
