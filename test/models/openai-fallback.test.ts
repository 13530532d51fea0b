/** An order of models: who is asked next, and when nobody is. */
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Schema, Stream } from "effect"
import { ModelError, ModelFault } from "../../src/domain/ModelError.ts"
import * as Fallback from "../../src/layers/model/Fallback.ts"
import type { LanguageModelShape } from "../../src/services/LanguageModel.ts"
import { request } from "../support/ModelRuns.ts"

const stays: ReadonlyArray<ModelFault> = ["Truncated", "Refused", "Unfit", "Unkept", "Interrupted"]

/** A model that fails so, or answers with its name; it keeps who was asked. */
const model = (id: string, asked: Array<string>, fault?: ModelFault, said = ""): LanguageModelShape => {
  const error = fault === undefined ? undefined : new ModelError({ model: id, fault, detail: "" })
  const answered = <A>(value: A) =>
    Effect.suspend(() => {
      asked.push(id)
      return error ?? Effect.succeed(value)
    })
  return {
    id,
    text: () => answered({ text: id, finish: "Stop", promptTokens: 1, completionTokens: 1, estimated: false }),
    value: (_, schema) =>
      Effect.flatMap(answered({ by: id }), (value) => Effect.orDie(Schema.decodeUnknown(schema)(value))),
    stream: () => Stream.concat(said === "" ? Stream.empty : Stream.make(said), Stream.fromEffect(answered(id)))
  }
}

const By = Schema.Struct({ by: Schema.String })
const ways: ReadonlyArray<readonly [string, (model: LanguageModelShape) => Effect.Effect<string, ModelError>]> = [
  ["text", ({ text }) => Effect.map(text(request()), (reply) => reply.text)],
  ["value", ({ value }) => Effect.map(value(request(), By), ({ by }) => by)],
  ["stream", ({ stream }) => Effect.map(Stream.runCollect(stream(request())), Chunk.join(""))]
]

describe.each(ways)("an order of models, asked for a %s", (_, ask) => {
  it.effect.each(ModelFault.literals)("after %s", (fault) =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const order = Fallback.make(
        model("a", asked, fault),
        model("b", asked, "Unreachable"),
        model("c", asked),
        model("d", asked)
      )
      if (stays.includes(fault)) {
        expect(yield* Effect.flip(ask(order))).toMatchObject({ model: "a", fault })
        expect(asked).toEqual(["a"])
      } else {
        expect(yield* ask(order)).toBe("c")
        expect(asked).toEqual(["a", "b", "c"])
      }
    })
  )

  it.effect("the first that answers is the only one asked; where none does, the last says why", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      expect(yield* ask(Fallback.make(model("a", asked), model("b", asked)))).toBe("a")
      expect(asked).toEqual(["a"])
      const none = Fallback.make(model("a", [], "Unauthorized"), model("b", [], "RateLimited"))
      expect(yield* Effect.flip(ask(none))).toMatchObject({ model: "b", fault: "RateLimited" })
      expect(yield* Effect.flip(ask(Fallback.make(model("a", [], "Cut"))))).toMatchObject({ model: "a" })
    })
  )
})

describe("a stream that has begun", () => {
  it.effect("is not begun again by another model", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const order = Fallback.make(model("a", asked, "Cut", "Par"), model("b", asked))
      const parts: Array<string> = []
      const error = yield* Effect.flip(
        Stream.runForEach(order.stream(request()), (part) => Effect.sync(() => void parts.push(part)))
      )
      expect(error).toMatchObject({ model: "a", fault: "Cut" })
      expect([parts, asked]).toEqual([["Par"], ["a"]])
    })
  )
})
