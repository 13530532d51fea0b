/** MemoRAG Lite, call by call: a gist a piece, clues and surrogate questions, and what they find in document order. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { passagesOf } from "../../../src/programs/baselines/Bm25.ts"
import { piecesOf, pieceTokens } from "../../../src/programs/baselines/MemoRag.ts"
import { asked, from, inTurn, promptsOf, questionsOf, result, rolesOf } from "../../support/Asked.ts"
import { type Book, scope, shelf } from "../../support/Shelf.ts"

const question = "In which city was the drummer on the album Counterparts born?"
const long: ReadonlyArray<Book> = Array.from({ length: 60 }, (_, i) => ({
  title: `Page ${i}`,
  text: Array.from({ length: 12 }, (_, n) => `The clerk of ward ${i} wrote down the number ${n} in his book.`).join(" ")
}))

describe("MemoRAG Lite", () => {
  it.effect("pieces are whole passages in document order, of 4,096 tokens at most", () =>
    Effect.gen(function* () {
      const passages = yield* passagesOf(scope)
      const pieces = piecesOf(passages)
      expect(pieces.length).toBeGreaterThan(1)
      expect(
        pieces
          .flat()
          .map(({ id }) => id)
          .sort()
      ).toEqual(passages.map(({ id }) => id))
      for (const piece of pieces)
        expect(piece.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(pieceTokens)
    }).pipe(Effect.provide(shelf(long)))
  )

  it.effect("one call a piece, then two a question; every line searches, and so does the question", () =>
    Effect.gen(function* () {
      const model = inTurn({
        "memorag.gist": [{ gist: "Rush made Counterparts; Neil Peart drums." }],
        "memorag.clues": [{ lines: ["The drums were played by Neil Peart", "too short"] }],
        "memorag.surrogates": [{ lines: ["Who was inducted into the Hall of Fame in 1993?"] }]
      })
      const { prepared, results } = yield* asked({ model, methods: ["memorag"], questions: questionsOf(question) })
      expect(rolesOf(model)).toEqual(["memorag.gist", "memorag.clues", "memorag.surrogates"])
      expect(prepared[0]).toMatchObject({ calls: 1, note: "gists for the trained memory" })
      expect(results[0]?.calls).toBe(2)
      const [clue] = promptsOf(model, "memorag.clues")
      expect(clue?.data.get("memory")).toBe("Rush made Counterparts; Neil Peart drums.")
      expect(clue?.data.get("question")).toBe(question)
      // three passages each of three queries, in document order
      const documents = results[0]?.documents ?? []
      expect(documents.length).toBeLessThanOrEqual(9)
      expect(documents).toContain("d3")
      expect(documents).toEqual([...documents].sort())
    })
  )

  it.effect("one gist for each piece of a longer corpus", () =>
    Effect.gen(function* () {
      const model = from((role) => (role === "memorag.gist" ? { gist: "g" } : { lines: [] }))
      const { prepared } = yield* asked({ model, methods: ["memorag"], questions: questionsOf(question), books: long })
      const pieces = yield* Effect.provide(Effect.map(passagesOf(scope), piecesOf), shelf(long))
      expect(prepared[0]?.calls).toBe(pieces.length)
      expect(promptsOf(model, "memorag.clues")[0]?.data.get("memory")).toBe(pieces.map(() => "g").join("\n\n"))
    })
  )

  it.effect("without a line of use the question alone searches", () =>
    Effect.gen(function* () {
      const model = from((role) => (role === "memorag.gist" ? { gist: "g" } : { lines: ["a b c"] }))
      expect((yield* result("memorag", model, question)).documents).toHaveLength(3)
    })
  )

  it.effect("a model that fails at a question costs that question", () =>
    Effect.gen(function* () {
      const model = from((role, { data }) =>
        role === "memorag.gist"
          ? { gist: "g" }
          : data.get("question") === question
            ? "no JSON"
            : { lines: ["a line of four words"] }
      )
      const questions = questionsOf(question, "Who directed Phoolwari?")
      const { results } = yield* asked({ model, methods: ["memorag"], questions })
      expect(results.map(({ outcome }) => outcome)).toEqual(["Incomplete", "Ranking"])
    })
  )
})
