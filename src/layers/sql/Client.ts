/**
 * The product's own database: one SQLite file, one connection.
 *
 * What cannot be opened is a {@link StoreError}, although the driver throws from its constructor. Waiting for another process' lock inside
 * SQLite would stop the whole event loop, so SQLite itself waits only briefly and {@link import("./TransactionSql.ts")} tries again.
 */
import { mkdir, open, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { StoreError } from "../../services/StoreError.ts"
import type { Transaction } from "../../services/Transaction.ts"
import { codeOf, fromDriver } from "./Errors.ts"
import * as TransactionSql from "./TransactionSql.ts"

export interface Options {
  /** A path, or `:memory:`. */
  readonly filename: string
  /** Whether to make the file (mode 0600) and its folder (0700) where they are missing. */
  readonly create: boolean
}

const method = "Database.open"

const settings: ReadonlyArray<string> = [
  // before the first write, and before WAL, or it has no effect: three vectors of 512 numbers fit a page, instead of one
  "PRAGMA page_size = 8192",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = NORMAL",
  // what is forgotten is overwritten, not only unlinked
  "PRAGMA secure_delete = ON",
  "PRAGMA foreign_keys = ON",
  "PRAGMA busy_timeout = 20"
]

const unreachable = (filename: string, cause: unknown): StoreError =>
  new StoreError({
    reason: "Unreachable",
    method,
    detail: `${filename}: ${cause instanceof Error ? cause.message : String(cause)}`,
    cause
  })

/** SQLite would make a missing file with the rights of the umask; so it is made here, empty, before SQLite sees it. */
const prepare = ({ filename, create }: Options): Effect.Effect<void, StoreError> =>
  Effect.tryPromise({
    try: async () => {
      if (!create) {
        await stat(filename)
        return
      }
      await mkdir(dirname(filename), { recursive: true, mode: 0o700 })
      await (await open(filename, "a", 0o600)).close()
    },
    catch: (cause) => {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      return code === "ENOENT" && !create
        ? new StoreError({ reason: "Unreachable", method, detail: `there is no database at ${filename}`, cause })
        : code === "EROFS" || (code === "EACCES" && create)
          ? new StoreError({ reason: "ReadOnly", method, detail: `${filename}: ${String(cause)}`, cause })
          : unreachable(filename, cause)
    }
  })

const connect = (options: Options): Effect.Effect<Context.Context<SqlClient.SqlClient>, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    if (options.filename !== ":memory:") yield* prepare(options)
    const context = yield* Layer.build(SqliteClient.layer({ filename: options.filename, disableWAL: true })).pipe(
      Effect.mapError((cause) => unreachable(options.filename, cause)),
      // the driver's constructor throws; whatever is not SQLite's own word stays a defect
      Effect.catchSomeDefect((defect) =>
        codeOf(defect) === undefined
          ? Option.none()
          : Option.some(Effect.fail(fromDriver(method, defect, `${options.filename}: `)))
      )
    )
    const sql = Context.get(context, SqlClient.SqlClient)
    yield* Effect.forEach(settings, (setting) => sql.unsafe(setting), { discard: true }).pipe(
      Effect.mapError((error) => fromDriver(method, error.cause, `${options.filename}: `))
    )
    return Context.make(SqlClient.SqlClient, sql)
  })

/** Opens a database. A file that is missing, damaged, no database or not to be written is a {@link StoreError} with its reason. */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient | Transaction, StoreError> =>
  Layer.provideMerge(TransactionSql.layer, Layer.scopedContext(connect(options)))
