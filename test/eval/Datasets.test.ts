/** C29: records of QASPER, LongBench and DocVQA as questions, and what is wrong with those that are none. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import type { Dataset, DatasetError } from "../../src/domain/Dataset.ts"
import * as DocVqa from "../../src/domain/datasets/DocVqa.ts"
import * as LongBench from "../../src/domain/datasets/LongBench.ts"
import * as Qasper from "../../src/domain/datasets/Qasper.ts"
import { type Found, scoresOf } from "../../src/domain/EvalResult.ts"
import { dataFolder, dataPath } from "../support/Data.ts"

const lines = (...records: ReadonlyArray<unknown>): string => records.map((record) => JSON.stringify(record)).join("\n")
const faults = (read: Either.Either<Dataset, DatasetError>): ReadonlyArray<string> =>
  Either.match(read, {
    onLeft: (error) => error.faults.map(({ place, reason }) => `${place}: ${reason}`),
    onRight: () => []
  })

const paper = {
  id: "1801.00001",
  title: "A parser",
  abstract: "We parse.",
  sections: [
    { name: "Method", paragraphs: [{ id: "1801.00001:0.0", text: "It reads lines." }] },
    { name: "Method ::: Data", paragraphs: [{ id: "1801.00001:1.0", text: "# 300 files" }] },
    { name: null, paragraphs: [{ id: "1801.00001:2.0", text: "An end." }] }
  ]
}
const annotation = (answer: string, ...evidence: ReadonlyArray<unknown>) => ({ type: "extractive", answer, evidence })
const asked = {
  id: "q",
  paperId: "1801.00001",
  question: "How many files?",
  annotations: [
    annotation("300", { id: "1801.00001:1.0" }, { float: "Table 1" }),
    annotation("Unanswerable"),
    annotation("300", { id: "1801.00001:0.0" }, { id: "1801.00001:1.0" })
  ]
}
const read = (questions: string, papers = lines(paper)) =>
  Qasper.parse({ file: "q.jsonl", text: questions }, { file: "p.jsonl", text: papers })

const nothing: Found = {
  documents: [],
  answer: null,
  short: null,
  cited: [],
  evidence: [],
  outcome: "Ranking",
  reason: null,
  cycles: [],
  initial: [],
  navigation: [],
  calls: 0,
  readerEquivalentTokens: 0,
  money: null
}

describe("C29 QASPER", () => {
  it("a paper is one Markdown file, whose paragraphs stand where they are said to", () => {
    const { files, questions } = Either.getOrThrow(read(lines(asked)))
    const [file] = files
    expect(file?.path).toBe("1801.00001.md")
    expect(file?.text).toMatch(/^# A parser\n\nWe parse\.\n\n## Method\n\nIt reads lines\.\n\n### Data\n/)
    const [question] = questions
    expect(question?.within).toEqual(["1801.00001.md"])
    expect(question?.answers).toEqual(["300", "Unanswerable"])
    const said = question?.evidence?.map((spans) => spans.map(({ end, start }) => file?.text.slice(start, end)))
    expect(said).toEqual([["# 300 files"], ["It reads lines.", "# 300 files"]])
  })
  it("not found is Unanswerable; an answer is judged by the annotator it suits best; ⊥ is wrong", () => {
    const [question] = Either.getOrThrow(read(lines(asked))).questions
    if (question === undefined) throw new Error("there is one")
    expect(scoresOf(question, nothing).f1).toBe(1)
    expect(scoresOf(question, { ...nothing, outcome: "Incomplete" }).f1).toBe(0)
    expect(scoresOf(question, { ...nothing, answer: "300", short: "300" }).em).toBe(1)
    const evidence = question.evidence?.[0] ?? []
    expect(scoresOf(question, { ...nothing, evidence }).evidenceRecall).toBe(1)
    expect(scoresOf(question, nothing).evidenceRecall).toBe(0)
  })
  it("names papers and paragraphs that are not there", () => {
    expect(faults(read(lines({ ...asked, paperId: "x" })))).toEqual([
      "q.jsonl:1: asks of the paper x, which p.jsonl lacks"
    ])
    const lost = { ...asked, annotations: [annotation("a", { id: "1801.00001:9.9" })] }
    expect(faults(read(lines(lost)))).toEqual([
      "q.jsonl:1: takes evidence from the paragraph 1801.00001:9.9, which is not there"
    ])
    expect(faults(read(lines(asked), lines({ ...paper, id: "../x" })))[0]).toMatch(/^p\.jsonl:1: id: /)
  })
})

describe("C29 LongBench", () => {
  const row = {
    _id: "r1",
    input: "Where?",
    context: "Passage 1:\nOslo\nOslo is a city.\n\nPassage 2:\nBergen\nBergen is another.\nIt rains.\n",
    answers: ["Oslo"],
    dataset: "hotpotqa"
  }
  it("the passages of a record are its corpus, and an answer is judged by 32 tokens", () => {
    const { passages, questions } = Either.getOrThrow(LongBench.parse("l.jsonl", lines(row)))
    expect(passages).toEqual([
      { id: "r1/1", title: "Oslo", text: "Oslo is a city." },
      { id: "r1/2", title: "Bergen", text: "Bergen is another.\nIt rains." }
    ])
    expect(questions[0]).toMatchObject({ within: ["r1/1", "r1/2"], answerTokens: 32, type: "hotpotqa" })
  })
  it("one long text is one document, judged by 128 tokens where it is a paper", () => {
    const { passages, questions } = Either.getOrThrow(
      LongBench.parse("l.jsonl", lines({ ...row, context: "A paper.\nIt ends.", dataset: "qasper" }))
    )
    expect(passages).toEqual([{ id: "r1/1", title: "", text: "A paper.\nIt ends." }])
    expect(questions[0]).toMatchObject({ answerTokens: 128, absent: "Unanswerable" })
  })
})

describe("C29 DocVQA", () => {
  const row = { id: "d1", image: "a.png", question: "Which?", answers: ["X"], dataset: "sroie", text: "TOTAL X" }
  it("a page is a document, asked alone; a page without text is left out", () => {
    const { leftOut, passages, questions } = Either.getOrThrow(
      DocVqa.parse("d.jsonl", lines(row, { ...row, id: "d2" }, { ...row, id: "d3", image: "b.png", text: " " }))
    )
    expect(passages).toEqual([{ id: "a.png", title: "", text: "TOTAL X" }])
    expect(questions.map(({ id, within }) => [id, within])).toEqual([
      ["d1", ["a.png"]],
      ["d2", ["a.png"]]
    ])
    expect(leftOut).toEqual(["d3"])
  })
})

describe("C29 which kind a record is of", () => {
  it("each is one of its own kind and none of the others", () => {
    const own = { id: "1", question: "Who?", answers: ["Ada"], gold: ["a.md"] }
    for (const isLine of [Qasper.isLine, LongBench.isLine, DocVqa.isLine]) expect(isLine(own)).toBe(false)
    expect([Qasper.isLine(asked), LongBench.isLine(asked), DocVqa.isLine(asked)]).toEqual([true, false, false])
  })
})

describe.runIf(dataFolder !== undefined)("C29 the sets as they are", () => {
  const text = (file: string) => readFileSync(dataPath(file), "utf8")
  it("every question of QASPER finds its paper and its evidence", () => {
    const { files, questions } = Either.getOrThrow(
      Qasper.parse(
        { file: "qasper.jsonl", text: text("qasper.jsonl") },
        { file: "qasper.papers.jsonl", text: text("qasper.papers.jsonl") }
      )
    )
    expect([files.length, questions.length]).toEqual([481, text("qasper.jsonl").trim().split("\n").length])
    expect(questions.filter(({ evidence }) => (evidence?.length ?? 0) > 0).length).toBeGreaterThan(800)
  })
  it("LongBench's format and DocVQA's", () => {
    for (const set of ["hotpotqa", "2wikimqa", "musique", "qasper"])
      expect(Either.isRight(LongBench.parse(set, text(`longbench-format/${set}.jsonl`)))).toBe(true)
    expect(Either.isRight(DocVqa.parse("docvqa", text("docvqa.jsonl")))).toBe(true)
  })
})
