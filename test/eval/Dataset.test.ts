/** Datasets: what is read, and how what cannot be trusted is told, by file and line. */

import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { choose, type Dataset, missingGold, parse } from "../../src/domain/Dataset.ts"
import { dataFolder, dataPath } from "../support/Data.ts"

const lines = (...records: ReadonlyArray<unknown>): string =>
  records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n")
const read = (...records: ReadonlyArray<unknown>): Dataset => Either.getOrThrow(parse("q.jsonl", lines(...records)))
const faults = (...records: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  Either.match(parse("q.jsonl", lines(...records)), {
    onLeft: (error) => error.faults.map(({ place, reason }) => `${place}: ${reason}`),
    onRight: () => []
  })
const own = { id: "1", question: "Who?", answers: ["Ada"], gold: ["a.md"] }
const passage = (id: string, supporting: boolean) => ({ id, title: `T ${id}`, text: `text of ${id}`, supporting })

describe("C29 questions that are read", () => {
  it("users' own", () => {
    const { passages, questions } = read(own, "", { ...own, id: "2", gold: undefined, type: "who", hops: 2, note: 1 })
    expect(questions).toMatchObject([
      { id: "1", line: 1, question: "Who?", answers: ["Ada"], gold: ["a.md"], type: null, hops: null },
      { id: "2", line: 3, gold: [], type: "who", hops: 2 }
    ])
    expect(passages).toEqual([])
  })
  it("records with passages: the supporting ones are gold, all together are the corpus", () => {
    const { passages, questions } = read(
      { ...own, gold: undefined, passages: [passage("p", true), passage("q", false)] },
      { ...own, id: "2", gold: undefined, passages: [passage("q", true), passage("p", true)] }
    )
    expect(questions.map(({ gold }) => gold)).toEqual([["p"], ["q", "p"]])
    expect(passages.map(({ id }) => id)).toEqual(["p", "q"])
    expect(questions[1]?.steps).toEqual([
      { query: "T q", document: "q" },
      { query: "T p", document: "p" }
    ])
  })
  it("a decomposition with the answers of earlier steps filled in", () => {
    const { questions } = read({
      ...own,
      gold: undefined,
      passages: [passage("p", true), passage("q", true)],
      decomposition: [
        { question: "Van Hook >> county", answer: "Mountrail", passageId: "p" },
        { question: "#1 >> capital, not #7", answer: "Stanley", passageId: "q" }
      ]
    })
    expect(questions[0]?.steps).toEqual([
      { query: "Van Hook county", document: "p" },
      { query: "Mountrail capital, not #7", document: "q" }
    ])
  })
  it("incomplete gold is left out and named; the lines keep their numbers", () => {
    const { leftOut, questions } = read(own, { ...own, id: "2", support: "partial" }, { ...own, id: "3" })
    expect(leftOut).toEqual(["2"])
    expect(questions.map(({ line }) => line)).toEqual([1, 3])
    expect(choose(questions, "odd", undefined).map(({ id }) => id)).toEqual(["1", "3"])
    expect(choose(questions, "even", undefined)).toEqual([])
    expect(choose(questions, "all", 1).map(({ id }) => id)).toEqual(["1"])
  })
})

describe("C29 datasets that are refused", () => {
  it("names the line of everything that is wrong", () => {
    const told = faults(own, "{ no json", { ...own, id: "2", question: " " }, own, { id: "5", question: "Why?" })
    expect(told).toHaveLength(4)
    expect(told[0]).toMatch(/^q\.jsonl:2: is no JSON/)
    expect(told[1]).toMatch(/^q\.jsonl:3: question: .*empty/)
    expect(told[2]).toBe("q.jsonl:4: repeats the id 1 of line 1")
    expect(told[3]).toBe("q.jsonl:5: has neither answers nor gold documents")
  })
  it("a passage that says two things", () => {
    const other = { ...passage("p", true), text: "another" }
    expect(faults({ ...own, passages: [passage("p", true)] }, { ...own, id: "2", passages: [other] })).toEqual([
      "q.jsonl:2: passage p has another title or text than where it stood before"
    ])
  })
  it("nothing at all", () => {
    expect(faults("", "")).toEqual(["q.jsonl: holds no question"])
  })
  it("gold that the corpus lacks", () => {
    const { questions } = read(own, { ...own, id: "2", gold: ["b.md", "c.md"] })
    const error = missingGold("q.jsonl", questions, (document) => document === "a.md")
    expect(error?.message).toBe("q.jsonl:2: the corpus lacks b.md, c.md, gold of question 2")
    expect(missingGold("q.jsonl", questions, () => true)).toBeUndefined()
  })
  it("a message of many faults is cut", () => {
    const told = parse("q.jsonl", lines(...Array.from({ length: 30 }, () => "x")))
    expect(Either.isLeft(told) ? told.left.message.split("\n") : []).toHaveLength(11)
  })
})

describe.runIf(dataFolder !== undefined)("C29 the public sets", () => {
  const sizes = { hotpotqa: 312, "2wikimultihopqa": 401, "2wikimultihopqa-hipporag": 567, musique: 177 }
  for (const [set, size] of Object.entries(sizes)) {
    it(`${set} has ${size} questions with gold`, () => {
      const { questions } = Either.getOrThrow(parse(set, readFileSync(dataPath(`${set}.jsonl`), "utf8")))
      expect(questions).toHaveLength(size)
      expect(
        questions.every(({ answers, gold, steps }) => gold.length > 0 && answers.length > 0 && steps.length > 0)
      ).toBe(true)
    })
  }
})
