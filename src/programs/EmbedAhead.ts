/**
 * Work in one transaction whose vectors are asked for outside of it.
 *
 *     try with the vectors that are known ─▶ all there: done
 *          ▲                            └─▶ some are not: nothing is changed; ask for them, without a lock ─┐
 *          └───────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * A model that is called over a network may take minutes; meanwhile others write, and what has come is kept, so that work which is killed
 * pays for it once. What a try costs is little beside that. A model that answers at once is simply asked.
 */
import { Effect, Option, Schema } from "effect"
import { type EmbeddingError, EmbeddingModel } from "../services/EmbeddingModel.ts"
import { Progress } from "../services/Progress.ts"
import type { StoreError } from "../services/StoreError.ts"
import { Transaction } from "../services/Transaction.ts"

/** Vectors are missing: the transaction has to end. */
class NotYetEmbedded extends Schema.TaggedError<NotYetEmbedded>()("NotYetEmbedded", {}) {}
const isNotYet = (error: unknown): error is NotYetEmbedded => error instanceof NotYetEmbedded

/** Tries before the work is done with the model itself, whoever waits: the documents change faster than they are embedded. */
const mostTries = 4
const batchSize = 512

/** `work` as one transaction. It is done again from the start where it has been undone. */
export const embeddingAhead = <A, E, R>(
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreError | EmbeddingError, R | Transaction | EmbeddingModel> =>
  Effect.gen(function* () {
    const { atomically } = yield* Transaction
    const model = yield* EmbeddingModel
    const progress = yield* Progress
    const known = model.known === undefined ? Option.none() : yield* model.known
    if (Option.isNone(known)) return yield* atomically(work)
    const blank = new Float32Array(model.dimensions)
    blank[0] = 1
    for (let tries = 0; tries < mostTries; tries++) {
      const missing = new Set<string>()
      const looking = EmbeddingModel.of({
        id: model.id,
        dimensions: model.dimensions,
        kind: model.kind,
        embed: (texts) =>
          Effect.map(known.value(texts), (found) =>
            texts.map((text, i) => {
              const vector = found[i]
              if (vector !== undefined && Option.isSome(vector)) return vector.value
              missing.add(text)
              return blank.slice()
            })
          )
      })
      const done = yield* atomically(
        Effect.tap(Effect.provideService(work, EmbeddingModel, looking), () =>
          missing.size > 0 ? new NotYetEmbedded() : Effect.void
        )
      ).pipe(
        Effect.asSome,
        Effect.catchIf(isNotYet, () => Effect.succeedNone)
      )
      if (Option.isSome(done)) return done.value
      const texts = [...missing]
      for (let from = 0; from < texts.length; from += batchSize) {
        yield* model.embed(texts.slice(from, from + batchSize))
        yield* progress.report({
          label: "embedding texts",
          done: Math.min(from + batchSize, texts.length),
          total: texts.length
        })
      }
    }
    return yield* atomically(work)
  })
