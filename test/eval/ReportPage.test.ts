/** C29: the page of a report needs nothing from outside, holds what the report holds, and takes no text for markup. */
import { describe, expect, it } from "@effect/vitest"
import { report } from "../../src/domain/EvalFigures.ts"
import type { Result } from "../../src/domain/EvalResult.ts"
import { DocumentId } from "../../src/domain/Ids.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { type Faults, pageData, reportPage } from "../../src/domain/ReportPage.ts"

const hostile = "</script><script>alert(1)</script><b>"
const questions = ["q1", "q2", "q3"].map((id, i) => ({
  id,
  line: i + 1,
  question: hostile,
  answers: ["Oslo"],
  gold: ["a", "b"].map((name) => DocumentId.make(name)),
  type: i === 0 ? hostile : "bridge",
  hops: 2,
  steps: []
}))
const result = (method: string, id: string, documents: ReadonlyArray<string>, wallMs: number): Result => ({
  key: "k",
  id,
  question: hostile,
  method,
  documents,
  answer: hostile,
  short: "Oslo",
  cited: [],
  evidence: [],
  outcome: "Ranking",
  reason: null,
  cycles: [],
  initial: [],
  navigation: [],
  calls: 0,
  readerEquivalentTokens: 0,
  money: null,
  wallMs,
  cpuMs: null
})
const told = (asked = questions) =>
  report({
    dataset: hostile,
    lines: "all",
    leftOut: 0,
    questions: asked,
    methods: ["slow", "quick"],
    results: asked.flatMap(({ id }) => [result("slow", id, ["a", "x", "b"], 90), result("quick", id, ["x", "a"], 10)]),
    prepared: [],
    metrics: ["recall@5"],
    policy: { hash: "p", settings: defaultPolicy },
    corpusRevision: "r",
    seed: 1,
    version: "0"
  })
const rate = (wrong: number) => ({ n: 10, right: 50, wrong, unsupported: 0, incomplete: 0, notFound: 0 })
const faults: Faults = { kind: "faults", carriers: { contract: { "0": rate(10), "30": rate(10) } } }
const plotsOf = (page: string) => [...page.matchAll(/class="plot" id="(\w+)"/g)].map(([, id]) => id)

describe("C29 report.html", () => {
  it("recall by depth, the methods that nothing beats, and faults by rate", () => {
    const data = pageData(told(), faults)
    expect(data.curves.filter(({ method }) => method === "slow").map(({ recall }) => recall)).toEqual([
      50, 50, 100, 100, 100, 100, 100, 100, 100, 100
    ])
    expect(data.methods).toEqual([
      { method: "slow", value: 100, low: 100, high: 100 },
      { method: "quick", value: 50, low: 50, high: 50 }
    ])
    // equal answers: the quicker one stands alone
    expect(data.cost.map(({ isBest, method }) => [method, isBest])).toEqual([
      ["slow", false],
      ["quick", true]
    ])
    expect(data.types.map(({ n, type }) => [type, n])).toContainEqual(["bridge", 2])
    const wrong = data.faults.filter(({ outcome }) => outcome === "answered and wrong")
    expect(wrong.map(({ rate, value }) => [rate, value])).toEqual([
      [0, 10],
      [30, 10]
    ])
  })

  it("is whole in itself: no address but its own parts, and a policy that forbids the rest", () => {
    const page = reportPage(told(), { script: "draw()", faults })
    expect(page).toContain("default-src 'none'")
    expect(page.match(/(?:src|href)=/g)).toBeNull()
    expect(page).not.toMatch(/https?:/)
    expect(plotsOf(page)).toEqual(["methods", "cost", "curves", "types", "faults"])
    expect(page).toContain("Paired differences")
  })

  it("takes what a set says for text, in tables and in data", () => {
    const page = reportPage(told(), { script: "draw()" })
    expect(page).not.toContain("<b>")
    expect(page.match(/<script/g)).toHaveLength(2)
    const [, data = ""] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? []
    expect(JSON.parse(data).types[0].type).toBe(hostile)
  })

  it("says so where there is nothing to draw, or nothing to draw with", () => {
    const empty = reportPage(told([]), { script: "draw()" })
    expect(empty).toContain("No question was asked")
    expect(plotsOf(empty)).toEqual([])
    const bare = reportPage(told(), { script: undefined })
    expect(bare).toContain("was not built with this command")
    expect(bare).toContain("<td>slow</td>")
    expect(bare).not.toContain("<script")
  })
})
