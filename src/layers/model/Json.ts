/** Reading JSON that a server sent, of which nothing is believed. */
import { Option, Predicate } from "effect"

/** What stands at a path of names and places; undefined where there is nothing. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown => {
  let here = value
  for (const step of path) {
    if (typeof step === "number") here = Array.isArray(here) ? here[step] : undefined
    else here = Predicate.isRecord(here) && Object.hasOwn(here, step) ? here[step] : undefined
  }
  return here
}

export const textAt = (value: unknown, ...path: ReadonlyArray<string | number>): string | undefined => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : undefined
}

export const listAt = (value: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

const countAt = (value: unknown, name: string): number | undefined => {
  const found = at(value, name)
  return Number.isSafeInteger(found) && Number(found) >= 0 ? Number(found) : undefined
}

/** Tokens by the names of their two counts; none where either is no count. */
export const tokensAt = (
  usage: unknown,
  prompt: string,
  completion: string
): Option.Option<{ readonly prompt: number; readonly completion: number }> => {
  const read = countAt(usage, prompt)
  const written = countAt(usage, completion)
  return read === undefined || written === undefined
    ? Option.none()
    : Option.some({ prompt: read, completion: written })
}
