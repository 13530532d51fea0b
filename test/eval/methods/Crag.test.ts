/** CRAG, call by call: three verdicts and what each of them does; strips are slices of the corpus. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { confidenceOf, verdictOf } from "../../../src/domain/methods/Confidence.ts"
import { defaultPolicy } from "../../../src/domain/Policy.ts"
import { passagesOf } from "../../../src/programs/baselines/Bm25.ts"
import { stripsOf } from "../../../src/programs/baselines/Crag.ts"
import { from, promptsOf, result, rolesOf } from "../../support/Asked.ts"
import { type Book, scope, shelf } from "../../support/Shelf.ts"

const question = "Where was the director of Aas Ka Panchhi born?"
const ten = new Array(10).fill("crag.evaluate")

interface Script {
  /** What is said of passages by their titles; `no` of all others. */
  readonly relevant: { readonly [title: string]: "yes" | "perhaps" | "no" }
  /** The strips that are kept: those with one of these words. */
  readonly keep?: RegExp
  readonly query?: string
}
const corrector = ({ keep = /./, query = "", relevant }: Script) =>
  from((role, { data }) => {
    const title = /^Title: (.+)\n/.exec(data.get("p1") ?? "")?.[1] ?? ""
    if (role === "crag.evaluate") return { relevant: relevant[title] ?? "no" }
    if (role === "crag.rewrite") return { query }
    const kept = [...data].filter(([name, text]) => /^p\d+$/.test(name) && keep.test(text)).map(([name]) => name)
    return { keep: kept.slice(0, 10) }
  })

describe("CRAG's verdict", () => {
  it("is Correct where one is, Incorrect where none is, else Ambiguous", () => {
    const verdict = (...all: ReadonlyArray<"yes" | "perhaps" | "no">) => verdictOf(all.map(confidenceOf))
    expect(verdict("no", "yes", "perhaps")).toBe("Correct")
    expect(verdict("no", "no")).toBe("Incorrect")
    expect(verdict("no", "perhaps")).toBe("Ambiguous")
    expect(verdict()).toBe("Incorrect")
  })
})

describe("CRAG's strips", () => {
  it.effect("are slices of the document that say where they stand", () =>
    Effect.gen(function* () {
      const text = "One is here. Two is there.\nThree is near. Four is far.\nFive is last."
      const passages = yield* Effect.provide(passagesOf(scope), shelf([{ title: "T", text }]))
      const strips = passages.flatMap((passage) => stripsOf({ passage, score: 1 }))
      expect(strips.map(({ item }) => item.text)).toEqual([
        "One is here. Two is there.\nThree is near.",
        "Four is far.\nFive is last."
      ])
      for (const { item } of strips) expect(text.slice(item.start, item.end)).toBe(item.text)
      expect(strips.map(({ item }) => item.line)).toEqual([1, 2])
    })
  )
})

describe("CRAG", () => {
  it.effect("Correct: keeps the needed strips of what is not below the lower threshold; eleven calls", () =>
    Effect.gen(function* () {
      const model = corrector({ relevant: { "Aas Ka Panchhi": "yes", "Mohan Kumar": "perhaps" }, keep: /born in/ })
      const found = yield* result("crag", model, question)
      expect(rolesOf(model)).toEqual([...ten, "crag.refine"])
      expect(found.calls).toBe(11)
      expect([...new Set(found.documents)]).toEqual(["d6"])
      const [refined] = promptsOf(model, "crag.refine")
      const shown = [...(refined?.data ?? [])].filter(([name]) => /^p\d/.test(name)).map(([, text]) => text)
      expect(shown.every((text) => /^Title: (?:Aas Ka Panchhi|Mohan Kumar)\n/.test(text))).toBe(true)
      expect(found.evidence.map(({ document }) => document)).toEqual(["d6"])
    })
  )

  it.effect("Incorrect: another query, and the passages that the first did not bring; twelve calls", () =>
    Effect.gen(function* () {
      const books: ReadonlyArray<Book> = Array.from({ length: 25 }, (_, i) => ({
        title: `Town ${i}`,
        text: `Town ${i} is a town with a harbour.`
      }))
      const model = corrector({ relevant: {}, query: "a town with a harbour" })
      const found = yield* result("crag", model, "Which town has a harbour?", { books })
      expect(rolesOf(model)).toEqual([...ten, "crag.rewrite", "crag.refine"])
      const first = new Set(promptsOf(model, "crag.evaluate").map(({ data }) => data.get("p1")))
      const [refined] = promptsOf(model, "crag.refine")
      const beyond = [...(refined?.data ?? [])].filter(([name]) => /^p\d/.test(name)).map(([, text]) => text)
      expect(beyond).toHaveLength(10)
      expect(beyond.some((text) => first.has(text))).toBe(false)
      expect(found.documents).toHaveLength(10)
    })
  )

  it.effect("Ambiguous: both; thirteen calls", () =>
    Effect.gen(function* () {
      const model = corrector({ relevant: { "Mohan Kumar": "perhaps" }, query: "Phoolwari Ranjit Studios" })
      const found = yield* result("crag", model, question)
      expect(rolesOf(model)).toEqual([...ten, "crag.refine", "crag.rewrite", "crag.refine"])
      expect(found.documents[0]).toBe("d6")
    })
  )

  it.effect("a strip that was never shown is not kept, and where none is kept nothing is read", () =>
    Effect.gen(function* () {
      const model = from((role) =>
        role === "crag.evaluate" ? { relevant: "yes" } : { keep: ["p99", "x", "", "p1", "p1"] }
      )
      expect((yield* result("crag", model, question)).evidence).toHaveLength(1)
      const none = from((role) => (role === "crag.evaluate" ? { relevant: "yes" } : { keep: [] }))
      expect(yield* result("crag", none, question)).toMatchObject({ documents: [], evidence: [], answer: null })
    })
  )

  it.effect("keeps to the budget of evidence", () =>
    Effect.gen(function* () {
      const policy = { ...defaultPolicy, evidenceTokens: 40 }
      const relevant = { "Aas Ka Panchhi": "yes", "Mohan Kumar": "yes" } as const
      const whole = yield* result("crag", corrector({ relevant }), question)
      const little = yield* result("crag", corrector({ relevant }), question, { policy })
      expect(whole.evidence.length).toBeGreaterThan(1)
      expect(little.evidence).toEqual(whole.evidence.slice(0, 1))
    })
  )
})
