/** One call of a language model, as data: what is asked, in what form the answer is wanted, within which limits, and what came back. */
import { Schema } from "effect"

export const Message = Schema.Struct({ author: Schema.Literal("User", "Model"), text: Schema.String })
export type Message = typeof Message.Type

/** The JSON that is wanted: a name of letters, digits, `_` and `-`, and a JSON Schema. */
export const Shape = Schema.Struct({
  name: Schema.String,
  schema: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})
export type Shape = typeof Shape.Type

export const ModelRequest = Schema.Struct({
  /** Who asks: a role of the contract, or the step of a method. */
  role: Schema.String,
  /** The version of the prompt that made this. */
  promptVersion: Schema.String,
  /** Instructions. Nothing of a document or a model stands here. */
  system: Schema.String,
  /** Oldest first; the first and the last are the user's. */
  messages: Schema.NonEmptyArray(Message),
  /** Free text where null. */
  shape: Schema.NullOr(Shape),
  /** Tokens that the answer may take. */
  maxTokens: Schema.Int.pipe(Schema.positive()),
  temperature: Schema.Finite.pipe(Schema.nonNegative()),
  seed: Schema.NullOr(Schema.Int)
})
export type ModelRequest = typeof ModelRequest.Type

/** How an answer ended: of itself, at the limit of tokens (so it is cut), or in a refusal of the model's. */
export const Finish = Schema.Literal("Stop", "Length", "Refusal")
export type Finish = typeof Finish.Type

export const ModelReply = Schema.Struct({
  text: Schema.String,
  finish: Finish,
  promptTokens: Schema.NonNegativeInt,
  completionTokens: Schema.NonNegativeInt,
  /** Whether the tokens were counted here, because the provider did not say them. */
  estimated: Schema.Boolean
})
export type ModelReply = typeof ModelReply.Type
