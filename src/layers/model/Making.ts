/**
 * A provider's narrow half made into a {@link LanguageModel}: the same for every provider.
 *
 *     request ─ hash ─▶ recorded in this run? ─▶ cached? ─▶ a turn within the limits ─▶ provider, by a deadline ─▶ recorded ─▶ cached ─▶ answer
 *                                                              ▲──────── again, after a fault that may pass ────┘
 *
 * An answer is recorded before it is used, and so is every attempt that failed or was interrupted, with what it may have cost (C28, C30).
 */
import { type Context, Effect, Either, Exit, Option, type Schema, type Scope, Stream } from "effect"
import { ModelError, type ModelFault, mayHaveCost } from "../../domain/ModelError.ts"
import type { ModelReply, ModelRequest } from "../../domain/ModelRequest.ts"
import { type ModelCards, moneyOf, sizeRatioOf } from "../../domain/Pricing.ts"
import { Digest } from "../../services/Digest.ts"
import type { LanguageModelShape, Provider, RawReply, Watch } from "../../services/LanguageModel.ts"
import { ModelCache, noCache } from "../../services/ModelCache.ts"
import { ModelCalls } from "../../services/ModelCalls.ts"
import type { ModelPacing } from "../../services/ModelPacing.ts"
import type { StaleWriter, StoreError } from "../../services/StoreError.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { type Call, failed, faultOf, longestAnswer, replied, requestHash } from "./Calls.ts"
import { makeLocks } from "./Locks.ts"
import { parsed } from "./Parsing.ts"
import { shapeOf } from "./Shapes.ts"
import { beginSpan, describe, endSpan } from "./Spans.ts"
import { streamed } from "./Streaming.ts"

export interface Options {
  readonly pacing: ModelPacing
  readonly cards: ModelCards
  /** The model that RET is reckoned in. */
  readonly readerModel: string
}

/** Characters that are counted in tokens; what follows is reckoned by them. */
const longestCounted = 100_000
/** Characters of a wrong answer that its model is shown again. */
const longestShown = 20_000

const reask = (request: ModelRequest, answer: string, wrong: string): ModelRequest => ({
  ...request,
  messages: [
    ...request.messages,
    { author: "Model", text: answer.slice(0, longestShown) },
    {
      author: "User",
      text: `That answer cannot be used: ${wrong.slice(0, 2000)}\n\nAnswer again, with the whole JSON value and nothing else.`
    }
  ]
})

export { requestHash }

type Calls = Context.Tag.Service<ModelCalls>

