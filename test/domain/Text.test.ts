/** Words, sentences and entities: offsets are the text's own, nothing is lost, and the time is linear. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { entities, entityKey } from "../../src/domain/Entities.ts"
import { sentences } from "../../src/domain/Sentences.ts"
import { contentTerms, fold, isStopWord, terms, words } from "../../src/domain/Words.ts"
import { world } from "../support/Worlds.ts"

/** Any text at all, and the awkward documents of the worlds. */
const texts: FastCheck.Arbitrary<string> = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme" }),
  FastCheck.string({ unit: "binary", maxLength: 200 }),
  FastCheck.array(
    FastCheck.constantFrom(
      ...'The Ada Lovelace\'s "big" St. Dr. no. 3.5 1999 \u00dcber \u6771\u4eac\u3002 \u0e01\u0e23\u0e38\u0e07 \u30fc\u0301 x. Y! \n \r\n\r\n . ... \ud83d \ude00'.split(
        " "
      ),
      " ",
      "\n\n"
    ),
    { maxLength: 40 }
  ).map((parts) => parts.join(" ")),
  FastCheck.integer({ min: 0, max: 300 }).map((seed) =>
    world(seed)
      .documents.map(({ text }) => text)
      .join("\n\n")
  )
)
const runs = { numRuns: 1_500, seed: 81 }

describe("words", () => {
  it("stand where they say, in order, and are letters and digits", () => {
    let met = 0
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        let last = 0
        for (const { end, start, term } of words(text)) {
          met++
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          expect(term).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
          last = start
        }
      }),
      runs
    )
    expect(met).toBeGreaterThan(5_000)
  })

  it("are the fold of what stands there, whatever was read before", () => {
    let met = 0
    // more different words than are kept, in two orders
    const many = Array.from({ length: 100_000 }, (_, n) => `w${(n * 7919).toString(36)}s`)
    for (const text of [many.join(" "), [...many].reverse().join(" ")]) {
      for (const { end, start, term } of words(text)) if (term !== fold(text.slice(start, end))) met++
    }
    expect(met).toBe(0)
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        for (const { end, start, term } of words(text)) {
          const piece = text.slice(start, end)
          if (!/^[\p{Script=Latin}\p{N}'\u2019]+$/u.test(piece)) continue
          met++
          expect(term).toBe(fold(piece))
        }
      }),
      runs
    )
    expect(met).toBeGreaterThan(2_000)
  })

  it("cover every letter and digit", () => {
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        const covered = new Uint8Array(text.length)
        for (const { end, start } of words(text)) covered.fill(1, start, end)
        // what decomposes into marks or signs alone has no folded form
        for (const match of text.matchAll(/[\p{L}\p{N}]/gu))
          if (covered[match.index] === 0) expect(match[0].normalize("NFKD")).not.toMatch(/[\p{L}\p{N}]/u)
      }),
      runs
    )
  })

  it("fold alike whatever the case, the accents and the composition", () => {
    for (const [a, b] of [
      ["Caf\u00e9", "cafe"],
      ["CAFE\u0301", "cafe"],
      ["parsers", "parser"],
      ["running", "run"],
      ["studies", "study"],
      ["\uff21\uff42", "ab"],
      ["\u0130stanbul", "istanbul"],
      ["Lovelace's", "lovelace"],
      ["Lovelace\u2019s", "lovelace"]
    ] as const)
      expect(fold(a), a).toBe(fold(b))
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        expect(terms(text.normalize("NFC"))).toEqual(terms(text.normalize("NFC").normalize("NFD").normalize("NFC")))
      }),
      { numRuns: 300, seed: 82 }
    )
  })

  it("scripts without spaces give overlapping pairs, so that a word of two characters is found", () => {
    expect(terms("\u6771\u4eac\u90fd")).toEqual(["\u6771\u4eac", "\u4eac\u90fd"])
    expect(terms("\u{20000}\u6f22\u5b57")).toEqual(["\u{20000}\u6f22", "\u6f22\u5b57"])
    expect(terms("\u6771")).toEqual(["\u6771"])
    expect(terms("in\u6771\u4eac")).toEqual(["in", "\u6771\u4eac"])
  })

  it("content terms are distinct and carry meaning, where any does", () => {
    expect(contentTerms("who is the maintainer of the parser")).not.toContain("the")
    expect(contentTerms("who is it")).not.toEqual([])
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        const kept = contentTerms(text)
        const all = terms(text)
        expect(new Set(kept).size).toBe(kept.length)
        expect(kept.every((term) => all.includes(term))).toBe(true)
        expect(kept.length === 0).toBe(all.length === 0)
        if (!all.every(isStopWord)) expect(kept.some(isStopWord)).toBe(false)
      }),
      runs
    )
  })
})

