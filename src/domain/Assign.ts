/** One setting of a schema'd record, set by its dotted name from text, as `--set NAME=VALUE`, an environment variable or a config file gives it. */
import { Either, ParseResult, Schema } from "effect"
import { didYouMean } from "./Nearest.ts"

/** Text as the value that it looks like: a number, a truth value, nothing (`none`, `null`), else itself. */
const parsed = (text: string): unknown => {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (text === "true" || text === "false") return text === "true"
  if (text === "null" || text === "none") return null
  return text
}
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const put = (target: unknown, path: ReadonlyArray<string>, value: unknown): Either.Either<unknown, string> => {
  const [head, ...rest] = path
  if (head === undefined) return Either.right(value)
  if (!isRecord(target) || !Object.hasOwn(target, head)) return Either.left(head)
  return Either.map(put(target[head], rest, value), (inner) => ({ ...target, [head]: inner }))
}

/** Every name that can be set: `maxCycles`, `budget`, `budget.tokens`, … */
const settable = (value: unknown, prefix = ""): ReadonlyArray<string> =>
  isRecord(value)
    ? Object.keys(value).flatMap((key) => [`${prefix}${key}`, ...settable(value[key], `${prefix}${key}.`)])
    : []

/** What would fit instead, in the schema's words; of a closed list, all of it, and the nearest. */
const expectation = (error: ParseResult.ParseError, value: string): string => {
  const messages = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message }) => message)
  const wanted = messages.flatMap((message) => /^Expected (.+?), actual /s.exec(message)?.[1] ?? [])
  const literals = wanted.flatMap((one) => /^"(.+)"$/.exec(one)?.[1] ?? [])
  const own = messages.filter((message) => !message.startsWith("Expected "))
  if (own.length > 0) return `: ${[...new Set(own)].join("; ")}`
  return wanted.length === 0
    ? ""
    : `: ${[...new Set(wanted)].join(" or ")} is expected${literals.length > 0 ? `.${didYouMean(value, literals)}` : ""}`
}

/** Sets `name` in `held` to what `value` says, a list where `isList`; on the left, why not. `noun` is what a setting is called. */
export const assign = <A, I>(
  schema: Schema.Schema<A, I>,
  held: A,
  {
    isList,
    name,
    noun,
    value
  }: { readonly name: string; readonly value: string; readonly noun: string; readonly isList: boolean }
): Either.Either<A, string> => {
  const encoded = Schema.encodeSync(schema)(held)
  const said = isList ? value.split(",").map((part) => parsed(part.trim())) : parsed(value)
  return put(encoded, name.split("."), said).pipe(
    Either.mapLeft(() => `there is no ${noun} ${name}.${didYouMean(name, settable(encoded))}`),
    Either.flatMap((next) =>
      Either.mapLeft(
        Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(next),
        (error) => `${value} does not fit${expectation(error, value)}`
      )
    )
  )
}
