/**
 * What our layer costs over the SDK, against a server that answers at once, in interleaved rounds of one process, by the CPU of this process:
 * a model call with its schema, limits, record and span, against `client.chat.completions.create` and `JSON.parse`; and 5,000 passages
 * embedded, against a loop over batches written by hand.
 *
 * Gates: the median of the rounds' ratios is at most 1.5 for a call; embedding keeps 80 % of the loop's throughput.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { Effect, Layer, ManagedRuntime, Option, Schema } from "effect"
import OpenAI from "openai"
import { make as makeEmbedding } from "../../src/layers/embedding/Making.ts"
import * as Embeddings from "../../src/layers/embedding/OpenAi.ts"
import { make } from "../../src/layers/model/Making.ts"
import { provider } from "../../src/layers/model/OpenAi.ts"
import * as Client from "../../src/layers/model/OpenAiClient.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import * as Digest from "../../src/layers/platform/DigestNode.ts"
import * as TokenCounter from "../../src/layers/platform/TokenCounterO200k.ts"
import { ModelCalls, type ModelCallsShape } from "../../src/services/ModelCalls.ts"
import { median, table } from "../report.ts"
import { dimensions, serve } from "./server.ts"

export const about = "a model call and 5,000 embeddings, against the SDK alone (CPU)"

const gates = { call: 1.5, throughput: 0.8 } as const
const calls = 300
const passages = 5000
const batch = 128
/** Calls that are open at once, on both sides. */
const abreast = 8

const Answer = Schema.Struct({ answer: Schema.String.pipe(Schema.maxLength(200)) })
const system = "Answer the question from the documents. Quote what you rely on. ".repeat(10)
const documents = Array.from({ length: 3000 }, (_, i) => `word${(i * 7919) % 2003}`).join(" ")
const texts = Array.from({ length: passages }, (_, i) =>
  Array.from({ length: 100 }, (__, k) => `word${(i * 31 + k * 17) % 5003}`).join(" ")
)

