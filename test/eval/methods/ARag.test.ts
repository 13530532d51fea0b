/** A-RAG, call by call: three tools, handles, no reading twice, 15 calls and a forced answer. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mostCalls } from "../../../src/programs/baselines/ARag.ts"
import { inTurn, promptsOf, result, rolesOf } from "../../support/Asked.ts"
import { library } from "../../support/Shelf.ts"

const question = "In which city was the drummer on the album Counterparts born?"
const call = (changes: object) => ({ tool: "answer", keywords: [], query: "", chunks: [], answer: "", ...changes })

describe("A-RAG", () => {
  it.effect("searches by word and by meaning, reads, and answers", () =>
    Effect.gen(function* () {
      const model = inTurn({
        "a-rag.look": [
          call({ tool: "keyword_search", keywords: ["counterparts", "DRUMS"] }),
          call({ tool: "semantic_search", query: "Neil Peart was born in Hamilton" }),
          call({ tool: "read_chunk", chunks: ["c1", "c2", "c77", "c1"] }),
          call({ answer: "Hamilton" })
        ]
      })
      const found = yield* result("a-rag-own", model, question)
      expect(rolesOf(model)).toEqual(new Array(4).fill("a-rag.look"))
      expect(found).toMatchObject({ calls: 4, answer: "Hamilton", outcome: "Ranking" })
      const last = promptsOf(model, "a-rag.look").at(-1)?.data
      expect(last?.get("call1")).toBe("keyword_search(counterparts; DRUMS)")
      // the sentences that hold the words, under a handle
      expect(last?.get("result1")).toBe(
        [
          "c1 (Counterparts (album))",
          "  Counterparts is the fifteenth studio album by the Canadian rock band Rush, released in October 1993.",
          "  The drums were played by Neil Peart."
        ].join("\n")
      )
      expect(last?.get("result2")).toMatch(/c2 \(Neil Peart\)\n {2}Neil Peart \(born September 12/)
      expect(last?.get("result3")).toContain(`c1 Counterparts (album)\n${library[0]?.text}`)
      expect(last?.get("result3")).toContain("There is no such chunk.")
      expect(last?.get("result3")).toContain("c1 was read already.")
      // what was read, then what was only found
      expect(found.documents.slice(0, 2)).toEqual(["d0", "d1"])
      expect(new Set(found.documents).size).toBe(found.documents.length)
    })
  )

  it.effect("15 calls at most, then the answer is forced: 16; the common reader's call stands in its place", () =>
    Effect.gen(function* () {
      const script = {
        "a-rag.look": [call({ tool: "read_chunk", chunks: [] })],
        "a-rag.answer": [{ answer: "Hamilton" }]
      }
      const own = inTurn(script)
      const found = yield* result("a-rag-own", own, question)
      expect(rolesOf(own)).toEqual([...new Array(mostCalls).fill("a-rag.look"), "a-rag.answer"])
      expect(found).toMatchObject({ calls: 16, answer: "Hamilton", documents: [] })
      const read = inTurn(script)
      expect((yield* result("a-rag", read, question)).calls).toBe(15)
      expect(promptsOf(own, "a-rag.answer")[0]?.data.get("result15")).toBe("No chunk was named.")
    })
  )

  it.effect("words without a meaning find nothing, and that is said", () =>
    Effect.gen(function* () {
      const model = inTurn({
        "a-rag.look": [
          call({ tool: "keyword_search", keywords: [" ", "zzzz"] }),
          call({ tool: "semantic_search", query: " " }),
          call({})
        ]
      })
      const found = yield* result("a-rag-own", model, question)
      const last = promptsOf(model, "a-rag.look").at(-1)?.data
      expect([last?.get("result1"), last?.get("result2")]).toEqual(["Nothing was found.", "Nothing was found."])
      expect(found).toMatchObject({ calls: 3, answer: null, outcome: "Ranking" })
    })
  )
})
