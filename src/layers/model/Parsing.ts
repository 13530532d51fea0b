/**
 * Answers of models as values. What surrounds the JSON, and how it is written, is mended where only one reading is left; its words never are.
 *
 *     text ─▶ JSON as it stands ─▶ else the one object in it ─▶ else that object, mended ─▶ decoded, if need be out of a wrapper
 */
import { Either, identity, Option, ParseResult, Schema } from "effect"
import { jsonrepair } from "jsonrepair"

/** UTF-16 code units that are read at all. */
const longestRead = 1_000_000
/** UTF-16 code units that are mended: the repairer's time grows with their square. */
const longestMended = 32_768
/** Wrappers round a value that are looked into. */
const deepest = 3
/** UTF-16 code units of what is said to be wrong. */
const longestSaid = 2000

/** The objects of a text that stand in no other, as they are written; Left where the last is never closed. */
const objects = (text: string): Either.Either<ReadonlyArray<string>, string> => {
  const found: Array<string> = []
  let depth = 0
  let start = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]
    if (quoted) {
      if (unit === "\\") at++
      else if (unit === '"') quoted = false
    } else if (unit === '"') quoted = depth > 0
    else if (unit === "{") {
      if (depth++ === 0) start = at
    } else if (unit === "}" && depth > 0 && --depth === 0) found.push(text.slice(start, at + 1))
  }
  return depth > 0 ? Either.left("the JSON object is never closed") : Either.right(found)
}

const read = (text: string): Option.Option<unknown> => Option.liftThrowable((json: string) => JSON.parse(json))(text)

const strings = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, part]) => [...(Array.isArray(value) ? [] : [key]), ...strings(part)])
      : []

/** Mended JSON, where every word of it stands in the text: a repairer that guesses may put a quotation mark where an apostrophe was. */
const mended = (text: string): Option.Option<unknown> =>
  text.length > longestMended
    ? Option.none()
    : Option.liftThrowable(() => {
        const value: unknown = JSON.parse(jsonrepair(text))
        const plain = text.replaceAll("\\'", "'")
        const stands = (word: string) => plain.includes(word) || plain.includes(JSON.stringify(word).slice(1, -1))
        return strings(value).every(stands) ? value : undefined
      })().pipe(Option.filter((value) => value !== undefined))

/** The one value that a text holds. */
const only = (text: string): Either.Either<unknown, string> => {
  const whole = read(text.trim())
  if (Option.isSome(whole)) return Either.right(whole.value)
  return Either.flatMap(objects(text), (written) => {
    const plain = written.flatMap((object) => Option.toArray(read(object)))
    const values = plain.length > 0 ? plain : written.flatMap((object) => Option.toArray(mended(object)))
    const distinct = new Map(values.map((value) => [JSON.stringify(value), value]))
    const [value] = distinct.values()
    if (distinct.size === 1) return Either.right(value)
    return Either.left(
      distinct.size > 1
        ? `there are ${distinct.size} different JSON objects, and only one is wanted`
        : written.length > 0
          ? "the JSON does not parse, and how to mend it is not plain"
          : "there is no JSON object"
    )
  })
}

/** What a value holds where it is a wrapper: an object or a list of one thing, or a text that is JSON. */
const inner = (value: unknown): Option.Option<unknown> => {
  if (typeof value === "string") return read(value)
  if (typeof value !== "object" || value === null) return Option.none()
  const parts: ReadonlyArray<unknown> = Object.values(value)
  return parts.length === 1 ? Option.some(parts[0]) : Option.none()
}

/**
 * The value of `schema` that a text is; on the left, what is wrong with it, for the model to read. Two different objects in one text, and one
 * that breaks off in the middle, are never mended.
 */
export const parsed = <A, I>(text: string, schema: Schema.Schema<A, I>): Either.Either<A, string> => {
  if (text.length > longestRead) return Either.left(`the answer is longer than ${longestRead} characters`)
  const decode = Schema.decodeUnknownEither(schema)
  const unwrapped = (value: unknown, depth: number): Either.Either<A, ParseResult.ParseError> => {
    const found = decode(value)
    if (Either.isRight(found) || depth === deepest) return found
    return Option.match(inner(value), {
      onNone: () => found,
      // what does not fit either way is told of the value as it was given
      onSome: (part) => Either.orElse(unwrapped(part, depth + 1), () => found)
    })
  }
  // comparing and printing a value recur as deep as it is nested
  return Either.try({
    try: () =>
      Either.flatMap(only(text), (value) =>
        Either.mapLeft(unwrapped(value, 0), (error) =>
          ParseResult.TreeFormatter.formatErrorSync(error).slice(0, longestSaid)
        )
      ),
    catch: () => "the JSON is nested too deeply"
  }).pipe(Either.flatMap(identity))
}
