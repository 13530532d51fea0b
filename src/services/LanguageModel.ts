/**
 * Language models: a narrow half that an adapter implements, and what callers get, which is the same for every provider.
 *
 *     adapter (Provider) ──▶ layers/model/Making.make: limits, retries, deadlines, metering, recording, cache, spans ──▶ LanguageModel
 */
import { Context, type Effect, type Option, type Schema, type Stream } from "effect"
import type { ModelError } from "../domain/ModelError.ts"
import type { Finish, ModelReply, ModelRequest } from "../domain/ModelRequest.ts"

/** What an adapter says of one call; tokens are none where the provider did not say them. */
export interface RawReply {
  readonly text: string
  readonly finish: Finish
  readonly tokens: Option.Option<{ readonly prompt: number; readonly completion: number }>
}

/** A part of a streamed answer, or its end. A stream that ends without an end was cut. */
export type RawPart =
  | { readonly _tag: "Text"; readonly text: string }
  | ({ readonly _tag: "End" } & Omit<RawReply, "text">)

/** The narrow half: one request, one call; no retry, no meter, no cache. */
export interface Provider {
  /** `openai:NAME`, `gguf:FILE`, …: as settings name it. */
  readonly id: string
  /** Who answers (`openai`, `gguf`, …), for spans. */
  readonly system: string
  readonly model: string
  /** What the same model name means here: a base URL with organisation, a file's hash. Part of every cache key. */
  readonly endpoint: string
  /** Further settings that can change an answer. Part of every cache key. */
  readonly settings: string
  readonly complete: (request: ModelRequest) => Effect.Effect<RawReply, ModelError>
  readonly stream: (request: ModelRequest) => Stream.Stream<RawPart, ModelError>
}

/** Begins to watch another answer, which stands in place of those before it. */
export type Watch = () => (part: string) => Effect.Effect<void>

export interface LanguageModelShape {
  readonly id: string
  /** One answer; a refusal or a cut answer is `Refused` or `Truncated`, and its tokens are metered. */
  readonly text: (request: ModelRequest) => Effect.Effect<ModelReply, ModelError>
  /**
   * A value of `schema`. What does not parse or fit is repaired where that is unambiguous, else asked for once more with the error shown,
   * else `Unfit`. The request's `shape` is made from the schema where it is null. `watch` is called for
   * each answer that is begun, and what it gives is told the answer's raw text as it comes (all at once where it is known already); the
   * value is the same with and without it.
   */
  readonly value: <A, I>(
    request: ModelRequest,
    schema: Schema.Schema<A, I>,
    watch?: Watch
  ) => Effect.Effect<A, ModelError>
  /** The answer's text as it comes. Metered once it ends, however it ends. */
  readonly stream: (request: ModelRequest) => Stream.Stream<string, ModelError>
}

export class LanguageModel extends Context.Tag("staterag/services/LanguageModel")<
  LanguageModel,
  LanguageModelShape
>() {}
