/** Prompted CoRAG, call by call: three links at most, repeats, and what the reader is given. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { inTurn, promptsOf, result, rolesOf } from "../../support/Asked.ts"

const question = "What is the seat of the county where Van Hook Township is located?"

describe("CoRAG", () => {
  it.effect("asks and answers three times, each from its own passages: six calls before the reader's", () =>
    Effect.gen(function* () {
      const model = inTurn({
        "corag.query": [
          { query: "In which county is Van Hook Township?" },
          { query: "What is the seat of Mountrail County?" },
          { query: "What is Stanley, North Dakota?" }
        ],
        "corag.answer": [{ answer: "Mountrail County" }, { answer: "Stanley" }, { answer: "a city" }]
      })
      const found = yield* result("corag", model, question)
      expect(rolesOf(model)).toEqual(new Array(3).fill(["corag.query", "corag.answer"]).flat())
      expect(found.calls).toBe(6)
      const queries = promptsOf(model, "corag.query").map(({ data }) => data)
      expect([...(queries[0]?.keys() ?? [])]).toEqual(["question"])
      expect(queries[2]?.get("query2")).toBe("What is the seat of Mountrail County?")
      expect(queries[2]?.get("answer1")).toBe("Mountrail County")
      const [answered] = promptsOf(model, "corag.answer").map(({ data }) => data)
      // of the sub-question alone: the whole question does not stand here
      expect(answered?.get("question")).toBe("In which county is Van Hook Township?")
      expect([...(answered?.keys() ?? [])].filter((name) => /^p\d/.test(name))).toHaveLength(5)
      expect(found.documents.slice(0, 5)).toEqual(expect.arrayContaining(["d7", "d8", "d9"]))
      expect(found.answer).not.toBeNull()
    })
  )

  it.effect("a repeated sub-question uses up its step, is not looked up again, and is shown", () =>
    Effect.gen(function* () {
      const model = inTurn({
        "corag.query": [
          { query: "Where is Van Hook Township?" },
          { query: "where is van hook township" },
          { query: " " }
        ],
        "corag.answer": [{ answer: "in Mountrail County" }]
      })
      const found = yield* result("corag", model, question)
      expect(rolesOf(model)).toEqual(["corag.query", "corag.answer", "corag.query", "corag.query"])
      expect(found.calls).toBe(4)
      const last = promptsOf(model, "corag.query")[2]
      expect(last?.data.get("repeated")).toBe("where is van hook township")
    })
  )
})
