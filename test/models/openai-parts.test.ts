/** The parts of a model: what tells requests apart, what spans say, prices, and schemas as servers take them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schema, Stream, Tracer } from "effect"
import { knownModels, moneyOf, sizeRatioOf } from "../../src/domain/Pricing.ts"
import { make, requestHash } from "../../src/layers/model/Making.ts"
import { provider } from "../../src/layers/model/OpenAi.ts"
import * as Client from "../../src/layers/model/OpenAiClient.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import { isStrict, shapeOf, withoutBounds } from "../../src/layers/model/Shapes.ts"
import { Digest } from "../../src/services/Digest.ts"
import * as FaultServer from "../support/FaultServer.ts"
import { platform, request } from "../support/ModelRuns.ts"

describe("C28 the key of a request", () => {
  const who = { system: "openai", endpoint: "http://a/v1 org proj", model: "m", settings: "chat" }
  const asked = request({ shape: { name: "s", schema: { type: "object" } } })

  it.effect("is another for each part that can change the answer, and the same for the same", () =>
    Effect.gen(function* () {
      const { hash } = yield* Digest
      const others = [
        requestHash(hash, { ...who, system: "gguf" }, asked),
        requestHash(hash, { ...who, endpoint: "http://b/v1 org proj" }, asked),
        requestHash(hash, { ...who, model: "n" }, asked),
        requestHash(hash, { ...who, settings: "responses" }, asked),
        ...[
          request({ shape: null }),
          { ...asked, role: "Planner" },
          { ...asked, promptVersion: "v2" },
          { ...asked, system: "Answer in two words." },
          { ...asked, messages: [{ author: "User", text: "What is the capital of Spain?" }] as const },
          { ...asked, messages: [{ author: "Model", text: "What is the capital of France?" }] as const },
          { ...asked, messages: [...asked.messages, { author: "Model", text: "Paris" }] as const },
          { ...asked, shape: { name: "t", schema: { type: "object" } } },
          { ...asked, shape: { name: "s", schema: { type: "array" } } },
          { ...asked, maxTokens: 101 },
          { ...asked, temperature: 0.1 },
          { ...asked, seed: 8 },
          { ...asked, seed: null }
        ].map((changed) => requestHash(hash, who, changed))
      ]
      const key = requestHash(hash, who, asked)
      expect(new Set([key, ...others]).size).toBe(others.length + 1)
      expect(requestHash(hash, { ...who }, structuredClone(asked))).toBe(key)
    }).pipe(Effect.provide(platform))
  )
})

describe("spans", () => {
  it.live("say what was asked of whom and what it took; no key, no prompt, no answer, no message of a server", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.Span> = []
      const ends: Array<Exit.Exit<unknown, unknown>> = []
      const native = Tracer.make({
        span: (name, parent, context, links, startTime, kind) => {
          const attributes = new Map<string, unknown>()
          const span: Tracer.Span = {
            _tag: "Span",
            name,
            spanId: `${spans.length}`,
            traceId: "t",
            parent,
            context,
            status: { _tag: "Started", startTime },
            attributes,
            links,
            sampled: true,
            kind,
            end: (_, exit) => void ends.push(exit),
            attribute: (key, value) => void attributes.set(key, value),
            event: () => {},
            addLinks: () => {}
          }
          spans.push(span)
          return span
        },
        context: (run) => run()
      })
      const server = yield* FaultServer.start
      const client = yield* Client.make("openai:m", { baseUrl: server.url, apiKey: Redacted.make("sk-secret-key") })
      const pacing = yield* Pacing.make({ retries: 0 })
      const model = yield* make(provider(client, { model: "m" }), { pacing, cards: {}, readerModel: "m" })
      yield* Effect.gen(function* () {
        yield* model.text(request())
        yield* Stream.runDrain(model.stream(request()))
        server.next("Unauthorized")
        yield* Effect.flip(model.text(request()))
      }).pipe(Effect.withTracer(native))
      const calls = spans.filter(({ name }) => name === "chat m")
      expect(calls).toHaveLength(3)
      expect(ends.every(Exit.isSuccess)).toBe(true)
      for (const { attributes } of calls.slice(0, 2))
        expect(Object.fromEntries(attributes)).toMatchObject({
          "gen_ai.operation.name": "chat",
          "gen_ai.system": "openai",
          "gen_ai.request.model": "m",
          "gen_ai.request.max_tokens": 100,
          "gen_ai.usage.input_tokens": FaultServer.usage.prompt,
          "gen_ai.usage.output_tokens": FaultServer.usage.completion,
          "gen_ai.response.finish_reasons": ["Stop"]
        })
      expect(calls[2]?.attributes.get("error.type")).toBe("Unauthorized")
      const all = JSON.stringify(spans.map(({ attributes, name }) => [name, [...attributes]]))
      for (const secret of ["sk-", "France", "Paris", "one word", "Incorrect"]) expect(all).not.toContain(secret)
    }).pipe(Effect.scoped, Effect.provide(platform))
  )
})

describe("C28 prices and sizes", () => {
  it("are those of the model's name, its dated snapshots too; what is not known has no price", () => {
    expect(moneyOf(knownModels, "gpt-4o-mini", 1_000_000, 1_000_000)).toBeCloseTo(0.75)
    expect(moneyOf(knownModels, "gpt-4o-mini-2024-07-18", 1_000_000, 0)).toBeCloseTo(0.15)
    expect(moneyOf(knownModels, "constructor", 10, 10)).toBeNull()
    expect(moneyOf({ mine: { prompt: 3, completion: 5, size: null } }, "mine", 1000, 1000)).toBeCloseTo(0.008)
  })

  it("a ratio is the size by the reader's, and 1 where either is unknown", () => {
    const cards = {
      small: { prompt: null, completion: null, size: 2 },
      large: { prompt: null, completion: null, size: 8 }
    }
    expect(sizeRatioOf(cards, "small", "large")).toBe(0.25)
    expect(sizeRatioOf(cards, "large", "large")).toBe(1)
    expect(sizeRatioOf(cards, "small", "unknown")).toBe(1)
    expect(sizeRatioOf(cards, "unknown", "large")).toBe(1)
  })
})

describe("a schema as servers take it", () => {
  class Place extends Schema.Class<Place>("Place")({ name: Schema.String.pipe(Schema.maxLength(9)) }) {}
  const Trip = Schema.Struct({
    from: Schema.encodedSchema(Place),
    over: Schema.Array(Schema.Struct({ place: Schema.String, days: Schema.NullOr(Schema.Int) })).pipe(
      Schema.maxItems(3)
    )
  }).annotations({ identifier: "A trip!" })

  it("is closed, without references, named by letters; made once", () => {
    const { name, schema } = shapeOf(Trip)
    expect(name).toBe("A_trip_")
    expect(JSON.stringify(schema)).not.toMatch(/\$ref|"title"/)
    expect(schema).toMatchObject({ type: "object", required: ["from", "over"], additionalProperties: false })
    expect(isStrict(schema)).toBe(true)
    expect(shapeOf(Trip)).toBe(shapeOf(Trip))
  })

  it("keeps a reference to itself, and is not strict where a property may be left out", () => {
    interface Tree {
      readonly leaves: ReadonlyArray<Tree>
    }
    const Tree: Schema.Schema<Tree> = Schema.Struct({
      leaves: Schema.Array(Schema.suspend(() => Tree))
    }).annotations({ identifier: "Tree" })
    const { schema } = shapeOf(Tree)
    expect(JSON.stringify(schema)).toContain('"$ref":"#/$defs/Tree"')
    expect(schema.$defs).toHaveProperty("Tree")
    expect(isStrict(shapeOf(Schema.Struct({ a: Schema.optional(Schema.String) })).schema)).toBe(false)
    expect(isStrict(shapeOf(Schema.Array(Schema.String)).schema)).toBe(false)
  })

  it("loses the bounds that strict servers refuse, and a property of such a name stays", () => {
    const schema = shapeOf(
      Schema.Struct({ format: Schema.String.pipe(Schema.maxLength(4), Schema.pattern(/^a/)) })
    ).schema
    expect(schema).toMatchObject({ properties: { format: { maxLength: 4, pattern: "^a" } } })
    const plain = withoutBounds(schema)
    expect(plain).toMatchObject({ required: ["format"], properties: { format: { type: "string" } } })
    expect(JSON.stringify(plain)).not.toMatch(/"(?:maxLength|pattern)":/)
  })
})
