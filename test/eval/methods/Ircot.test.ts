/** IRCoT, call by call: one sentence, one retrieval, and the three ways in which it stops. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { firstSentence, isLast } from "../../../src/domain/methods/Thought.ts"
import { mostPassages, mostThoughts } from "../../../src/programs/baselines/Ircot.ts"
import { inTurn, promptsOf, result } from "../../support/Asked.ts"
import { type Book, library } from "../../support/Shelf.ts"

const question = "Where was the director of Aas Ka Panchhi born?"

describe("IRCoT's thoughts", () => {
  it("are the first sentence of what is said, on one line", () => {
    expect(firstSentence("  The film was directed by Mr. Kumar.\nHe was born in Sialkot.")).toBe(
      "The film was directed by Mr. Kumar."
    )
    expect(firstSentence(" \n ")).toBe("")
    expect(firstSentence("one\ntwo")).toBe("one two")
  })
  it("end with the answer", () => {
    expect(isLast("So the answer is: Sialkot.")).toBe(true)
    expect(isLast("The answer isn't known; no answers are.")).toBe(false)
  })
})

describe("IRCoT", () => {
  it.effect("retrieves with each sentence, and stops on the answer", () =>
    Effect.gen(function* () {
      const model = inTurn({
        "ircot.think": [
          "Aas Ka Panchhi was directed by Mohan Kumar. And more that does not count.",
          "Mohan Kumar was born in Sialkot.",
          "So the answer is: Sialkot."
        ]
      })
      const found = yield* result("ircot", model, question)
      expect(found).toMatchObject({ calls: 3, outcome: "Ranking" })
      const [first, second, third] = promptsOf(model, "ircot.think").map(({ data }) => data)
      expect([...(first?.keys() ?? [])].filter((name) => /^p\d/.test(name))).toHaveLength(4)
      expect(first?.has("thought1")).toBe(false)
      expect(second?.get("thought1")).toBe("Aas Ka Panchhi was directed by Mohan Kumar.")
      expect(third?.get("thought2")).toBe("Mohan Kumar was born in Sialkot.")
      expect(found.documents).toEqual(expect.arrayContaining(["d4", "d6"]))
      // the union, in the order in which it came; nothing twice
      expect(new Set(found.documents).size).toBe(found.documents.length)
      expect(found.answer).toContain("Sialkot")
    })
  )

  it.effect("stops at its cap of 15 passages", () =>
    Effect.gen(function* () {
      const books: ReadonlyArray<Book> = Array.from({ length: 40 }, (_, i) => ({
        title: `Town ${i}`,
        text: `Town ${i} lies on river number${Math.floor(i / 4)}.`
      }))
      const script = Array.from({ length: 9 }, (_, i) => `It lies on river number${i + 1}.`)
      const model = inTurn({ "ircot.think": script })
      const found = yield* result("ircot", model, "Which town lies on river number0?", { books })
      expect(found.documents).toHaveLength(mostPassages)
      expect(found.calls).toBe(3)
    })
  )

  it.effect("stops after 8 sentences, and where nothing is said", () =>
    Effect.gen(function* () {
      const endless = inTurn({ "ircot.think": ["Aas Ka Panchhi is a film."] })
      const books = library.slice(0, 8)
      expect((yield* result("ircot", endless, question, { books })).calls).toBe(mostThoughts)
      expect((yield* result("ircot", inTurn({ "ircot.think": [" "] }), question)).calls).toBe(1)
    })
  )
})
