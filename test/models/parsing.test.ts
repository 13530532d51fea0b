/** What models write where JSON was asked for: mended where one reading is left, else told to the model; a fixture each. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck, Schema } from "effect"
import { follow } from "../../src/domain/JsonText.ts"
import { locate } from "../../src/domain/Quotation.ts"
import { parsed } from "../../src/layers/model/Parsing.ts"

const folder = fileURLToPath(new URL("../fixtures/answers/", import.meta.url))
const fixture = (name: string): string => readFileSync(`${folder}${name}.txt`, "utf8")

const Wanted = Schema.Struct({
  slot: Schema.String.pipe(Schema.maxLength(40)),
  count: Schema.Int,
  quote: Schema.String
})
const value = { slot: "birthplace", count: 2, quote: "born in London" }

const table: { readonly [name: string]: typeof value | RegExp } = {
  plain: value,
  fenced: value,
  preamble: value,
  trailing: value,
  "single-quotes": value,
  "smart-quotes": value,
  "trailing-comma": value,
  "bare-keys-and-comment": value,
  "wrapped-json": value,
  "wrapped-twice": value,
  string: value,
  thinking: value,
  "twice-the-same": value,
  "another-language": value,
  "fields-of-others": value,
  "raw-line-break": { ...value, quote: "born\nin London" },
  "two-different": /2 different JSON objects/,
  "cut-in-a-string": /never closed/,
  "cut-before-the-end": /never closed/,
  apostrophe: /how to mend it is not plain/,
  "beyond-mending": /how to mend it is not plain/,
  prose: /no JSON object/,
  empty: /no JSON object/,
  "web-page": /no JSON object/,
  "wrong-type": /Expected an integer|Expected Int|Expected number/
}

describe("answers that are not plain JSON", () => {
  it("has a row for every fixture", () => {
    expect(
      readdirSync(folder)
        .map((name) => name.replace(/\.txt$/, ""))
        .sort()
    ).toEqual(Object.keys(table).sort())
  })

  it.each(Object.entries(table))("%s", (name, expected) => {
    const found = parsed(fixture(name), Wanted)
    if (expected instanceof RegExp) {
      expect(Either.isLeft(found)).toBe(true)
      if (Either.isLeft(found)) expect(found.left).toMatch(expected)
    } else expect(found).toEqual(Either.right(expected))
  })

  it("any value survives any of the ways to dress it", () => {
    const words = FastCheck.string({ unit: "grapheme", maxLength: 30 })
    const ways: ReadonlyArray<(json: string) => string> = [
      (json) => json,
      (json) => `\ufeff \n${json}\n`,
      (json) => `\`\`\`json\n${json}\n\`\`\``,
      (json) => `Here you are: ${json} That's it.`,
      (json) => `{"json": ${json}}`,
      (json) => JSON.stringify(json),
      (json) => `${json}\n${json}`,
      (json) => `${json.slice(0, -1)},}`
    ]
    FastCheck.assert(
      FastCheck.property(
        FastCheck.record({ slot: words, count: FastCheck.integer(), quote: words }),
        FastCheck.constantFrom(...ways),
        (said, dress) => {
          expect(parsed(dress(JSON.stringify(said)), Wanted)).toEqual(Either.right(said))
        }
      ),
      { numRuns: 1000 }
    )
  })

  it("whatever is cut off is never taken for whole", () => {
    const json = JSON.stringify({ ...value, quote: 'a {brace}, a "quotation" and a \\' })
    for (let length = 0; length < json.length; length++)
      for (const around of ["", "```json\n", "Here: "])
        expect(Either.isLeft(parsed(`${around}${json.slice(0, length)}`, Wanted))).toBe(true)
  })

  it("is total on anything", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.oneof(FastCheck.string({ unit: FastCheck.constantFrom(..."{}[]\"':,\\ a1\n`") }), FastCheck.json()),
        (text) => {
          parsed(text, Wanted)
        }
      ),
      { numRuns: 2000 }
    )
  })

  it("ten megabytes of anything end in words", () => {
    const size = 10_000_000
    for (const text of [
      "x".repeat(size),
      "{".repeat(size),
      "[".repeat(900_000),
      `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`,
      `{${'"a":"b" '.repeat(100_000)}}`,
      `${"{'a': 1}".repeat(100_000)}`,
      `{"slot": "${"'\\\"".repeat(300_000)}`
    ]) {
      expect(Either.isLeft(parsed(text, Wanted))).toBe(true)
    }
  })

  it("what is told to the model is short", () => {
    const found = parsed(`{"slot": "${"x".repeat(100_000)}", "count": 1, "quote": ""}`, Wanted)
    expect(Either.isLeft(found) && found.left.length).toBeLessThanOrEqual(2000)
  })
})

describe("an answer as it is written", () => {
  const json = FastCheck.record({
    quote: FastCheck.string({ unit: "grapheme" }),
    answer: FastCheck.string({ unit: "grapheme" }),
    more: FastCheck.string()
  })
  it("its parts add up to the field, wherever it is cut", () => {
    FastCheck.assert(
      FastCheck.property(
        json,
        FastCheck.boolean(),
        FastCheck.array(FastCheck.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        (said, isAscii, lengths) => {
          const plain = JSON.stringify({ ...said, quote: `"answer": "no" ${said.quote}` }, undefined, isAscii ? 1 : 0)
          const text = isAscii
            ? plain.replace(/[^\x20-\x7e\n]/gu, (character) =>
                character
                  .split("")
                  .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
                  .join("")
              )
            : plain
          const answer = follow("answer")
          let found = ""
          for (let at = 0, i = 0; at < text.length; i++) {
            const length = lengths[i % lengths.length] ?? 1
            found += answer(text.slice(at, at + length))
            at += length
          }
          expect(found).toBe(said.answer)
        }
      ),
      { numRuns: 1000 }
    )
  })
  it("what has no such field gives nothing", () => {
    const answer = follow("answer")
    expect(["no JSON at all", '"answers": "x"', '{"answer": null}'].map(answer)).toEqual(["", "", ""])
  })
})

describe("where a text says what is quoted", () => {
  it("every slice of a text is found, where it first stands", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.string({
          unit: FastCheck.constantFrom(..."ab \n\u201c\u2019-\u00e9\u{1f600}", "\u{1f600}"),
          minLength: 1
        }),
        FastCheck.nat(),
        FastCheck.nat(),
        (text, a, b) => {
          const [start, end] = [a % text.length, b % (text.length + 1)].sort((x, y) => x - y)
          const quotation = text.slice(start, end)
          if (quotation.trim() === "") return
          const found = locate(text, quotation)
          expect(found).toBeDefined()
          expect(found?.start).toBe(text.indexOf(quotation))
          expect(text.slice(found?.start, found?.end)).toBe(quotation)
        }
      ),
      { numRuns: 1000 }
    )
  })
  const text = "It was \u201cAda\u2019s\nengine\u201d \u2014  as  Babbage said. It was Ada's."
  it.each([
    ['"Ada\'s engine"', "\u201cAda\u2019s\nengine\u201d"],
    ['"Babbage said"', "Babbage said"],
    ['it was "ada\'s engine" - as babbage said', "It was \u201cAda\u2019s\nengine\u201d \u2014  as  Babbage said"],
    ["...Babbage said...", "Babbage said"],
    ["Ada's", "Ada's"]
  ])("%s", (quotation, said) => {
    const found = locate(text, quotation)
    expect(text.slice(found?.start, found?.end)).toBe(said)
  })
  it.each(["", " ", '""', "...", "Ada said", "Babbage says"])("not %j", (quotation) => {
    expect(locate(text, quotation)).toBeUndefined()
  })
})
