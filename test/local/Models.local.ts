/**
 * Real small models, run by `npm run test:models`: a language model in a GGUF file, in this process and behind a server of OpenAI's API, and a
 * sentence encoder. What they say is worth nothing; that everything round them holds is what is shown.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeFileSystem } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Schema, Stream } from "effect"
import { supportedCitations } from "../../src/domain/Answer.ts"
import { ScopeKey } from "../../src/domain/Ids.ts"
import { defaultModelSettings } from "../../src/domain/ModelSettings.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import type { Services } from "../../src/layers/Embedded.ts"
import * as LocalModels from "../../src/layers/LocalModels.ts"
import * as Models from "../../src/layers/Models.ts"
import * as Gguf from "../../src/layers/model/Gguf.ts"
import * as Making from "../../src/layers/model/Making.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import * as OpenAi from "../../src/layers/OpenAi.ts"
import { ask, askStream, resume } from "../../src/programs/Ask.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { Journal } from "../../src/services/Journal.ts"
import { contract as embeddingContract } from "../contracts/EmbeddingModel.contract.ts"
import { platform, recorder, request } from "../support/ModelRuns.ts"
import { serve } from "../support/ModelServer.ts"

const folder = process.env.STATERAG_MODELS ?? ""
const file = join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf")
const encoder = join(folder, "minilm")
const scope = ScopeKey.make("local")
const minutes = 60_000
const settings = {
  ...defaultModelSettings,
  modelBounds: "small",
  modelTokens: 1200,
  modelTimeout: 10 * minutes,
  modelIdle: 10 * minutes,
  modelRetries: 0,
  answerForm: "short"
} as const
const policy = {
  ...defaultPolicy,
  maxCycles: 1,
  compactEvidence: "off",
  evidenceTokens: 300,
  itemsPerCycle: [2]
} as const
const question = "Who maintains the parser of the Harbour project?"
const book = [
  "# The parser\n\nThe parser of the Harbour project is maintained by Ada Winter. It was written in 2019.",
  "# Ada Winter\n\nAda Winter lives in Bremen and works on the Harbour project."
].join("\n\n")

const inFolder = <A, E>(body: (directory: string) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "staterag-models-"))),
    body,
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )
const indexed = Effect.fnUntraced(function* (directory: string) {
  const { writeFileSync } = yield* Effect.promise(() => import("node:fs"))
  writeFileSync(join(directory, "book.md"), book)
  return yield* indexCorpus({ scope, paths: [join(directory, "book.md")] })
})

/** A whole question, answered or honestly not, in which all that was committed was checked. */
const answered = Effect.fnUntraced(function* (model: string) {
  const answer = yield* ask(question, { scope, policy }).pipe(
    Effect.catchTag("Incomplete", (incomplete) => Effect.succeed(incomplete))
  )
  const journal = yield* Journal
  const run = Option.getOrThrow(yield* journal.latest(scope))
  const events = yield* journal.events(scope, run)
  const calls = events.flatMap((event) => (event.tag === "ModelCalled" ? [event.call] : []))
  console.log(
    `${model.slice(-60)}: ${"answer" in answer ? `${answer.outcome}, ${JSON.stringify(answer.answer)}` : answer.message}; calls ${calls
      .map(
        (call) =>
          `${call.role} ${call.promptTokens}+${call.completionTokens}${call.fault === undefined ? "" : ` ${call.fault}`}`
      )
      .join(", ")}`
  )
  expect(calls.length).toBeGreaterThan(0)
  for (const call of calls) expect(call.promptTokens).toBeGreaterThan(50)
  if ("answer" in answer) {
    expect(calls.map(({ role }) => role)).toContain("Reader")
    expect(
      supportedCitations({ text: answer.answer, citations: answer.citations }, answer.evidence).unsupported
    ).toEqual([])
  }
  return calls
})

