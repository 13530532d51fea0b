/** `modelBounds` holds methods too: a small model is asked for no more than it can write, whatever a method's schema allows. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { list, small, text } from "../../../src/domain/prompts/Bounds.ts"
import * as Making from "../../../src/layers/model/Making.ts"
import * as Pacing from "../../../src/layers/model/Pacing.ts"
import { scripted } from "../../../src/layers/model/Scripted.ts"
import { shapeOf, tightened } from "../../../src/layers/model/Shapes.ts"
import * as Tightened from "../../../src/layers/model/Tightened.ts"
import { platform, request } from "../../support/ModelRuns.ts"

const Written = Schema.Struct({
  entries: list(Schema.Struct({ kind: Schema.Literal("a", "b"), text: text(300, "an entry") }), 8, "entries"),
  three: Schema.Array(text(8, "a handle")).pipe(Schema.minItems(3), Schema.maxItems(9)),
  answer: text(12, "an answer"),
  sure: Schema.Boolean
}).annotations({ title: "Written" })

describe("a model within bounds of its own", () => {
  it("texts and lists are as long as it may write, and no longer than they were", () => {
    expect(tightened(shapeOf(Written).schema, small)).toMatchObject({
      properties: {
        entries: {
          maxItems: small.items,
          items: { properties: { text: { maxLength: small.text }, kind: { enum: ["a", "b"] } } }
        },
        three: { minItems: 3, maxItems: 3, items: { maxLength: 8 } },
        answer: { maxLength: 12 },
        sure: { type: "boolean" }
      },
      required: ["entries", "three", "answer", "sure"],
      additionalProperties: false
    })
  })

  it.effect("is asked for that shape, and what it says is taken as before", () =>
    Effect.gen(function* () {
      const said = {
        entries: [{ kind: "a", text: "x".repeat(299) }],
        three: ["p1", "p2", "p3"],
        answer: "",
        sure: true
      }
      const model = scripted(() => JSON.stringify(said))
      const pacing = yield* Pacing.make({})
      const made = Tightened.make(yield* Making.make(model.provider, { pacing, cards: {}, readerModel: "" }), small)
      expect(yield* made.value(request(), Written)).toEqual(said)
      expect(model.asked()[0]?.shape).toEqual({ name: "Written", schema: tightened(shapeOf(Written).schema, small) })
    }).pipe(Effect.provide(platform))
  )
})
