/** Models over OpenAI's API, in both of its forms: the contract, and what is sent. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Schema, Stream } from "effect"
import { knownModels } from "../../src/domain/Pricing.ts"
import { make } from "../../src/layers/model/Making.ts"
import { type Options, provider } from "../../src/layers/model/OpenAi.ts"
import * as Client from "../../src/layers/model/OpenAiClient.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import { contract, type Subject } from "../contracts/LanguageModel.contract.ts"
import * as FaultServer from "../support/FaultServer.ts"
import { platform, recorder, request } from "../support/ModelRuns.ts"

const connected = (options: Options, client: Client.Options = {}) =>
  Effect.gen(function* () {
    const server = yield* FaultServer.start
    const connection = yield* Client.make("openai:m", { baseUrl: server.url, ...client })
    const pacing = yield* Pacing.make({ backoff: "1 millis" })
    const model = yield* make(provider(connection, options), { pacing, cards: knownModels, readerModel: "m" })
    return { server, model }
  })

const subject = (options: Options) =>
  Effect.map(connected(options), ({ model, server }): Subject => {
    let texts: Array<string> = []
    server.says(() => texts.shift() ?? "nothing was scripted")
    return {
      model,
      script: (answers) =>
        Effect.sync(() => {
          texts = answers.map(({ text }) => text)
          server.next(
            ...answers.map(({ finish }) => (finish === "Length" ? "Length" : finish === "Refusal" ? "Refusal" : "None"))
          )
        }),
      asked: Effect.sync(() => server.seen.length)
    }
  })

contract("over Chat Completions", subject({ model: "m" }))
contract("over Responses", subject({ model: "m", api: "responses" }))

const City = Schema.Struct({
  city: Schema.String.pipe(Schema.maxLength(40)).annotations({ description: "The city's name." }),
  people: Schema.Int
}).annotations({ identifier: "City" })

const run = <A, E>(
  effect: Effect.Effect<
    A,
    E,
    | import("effect").Scope.Scope
    | import("../../src/services/Digest.ts").Digest
    | import("../../src/services/TokenCounter.ts").TokenCounter
  >
) => Effect.scoped(effect).pipe(Effect.provide(platform))

describe("what is sent", () => {
  it.live("in Chat Completions: instructions, messages, limits, the shape", () =>
    run(
      Effect.gen(function* () {
        const { model, server } = yield* connected(
          { model: "m" },
          { apiKey: Redacted.make("sk-1"), organization: "org", project: "proj", headers: { "x-team": "blue" } }
        )
        server.says('{"city": "Paris", "people": 2}')
        yield* model.value(request(), City)
        const [seen] = server.seen
        expect(seen?.path).toBe("/v1/chat/completions")
        expect(seen?.headers).toMatchObject({
          authorization: "Bearer sk-1",
          "openai-organization": "org",
          "openai-project": "proj",
          "x-team": "blue"
        })
        expect(seen?.body).toEqual({
          model: "m",
          messages: [
            { role: "system", content: "Answer in one word." },
            { role: "user", content: "What is the capital of France?" }
          ],
          max_tokens: 100,
          temperature: 0,
          seed: 7,
          response_format: {
            type: "json_schema",
            json_schema: {
              name: "City",
              strict: true,
              schema: {
                type: "object",
                required: ["city", "people"],
                properties: {
                  city: expect.objectContaining({ type: "string", maxLength: 40, description: "The city's name." }),
                  people: expect.objectContaining({ type: "integer" })
                },
                additionalProperties: false
              }
            }
          }
        })
      })
    )
  )

  it.live("in Responses: the same in its words, and nothing is stored", () =>
    run(
      Effect.gen(function* () {
        const { model, server } = yield* connected({ model: "m", api: "responses" })
        server.says('{"city": "Paris", "people": 2}')
        yield* model.value(request(), City)
        expect(server.seen[0]?.path).toBe("/v1/responses")
        expect(server.seen[0]?.headers.authorization).toBe("Bearer unused")
        expect(server.seen[0]?.body).toMatchObject({
          model: "m",
          instructions: "Answer in one word.",
          input: [{ role: "user", content: "What is the capital of France?" }],
          max_output_tokens: 100,
          store: false,
          text: { format: { type: "json_schema", name: "City", strict: true } }
        })
      })
    )
  )

  it.live("the second asking shows the answer and what was wrong with it", () =>
    run(
      Effect.gen(function* () {
        const { model, server } = yield* connected({ model: "m" })
        const texts = ["not json at all", '{"city": "Paris", "people": 2}']
        server.says(() => texts.shift() ?? "")
        yield* model.value(request(), City)
        const messages = server.seen[1]?.body?.messages
        expect(messages).toHaveLength(4)
        expect(messages).toMatchObject([
          {},
          {},
          { role: "assistant", content: "not json at all" },
          { role: "user", content: expect.stringContaining("cannot be used") }
        ])
      })
    )
  )
})

describe("what a server does not take is found out once", () => {
  it.live("a shape is asked for in simpler ways, and in words where there is none", () =>
    run(
      Effect.gen(function* () {
        const { model, server } = yield* connected({ model: "m" })
        const { records, within } = recorder()
        server.always("NoFormat")
        server.says('{"city": "Paris", "people": 2}')
        yield* within(model.value(request(), City))
        expect(server.seen).toHaveLength(4)
        const last = server.seen[3]?.body
        expect(last).not.toHaveProperty("response_format")
        expect(JSON.stringify(last?.messages)).toContain("JSON Schema")
        yield* within(model.value(request(), City))
        expect(server.seen).toHaveLength(5)
        expect(records).toHaveLength(2)
      })
    )
  )

  it.live("a parameter that is refused is left out; the other limit of tokens is taken; streams learn the same", () =>
    run(
      Effect.gen(function* () {
        const { model, server } = yield* connected({ model: "m" })
        server.next("NoTemperature", "NoTemperature", "OtherMaxTokens", "OtherMaxTokens")
        yield* model.text(request())
        expect(server.seen.map(({ body }) => "temperature" in (body ?? {}))).toEqual([true, false])
        yield* Stream.runDrain(model.stream(request()))
        expect(server.seen.slice(2).map(({ body }) => [body?.max_tokens, body?.max_completion_tokens])).toEqual([
          [100, undefined],
          [undefined, 100]
        ])
        yield* model.text(request())
        expect(server.seen).toHaveLength(5)
        expect(server.seen[4]?.body).not.toHaveProperty("temperature")
        expect(server.seen[4]?.body?.max_completion_tokens).toBe(100)
      })
    )
  )
})
