/** What comes out of the database, before it is believed: rows that do not fit their schema are damage, named by table and id. */
import { Either, type Option, Schema } from "effect"
import * as Compiled from "../../domain/Compiled.ts"
import { StoreError } from "../../services/StoreError.ts"
import type { Row } from "./Execute.ts"

/** What a schema without transformations accepts; made once, at the top of a module. */
export const compile = <A, I>(schema: Schema.Schema<A, I>): ((input: unknown) => Option.Option<A>) =>
  Compiled.compile(Schema.typeSchema(schema))

export const damaged = (method: string, table: string, id: unknown): StoreError =>
  new StoreError({
    reason: "Unreadable",
    method,
    detail: `${table}: the row of ${JSON.stringify(id) ?? "?"} does not fit`,
    cause: undefined
  })

/** Each row as `accept` (see {@link compile}) accepts it. */
export const decodeRows = <A>(
  method: string,
  table: string,
  accept: (input: unknown) => Option.Option<A>,
  rows: ReadonlyArray<Row>
): Either.Either<ReadonlyArray<A>, StoreError> => {
  const decoded: Array<A> = []
  for (const row of rows) {
    const value = accept(row)
    if (value._tag === "None") return Either.left(damaged(method, table, Object.values(row)[0]))
    decoded.push(value.value)
  }
  return Either.right(decoded)
}

/** The one integer in the one row. */
export const integer = (method: string, table: string, rows: ReadonlyArray<Row>): Either.Either<number, StoreError> => {
  const value = Object.values(rows[0] ?? {})[0]
  return typeof value === "number" && Number.isSafeInteger(value)
    ? Either.right(value)
    : Either.left(damaged(method, table, value))
}

/** The values of the first column, which holds texts. */
export const texts = (
  method: string,
  table: string,
  rows: ReadonlyArray<Row>
): Either.Either<ReadonlyArray<string>, StoreError> => {
  const found: Array<string> = []
  for (const row of rows) {
    const value = Object.values(row)[0]
    if (typeof value !== "string") return Either.left(damaged(method, table, value))
    found.push(value)
  }
  return Either.right(found)
}

/** What JSON text says; undefined, which fits no schema, where it is none. */
export const parsed = (text: unknown): unknown => {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** In the order of UTF-16 units, as JavaScript compares. */
export const by =
  <A>(key: (value: A) => string) =>
  (a: A, b: A): number => {
    const x = key(a)
    const y = key(b)
    return x < y ? -1 : x > y ? 1 : 0
  }
