/** Vanilla RAG: the first five of the ranking by vector, and no call. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { scripted } from "../../../src/layers/model/Scripted.ts"
import { asked, questionsOf } from "../../support/Asked.ts"

describe("vanilla", () => {
  it.effect("reads the five nearest passages", () =>
    Effect.gen(function* () {
      const model = scripted(() => "")
      const questions = questionsOf("Who played the drums on Counterparts?")
      const { prepared, results } = yield* asked({ model, methods: ["dense", "vanilla"], questions })
      const [dense, vanilla] = results
      expect(vanilla?.documents).toEqual(dense?.documents.slice(0, 5))
      expect(vanilla?.evidence).toHaveLength(5)
      expect(dense?.evidence.length).toBeGreaterThan(5)
      expect(model.asked()).toEqual([])
      expect(prepared[1]).toMatchObject({ calls: 0, note: null })
    })
  )
})