describe("C28 C30 a small model from a file", () => {
  it.live(
    "answers inside its schema, again and again, in this process and over a server",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const provider = yield* Gguf.make({ file })
          const pacing = yield* Pacing.make({ concurrency: 1, retries: 0, deadline: 10 * minutes, idle: 10 * minutes })
          const model = yield* Making.make(provider, { pacing, cards: {}, readerModel: "" })
          const City = Schema.Struct({ city: Schema.String.pipe(Schema.maxLength(40)) })
          const { records, within } = recorder()
          const first = yield* within(model.value(request(), City))
          const second = yield* within(model.value(request(), City))
          expect(second).toEqual(first)
          expect(records.map(({ call }) => call.estimated)).toEqual([false, false])
          const cut = yield* Effect.flip(within(model.value(request({ maxTokens: 3 }), City)))
          expect(cut.fault).toBe("Truncated")
          const long = yield* Effect.flip(
            within(model.text(request({ messages: [{ author: "User", text: "word ".repeat(5000) }] })))
          )
          expect(long.fault).toBe("TooLong")
        })
      ).pipe(Effect.provide(Layer.merge(platform, NodeFileSystem.layer))),
    5 * minutes
  )

  it.live(
    "an interruption is heeded while the prompt is read, and the model serves the next call",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const provider = yield* Gguf.make({ file })
          const short = request({ maxTokens: 5 })
          yield* provider.complete(short)
          const fiber = yield* Effect.fork(
            provider.complete(request({ messages: [{ author: "User", text: "word ".repeat(3000) }] }))
          )
          yield* Effect.sleep(1500)
          const [waited] = yield* Effect.timed(Fiber.interrupt(fiber))
          console.log(`interrupted in ${waited.toString()}`)
          expect((yield* provider.complete(short)).text).not.toBe("")
        })
      ).pipe(Effect.provide(Layer.merge(platform, NodeFileSystem.layer))),
    5 * minutes
  )

  const whole = (
    name: string,
    layerOf: (directory: string) => Effect.Effect<Layer.Layer<Services, unknown>, never, never>
  ) =>
    it.live(
      `a whole question ${name}; cancelled in the middle, it is gone on with`,
      () =>
        inFolder((directory) =>
          Effect.gen(function* () {
            const layer = yield* layerOf(directory)
            const calls = yield* Effect.provide(
              Effect.gen(function* () {
                yield* indexed(directory)
                return yield* answered(name)
              }),
              layer
            )
            const resumed = yield* Effect.provide(
              Effect.gen(function* () {
                // another question, so that no answer is cached; stopped once its first call is answered
                yield* askStream("Where does Ada Winter live?", { scope, policy }).pipe(
                  Stream.takeUntil(({ tag }) => tag === "ModelCalled"),
                  Stream.runDrain
                )
                const journal = yield* Journal
                const run = Option.getOrThrow(yield* journal.latest(scope))
                const before = yield* journal.events(scope, run)
                yield* Effect.ignore(resume(run, { scope }))
                const after = yield* journal.events(scope, run)
                return { before, after }
              }),
              layer
            )
            const planned = (events: typeof resumed.after) =>
              events.filter((event) => event.tag === "ModelCalled" && event.call.role === "Planner").length
            expect(resumed.after.length).toBeGreaterThan(resumed.before.length)
            // what was answered before is not asked again; a plan that is refused is mended once
            expect(planned(resumed.after)).toBeLessThanOrEqual(planned(resumed.before) + 1)
            expect(calls.length).toBeLessThanOrEqual(5)
          })
        ),
      20 * minutes
    )
  whole("in this process", (directory) => Effect.succeed(LocalModels.layer({ directory, file, settings })))

  it.live(
    "a whole question over a server of OpenAI's API, streamed",
    () =>
      inFolder((directory) =>
        Effect.scoped(
          Effect.gen(function* () {
            const provider = yield* Gguf.make({ file })
            const server = yield* serve(provider)
            const layer = OpenAi.layer({ directory, model: "smollm2", baseUrl: server.url, settings })
            yield* Effect.provide(
              Effect.gen(function* () {
                yield* indexed(directory)
                yield* answered(server.url)
              }),
              layer
            )
            expect(server.requests()).toBeGreaterThan(0)
          })
        ).pipe(Effect.provide(Layer.merge(platform, NodeFileSystem.layer)))
      ),
    20 * minutes
  )
})

const embedding = (name: string) => Models.embedding({ settings: { ...defaultModelSettings, embedding: name } })
embeddingContract("transformers", embedding(`transformers:${encoder}`))

describe("a sentence encoder from a folder", () => {
  it.live(
    "finds what says the same in other words; a folder that lacks a file is named",
    () =>
      inFolder((directory) =>
        Effect.gen(function* () {
          const texts = ["The physician healed the child.", "A doctor cured a kid.", "Stocks fell."]
          const model = yield* Effect.provide(
            Effect.flatMap(EmbeddingModel, ({ embed }) => embed(texts)),
            embedding(`transformers:${encoder}`)
          )
          const cosine = (i: number, k: number) =>
            (model[i] ?? new Float32Array()).reduce((sum, part, n) => sum + part * (model[k]?.[n] ?? 0), 0)
          expect(cosine(0, 1)).toBeGreaterThan(cosine(0, 2) + 0.2)
          const refused = yield* Effect.flip(Effect.provide(EmbeddingModel, embedding(`transformers:${directory}`)))
          expect(refused).toMatchObject({ fault: "BadFile" })
        })
      ),
    5 * minutes
  )
})
