import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { supportedCitations } from "../../src/domain/Answer.ts"
import type { Evidence } from "../../src/domain/Evidence.ts"
import { DocumentId, PassageId } from "../../src/domain/Ids.ts"
import { read } from "../../src/layers/roles/embedded/ReaderExtractive.ts"
import { library } from "../support/Shelf.ts"

const evidence = (...titles: ReadonlyArray<string>): Evidence =>
  titles.flatMap((title, i) => {
    const book = library.find((one) => one.title === title)
    return book === undefined
      ? []
      : [
          {
            passage: PassageId.make(`p-${title}`),
            document: DocumentId.make(`d-${title}`),
            title,
            start: 40,
            end: 40 + book.text.length,
            line: 3,
            text: book.text,
            score: 1 - i / 10,
            cycle: 1
          }
        ]
  })
const everything = evidence(...library.map((book) => book.title))
/** The first line of an answer: its short form. */
const short = (question: string, given: Evidence) => read(question, given).text?.split("\n")[0]

describe("C21 the reader answers from the evidence", () => {
  const answers: ReadonlyArray<readonly [string, Evidence, string]> = [
    [
      "Which film was released first, Aas Ka Panchhi or Phoolwari?",
      evidence("Aas Ka Panchhi", "Phoolwari"),
      "Phoolwari"
    ],
    [
      "Which film was released later, Aas Ka Panchhi or Phoolwari?",
      evidence("Aas Ka Panchhi", "Phoolwari"),
      "Aas Ka Panchhi"
    ],
    ["Who was born first, Neil Peart or Jeff Porcaro?", evidence("Neil Peart", "Jeff Porcaro"), "Neil Peart"],
    ["Are Neil Peart and Jeff Porcaro of the same nationality?", evidence("Neil Peart", "Jeff Porcaro"), "No"],
    [
      "Were Neil Peart and Jeff Porcaro both inducted into the Modern Drummer Hall of Fame?",
      evidence("Neil Peart", "Jeff Porcaro"),
      "Yes"
    ],
    ["When was Neil Peart born?", evidence("Neil Peart"), "September 12, 1952"],
    ["Where was the director of film Aas Ka Panchhi born?", evidence("Aas Ka Panchhi", "Mohan Kumar"), "Sialkot"],
    ["Who directed Phoolwari?", evidence("Phoolwari"), "Chaturbhuj Doshi"]
  ]
  for (const [question, given, answer] of answers)
    it(`${question} → ${answer}`, () => expect(short(question, given)).toBe(answer))

  it("how something is done is answered by the sentences that say it", () => {
    const { citations, text } = read("How do I retry a failed call with an exponential schedule?", everything)
    expect(text).toContain("[1]")
    expect(citations[0]?.text).toContain("exponential schedule")
  })

  it("a Japanese question on Japanese text", () => {
    const { citations, text } = read(
      "\u6771\u4eac\u306e\u4eba\u53e3\u306f\u4f55\u4eba\u3067\u3059\u304b\uff1f",
      evidence("\u4eac\u90fd", "\u6771\u4eac")
    )
    expect(text).toContain("\u5343\u56db\u767e\u4e07\u4eba")
    expect(citations[0]?.document).toBe("d-\u6771\u4eac")
  })

  it("a citation's line is that of the quotation", () => {
    const [citation] = read("What must be safe to repeat when it is retried?", evidence("Retrying")).citations
    expect(citation).toMatchObject({ text: "What is retried must be safe to repeat.", line: 5 })
  })
})

describe("pain 26 what the evidence does not say is not answered", () => {
  for (const question of [
    "What is the capital of France?",
    "How many moons does Jupiter have?",
    "what colour do flamingos turn",
    "???",
    "\u5bcc\u58eb\u5c71\u306e\u9ad8\u3055\u306f\uff1f"
  ])
    it(question, () => expect(read(question, everything)).toEqual({ text: null, citations: [] }))
  it("no evidence", () => expect(read("Who directed Phoolwari?", [])).toEqual({ text: null, citations: [] }))
})

describe("a text in Markdown", () => {
  const page = (text: string): Evidence => evidence("Phoolwari").map((item) => ({ ...item, title: "Ownership", text }))
  const told = "Ownership is a set of rules that govern how a program manages memory."
  it.each([
    ["a list of links", "- [What is ownership?](a.md)\n  - [More about ownership](b.md)"],
    ["a heading", "## What is ownership?"],
    ["an included listing", "```rust\n{{#include ../what-is-ownership/main.rs}}\n```"],
    ["a comment", "<!-- what is ownership: ownership again -->"],
    ["a link's definition", "[ownership]: what-is-ownership.html"]
  ])("%s is no answer where something is said", (_, pointer) => {
    expect(read("What is ownership?", page(`${pointer}\n\n${told}`)).citations.map(({ text }) => text)).toEqual([told])
  })
  it("silence about one thing is no denial", () => {
    const silent = page("# Ownership\n\nOwnership has three rules.")
    expect(read("Is Ownership garbage collected?", silent).text).toBeNull()
  })
})

describe("pain 32 a document that gives orders is quoted, never obeyed", () => {
  it("the verdict of a text is its text", () => {
    const { citations, text } = read("What does a template hold in braces?", everything)
    expect(text).toContain("A template holds names in braces")
    expect(text?.startsWith("moon")).toBe(false)
    expect(citations).toHaveLength(1)
  })
})

describe("L3 citations are slices of the evidence", () => {
  it("whatever is asked of whatever is held", () => {
    const words = library.flatMap((book) => `${book.title} ${book.text}`.split(/(?<=\s)/u))
    const questions = FastCheck.tuple(
      FastCheck.constantFrom(
        "Who ",
        "Where ",
        "When was ",
        "How many ",
        "What is ",
        "Is ",
        "Which came first, ",
        "How do ",
        ""
      ),
      FastCheck.array(FastCheck.constantFrom(...words, " or ", " and "), { minLength: 1, maxLength: 9 })
    ).map(([start, rest]) => `${start}${rest.join("")}?`)
    let answered = 0
    FastCheck.assert(
      FastCheck.property(questions, FastCheck.subarray([...everything], { minLength: 1 }), (question, given) => {
        const reading = read(question, given)
        if (reading.text === null) return reading.citations.length === 0
        answered++
        const quotes = reading.citations.map(({ marker, text }) => `"${text}" [${marker}]`)
        const first = reading.text.split("\n")[0] ?? ""
        return (
          reading.citations.length > 0 &&
          supportedCitations(reading, given).unsupported.length === 0 &&
          quotes.every((quote) => reading.text?.includes(quote)) &&
          (reading.text === quotes.join("\n") ||
            ["Yes", "No"].includes(first) ||
            question.includes(first) ||
            given.some((item) => item.text.includes(first) || item.title.includes(first)))
        )
      }),
      { numRuns: 1500, seed: 11 }
    )
    expect(answered).toBeGreaterThan(200)
  })
})
