/**
 * The product's own database: one SQLite file, one connection that writes, and one beside it that reads.
 *
 *     statement ─┬─ in a transaction, or no SELECT ─▶ writer, one at a time
 *                └─ SELECT outside ─────────────────▶ reader: the last commit, whatever transaction is open (WAL)
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
import { whenFree } from "./Busy.ts"
import { codeOf, fromDriver } from "./Errors.ts"
import * as TransactionSql from "./TransactionSql.ts"

export interface Options {
  /** A path, or `:memory:`. */
  readonly filename: string
  /** Whether to make the file (mode 0600) and its folder (0700) where they are missing. */
  readonly create: boolean
}

const method = "Database.open"

const writing: ReadonlyArray<string> = [
  // before the first write, and before WAL, or it has no effect: three vectors of 512 numbers fit a page, instead of one
  "PRAGMA page_size = 8192",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = NORMAL",
  // what is forgotten is overwritten, not only unlinked
  "PRAGMA secure_delete = ON",
  "PRAGMA foreign_keys = ON",
  // one index run touches most of the database: with the 2 MB that SQLite takes otherwise its pages would come and go
  "PRAGMA cache_size = -65536",
  "PRAGMA busy_timeout = 20"
]
const reading: ReadonlyArray<string> = ["PRAGMA busy_timeout = 20"]

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

/** A connection, with its settings; what SQLite says against it is a {@link StoreError}. */
const connection = (filename: string, readonly: boolean) =>
  Effect.gen(function* () {
    const where = `${filename}: `
    const context = yield* Layer.build(SqliteClient.layer({ filename, readonly, disableWAL: true })).pipe(
      Effect.mapError((cause) => unreachable(filename, cause)),
      // the driver's constructor throws; whatever is not SQLite's own word stays a defect
      Effect.catchSomeDefect((defect) =>
        codeOf(defect) === undefined ? Option.none() : Option.some(Effect.fail(fromDriver(method, defect, where)))
      )
    )
    const sql = Context.get(context, SqlClient.SqlClient)
    yield* Effect.forEach(readonly ? reading : writing, (setting) => sql.unsafe(setting), { discard: true }).pipe(
      Effect.mapError((error) => fromDriver(method, error.cause, where)),
      whenFree
    )
    return sql
  })

/** A connection of its own that only reads. */
export const reader = (filename: string): Effect.Effect<SqlClient.SqlClient, StoreError, Scope.Scope> =>
  connection(filename, true)

const isRead = (text: string): boolean => /^\s*SELECT\b/i.test(text)

/**
 * `writer`, whose SELECTs and snapshots (`withTransaction`; what writes is a {@link Transaction}) are the reader's. Inside a transaction all of
 * them use its connection.
 */
const beside = (writer: SqlClient.SqlClient, reader: SqlClient.SqlClient): SqlClient.SqlClient => {
  const { withTransaction } = reader
  const unsafe: SqlClient.SqlClient["unsafe"] = (text, values) => (isRead(text) ? reader : writer).unsafe(text, values)
  return new Proxy(writer, {
    get: (target, name) =>
      name === "unsafe" ? unsafe : name === "withTransaction" ? withTransaction : Reflect.get(target, name)
  })
}

const connect = (options: Options): Effect.Effect<SqlClient.SqlClient, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const { filename } = options
    // a database in memory is its connection's own
    if (filename === ":memory:") return yield* connection(filename, false)
    yield* prepare(options)
    const writer = yield* connection(filename, false)
    return beside(writer, yield* reader(filename))
  })

/** Opens a database. A file that is missing, damaged, no database or not to be written is a {@link StoreError} with its reason. */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient | Transaction, StoreError> =>
  Layer.provideMerge(TransactionSql.layer, Layer.scoped(SqlClient.SqlClient, connect(options)))
