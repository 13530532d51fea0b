/** The model from a script keeps what every model promises. */
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Fiber, Layer, Option, Schema, Stream } from "effect"
import { ModelError } from "../../src/domain/ModelError.ts"
import { make } from "../../src/layers/model/Making.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import { type Said, scripted, layer as scriptedModel } from "../../src/layers/model/Scripted.ts"
import { LanguageModel } from "../../src/services/LanguageModel.ts"
import { contract } from "../contracts/LanguageModel.contract.ts"
import { platform, recorder, request } from "../support/ModelRuns.ts"

contract(
  "from a script",
  Effect.gen(function* () {
    const answers: Array<Said> = []
    const model = scripted(() => answers.shift() ?? "nothing was scripted")
    const pacing = yield* Pacing.make({ backoff: "1 millis" })
    return {
      model: yield* make(model.provider, { pacing, cards: {}, readerModel: "scripted" }),
      script: (next) => Effect.sync(() => void answers.splice(0, answers.length, ...next)),
      asked: Effect.sync(() => model.asked().length)
    }
  })
)

describe("the script", () => {
  it.live("is given the request and the number of the call, and what it was asked can be read back", () =>
    Effect.gen(function* () {
      const model = scripted(({ role }, call) => `${role} ${call}`)
      const said = yield* Effect.gen(function* () {
        const { text } = yield* LanguageModel
        return [(yield* text(request())).text, (yield* text(request({ role: "Planner" }))).text]
      }).pipe(Effect.provide(scriptedModel(model)))
      expect(said).toEqual(["Reader 1", "Planner 2"])
      expect(model.asked().map(({ role }) => role)).toEqual(["Reader", "Planner"])
    }).pipe(Effect.provide(platform))
  )

  it.live("fails the next N calls, and each is recorded; a passing fault is tried again", () =>
    Effect.gen(function* () {
      const { records, within } = recorder()
      const model = scripted(() => "Paris")
      yield* Effect.gen(function* () {
        const { text } = yield* LanguageModel
        model.failNext(2, "RateLimited")
        expect((yield* within(text(request()))).text).toBe("Paris")
        expect(model.asked()).toHaveLength(3)
        model.failNext(1, "QuotaExhausted")
        expect((yield* Effect.flip(within(text(request())))).fault).toBe("QuotaExhausted")
        expect(model.asked()).toHaveLength(4)
      }).pipe(Effect.provide(scriptedModel(model, { pacing: { backoff: "1 millis" } })))
      expect(records.map(({ call }) => call.fault)).toEqual(["RateLimited", "RateLimited", undefined, "QuotaExhausted"])
    }).pipe(Effect.provide(platform))
  )

  it.live("may say all that a provider says, fail of itself, or never answer", () =>
    Effect.gen(function* () {
      const model = scripted(({ role }) =>
        role === "Reader"
          ? { text: "Par", finish: "Length", tokens: Option.none() }
          : role === "Planner"
            ? Effect.fail(new ModelError({ model: "scripted", fault: "Rejected", detail: "" }))
            : Effect.never
      )
      const { records, within } = recorder()
      yield* Effect.gen(function* () {
        const { stream, text, value } = yield* LanguageModel
        expect((yield* Effect.flip(within(text(request())))).fault).toBe("Truncated")
        expect(records[0]?.call.estimated).toBe(true)
        const planner = request({ role: "Planner" })
        expect((yield* Effect.flip(within(value(planner, Schema.Struct({}))))).fault).toBe("Rejected")
        expect((yield* Effect.flip(within(Stream.runDrain(stream(planner))))).fault).toBe("Rejected")
        const waiting = yield* Effect.fork(within(text(request({ role: "Verifier" }))))
        yield* Effect.sleep("5 millis")
        expect(Exit.isInterrupted(yield* Fiber.interrupt(waiting))).toBe(true)
      }).pipe(Effect.provide(scriptedModel(model)))
      expect(records.map(({ call }) => call.fault)).toEqual(["Truncated", "Rejected", "Rejected", "Interrupted"])
    }).pipe(Effect.provide(platform))
  )

  it.live("is streamed in parts", () =>
    Effect.gen(function* () {
      const { stream } = yield* LanguageModel
      const parts = Chunk.toReadonlyArray(yield* Stream.runCollect(stream(request())))
      expect(parts.length).toBeGreaterThan(2)
      expect(parts.join("")).toBe("Paris, the city of light, as they say.")
    }).pipe(
      Effect.provide(Layer.provide(scriptedModel(scripted(() => "Paris, the city of light, as they say.")), platform))
    )
  )
})