const cpuOf = async (body: () => Promise<unknown>): Promise<number> => {
  globalThis.gc?.()
  const before = process.cpuUsage()
  await body()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

/** Runs the benchmark; false where a gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  if (args[0] === "server") {
    serve()
    return new Promise(() => {})
  }
  const at = args.indexOf("--rounds")
  const rounds = at < 0 ? 7 : Number(args[at + 1])
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error("--rounds is a whole number from 1")
  const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined

  const server = spawn(process.execPath, [process.argv[1] ?? "", "server"], { stdio: ["pipe", "pipe", "inherit"] })
  try {
    const [port] = await once(server.stdout, "data")
    const baseUrl = `http://127.0.0.1:${String(port).trim()}/v1`
    const sdk = new OpenAI({ apiKey: "unused", baseURL: baseUrl, maxRetries: 0, logLevel: "off" })
    const runtime = ManagedRuntime.make(Layer.mergeAll(Digest.layer, TokenCounter.layer, Layer.scope))
    const ours = await runtime.runPromise(
      Effect.gen(function* () {
        const client = yield* Client.make("openai:m", { baseUrl })
        const pacing = yield* Pacing.make({ concurrency: abreast })
        return {
          model: yield* make(provider(client, { model: "m" }), { pacing, cards: {}, readerModel: "m" }),
          embedding: yield* makeEmbedding(Embeddings.provider(client, { model: "m", dimensions }), {
            pacing,
            cards: {},
            dimensions,
            batchTexts: batch
          })
        }
      })
    )
    let recorded = 0
    const around: ModelCallsShape = {
      scope: Option.some("default"),
      recorded: () => Effect.succeedNone,
      record: () => Effect.sync(() => void recorded++),
      delta: () => Effect.void
    }
    const question = (i: number) => `${documents}\n\nWhat is said of number ${i}?`

    const sides = {
      callProduct: () => {
        let next = 0
        const worker = Effect.gen(function* () {
          for (let i = next++; i < calls; i = next++) {
            const { answer } = yield* ours.model.value(
              {
                role: "Reader",
                promptVersion: "v1",
                system,
                messages: [{ author: "User", text: question(i) }],
                shape: null,
                maxTokens: 200,
                temperature: 0,
                seed: null
              },
              Answer
            )
            if (answer !== "Paris") throw new Error("another answer")
          }
        })
        return runtime.runPromise(
          Effect.provideService(
            Effect.all(
              Array.from({ length: abreast }, () => worker),
              { concurrency: abreast }
            ),
            ModelCalls,
            around
          )
        )
      },
      callPlain: async () => {
        let next = 0
        const worker = async () => {
          for (let i = next++; i < calls; i = next++) {
            const reply = await sdk.chat.completions.create({
              model: "m",
              messages: [
                { role: "system", content: system },
                { role: "user", content: question(i) }
              ],
              max_tokens: 200,
              temperature: 0,
              response_format: {
                type: "json_schema",
                json_schema: {
                  name: "answer",
                  strict: true,
                  schema: {
                    type: "object",
                    properties: { answer: { type: "string", maxLength: 200 } },
                    required: ["answer"],
                    additionalProperties: false
                  }
                }
              }
            })
            if (JSON.parse(reply.choices[0]?.message.content ?? "").answer !== "Paris")
              throw new Error("another answer")
          }
        }
        await Promise.all(Array.from({ length: abreast }, worker))
      },
      embeddingProduct: () =>
        runtime.runPromise(Effect.provideService(ours.embedding.embed(texts), ModelCalls, around)),
      embeddingPlain: async () => {
        const vectors: Array<Float32Array> = []
        for (let from = 0; from < passages; from += batch) {
          const { data } = await sdk.embeddings.create({
            model: "m",
            input: texts.slice(from, from + batch),
            encoding_format: "float"
          })
          for (const { embedding } of data) {
            const vector = Float32Array.from(embedding)
            const length = Math.hypot(...vector)
            vectors.push(vector.map((part) => part / length))
          }
        }
        return vectors
      }
    }
    if (only !== undefined) {
      const run = Object.entries(sides).filter(([name]) => name.toLowerCase().includes(only.toLowerCase()))
      for (let round = 0; round < rounds; round++) for (const [, side] of run) await side()
      return true
    }
    for (const side of Object.values(sides)) await side()
    const seen = { callProduct: [], callPlain: [], embeddingProduct: [], embeddingPlain: [] } as Record<
      string,
      number[]
    >
    for (let round = 0; round < rounds; round++) {
      for (const [name, side] of Object.entries(sides)) seen[name]?.push(await cpuOf(side))
    }
    const ratios = (product: string, plain: string) =>
      (seen[product] ?? []).map((ms, i) => ms / (seen[plain]?.[i] ?? Number.NaN))
    const call = median(ratios("callProduct", "callPlain"))
    const throughput = 1 / median(ratios("embeddingProduct", "embeddingPlain"))
    const ms = (name: string, count: number) => (median(seen[name] ?? []) / count).toFixed(3)
    console.log(`${about}; ${rounds} rounds, medians; node ${process.version}\n`)
    console.log(
      table(
        ["", "ours, ms", "SDK alone, ms", "ratio", "gate", ""],
        [
          [
            "a call",
            ms("callProduct", calls),
            ms("callPlain", calls),
            `${call.toFixed(2)} ×`,
            `≤ ${gates.call} ×`,
            call <= gates.call ? "held" : "BROKEN"
          ],
          [
            "a passage embedded",
            ms("embeddingProduct", passages),
            ms("embeddingPlain", passages),
            `${(100 * throughput).toFixed(0)} % of the throughput`,
            `≥ ${100 * gates.throughput} %`,
            throughput >= gates.throughput ? "held" : "BROKEN"
          ]
        ]
      )
    )
    await runtime.dispose()
    return call <= gates.call && throughput >= gates.throughput && recorded > 0
  } finally {
    server.stdin.end()
    server.kill()
  }
}
