/** The cache of models in this process: the twin of the one in SQLite, held to the same contract. */
import { Clock, Effect, Layer, Option } from "effect"
import { ModelCache } from "../../services/ModelCache.ts"
import { Memory } from "./Memory.ts"
import { RunTables } from "./RunTables.ts"

export const layer: Layer.Layer<ModelCache, never, Memory | RunTables> = Layer.effect(
  ModelCache,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { replies, vectors: vectorsOf } = yield* RunTables
    const at = (model: string, text: string): string => JSON.stringify([model, text])
    return ModelCache.of({
      reply: Effect.fnUntraced(function* (scope, request) {
        const usedAt = yield* Clock.currentTimeMillis
        return yield* memory.use(() => {
          const held = replies(scope).get(request)
          if (held === undefined) return Option.none()
          replies(scope).set(request, { ...held, usedAt })
          return Option.some(held.reply)
        })
      }),
      keepReply: Effect.fnUntraced(function* (scope, request, reply) {
        const usedAt = yield* Clock.currentTimeMillis
        yield* memory.use(() => replies(scope).set(request, { reply: { ...reply }, usedAt }))
      }),
      vectors: Effect.fnUntraced(function* (scope, model, texts) {
        const usedAt = yield* Clock.currentTimeMillis
        return yield* memory.use(() =>
          texts.map((text) => {
            const held = vectorsOf(scope).get(at(model, text))
            if (held === undefined) return Option.none()
            vectorsOf(scope).set(at(model, text), { ...held, usedAt })
            return Option.some(held.vector.slice())
          })
        )
      }),
      keepVectors: Effect.fnUntraced(function* (scope, model, kept) {
        const usedAt = yield* Clock.currentTimeMillis
        yield* memory.use(() => {
          for (const { text, vector } of kept) vectorsOf(scope).set(at(model, text), { vector: vector.slice(), usedAt })
        })
      })
    })
  })
)
