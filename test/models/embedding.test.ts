/** Embeddings over OpenAI's API: the contract, batches, what is checked, metered, recorded and cached. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, type Scope } from "effect"
import type { ModelFault } from "../../src/domain/ModelError.ts"
import * as Hashed from "../../src/layers/embedding/Hashed.ts"
import { make, type Options } from "../../src/layers/embedding/Making.ts"
import * as OpenAi from "../../src/layers/embedding/OpenAi.ts"
import * as Client from "../../src/layers/model/OpenAiClient.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import type { Digest } from "../../src/services/Digest.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import type { CallRecord } from "../../src/services/ModelCalls.ts"
import type { TokenCounter } from "../../src/services/TokenCounter.ts"
import { contract } from "../contracts/EmbeddingModel.contract.ts"
import * as FaultServer from "../support/FaultServer.ts"
import { memoryCache, platform, recorder } from "../support/ModelRuns.ts"

const cards = { e: { prompt: 1, completion: 0, size: null } }

const connected = (
  options: Partial<Options> = {},
  name: OpenAi.Options = { model: "e", dimensions: FaultServer.dimensions }
) =>
  Effect.gen(function* () {
    const server = yield* FaultServer.start
    const client = yield* Client.make("openai:e", { baseUrl: server.url })
    const pacing = yield* Pacing.make({ backoff: "1 millis", deadline: "400 millis" })
    const model = yield* make(OpenAi.provider(client, name), {
      pacing,
      cards,
      dimensions: OpenAi.dimensionsOf(name),
      ...options
    })
    return { server, model }
  })

contract(
  "over OpenAI's API",
  Layer.scoped(
    EmbeddingModel,
    Effect.map(connected(), ({ model }) => model)
  ).pipe(Layer.provide(platform))
)
contract("hashed", Hashed.layer)

const test = (title: string, body: Effect.Effect<void, unknown, Scope.Scope | Digest | TokenCounter>) =>
  it.live(title, () => Effect.scoped(body).pipe(Effect.provide(platform)))

const unit = (text: string): Float32Array => {
  const vector = FaultServer.vectorOf(text)
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (part) => part / length)
}
const inputs = (server: FaultServer.FaultServer) => server.seen.map(({ body }) => body?.input)

describe("what is asked for", () => {
  test(
    "floats, in batches by number and by length, each text once and none that is blank",
    Effect.gen(function* () {
      const { model, server } = yield* connected({ batchTexts: 3, batchLength: 10 })
      server.always("Shuffled")
      const texts = ["aa", "", "b", "aa", "cc", "d", "eeeeeeeee", "ff", " "]
      const vectors = yield* model.embed(texts)
      expect([...inputs(server)].sort()).toEqual([["aa", "b", "cc"], ["d", "eeeeeeeee"], ["ff"]].sort())
      expect(server.seen[0]?.path).toBe("/v1/embeddings")
      expect(server.seen[0]?.body).toEqual({ model: "e", input: expect.any(Array), encoding_format: "float" })
      expect(vectors).toEqual(texts.map((text) => (text.trim() === "" ? vectors[1] : unit(text))))
    })
  )

  test(
    "as much of a text as the model reads, whole characters only",
    Effect.gen(function* () {
      const { model, server } = yield* connected({ textTokens: 10 })
      const long = "🦆 word ".repeat(100)
      yield* model.embed([long])
      const [sent] = (inputs(server)[0] ?? []) as ReadonlyArray<string>
      expect(long.startsWith(sent ?? "-")).toBe(true)
      expect(sent?.length).toBeLessThan(60)
      expect(sent).not.toMatch(/[\uD800-\uDBFF]$/)
    })
  )

  test(
    "of OpenAI's models the length is known, and asked for only where it is another; of others it is asked of the server",
    Effect.gen(function* () {
      const small = yield* connected({}, { model: "text-embedding-3-small" })
      expect(small.model.dimensions).toBe(1536)
      expect(small.server.seen).toEqual([])
      const short = yield* connected({}, { model: "text-embedding-3-small", dimensions: FaultServer.dimensions })
      yield* short.model.embed(["a"])
      expect(short.server.seen[0]?.body?.dimensions).toBe(FaultServer.dimensions)
      const other = yield* connected({}, { model: "all-minilm" })
      expect(other.model).toMatchObject({ id: "openai:all-minilm", dimensions: FaultServer.dimensions })
      expect(other.server.seen).toHaveLength(1)
    })
  )

  test(
    "a model whose length cannot be found out is a typed failure",
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(FaultServer.start)
      const client = yield* Client.make("openai:e", { baseUrl: gone.url })
      const pacing = yield* Pacing.make({ retries: 0 })
      const error = yield* Effect.flip(make(OpenAi.provider(client, { model: "all-minilm" }), { pacing, cards }))
      expect(error).toMatchObject({ _tag: "EmbeddingError", fault: "Unreachable" })
    })
  )
})

type Row = readonly [
  fault: FaultServer.Fault,
  outcome: ModelFault | "Embedded",
  requests: number,
  tokens: "Said" | "Counted" | "Free"
]
const faults: ReadonlyArray<Row> = [
  ["None", "Embedded", 1, "Said"],
  ["Shuffled", "Embedded", 1, "Said"],
  ["NoUsage", "Embedded", 1, "Counted"],
  ["Unauthorized", "Unauthorized", 1, "Free"],
  ["RateLimited", "RateLimited", 3, "Free"],
  ["RateLimitedSeconds", "RateLimited", 1, "Free"],
  ["Quota", "QuotaExhausted", 1, "Free"],
  ["TooLong", "TooLong", 1, "Free"],
  ["UnknownModel", "UnknownModel", 1, "Free"],
  ["ServerError", "Unavailable", 3, "Free"],
  ["ServerErrorPage", "Unavailable", 3, "Free"],
  ["Page", "Malformed", 3, "Counted"],
  ["BadJson", "Malformed", 3, "Counted"],
  ["StalledHeader", "TimedOut", 3, "Counted"],
  ["StalledBody", "TimedOut", 3, "Counted"],
  ["Reset", "Cut", 3, "Counted"],
  ["Base64", "BadVector", 1, "Said"],
  ["WrongDimensions", "BadVector", 1, "Said"],
  ["WrongCount", "BadVector", 1, "Said"],
  ["NotANumber", "BadVector", 1, "Said"],
  ["Zero", "BadVector", 1, "Said"]
]

describe("C28 each fault of embeddings", () => {
  it.live.each(faults)("%s", ([fault, outcome, requests, tokens]) =>
    Effect.gen(function* () {
      const { model, server } = yield* connected()
      const { records, within } = recorder()
      server.always(fault)
      const exit = yield* Effect.exit(within(model.embed(["one", "two"])))
      const found = Exit.isSuccess(exit)
        ? "Embedded"
        : Cause.isFailType(exit.cause)
          ? exit.cause.error.fault
          : exit.cause
      expect(found).toBe(outcome)
      expect(server.seen).toHaveLength(requests)
      const kind = ({ call }: CallRecord) => (call.promptTokens === 0 ? "Free" : call.estimated ? "Counted" : "Said")
      expect(records.map((record) => [record.call.fault ?? "Embedded", kind(record)])).toEqual(
        Array.from({ length: requests }, () => [outcome, tokens])
      )
      for (const { call } of records) {
        expect(call).toMatchObject({ role: "Embedding", model: "openai:e", completionTokens: 0, sizeRatio: 0 })
        expect(call.money).toBeCloseTo(call.promptTokens / 1e6, 12)
      }
    }).pipe(Effect.scoped, Effect.provide(platform))
  )
})

describe("what is kept", () => {
  test(
    "C30 a few texts of a run are recorded with their vectors, and given again from there bit by bit",
    Effect.gen(function* () {
      const { model, server } = yield* connected()
      const first = recorder()
      const vectors = yield* first.within(model.embed(["one", "two"]))
      const reply = first.records[0]?.reply ?? null
      expect(reply).toMatchObject({ finish: "Stop", promptTokens: 6 })
      const again = recorder({
        recorded: (hash) =>
          Effect.succeed(hash === first.records[0]?.request ? Option.fromNullable(reply) : Option.none())
      })
      expect(yield* again.within(model.embed(["one", "two"]))).toEqual(vectors)
      expect(server.seen).toHaveLength(1)
      expect(again.records).toEqual([])
      yield* again.within(model.embed(["two", "one"]))
      expect(server.seen).toHaveLength(2)
    })
  )

  test(
    "many texts, or texts outside a run, are recorded without them",
    Effect.gen(function* () {
      const { model } = yield* connected()
      const run = recorder()
      yield* run.within(model.embed(Array.from({ length: 65 }, (_, i) => `text ${i}`)))
      const nobodys = recorder({ scope: Option.none() })
      yield* nobodys.within(model.embed(["one"]))
      expect([...run.records, ...nobodys.records].map(({ reply }) => reply)).toEqual([null, null])
    })
  )

  test(
    "C27 vectors are cached by text, model and length, for their scope",
    Effect.gen(function* () {
      const memory = memoryCache()
      const { model, server } = yield* connected()
      const mine = recorder()
      const theirs = recorder({ scope: Option.some("other") })
      const vectors = yield* mine.within(memory.within(model.embed(["one", "two"])))
      expect(yield* mine.within(memory.within(model.embed(["two", "three", "one"])))).toEqual([
        vectors[1],
        unit("three"),
        vectors[0]
      ])
      expect(inputs(server)).toEqual([["one", "two"], ["three"]])
      yield* theirs.within(memory.within(model.embed(["one"])))
      expect(inputs(server)).toHaveLength(3)
      expect(new Set([...memory.vectors.keys()].map((key) => key.split(" ")[0]))).toEqual(new Set(["default", "other"]))
      const other = yield* connected({}, { model: "f", dimensions: FaultServer.dimensions })
      yield* mine.within(memory.within(other.model.embed(["one"])))
      expect(other.server.seen).toHaveLength(1)
    })
  )
})