export const make = (
  provider: Provider,
  options: Options
): Effect.Effect<LanguageModelShape, never, Digest | TokenCounter> =>
  Effect.gen(function* () {
    const { cards, pacing, readerModel } = options
    const { hash } = yield* Digest
    const counter = Effect.map((yield* TokenCounter).counter, (count) => (text: string): number => {
      if (text.length <= longestCounted) return count(text)
      return Math.ceil((count(text.slice(0, longestCounted)) * text.length) / longestCounted)
    })
    const locks = yield* makeLocks
    const sizeRatio = sizeRatioOf(cards, provider.model, readerModel)

    const error = (fault: ModelFault, detail: string, cause?: unknown) =>
      new ModelError({ model: provider.id, fault, detail, ...(cause === undefined ? {} : { cause }) })
    const kept = <A>(effect: Effect.Effect<A, StoreError | StaleWriter>): Effect.Effect<A, ModelError> =>
      Effect.mapError(effect, (cause) => error("Unkept", `${cause.message}; ${cause.advice}`, cause))

    const promptTokens = ({ messages, system }: ModelRequest): Effect.Effect<number> =>
      Effect.map(counter, (count) => messages.reduce((sum, { text }) => sum + count(text) + 4, count(system) + 4))

    const replyOf =
      (request: ModelRequest) =>
      ({ finish, text, tokens }: RawReply): Effect.Effect<ModelReply, ModelError> => {
        if (text.length > longestAnswer)
          return error("Malformed", `an answer of ${text.length} characters to ${request.maxTokens} tokens at most`)
        if (Option.isSome(tokens)) {
          const { completion, prompt } = tokens.value
          return Effect.succeed({ text, finish, promptTokens: prompt, completionTokens: completion, estimated: false })
        }
        return Effect.zipWith(promptTokens(request), counter, (prompt, count) => ({
          text,
          finish,
          promptTokens: prompt,
          completionTokens: count(text),
          estimated: true
        }))
      }

    /** Tokens of an attempt that gave no answer. */
    const spent = (request: ModelRequest, fault: ModelFault, partial: string) =>
      partial === "" && !mayHaveCost(fault)
        ? Effect.succeed({ promptTokens: 0, completionTokens: 0, estimated: false })
        : Effect.zipWith(promptTokens(request), counter, (prompt, count) => ({
            promptTokens: prompt,
            completionTokens: count(partial),
            estimated: true
          }))

    const calling = Effect.fnUntraced(function* (request: ModelRequest, calls: Calls) {
      const id = requestHash(hash, provider, request)
      const span = yield* beginSpan("chat", provider.model, {
        "gen_ai.system": provider.system,
        "gen_ai.request.max_tokens": request.maxTokens,
        "gen_ai.request.temperature": request.temperature,
        ...(request.seed === null ? {} : { "gen_ai.request.seed": request.seed }),
        "staterag.role": request.role
      })
      const call: Call = {
        request,
        hash: id,
        end: endSpan(span),
        replyOf: replyOf(request),
        tokens: Effect.map(promptTokens(request), (prompt) => prompt + request.maxTokens),
        record: ({ fault, partial, reply }, cached) =>
          Effect.uninterruptible(
            Effect.gen(function* () {
              const { completionTokens, estimated, promptTokens } = Option.isSome(reply)
                ? reply.value
                : yield* spent(
                    request,
                    Option.getOrElse(fault, () => "Interrupted" as const),
                    partial
                  )
              describe(span, {
                prompt: promptTokens,
                completion: completionTokens,
                finish: Option.map(reply, ({ finish }) => finish),
                fault
              })
              if (cached) span.attribute("staterag.cached", true)
              yield* kept(
                calls.record({
                  request: id,
                  call: {
                    role: request.role,
                    model: provider.id,
                    promptTokens,
                    completionTokens,
                    sizeRatio,
                    money: cached ? 0 : moneyOf(cards, provider.model, promptTokens, completionTokens),
                    cached,
                    estimated,
                    promptVersion: request.promptVersion,
                    ...(Option.isSome(fault) ? { fault: fault.value } : {})
                  },
                  reply: Option.getOrNull(reply)
                })
              )
            })
          )
      }
      return call
    })

    /** The cache, where there is one and calls belong to a scope. */
    const cacheOf = (calls: Calls) =>
      Effect.map(ModelCache, (cache) =>
        cache === noCache || Option.isNone(calls.scope) ? undefined : { cache, scope: calls.scope.value }
      )
    type Cached = Effect.Effect.Success<ReturnType<typeof cacheOf>>

    /** An answer that is there already: recorded in this run, or cached. With a cache, waits for the same request that is on its way. */
    const known = Effect.fnUntraced(function* (
      call: Call,
      calls: Calls,
      cached: Cached
    ): Effect.fn.Return<Option.Option<ModelReply>, ModelError, Scope.Scope> {
      const recorded = yield* kept(calls.recorded(call.hash))
      if (cached === undefined || Option.isSome(recorded)) return recorded
      yield* locks.hold(`${cached.scope}\n${call.hash}`)
      const found = yield* kept(cached.cache.reply(cached.scope, call.hash))
      if (Option.isSome(found)) yield* call.record(replied(found.value), true)
      return found
    })
    const keep = (call: Call, cached: Cached, reply: ModelReply): Effect.Effect<void, ModelError> =>
      cached !== undefined && reply.finish === "Stop"
        ? kept(cached.cache.keepReply(cached.scope, call.hash, reply))
        : Effect.void

    const asked = Effect.fnUntraced(function* (call: Call, calls: Calls) {
      const cached = yield* cacheOf(calls)
      const there = yield* known(call, calls, cached)
      if (Option.isSome(there)) return there.value
      const reply = yield* pacing.call<ModelReply>({
        model: provider.id,
        tokens: call.tokens,
        attempt: Effect.flatMap(provider.complete(call.request), call.replyOf),
        ended: (exit) => call.record(Exit.isSuccess(exit) ? replied(exit.value) : failed(exit), false)
      })
      yield* keep(call, cached, reply)
      return reply
    }, Effect.scoped)
    const answered = (request: ModelRequest) =>
      Effect.flatMap(ModelCalls, (calls) =>
        Effect.flatMap(calling(request, calls), (call) => Effect.ensuring(asked(call, calls), call.end))
      )

    const whole = (request: ModelRequest, reply: ModelReply): Effect.Effect<ModelReply, ModelError> =>
      Option.match(faultOf(reply), {
        onNone: () => Effect.succeed(reply),
        onSome: (fault) =>
          error(fault, fault === "Refused" ? reply.text.slice(0, 300) : `${request.maxTokens} tokens were allowed`)
      })
    const text = (request: ModelRequest) => Effect.flatMap(answered(request), (reply) => whole(request, reply))

    const stream = (request: ModelRequest): Stream.Stream<string, ModelError> =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const calls = yield* ModelCalls
          const call = yield* calling(request, calls)
          yield* Effect.addFinalizer(() => call.end)
          const cached = yield* cacheOf(calls)
          const ended = (reply: ModelReply) => Effect.asVoid(whole(request, reply))
          const there = yield* known(call, calls, cached)
          if (Option.isSome(there))
            return Stream.concat(Stream.make(there.value.text), Stream.drain(Stream.fromEffect(ended(there.value))))
          return streamed(provider, pacing, call, (reply) => Effect.zipRight(keep(call, cached, reply), ended(reply)))
        })
      )

    const value = Effect.fnUntraced(function* <A, I>(asked: ModelRequest, schema: Schema.Schema<A, I>, watch?: Watch) {
      const request = asked.shape === null ? { ...asked, shape: shapeOf(schema) } : asked
      const said = (request: ModelRequest): Effect.Effect<string, ModelError> => {
        if (watch === undefined) return Effect.map(text(request), (reply) => reply.text)
        return Effect.suspend(() => {
          const told = watch()
          return Stream.runFoldEffect(stream(request), "", (whole, part) => Effect.as(told(part), whole + part))
        })
      }
      const first = yield* said(request)
      const found = parsed(first, schema)
      if (Either.isRight(found)) return found.right
      const second = yield* said(reask(request, first, found.left))
      return yield* Either.mapLeft(parsed(second, schema), (wrong) => error("Unfit", wrong.slice(0, 300)))
    })

    return { id: provider.id, text, value, stream }
  })
