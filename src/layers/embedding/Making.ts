/**
 * A provider's narrow half made into an {@link EmbeddingModel}: the same for every provider.
 *
 *     texts ─ without blanks and repetitions ─▶ cached? ─▶ batches ─▶ a turn within the limits ─▶ provider ─▶ checked ─▶ recorded ─▶ cached
 *
 * A few texts within a run (a question's) are recorded with their vectors, so that a resumed run does not pay for them again; the vectors of
 * many are kept by whoever asked. RET counts language models (C28), so that these calls have a size ratio of 0.
 */
import { Cause, type Context, Effect, Either, Exit, Option } from "effect"
import { ModelError, type ModelFault, mayHaveCost } from "../../domain/ModelError.ts"
import { type ModelCards, moneyOf } from "../../domain/Pricing.ts"
import { Digest } from "../../services/Digest.ts"
import { EmbeddingError, type EmbeddingModel, type EmbeddingProvider } from "../../services/EmbeddingModel.ts"
import { ModelCache, noCache } from "../../services/ModelCache.ts"
import { ModelCalls } from "../../services/ModelCalls.ts"
import type { ModelPacing } from "../../services/ModelPacing.ts"
import type { StaleWriter, StoreError } from "../../services/StoreError.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { blank, read, units, written } from "./Vectors.ts"

export interface Options {
  readonly pacing: ModelPacing
  readonly cards: ModelCards
  /** How long its vectors are; asked of the model, with one short text, where left out. */
  readonly dimensions?: number | undefined
  /** Texts of one request; 128 where left out. */
  readonly batchTexts?: number | undefined
  /** UTF-16 code units of one request, which its tokens hardly ever exceed; 250,000 where left out. */
  readonly batchLength?: number | undefined
  /** Tokens that are read of a text (o200k); 8,000 where left out. */
  readonly textTokens?: number | undefined
}

/** Texts up to which vectors are recorded with their call. */
const few = 64

type Vectors = ReadonlyArray<Float32Array>

/** Cut so that no batch is too large; a longer text is one of its own. */
const batchesOf = (
  texts: ReadonlyArray<string>,
  most: number,
  longest: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const batches: Array<Array<string>> = []
  let length = 0
  for (const text of texts) {
    const last = batches[batches.length - 1]
    if (last === undefined || last.length === most || length + text.length > longest) {
      batches.push([text])
      length = text.length
    } else {
      last.push(text)
      length += text.length
    }
  }
  return batches
}

