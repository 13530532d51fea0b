/** How the methods of a corpus store say their statements. */
import type { SqlClient } from "@effect/sql"
import { type Execute, execute, type Value } from "./Execute.ts"

interface Positional {
  readonly text: string
  /** Which value stands at each `?`; empty where the text had no numbers to begin with. */
  readonly order: ReadonlyArray<number>
}

const positional = (text: string): Positional => {
  const order: Array<number> = []
  const plain = text.replace(/\?(\d+)/g, (_, n: string) => {
    order.push(Number(n) - 1)
    return "?"
  })
  return { text: plain, order }
}

export interface Method {
  /** `Service.method`, for errors. */
  readonly method: string
  /** Takes `?1`, `?2` … for values that are used more than once; drivers agree on `?` alone, so they are put in their places here. */
  readonly run: Execute
}

/** The methods of `service`, by name. */
export const methods = <const Names extends ReadonlyArray<string>>(
  sql: SqlClient.SqlClient,
  service: string,
  names: Names
): { readonly [Name in Names[number]]: Method } => {
  const known = new Map<string, Positional>()
  const place = (text: string): Positional => {
    const found = known.get(text) ?? positional(text)
    known.set(text, found)
    return found
  }
  const made = names.map((name): [string, Method] => {
    const method = `${service}.${name}`
    const plain = execute(sql, method)
    const run: Execute = (text, values) => {
      const placed = place(text)
      if (placed.order.length === 0) return plain(text, values)
      return plain(
        placed.text,
        placed.order.map((at): Value => values[at] ?? null)
      )
    }
    return [name, { method, run }]
  })
  return Object.fromEntries(made) as { readonly [Name in Names[number]]: Method }
}
