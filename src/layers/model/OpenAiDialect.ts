/** What Chat Completions and Responses have in common, so that one adapter speaks both. */
import type { Either } from "effect"
import type { ModelFault } from "../../domain/ModelError.ts"
import type { ModelRequest, Shape } from "../../domain/ModelRequest.ts"
import type { RawPart, RawReply } from "../../services/LanguageModel.ts"
import { isStrict, withoutBounds } from "./Shapes.ts"

/** How a shape is asked for: with all its keywords, with those that every server knows, as any JSON, or in words alone. */
export const formats = ["Schema", "PlainSchema", "Json", "Words"] as const
export type Format = (typeof formats)[number]

/** What a server turned out to take. */
export interface Taken {
  readonly format: Format
  /** Parameters that are left out. */
  readonly without: ReadonlySet<string>
  /** The parameter that bounds the answer. */
  readonly maxTokens: "max_tokens" | "max_completion_tokens"
}

/** What is wrong with an answer. */
export interface Wrong {
  readonly fault: ModelFault
  readonly detail: string
}
export type Read<A> = Either.Either<A, Wrong>

export interface Dialect {
  readonly path: string
  readonly body: (model: string, request: ModelRequest, taken: Taken) => Readonly<Record<string, unknown>>
  /** Further parameters of a stream. */
  readonly streaming: Readonly<Record<string, unknown>>
  readonly reply: (answer: unknown) => Read<RawReply>
  /** A reader of one stream's events, in order. */
  readonly reader: () => {
    readonly read: (event: unknown) => Read<string>
    /** The end, where the events had one. */
    readonly end: () => RawPart | undefined
  }
}

/** The instructions, with the shape in words where the server is not told it otherwise. */
export const instructions = ({ shape, system }: ModelRequest, { format }: Taken): string =>
  shape === null || format === "Schema" || format === "PlainSchema"
    ? system
    : `${system}\n\nAnswer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(shape.schema)}`

/** The shape as `{ name, schema, strict }`. */
export const described = ({ name, schema }: Shape, format: Format) => ({
  name,
  schema: format === "PlainSchema" ? withoutBounds(schema) : schema,
  strict: isStrict(schema)
})
