/** C29: metrics against cases computed by hand. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { shortAnswer } from "../../src/domain/EvalResult.ts"
import { DocumentId } from "../../src/domain/Ids.ts"
import {
  allSupportAt,
  anls,
  citationPrecision,
  citationRecall,
  contained,
  covered,
  evidenceRecall,
  exactMatch,
  metricNames,
  metrics,
  ndcgAt,
  normalised,
  recallAt,
  reciprocalRank,
  tokenF1
} from "../../src/domain/Metrics.ts"

describe("C29 lists of documents", () => {
  const gold = ["a", "b"]
  it("recall@k is the share of gold among the first k distinct documents", () => {
    expect(recallAt(gold, ["a", "x", "b"], 2)).toBe(0.5)
    expect(recallAt(gold, ["a", "x", "b"], 3)).toBe(1)
    expect(recallAt(gold, [], 5)).toBe(0)
    expect(recallAt(["a", "b", "c"], ["c", "x", "a"], 5)).toBeCloseTo(2 / 3, 12)
  })
  it("a document that is listed twice takes one place", () => {
    expect(recallAt(gold, ["a", "a", "a", "b"], 2)).toBe(1)
    expect(recallAt(["a", "a", "b"], ["a"], 5)).toBe(0.5)
  })
  it("without gold nothing can be said", () => {
    for (const name of metricNames)
      expect(metrics[name]({ gold: [], answers: [], documents: ["a"], answer: "a", cited: ["a"] })).toBeNull()
  })
  it("all support is all or nothing", () => {
    expect(allSupportAt(gold, ["a", "x", "b"], 2)).toBe(0)
    expect(allSupportAt(gold, ["b", "a"], 2)).toBe(1)
  })
  it("the reciprocal rank is of the first gold document", () => {
    expect(reciprocalRank(gold, ["x", "x", "b", "a"])).toBe(0.5)
    expect(reciprocalRank(gold, ["x"])).toBe(0)
  })
  it("nDCG discounts by log2 of the rank and one", () => {
    // gains at ranks 2 and 4: 1/log2(3) + 1/log2(5); ideal at 1 and 2: 1 + 1/log2(3)
    const expected = (1 / Math.log2(3) + 1 / Math.log2(5)) / (1 + 1 / Math.log2(3))
    expect(ndcgAt(gold, ["x", "a", "y", "b"], 10)).toBeCloseTo(expected, 12)
    expect(ndcgAt(gold, ["b", "a", "x"], 10)).toBe(1)
    expect(ndcgAt(gold, ["x", "y", "a"], 2)).toBe(0)
    // only one gold document can stand among the first one
    expect(ndcgAt(gold, ["a"], 1)).toBe(1)
  })
  it("a shuffled list gives what chance gives", () => {
    // over all orders of 6 documents, each gold one is among the first 2 in a third of them
    const documents = ["a", "b", "c", "d", "e", "f"]
    const orders = (rest: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
      rest.length === 0
        ? [[]]
        : rest.flatMap((first) => orders(rest.filter((it) => it !== first)).map((tail) => [first, ...tail]))
    const all = orders(documents)
    const mean = all.reduce((sum, order) => sum + (recallAt(gold, order, 2) ?? 0), 0) / all.length
    expect(mean).toBeCloseTo(1 / 3, 12)
    const both = all.reduce((sum, order) => sum + (allSupportAt(gold, order, 2) ?? 0), 0) / all.length
    expect(both).toBeCloseTo(1 / 15, 12)
  })
  it("every metric is in [0, 1], recall grows with k, and gold first is best", () => {
    const id = FastCheck.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
    const ids = FastCheck.array(id, { maxLength: 14 })
    const some = FastCheck.uniqueArray(id, { minLength: 1, maxLength: 4 })
    FastCheck.assert(
      FastCheck.property(some, ids, ids, FastCheck.string(), (gold, documents, cited, answer) => {
        const judged = { gold, answers: ["a b"], documents, answer, cited }
        for (const name of metricNames) {
          const value = metrics[name]({ ...judged, annotators: [[]], evidence: [] }) ?? -1
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(1)
        }
        expect(metrics["recall@2"](judged) ?? 0).toBeLessThanOrEqual(metrics["recall@5"](judged) ?? 0)
        expect(metrics["recall@5"](judged) ?? 0).toBeLessThanOrEqual(metrics["recall@10"](judged) ?? 0)
        const perfect = { ...judged, documents: [...gold, ...documents], cited: gold }
        for (const name of [
          "recall@5",
          "allSupport@5",
          "mrr",
          "ndcg@10",
          "citationPrecision",
          "citationRecall"
        ] as const)
          expect(metrics[name](perfect)).toBe(1)
      }),
      { numRuns: 500, seed: 1 }
    )
  })
})

describe("C29 answers, by SQuAD's normal form", () => {
  it("drops case, punctuation, articles and superfluous space", () => {
    expect(normalised('  The  Beatles\' "White" Album, an LP! ')).toBe("beatles white album lp")
    expect(normalised("a an the")).toBe("")
    expect(normalised("Théâtre—Anna")).toBe("théâtre—anna")
  })
  it("EM is equality with any of the answers", () => {
    expect(exactMatch(["Port of Spain", "Trinidad"], "the port of spain.")).toBe(1)
    expect(exactMatch(["Port of Spain"], "Spain")).toBe(0)
    expect(exactMatch(["yes"], null)).toBe(0)
  })
  it("F1 counts each token as often as it stands in both", () => {
    // shared: 2 of 3 said and 2 of 4 wanted
    expect(tokenF1(["w x y z"], "w x q")).toBeCloseTo(4 / 7, 12)
    expect(tokenF1(["x x y"], "x x x")).toBeCloseTo(4 / 6, 12)
    expect(tokenF1(["p", "w x"], "w x")).toBe(1)
    expect(tokenF1(["p"], "q")).toBe(0)
    expect(tokenF1(["the"], "a")).toBe(1)
    expect(tokenF1(["the"], null)).toBe(0)
    expect(tokenF1(["p"], "")).toBe(0)
  })
  it("contained means whole words", () => {
    expect(contained(["New York"], "It is in the New York area")).toBe(1)
    expect(contained(["art"], "a cart")).toBe(0)
    expect(contained(["the"], "the")).toBe(0)
  })
  it("citations: how many are gold, and how much of the gold is cited", () => {
    expect(citationPrecision(["a", "b"], ["a", "x", "a"])).toBeCloseTo(2 / 3, 12)
    expect(citationRecall(["a", "b"], ["a", "x", "a"])).toBe(0.5)
    expect(citationPrecision(["a"], [])).toBe(0)
  })
  it("what is judged is what is said, without the quotations under it", () => {
    const cite = (marker: number, text: string) => ({
      marker,
      document: DocumentId.make("d"),
      start: 0,
      end: text.length,
      line: 1,
      text
    })
    const first = cite(1, 'Ada "the" wrote it.')
    expect(shortAnswer({ text: 'Ada\n"Ada "the" wrote it." [1]', citations: [first] })).toBe("Ada")
    expect(shortAnswer({ text: "Ada [1] and Bob [2].", citations: [first, cite(2, "Bob.")] })).toBe("Ada and Bob.")
    expect(shortAnswer({ text: '"Ada "the" wrote it." [1]', citations: [first] })).toBe('Ada "the" wrote it.')
    expect(shortAnswer({ text: null, citations: [] })).toBeNull()
  })
})

describe("C29 ANLS", () => {
  it("is 1 for the same text, whatever its case, and falls with the distance", () => {
    expect(anls(["Vanderbilt University"], "  vanderbilt   university ")).toBe(1)
    // one replacement in six letters
    expect(anls(["garden"], "gardan")).toBeCloseTo(5 / 6, 12)
    // "$123,110" without its comma
    expect(anls(["$123,110"], "$123110")).toBeCloseTo(7 / 8, 12)
  })
  it("is 0 from half the length on, and for no answer", () => {
    expect(anls(["abcd"], "abxy")).toBe(0)
    expect(anls(["abcde"], "abcxy")).toBeCloseTo(3 / 5, 12)
    expect(anls(["abcd"], null)).toBe(0)
    expect(anls([], "abcd")).toBeNull()
  })
  it("takes the best of several gold answers", () => {
    expect(anls(["no", "Vanderbilt"], "vanderbilt")).toBe(1)
  })
})

describe("C29 evidence by its characters", () => {
  const at = (start: number, end: number, document = "a") => ({ document: DocumentId.make(document), start, end })
  it("overlapping finds count once, other documents not", () => {
    expect(covered([at(0, 100)], [at(10, 40), at(30, 60), at(200, 300), at(0, 100, "b")])).toBeCloseTo(0.5, 12)
    expect(covered([at(0, 100), at(100, 200)], [at(50, 150)])).toBeCloseTo(0.5, 12)
    expect(covered([at(0, 10)], [])).toBe(0)
  })
  it("is that of the best-served annotator; null where none took any", () => {
    expect(evidenceRecall([[at(0, 10)], [at(50, 60)]], [at(50, 60)])).toBe(1)
    expect(evidenceRecall([], [at(0, 1)])).toBeNull()
  })
})
