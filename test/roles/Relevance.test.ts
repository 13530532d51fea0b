/** C12: what g credits, term by term; and the names that a plan holds (C11). */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { SlotName } from "../../src/domain/Ids.ts"
import type { Plan } from "../../src/domain/Plan.ts"
import { namesIn } from "../../src/domain/Planning.ts"
import { analyse } from "../../src/domain/Question.ts"
import { constants, g, prepare, scorer } from "../../src/domain/Relevance.ts"
import { fold } from "../../src/domain/Words.ts"

const plan = (changes: Partial<Plan> = {}): Plan => ({
  type: "Generic",
  entities: [],
  slots: [],
  objective: "apples",
  hypotheses: [{ from: null, weight: 1, query: "apple", terms: [{ term: fold("apple"), weight: 1 }], best: 2 }],
  known: [],
  missing: [],
  frontier: [],
  held: [],
  visited: [],
  ...changes
})
const of = (value: Plan, text: string): number => g("apples?", value, text)
const visit = { node: "E:x", abstraction: "" } as Plan["visited"][number]
const missing = (...names: ReadonlyArray<string>) => names.map((name) => SlotName.make(name))

describe("C12 g credits a title that the question names", () => {
  const text = "Ada Winter\nkeeps an orchard"

  it("by 1.2/n, one of n names; a mention in the text earns nothing of it", () => {
    for (const others of [[], ["Parser"], ["Parser", "Orchard House"]]) {
      const gain = of(plan({ entities: ["Ada Winter", ...others] }), text) - of(plan({ entities: [...others] }), text)
      expect(gain).toBeCloseTo(constants.title / (1 + others.length), 12)
    }
    expect(of(plan({ entities: ["Orchard"] }), text)).toBe(0)
  })

  it("with its disambiguation in brackets where the name has one, without where it has none", () => {
    const films = ["Seven Women (1944 film)\na film", "Seven Women (1953 film)\na film"]
    const earned = (name: string) => films.map((film) => of(plan({ entities: [name] }), film))
    expect(earned("Seven Women (1944 Film)")).toEqual([constants.title, 0])
    expect(earned("Seven Women")).toEqual([constants.title, constants.title])
  })

  it("once evidence has been committed, only while the name is missing", () => {
    const names = { entities: ["Ada Winter", "Parser"], visited: [visit] }
    expect(of(plan({ ...names, missing: missing("Parser") }), text)).toBe(0)
    expect(of(plan({ ...names, missing: missing("Winter") }), text)).toBeCloseTo(constants.title / 2, 12)
    expect(of(plan({ ...names, missing: missing("???") }), text)).toBe(0)
  })

  it("an empty title or name is nobody's", () => {
    expect(of(plan({ entities: ["???", "..."] }), "\n\nno title")).toBe(0)
  })

  it("one plan's scorer gives what g gives, whatever it has scored before", () => {
    const word = FastCheck.constantFrom("apple", "Ada", "Winter", "orchard", "Parser", "\n", "(1944", "film)", "")
    const texts = FastCheck.array(word, { maxLength: 12 }).map((words) => words.join(" "))
    const plans = FastCheck.record({
      entities: FastCheck.uniqueArray(FastCheck.constantFrom("Ada Winter", "Parser", "Ada"), { maxLength: 3 }),
      missing: FastCheck.subarray(["Ada", "Parser"]).map((names) => missing(...names)),
      frontier: FastCheck.array(
        FastCheck.record({ name: word.map((name) => `${name} Winter`), weight: FastCheck.constantFrom(0.1, 0.5, 1) }),
        { maxLength: 4 }
      ),
      visited: FastCheck.constantFrom([], [visit])
    }).map(plan)
    FastCheck.assert(
      FastCheck.property(plans, FastCheck.array(texts, { maxLength: 6 }), (value, many) => {
        const score = scorer(value)
        for (const text of [...many, ...many]) {
          expect(score(prepare(text))).toBe(of(value, text))
          expect(of(value, text)).toBeGreaterThanOrEqual(0)
        }
      })
    )
  })
})

describe("C11 the names that a plan holds", () => {
  const names = (question: string, ...titles: ReadonlyArray<string>) => namesIn(analyse(question), titles)

  it("are the longest titles that stand in the question, then the names in none of them", () => {
    expect(
      names(
        "When was John Of Ibelin, The Old Lord Of Beirut's father, of Acre, born?",
        "John of Ibelin (jurist)",
        "John of Ibelin, the Old Lord of Beirut"
      )
    ).toEqual(["John of Ibelin, the Old Lord of Beirut", "Acre"])
  })

  it("keep a disambiguation that the question has, and no other", () => {
    const films = ["Seven Women (1953 film)", "Seven Women (1944 film)"]
    expect(names("Where did the director of film Seven Women (1944 Film) die?", ...films)[0]).toBe(
      "Seven Women (1944 film)"
    )
    expect(names("Who directed Seven Women?", ...films)).toEqual(["Seven Women"])
  })

  it("leave out a title that is only words of the question", () => {
    expect(names("What is the place of birth of Ada Winter?", "Place of birth")).toEqual(["Ada Winter"])
  })

  it("without titles are the question's own", () => {
    const question = "Do King Baggot and James L. Robinson have the same nationality?"
    expect(names(question)).toEqual(analyse(question).entities.map(({ text }) => text))
  })
})