export const make = (
  provider: EmbeddingProvider,
  options: Options
): Effect.Effect<Context.Tag.Service<EmbeddingModel>, EmbeddingError, Digest | TokenCounter> =>
  Effect.gen(function* () {
    const { batchLength = 250_000, batchTexts = 128, cards, pacing, textTokens = 8000 } = options
    const { hash } = yield* Digest
    const { counter } = yield* TokenCounter

    const error = (fault: ModelFault, detail: string, cause?: unknown) =>
      new ModelError({ model: provider.id, fault, detail, ...(cause === undefined ? {} : { cause }) })
    const kept = <A>(effect: Effect.Effect<A, StoreError | StaleWriter>): Effect.Effect<A, ModelError> =>
      Effect.mapError(effect, (cause) => error("Unkept", `${cause.message}; ${cause.advice}`, cause))
    const tokensOf = (texts: ReadonlyArray<string>) =>
      Effect.map(counter, (count) => texts.reduce((sum, text) => sum + count(text), 0))

    /** As much of a text as is read. */
    const fitted = (text: string): Effect.Effect<string> =>
      text.length <= textTokens
        ? Effect.succeed(text)
        : Effect.map(counter, (count) => {
            let cut = text
            for (let tokens = count(cut); tokens > textTokens; tokens = count(cut)) {
              cut = cut.slice(0, Math.floor((cut.length * textTokens) / tokens) - 1).replace(/[\uD800-\uDBFF]$/, "")
            }
            return cut
          })

    /** Asks for one batch. Where `dimensions` is undefined, any will do. */
    const ask = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, dimensions: number | undefined) {
      const calls = yield* ModelCalls
      const id = hash("embedding call", provider.system, provider.endpoint, provider.model, ...texts)
      const recordable = Option.isSome(calls.scope) && texts.length <= few
      if (recordable && dimensions !== undefined) {
        const before = Option.flatMap(yield* kept(calls.recorded(id)), ({ text }) =>
          read(text, texts.length, dimensions)
        )
        if (Option.isSome(before)) return before.value
      }
      const record = Effect.fnUntraced(function* (
        spent: Option.Option<number>,
        vectors: Option.Option<Vectors>,
        fault: ModelFault | undefined
      ) {
        const isFree = Option.isNone(spent) && fault !== undefined && !mayHaveCost(fault)
        const estimated = Option.isNone(spent) && !isFree
        const promptTokens = isFree ? 0 : Option.isSome(spent) ? spent.value : yield* tokensOf(texts)
        yield* Effect.annotateCurrentSpan("gen_ai.usage.input_tokens", promptTokens)
        if (fault !== undefined) yield* Effect.annotateCurrentSpan("error.type", fault)
        yield* kept(
          calls.record({
            request: id,
            call: {
              role: "Embedding",
              model: provider.id,
              promptTokens,
              completionTokens: 0,
              sizeRatio: 0,
              money: moneyOf(cards, provider.model, promptTokens, 0),
              cached: false,
              estimated,
              ...(fault === undefined ? {} : { fault })
            },
            reply:
              recordable && Option.isSome(vectors)
                ? { text: written(vectors.value), finish: "Stop", promptTokens, completionTokens: 0, estimated }
                : null
          })
        )
      })
      const { checked } = yield* pacing.call<{
        tokens: Option.Option<number>
        checked: Either.Either<Vectors, string>
      }>({
        model: provider.id,
        tokens: tokensOf(texts),
        attempt: Effect.map(provider.vectors(texts), ({ tokens, vectors }) => ({
          tokens,
          checked: units(vectors, texts.length, dimensions)
        })),
        ended: (exit) =>
          Exit.match(exit, {
            onSuccess: ({ checked, tokens }) =>
              record(tokens, Either.getRight(checked), Either.isLeft(checked) ? "BadVector" : undefined),
            onFailure: (cause) =>
              record(
                Option.none(),
                Option.none(),
                Option.match(Cause.failureOption(cause), { onNone: () => "Interrupted", onSome: ({ fault }) => fault })
              )
          })
      })
      return yield* Either.mapLeft(checked, (wrong) => error("BadVector", wrong))
    })

    /** In a span, in which no text and no error's message stands. */
    const spanned = (
      texts: ReadonlyArray<string>,
      dimensions: number | undefined
    ): Effect.Effect<Vectors, ModelError> =>
      Effect.flatten(
        Effect.withSpan(Effect.exit(ask(texts, dimensions)), `embeddings ${provider.model}`, {
          kind: "client",
          captureStackTrace: false,
          attributes: {
            "gen_ai.operation.name": "embeddings",
            "gen_ai.system": provider.system,
            "gen_ai.request.model": provider.model
          }
        })
      )

    const failed = (cause: ModelError) =>
      new EmbeddingError({
        model: provider.id,
        detail: cause.detail === "" ? cause.message : cause.detail,
        fault: cause.fault,
        cause
      })
    const dimensions =
      options.dimensions ??
      (yield* Effect.mapError(spanned(["dimensions"], undefined), failed)).reduce((_, { length }) => length, 0)

    const space = `${provider.system} ${provider.endpoint} ${provider.model} ${dimensions}`
    /** The cache for the scope that works here, where there are both. */
    const shelf = Effect.gen(function* () {
      const cache = yield* ModelCache
      const { scope } = yield* ModelCalls
      if (cache === noCache || Option.isNone(scope)) return Option.none()
      const keyOf = (text: string) => hash("text", text)
      return Option.some({
        get: (texts: ReadonlyArray<string>) => kept(cache.vectors(scope.value, space, texts.map(keyOf))),
        put: (fresh: ReadonlyArray<{ readonly text: string; readonly vector: Float32Array }>) =>
          kept(
            cache.keepVectors(
              scope.value,
              space,
              fresh.map(({ text, vector }) => ({ text: keyOf(text), vector }))
            )
          )
      })
    })

    /** Vectors by text, of texts that are all different. */
    const vectorsOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
      const found = new Map<string, Float32Array>()
      const cache = yield* shelf
      if (Option.isSome(cache)) {
        const before = yield* cache.value.get(texts)
        texts.forEach((text, i) => {
          const vector = before[i]
          if (vector !== undefined && Option.isSome(vector)) found.set(text, vector.value)
        })
      }
      yield* Effect.forEach(
        batchesOf(
          texts.filter((text) => !found.has(text)),
          batchTexts,
          batchLength
        ),
        Effect.fnUntraced(function* (batch) {
          const vectors = yield* spanned(yield* Effect.forEach(batch, fitted), dimensions)
          const fresh = batch.flatMap((text, i) => {
            const vector = vectors[i]
            if (vector === undefined) return []
            found.set(text, vector)
            return [{ text, vector }]
          })
          if (Option.isSome(cache)) yield* cache.value.put(fresh)
        }),
        { concurrency: "unbounded", discard: true }
      )
      return found
    })

    const none = blank(dimensions)
    return {
      id: provider.id,
      dimensions,
      kind: "Meaning",
      embed: (texts) =>
        Effect.map(
          Effect.mapError(vectorsOf([...new Set(texts.filter((text) => text.trim() !== ""))]), failed),
          (found) => texts.map((text) => found.get(text) ?? none.slice())
        ),
      known: Effect.map(
        shelf,
        Option.map(
          ({ get }) =>
            (texts) =>
              Effect.map(Effect.mapError(get(texts), failed), (found) =>
                texts.map((text, i) => (text.trim() === "" ? Option.some(none.slice()) : (found[i] ?? Option.none())))
              )
        )
      )
    }
  })
