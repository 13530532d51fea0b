/** Laws of the methods that read a structure: whatever the order of methods and the concurrency, and however often. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { DocumentId } from "../../../src/domain/Ids.ts"
import { asking, confined, makers } from "../../../src/programs/baselines/Structured.ts"
import { type MethodName, plainNames } from "../../../src/programs/Evaluate.ts"
import { asked, questionsOf, untimed } from "../../support/Asked.ts"

const own = new Set<string>(Object.keys(makers))
const plain: ReadonlyArray<MethodName> = plainNames.filter((name) => own.has(name))
const questions = questionsOf(
  "In which city was the drummer on the album Counterparts born?",
  "Which film was released first, Aas Ka Panchhi or Phoolwari?",
  "What is the seat of the county where Van Hook Township is located?",
  "東京タワーはどこにある？"
)

describe("methods that read a structure", () => {
  it.effect("need no model but where they say so; then they name what stands in, and ask nothing", () =>
    Effect.gen(function* () {
      expect(new Set(plain)).toEqual(new Set([...own].filter((name) => !asking.some((other) => other === name))))
      const { prepared, results } = yield* asked({ methods: plain, questions })
      expect(results.every(({ calls, outcome }) => calls === 0 && outcome === "Ranking")).toBe(true)
      expect(prepared.filter(({ note }) => note === null).map(({ prepared }) => prepared)).toEqual(["vanilla"])
      const others = yield* asked({ methods: [...plain].reverse(), questions, concurrency: 4 })
      const byPlace = (all: ReturnType<typeof untimed>) =>
        new Map(all.map((result) => [`${result.method} ${result.id}`, result]))
      expect(byPlace(untimed(others))).toEqual(byPlace(untimed({ ...others, results })))
    })
  )

  it.effect("without a model the others say what they lack", () =>
    Effect.gen(function* () {
      for (const method of asking) {
        const failed = yield* Effect.flip(asked({ methods: [method], questions }))
        expect(failed).toMatchObject({ _tag: "NeedsModel", method })
      }
    })
  )

  it.effect("those that can keep to the documents that a question is asked of do so", () =>
    Effect.gen(function* () {
      const within = questions.map((question) => ({
        ...question,
        within: ["d1", "d2", "d8"].map((id) => DocumentId.make(id))
      }))
      const methods = confined.filter((name) => plain.includes(name))
      const { results } = yield* asked({ methods, questions: within })
      expect(methods).toEqual(["vanilla", "raptor", "hipporag2"])
      for (const { documents, evidence, method } of results) {
        expect(new Set(documents), method).toEqual(new Set(["d1", "d2", "d8"]))
        for (const { document } of evidence) expect(["d1", "d2", "d8"]).toContain(document)
      }
    })
  )
})
