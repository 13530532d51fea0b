/** Answers of models that were given before, by scope and request; and vectors by model and text. Off by default: it is a layer. */
import { Context, Effect, Option } from "effect"
import type { ModelReply } from "../domain/ModelRequest.ts"
import type { StoreError } from "./StoreError.ts"

export interface ModelCacheShape {
  /** `request` is the hash of everything that can change the answer. */
  readonly reply: (scope: string, request: string) => Effect.Effect<Option.Option<ModelReply>, StoreError>
  readonly keepReply: (scope: string, request: string, reply: ModelReply) => Effect.Effect<void, StoreError>
  /** Vectors in the order of `texts` (hashes of texts); none where there is none. */
  readonly vectors: (
    scope: string,
    model: string,
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Option.Option<Float32Array>>, StoreError>
  readonly keepVectors: (
    scope: string,
    model: string,
    vectors: ReadonlyArray<{ readonly text: string; readonly vector: Float32Array }>
  ) => Effect.Effect<void, StoreError>
}

export const noCache: ModelCacheShape = {
  reply: () => Effect.succeedNone,
  keepReply: () => Effect.void,
  vectors: (_, __, texts) => Effect.succeed(texts.map(() => Option.none())),
  keepVectors: () => Effect.void
}

/** {@link noCache} where no layer gives one. */
export class ModelCache extends Context.Reference<ModelCache>()("staterag/services/ModelCache", {
  defaultValue: (): ModelCacheShape => noCache
}) {}
