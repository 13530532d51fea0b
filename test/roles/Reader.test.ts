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

/** Invented articles. */
const articles: Readonly<Record<string, string>> = {
  "The Amber Mill (film)":
    "The Amber Mill is a 1961 Danish drama film directed by Orla Vest and starring Ida Holm. The score was composed by Signe Brandt.",
  "Grey Harbour":
    "Grey Harbour is a 1974 Norwegian thriller film, written by Lars Moe and directed by Kari Lund and Per Aas.",
  "Orla Vest":
    "Orla Vest (3 May 1912 – 9 October 1988) was a Danish film director. He was born in Skagen and died in Aarhus. His wife was the actress Ida Holm.",
  "Kari Lund": "Kari Lund (born 14 June 1931 in Bergen) is a Norwegian film director.",
  "Signe Brandt": "Signe Brandt (1899–1971) was a Danish composer. She was the daughter of Niels Brandt and Elsa Koch.",
  "Niels Brandt":
    "Niels Brandt (1860–1930) was a German-born merchant. He was the son of Otto Brandt and his wife Marie.",
  "Otto Brandt": "Otto Brandt (1831–1899) was a ship owner.",
  "Blue Anvil": "Blue Anvil is an American rock band from Ohio. It was founded in 1998 by the singer Mark Tell.",
  "Stone Choir": "Stone Choir are an American rock band. The band was formed in 2004.",
  "Amberg Institute": "The Amberg Institute is a research institute. It was established in 1907. It has 340 employees."
}
const held = (...titles: ReadonlyArray<string>): Evidence =>
  titles.map((title, i) => ({
    passage: PassageId.make(`p-${title}`),
    document: DocumentId.make(`d-${title}`),
    title,
    start: 0,
    end: articles[title]?.length ?? 0,
    line: 1,
    text: articles[title] ?? "",
    score: 1 - i / 10,
    cycle: 1
  }))
const every = held(...Object.keys(articles))

describe("C21 what a question asks by way of something else", () => {
  it.each([
    ["Where was the director of film The Amber Mill born?", "Skagen"],
    ["Where did the director of film The Amber Mill die?", "Aarhus"],
    ["When did the director of The Amber Mill die?", "9 October 1988"],
    ["In which year did the director of The Amber Mill die?", "1988"],
    ["What nationality is the composer of film The Amber Mill?", "Danish"],
    ["Who is the spouse of the director of film The Amber Mill?", "Ida Holm"],
    ["Who is the father of the composer of film The Amber Mill?", "Niels Brandt"],
    ["Who is the mother of Signe Brandt?", "Elsa Koch"],
    ["Who is Signe Brandt's paternal grandfather?", "Otto Brandt"],
    ["When was Orla Vest born?", "3 May 1912"],
    ["When was the Amberg Institute founded?", "1907"],
    ["How many employees does the Amberg Institute have?", "340"],
    ["Which American rock band was founded by Mark Tell?", "Blue Anvil"]
  ])("%s \u2192 %s", (question, answer) => {
    const { citations, text } = read(question, every)
    expect(text?.split("\n")[0]).toBe(answer)
    expect(supportedCitations({ text, citations }, every).unsupported).toEqual([])
  })

  it("each step has its quotation, the last first", () => {
    const { citations } = read("Where was the director of film The Amber Mill born?", every)
    expect(citations.map(({ document }) => document)).toEqual(["d-Orla Vest", "d-The Amber Mill (film)"])
  })

  it("a step that nothing states leads nowhere", () => {
    expect(read("Where was the producer of film Grey Harbour born?", held("Grey Harbour")).text).not.toBe("Bergen")
  })
})

describe("C21 two things side by side", () => {
  it.each([
    ["Which film came out first, Grey Harbour or The Amber Mill?", "The Amber Mill"],
    ["Which film has the director who was born later, The Amber Mill or Grey Harbour?", "Grey Harbour"],
    ["Which film has more directors, The Amber Mill or Grey Harbour?", "Grey Harbour"],
    ["Who was born first out of Orla Vest and Kari Lund?", "Orla Vest"],
    ["Which band was formed first, Stone Choir or Blue Anvil?", "Blue Anvil"],
    ["Who was a composer, Kari Lund or Signe Brandt?", "Signe Brandt"],
    ["Are Blue Anvil and Stone Choir from the same country?", "Yes"],
    ["Do the directors of The Amber Mill and Grey Harbour share the same nationality?", "No"],
    ["Were Orla Vest and Kari Lund both film directors?", "Yes"],
    ["Are both Blue Anvil and Orla Vest bands?", "No"],
    ["What are Blue Anvil and Stone Choir both?", "American rock band"]
  ])("%s \u2192 %s", (question, answer) => expect(read(question, every).text?.split("\n")[0]).toBe(answer))

  it("what tells two things apart is a sentence about both", () => {
    const text =
      "Iron wire is cheap. Copper wire bends. Unlike iron wire, copper wire does not rust. Both are drawn through a die."
    const [item] = held("Grey Harbour")
    const given = item === undefined ? [] : [{ ...item, title: "Wire", text, end: text.length }]
    expect(read("What is the difference between iron wire and copper wire?", given).citations[0]?.text).toBe(
      "Unlike iron wire, copper wire does not rust."
    )
  })

  it("a sentence that denies it is no yes", () => {
    const text = "Slate roofs last long. Slate does not absorb water."
    const [item] = held("Grey Harbour")
    const given = item === undefined ? [] : [{ ...item, title: "Slate", text, end: text.length }]
    expect(read("Does Slate absorb water?", given).text?.split("\n")[0]).toBe("No")
  })
})

describe("pain 26 names that the evidence does not hold", () => {
  it.each([
    "Where was the director of The Silver Ladder born?",
    "Who founded the Oslo Chess Circle?",
    "Which film came out first, The Silver Ladder or Paper Moon Over Rome?"
  ])("%s", (question) => expect(read(question, every)).toEqual({ text: null, citations: [] }))
})

describe("C21 prose names no person and counts nothing by chance", () => {
  const [item] = held("Grey Harbour")
  const prose = (text: string): Evidence =>
    item === undefined ? [] : [{ ...item, title: "Functions", text, end: text.length }]
  it.each([
    ["a heading is nobody", "Who can call a function?", "# Functions\n\nAnyone can call a function from a module."],
    [
      "the number of a listing counts nothing",
      "How many owners has a value?",
      "As Listing 15 shows, a value has one owner."
    ],
    [
      "how often is told by a sentence",
      "How often is the index rebuilt?",
      "The index is rebuilt every three hours or so."
    ]
  ])("%s", (_, question, text) => {
    const reading = read(question, prose(text))
    expect(reading.citations).toHaveLength(1)
    expect(reading.text).toBe(`"${reading.citations[0]?.text}" [1]`)
  })
  it("where a value is asked for, a number", () => {
    const text = "The retry limit can be set. The default value of the retry limit is 25 attempts."
    expect(read("What is the default value of the retry limit?", prose(text)).text?.startsWith("25")).toBe(true)
  })
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
