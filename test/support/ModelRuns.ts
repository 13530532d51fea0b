/** What surrounds model calls in tests: a scope, a record of the calls, a cache. */
import { Effect, Layer, Option } from "effect"
import type { ModelReply, ModelRequest } from "../../src/domain/ModelRequest.ts"
import * as Digest from "../../src/layers/platform/DigestNode.ts"
import * as TokenCounter from "../../src/layers/platform/TokenCounterO200k.ts"
import { ModelCache, type ModelCacheShape } from "../../src/services/ModelCache.ts"
import { type CallRecord, ModelCalls, type ModelCallsShape } from "../../src/services/ModelCalls.ts"

export const platform = Layer.merge(Digest.layer, TokenCounter.layer)

export const request = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
  role: "Reader",
  promptVersion: "v1",
  system: "Answer in one word.",
  messages: [{ author: "User", text: "What is the capital of France?" }],
  shape: null,
  maxTokens: 100,
  temperature: 0,
  seed: 7,
  ...changes
})

export interface Recorder {
  readonly records: ReadonlyArray<CallRecord>
  readonly calls: ModelCallsShape
  /** `effect` with this recorder round it. */
  readonly within: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const recorder = (changes: Partial<ModelCallsShape> = {}): Recorder => {
  const records: Array<CallRecord> = []
  const calls: ModelCallsShape = {
    scope: Option.some("default"),
    recorded: () => Effect.succeedNone,
    record: (record) => Effect.sync(() => void records.push(record)),
    delta: () => Effect.void,
    ...changes
  }
  return { records, calls, within: Effect.provideService(ModelCalls, calls) }
}

/** A cache in memory, with what is in it. */
export const memoryCache = () => {
  const replies = new Map<string, ModelReply>()
  const vectors = new Map<string, Float32Array>()
  const cache: ModelCacheShape = {
    reply: (scope, hash) => Effect.sync(() => Option.fromNullable(replies.get(`${scope} ${hash}`))),
    keepReply: (scope, hash, reply) => Effect.sync(() => void replies.set(`${scope} ${hash}`, reply)),
    vectors: (scope, model, texts) =>
      Effect.sync(() => texts.map((text) => Option.fromNullable(vectors.get(`${scope} ${model} ${text}`)))),
    keepVectors: (scope, model, kept) =>
      Effect.sync(() => {
        for (const { text, vector } of kept) vectors.set(`${scope} ${model} ${text}`, vector)
      })
  }
  return { cache, replies, vectors, within: Effect.provideService(ModelCache, cache) }
}
