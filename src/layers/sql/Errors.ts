/** The one place where failures of the database become {@link StoreError}s. */
import type { SqlError } from "@effect/sql/SqlError"
import type { ParseResult } from "effect"
import { StoreError } from "../../services/StoreError.ts"

const reasonByCode: ReadonlyArray<readonly [prefix: string, reason: StoreError["reason"]]> = [
  ["SQLITE_BUSY", "Busy"],
  ["SQLITE_LOCKED", "Busy"],
  ["SQLITE_FULL", "Full"],
  ["SQLITE_READONLY", "ReadOnly"],
  ["SQLITE_CORRUPT", "Unreadable"],
  ["SQLITE_NOTADB", "Unreadable"]
]

const property = (value: unknown, name: string): string | undefined => {
  const found: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === "string" ? found : undefined
}

/** The driver's code for a failure, such as `SQLITE_BUSY_SNAPSHOT`; undefined for what is no failure of SQLite. */
export const codeOf = (cause: unknown): string | undefined => {
  const code = property(cause, "code")
  return code?.startsWith("SQLITE_") === true ? code : undefined
}

/** What the driver threw, as a {@link StoreError}. */
export const fromDriver = (method: string, cause: unknown, where = ""): StoreError => {
  const code = codeOf(cause)
  const said = property(cause, "message") ?? String(cause)
  const listed = reasonByCode.find(([prefix]) => code?.startsWith(prefix) === true)?.[1]
  return new StoreError({
    reason: listed ?? (/^no such (table|column)/.test(said) ? "Unreadable" : "Unreachable"),
    method,
    detail: `${where}${said}${code === undefined ? "" : ` (${code})`}`,
    cause
  })
}

/** Translates what a statement or a row's schema failed with. */
export const translate =
  (method: string) =>
  (error: SqlError | ParseResult.ParseError): StoreError =>
    error._tag === "ParseError"
      ? new StoreError({ reason: "Unreadable", method, detail: error.message, cause: error })
      : fromDriver(method, error.cause ?? error)
