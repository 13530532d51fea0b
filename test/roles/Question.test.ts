import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import type { QuestionType } from "../../src/domain/Plan.ts"
import { analyse, cut, isAbout, longest } from "../../src/domain/Question.ts"

const types: ReadonlyArray<readonly [string, QuestionType]> = [
  ["Who is the mother of the director of film Polish-Russian War?", "Person"],
  ["Where was Ada Lovelace born?", "Place"],
  ["Which country is the director of Phoolwari from?", "Place"],
  ["When was the parser written?", "Date"],
  ["In what year did Sorensen die?", "Date"],
  ["How many seats does the hall have?", "Quantity"],
  ["How do I retry a failed call?", "Procedure"],
  ["What is a Layer?", "Definition"],
  ["What is the capital of France?", "Entity"],
  ["Are Karl Shapiro and Elie Wiesel both American writers?", "Boolean"],
  ["Which film was released first, Aas Ka Panchhi or Phoolwari?", "Comparison"],
  ["What is the difference between Layer.merge and Layer.provide?", "Comparison"],
  ["\u6771\u4eac\u306e\u4eba\u53e3\u306f\uff1f", "Generic"],
  ["parser notes", "Generic"],
  ["???", "Generic"]
]

describe("C11 what a question says of itself", () => {
  for (const [question, type] of types) it(`${question} → ${type}`, () => expect(analyse(question).type).toBe(type))

  it("names, without what says which of them, prepositions between them, or possessive endings", () => {
    const names = (question: string) => analyse(question).entities.map((entity) => entity.text)
    expect(names("Do King Baggot (Cinematographer) and James L. Robinson have the same nationality?")).toEqual([
      "King Baggot",
      "James L. Robinson"
    ])
    expect(names("Who played Lex Luthor in Superman IV?")).toEqual(["Lex Luthor", "Superman IV"])
    expect(names("Who was Sir Edward Acton, 3Rd Baronet?")).toEqual(["Sir Edward Acton", "3Rd Baronet"])
    expect(names("Where did Sylvia Burka's husband die?")).toEqual(["Sylvia Burka"])
    expect(names("What does Effect.gen return, and useState?")).toEqual(["Effect.gen", "useState"])
  })

  it("choices", () => {
    const choices = (question: string) => analyse(question).choices
    expect(choices("Which film was released first, Aas Ka Panchhi or Phoolwari?")).toEqual([
      "Aas Ka Panchhi",
      "Phoolwari"
    ])
    expect(choices("What is the difference between Layer.merge and Layer.provide?")).toEqual([
      "Layer.merge",
      "Layer.provide"
    ])
    expect(choices("Who wrote the parser?")).toEqual([])
    expect(choices("Which film came first, Felices 140 or Dr. Who And The Daleks?")).toEqual([
      "Felices 140",
      "Dr. Who And The Daleks"
    ])
    expect(choices("Who is older, Ada or E. T. Grey? Say it.")).toEqual(["Ada", "E. T. Grey"])
  })

  it("subjects are no nationalities", () => {
    const subjects = analyse("Are Freakonomics and In the Realm of the Hackers both American documentaries?").subjects
    expect(subjects.map((subject) => subject.text)).toEqual(["Freakonomics", "Realm of the Hackers"])
  })

  it("any text at all: offsets are true, nothing is parted", () => {
    const texts = FastCheck.oneof(
      FastCheck.string({ unit: "binary", maxLength: 200 }),
      FastCheck.string({ unit: "grapheme", maxLength: 200 }),
      FastCheck.array(
        FastCheck.constantFrom("Who ", "Ada ", " or ", "(", ")", "'s", "\u6771", "{x}", "$\u007b", "?", "A.b", "\ud83d")
      ).map((parts) => parts.join(""))
    )
    let named = 0
    FastCheck.assert(
      FastCheck.property(texts, FastCheck.nat(50), (text, limit) => {
        const question = analyse(text)
        if (question.entities.length > 0) named++
        const shorter = cut(text, limit)
        return (
          question.entities.every((entity) => question.text.slice(entity.start, entity.end) === entity.text) &&
          question.words.every((word) => word.start < word.end && word.end <= question.text.length) &&
          text.startsWith(shorter) &&
          shorter.length <= limit &&
          (question.choices.length === 0 || question.choices.length === 2)
        )
      }),
      { numRuns: 1500, seed: 3 }
    )
    expect(named).toBeGreaterThan(100)
  })

  it("a very long question is read up to a point, in little time", () => {
    const start = performance.now()
    const question = analyse(`Who wrote {the} Parser of "Ada Lovelace" in ${"{x} 'or' \"y\" Zed ".repeat(6000)}?`)
    expect(question.text.length).toBeLessThanOrEqual(longest)
    expect(question.entities.length).toBeLessThanOrEqual(24)
    expect(performance.now() - start).toBeLessThan(1000)
  })

  it("being about a name", () => {
    expect(isAbout("rush", "rush")).toBe(true)
    expect(isAbout("history of rush", "rush")).toBe(true)
    expect(isAbout("", "rush")).toBe(false)
    expect(isAbout("crush", "rush")).toBe(false)
  })
})