describe("sentences", () => {
  it("cover every character that is no white space exactly once, in order, without white space around them", () => {
    FastCheck.assert(
      FastCheck.property(texts, FastCheck.nat({ max: 30 }), FastCheck.nat({ max: 30 }), (text, skip, drop) => {
        const from = Math.min(skip, text.length)
        const to = Math.max(from, text.length - drop)
        let last = from
        for (const { end, start } of sentences(text, from, to)) {
          expect(text.slice(last, start).trim()).toBe("")
          expect(end).toBeGreaterThan(start)
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim())
          last = end
        }
        expect(last).toBeLessThanOrEqual(to)
        expect(text.slice(last, to).trim()).toBe("")
      }),
      runs
    )
  })

  it.each([
    ["One. Two.", ["One.", "Two."]],
    ["Dr. Smith came at 3.5 p.m. on Monday. He left.", ["Dr. Smith came at 3.5 p.m. on Monday.", "He left."]],
    ["J. S. Bach wrote it! Did he? Yes.", ["J. S. Bach wrote it!", "Did he?", "Yes."]],
    ["a heading\n\na paragraph", ["a heading", "a paragraph"]],
    ["a dos line\r\n\r\nanother", ["a dos line", "another"]],
    ["\u6771\u4eac\u3002\u5927\u962a\u3002", ["\u6771\u4eac\u3002", "\u5927\u962a\u3002"]],
    ['It was 1.5.2 and e.g. this. "Quoted." Then', ["It was 1.5.2 and e.g. this.", '"Quoted."', "Then"]],
    ["", []],
    [" \r\n\t ", []]
  ] as const)("%j", (text, wanted) => {
    expect(sentences(text).map(({ end, start }) => text.slice(start, end))).toEqual(wanted)
  })
})

describe("entities", () => {
  it("stand where they say, in order, once, under a key that two mentions share", () => {
    let met = 0
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        let last = 0
        for (const { end, key, start, text: said } of entities(text)) {
          met++
          expect(text.slice(start, end)).toBe(said)
          expect(start).toBeGreaterThanOrEqual(last)
          expect(key).toBe(entityKey(said))
          expect(key.length).toBeGreaterThan(1)
          last = end
        }
      }),
      runs
    )
    expect(met).toBeGreaterThan(1_000)
  })

  it.each([
    ["the parser was written by Ada Lovelace before that.", ["Ada Lovelace"]],
    ['a film called "the long way" was shot in Paris', ["the long way", "Paris"]],
    ["he read \u300c\u6771\u4eac\u7269\u8a9e\u300d", ["\u6771\u4eac\u7269\u8a9e"]],
    ["the University of New South Wales", ["University of New South Wales"]]
  ] as const)("%j", (text, wanted) => {
    const found = entities(text).map((entity) => entity.text)
    for (const name of wanted) expect(found).toContain(name)
  })

  it("the disambiguation of a title is no part of its key", () => {
    expect(entityKey("Mercury (planet)")).toBe(entityKey("mercury"))
    expect(entityKey("(planet)")).toBe(entityKey("planet"))
  })
})

describe("linear time", () => {
  const megabyte = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length))
  const long: ReadonlyArray<readonly [string, string]> = [
    ["names", megabyte("Ada Lovelace met Alan Turing of Dunmore. ")],
    ["blank lines and no full stop", megabyte("word\n\n")],
    ["digits", megabyte("1")],
    ["capitals", megabyte("A")],
    ["initials", megabyte("A.")],
    ["hyphens in a word", `${"A".repeat(10)}${megabyte("-")}b`],
    ["full stops in a row", `A${megabyte(".")}b`],
    ["white space between two names", `A${" ".repeat(20_000)}B. `.repeat(20)],
    ["quotation marks", megabyte('"')],
    ["quoted words", megabyte('"ab" ')],
    ["a script without spaces", megabyte("\u6771\u4eac")],
    ["marks", `a${megabyte("\u0301")}`],
    ["blank lines", megabyte("\n \t")],
    ["stop words with capitals", megabyte("The ")]
  ]
  it.each(long)(
    "a megabyte of %s",
    (_, text) => {
      const started = performance.now()
      words(text)
      sentences(text)
      entities(text)
      // a quadratic scan takes minutes; the bound leaves room for a loaded machine
      expect(performance.now() - started).toBeLessThan(10_000)
    },
    30_000
  )
})
