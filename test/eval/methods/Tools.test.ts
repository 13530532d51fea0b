/** The tools that methods share: pages by title, words as they are written, sentences by meaning, texts cut to tokens. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "effect/FastCheck"
import { clip } from "../../../src/domain/Clip.ts"
import { DocumentId } from "../../../src/domain/Ids.ts"
import { defaultPolicy } from "../../../src/domain/Policy.ts"
import { passagesOf } from "../../../src/programs/baselines/Bm25.ts"
import * as Tools from "../../../src/programs/baselines/Tools.ts"
import { TokenCounter } from "../../../src/services/TokenCounter.ts"
import { type Book, library, scope, shelf } from "../../support/Shelf.ts"

const made = <A, E>(use: (tools: Tools.Tools) => Effect.Effect<A, E>, books: ReadonlyArray<Book> = library) =>
  Effect.gen(function* () {
    const passages = yield* passagesOf(scope)
    const setting = { scope, policy: defaultPolicy, navigation: false, seed: 1 }
    return yield* use(yield* Tools.make(setting, { passages: Effect.succeed(passages) }))
  }).pipe(Effect.provide(shelf(books)))

describe("tools", () => {
  it.effect("a page is found by its title in other letters, and the first of several", () =>
    made((tools) =>
      Effect.sync(() => {
        expect(tools.page("NEIL peart", undefined).map(({ document }) => document)).toEqual(["d1"])
        expect(tools.page("Neil", undefined)).toEqual([])
        expect(tools.page("", undefined)).toEqual([])
        expect(tools.page("東京", undefined)).toHaveLength(1)
      })
    )
  )
  it.effect("of two pages of one name that of the allowed document is taken", () =>
    made(
      (tools) =>
        Effect.sync(() => {
          expect(tools.page("Twin", undefined)[0]?.document).toBe("d0")
          expect(tools.page("Twin", [DocumentId.make("d1")])[0]?.document).toBe("d1")
          expect(tools.page("Twin", [])).toEqual([])
        }),
      [
        { title: "Twin", text: "The first." },
        { title: "Twin", text: "The second." }
      ]
    )
  )
  it.effect("keywords: Σ count × length, without case, the sentences that hold them, ties by id", () =>
    made(
      (tools) =>
        Effect.sync(() => {
          const found = tools.keywords(["Brin", "mouth", " ", "brin"], 5, undefined)
          expect(found.map(({ passage, score }) => [passage.document, score])).toEqual([
            ["d1", 13],
            ["d0", 4]
          ])
          expect(found[0]?.said).toEqual(["Brin and brin.", "The mouth is wide."])
          expect(tools.keywords(["brin"], 1, undefined)).toHaveLength(1)
          expect(tools.keywords(["brin"], 5, [DocumentId.make("d0")]).map(({ passage }) => passage.document)).toEqual([
            "d0"
          ])
          expect(tools.keywords([" "], 5, undefined)).toEqual([])
        }),
      [
        { title: "A", text: "Here is the Brin. Nothing else." },
        { title: "B", text: "Brin and brin. Not this. The mouth is wide." },
        { title: "C", text: "Neither." }
      ]
    )
  )
  it.effect("sentences: of each near passage those nearest to the query, in the order of the text", () =>
    made((tools) =>
      Effect.gen(function* () {
        const found = yield* tools.sentences("The drums were played by Neil Peart.", 3, undefined)
        expect(found).toHaveLength(3)
        expect(found[0]?.passage.document).toBe("d0")
        expect(found[0]?.score).toBeCloseTo(1, 5)
        expect(found[0]?.said.at(-1)).toBe("The drums were played by Neil Peart.")
        const scores = found.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((x, y) => y - x))
        const within = yield* tools.sentences("drums", 9, [DocumentId.make("d3")])
        expect(within.map(({ passage }) => passage.document)).toEqual(["d3"])
        expect(yield* tools.sentences("  ", 3, undefined)).toEqual([])
        expect(yield* tools.search("  ", 3, undefined)).toEqual([])
      })
    )
  )
})

describe("a text cut to tokens", () => {
  it.effect("is a start of the text within the limit, to a whole word, and the text itself where it fits", () =>
    Effect.gen(function* () {
      const count = yield* (yield* TokenCounter).counter
      expect(clip(count, "one two three", 50)).toBe("one two three")
      expect(clip(count, "one two three", 2)).toBe("one two")
      expect(clip(count, "", 3)).toBe("")
      expect(clip(count, "one", 0)).toBe("")
      expect(clip(count, "x".repeat(1_000_000), 10).length).toBeLessThan(200)
      fc.assert(
        fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 0, max: 40 }), (text, most) => {
          const cut = clip(count, text, most)
          expect(text.startsWith(cut)).toBe(true)
          expect(count(cut)).toBeLessThanOrEqual(most)
          // no half of a surrogate pair
          expect(cut).not.toMatch(/\p{Cs}/u)
        }),
        { numRuns: 200 }
      )
    }).pipe(Effect.provide(shelf([])))
  )
})
