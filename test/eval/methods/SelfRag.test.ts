/** Prompted Self-RAG, call by call: the decision, ten judged passages at most, the formula. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ModelError } from "../../../src/domain/ModelError.ts"
import { critiqueScore } from "../../../src/domain/methods/Critique.ts"
import { scripted } from "../../../src/layers/model/Scripted.ts"
import { from, inTurn, promptOf, promptsOf, result, rolesOf } from "../../support/Asked.ts"
import { type Book, library } from "../../support/Shelf.ts"

const question = "In which city was the drummer Neil Peart born?"
const useless = { relevant: false, answer: "", support: "none", utility: 1 } as const
/** Judges by what stands in the passage. */
const judging = (answers: { readonly [word: string]: object }) =>
  from((role, { data }) => {
    if (role === "self-rag.retrieve") return { retrieve: true }
    const word = Object.keys(answers).find((each) => data.get("p1")?.startsWith(`Title: ${each}`))
    return (word === undefined ? undefined : answers[word]) ?? useless
  })

describe("Self-RAG's score", () => {
  it("is relevance + support + use, each as published", () => {
    expect(critiqueScore({ relevant: true, support: "full", utility: 5 })).toBe(3)
    expect(critiqueScore({ relevant: true, support: "partial", utility: 3 })).toBe(1.5)
    expect(critiqueScore({ relevant: false, support: "none", utility: 1 })).toBe(-1)
    expect(critiqueScore({ relevant: false, support: "none", utility: 2 })).toBe(-0.5)
    expect(critiqueScore({ relevant: false, support: "full", utility: 4 })).toBe(1.5)
  })
})

describe("Self-RAG", () => {
  it.effect("11 calls: one decision, ten passages judged one by one, the best of them answers", () =>
    Effect.gen(function* () {
      const model = judging({
        "Rush (band)": { relevant: true, answer: "Toronto", support: "partial", utility: 3 },
        "Neil Peart": { relevant: true, answer: " Hamilton ", support: "full", utility: 5 },
        "Jeff Porcaro": { relevant: true, answer: "Hartford", support: "none", utility: 5 }
      })
      const found = yield* result("self-rag-own", model, question)
      expect(rolesOf(model)).toEqual(["self-rag.retrieve", ...new Array(10).fill("self-rag.judge")])
      expect(found).toMatchObject({ calls: 11, outcome: "Ranking", answer: "Hamilton", cited: ["d1"] })
      // 3, then 2, then 1.5
      expect(found.documents.slice(0, 3)).toEqual(["d1", "d3", "d2"])
      expect(found.documents).toHaveLength(10)
      const judged = promptsOf(model, "self-rag.judge")
      expect(new Set(judged.map(({ data }) => data.get("p1"))).size).toBe(10)
      for (const { data } of judged) expect([...data.keys()]).toEqual(["question", "p1"])
    })
  )

  it.effect("passages of one score stand as the search listed them", () =>
    Effect.gen(function* () {
      const ranked = yield* result("hybrid", judging({}), question)
      const found = yield* result("self-rag-own", judging({}), question)
      expect(found.documents).toEqual(ranked.documents.slice(0, 10))
      expect(found).toMatchObject({ answer: null, outcome: "Ranking", cited: [] })
    })
  )

  it.effect("the common reader reads them in that order", () =>
    Effect.gen(function* () {
      const model = judging({ "Neil Peart": { relevant: true, answer: "x", support: "full", utility: 5 } })
      const found = yield* result("self-rag", model, question)
      expect(found.calls).toBe(11)
      expect(found.documents[0]).toBe("d1")
      expect(found.evidence[0]?.document).toBe("d1")
      expect(found.answer).toContain("Hamilton")
    })
  )

  it.effect("answers without passages where it decides so: two calls; the common reader has nothing to read", () =>
    Effect.gen(function* () {
      const script = { "self-rag.retrieve": [{ retrieve: false }], "self-rag.plain": [{ answer: "Hamilton" }] }
      const model = inTurn(script)
      const found = yield* result("self-rag-own", model, question)
      expect(rolesOf(model)).toEqual(["self-rag.retrieve", "self-rag.plain"])
      expect(found).toMatchObject({ calls: 2, answer: "Hamilton", documents: [], evidence: [] })
      expect(yield* result("self-rag", inTurn(script), question)).toMatchObject({
        calls: 1,
        answer: null,
        documents: []
      })
    })
  )

  it.effect("one judgement that fails costs the question, and the same calls whichever it is", () =>
    Effect.gen(function* () {
      for (const title of ["Neil Peart", "Rush (band)"]) {
        const model = scripted((request) => {
          const { data } = promptOf(request)
          if (request.role === "self-rag.retrieve") return JSON.stringify({ retrieve: true })
          const fails = data.get("p1")?.startsWith(`Title: ${title}`) === true
          return fails
            ? new ModelError({ model: "scripted", fault: "Refused", detail: title })
            : JSON.stringify(useless)
        })
        const found = yield* result("self-rag-own", model, question)
        expect(found).toMatchObject({ outcome: "Incomplete", answer: null, calls: 11 })
        expect(found.reason).toContain(title)
      }
    })
  )

  it.effect("has no more calls than there are passages", () =>
    Effect.gen(function* () {
      const books: ReadonlyArray<Book> = library.slice(0, 3)
      expect((yield* result("self-rag-own", judging({}), question, { books })).calls).toBe(4)
    })
  )
})
