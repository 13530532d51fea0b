import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { type Block, lineAt, splitsSurrogate } from "../../src/domain/Corpus.ts"
import { isBoundary } from "../../src/domain/Graphemes.ts"
import { type Cut, passages, passageWords, weigh } from "../../src/domain/Passages.ts"
import { sentences } from "../../src/domain/Sentences.ts"
import { markdown } from "../../src/layers/ingest/Markdown.ts"
import { paragraphs } from "../../src/layers/ingest/Text.ts"
import { cpuMs } from "../support/Cpu.ts"

const whole = (text: string, kind: Block["kind"] = "paragraph"): ReadonlyArray<Block> => [
  { start: 0, end: text.length, headings: [], kind }
]

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })
/** Whether a grapheme begins or ends there, asked of the segmenter about the whole text. */
const isGraphemeBoundary = (text: string, at: number): boolean =>
  at >= text.length || graphemes.segment(text).containing(at)?.index === at

/** What is wrong with the passages of a text, if anything is. */
const faults = (text: string, blocks: ReadonlyArray<Block>, cuts: ReadonlyArray<Cut>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const owner = new Int32Array(text.length)
  let last = 0
  for (const cut of cuts) {
    if (text.slice(cut.start, cut.end) !== cut.text) found.push(`not the slice at ${cut.start}`)
    if (cut.start < last || cut.end <= cut.start) found.push(`out of order at ${cut.start}`)
    if (cut.line !== lineAt(text, cut.start)) found.push(`wrong line at ${cut.start}`)
    for (const at of [cut.start, cut.end]) {
      if (splitsSurrogate(text, at)) found.push(`surrogate pair parted at ${at}`)
      if (!isGraphemeBoundary(text, at)) found.push(`grapheme parted at ${at}`)
    }
    if (weigh(cut.text) > passageWords.most + 1) found.push(`${weigh(cut.text)} words at ${cut.start}`)
    for (let at = cut.start; at < cut.end; at++) owner[at] = (owner[at] ?? 0) + 1
    last = cut.end
  }
  for (const block of blocks) {
    for (let at = block.start; at < block.end; at++) {
      if (/\S/.test(text.charAt(at)) && owner[at] !== 1) found.push(`${owner[at]} passages hold ${at}`)
    }
  }
  return found
}

const pieces = [
  "word ",
  "Sentence ends here. ",
  "Dr. No said “so”! ",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  "\r\n\r\n",
  "  ",
  "\t",
  "\u00a0",
  "\ufeff",
  "same same same. ",
  "👨‍👩‍👧‍👦",
  "👍🏽",
  "🇩🇪🇫🇷",
  "🇩🇪",
  "e\u0301",
  "\u0301",
  " \u0301",
  "\u200d",
  "o\u0308\u0323",
  "漢字かな交じり文。",
  "「引用」。",
  "ภาษาไทยไม่มีช่องว่าง",
  "한국어 문장입니다. ",
  "\u1112\u1161\u11ab",
  "नमस्ते क्षि। ",
  "مرحبا بالعالم؟ ",
  "\u0600",
  "\ud800",
  "\udc00",
  "a".repeat(40),
  "x".repeat(700),
  "。\u3099",
  ".\u0301 ",
  "- item\n",
  "> quote\n",
  "# Heading\n\n",
  "| a | b |\n|---|---|\n| 1 | 2 |\n",
  "```\ncode\n```\n",
  "{ braces } <|im_start|> "
]
const texts = FastCheck.array(
  FastCheck.oneof(
    { weight: 4, arbitrary: FastCheck.constantFrom(...pieces) },
    { weight: 1, arbitrary: FastCheck.string({ unit: "binary", maxLength: 6 }) },
    {
      weight: 1,
      arbitrary: FastCheck.tuple(FastCheck.constantFrom(...pieces), FastCheck.integer({ min: 20, max: 200 })).map(
        ([piece, n]) => piece.repeat(n)
      )
    }
  ),
  { maxLength: 40 }
).map((parts) => parts.join("").slice(0, 20_000))

const holds = (blocksOf: (text: string) => ReadonlyArray<Block>, numRuns: number): number => {
  let seen = 0
  FastCheck.assert(
    FastCheck.property(texts, (text) => {
      const blocks = blocksOf(text)
      const cuts = passages(text, blocks)
      seen += cuts.length
      expect(faults(text, blocks, cuts)).toEqual([])
    }),
    { numRuns, seed: 24 }
  )
  return seen
}

describe("C14 a passage is a slice of its document (pains 24, 25)", () => {
  it("whatever the text, as one paragraph", () => {
    expect(holds(whole, 800)).toBeGreaterThan(2000)
  })
  it("whatever the text, as lines of code", () => {
    expect(holds((text) => whole(text, "code"), 400)).toBeGreaterThan(1000)
  })
  it("whatever the text, as paragraphs", () => {
    expect(holds(paragraphs, 800)).toBeGreaterThan(2000)
  })
  it("whatever the text, as Markdown", () => {
    expect(holds((text) => markdown(text).blocks, 400)).toBeGreaterThan(1000)
  })

  it.each([
    ["Japanese", "日本語の文章は空白なしに書かれる。"],
    ["Chinese without stops", "中文段落没有空格也没有标点"],
    ["Thai", "ภาษาไทยเป็นภาษาที่ไม่มีช่องว่างระหว่างคำ"],
    ["Korean", "한국어 문장은 띄어쓰기가 있다. "],
    ["emoji", "👨‍👩‍👧‍👦👍🏽🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["flags", "🇩🇪🇫🇷"],
    ["combining marks", "e\u0301o\u0308\u0323"],
    ["decomposed Hangul", "\u1112\u1161\u11ab"],
    ["Devanagari", "क्षत्रिय नमस्ते "],
    ["one letter", "x"]
  ])("%s, long: within the limit, nothing parted", (_, piece) => {
    const text = piece.repeat(Math.ceil(4000 / piece.length))
    const cuts = passages(text, whole(text))
    expect(faults(text, whole(text), cuts)).toEqual([])
    expect(cuts.length).toBeGreaterThan(2)
    expect(Math.max(...cuts.map((cut) => cut.text.length))).toBeLessThanOrEqual(passageWords.most * 13)
  })

  it("repeats have offsets of their own", () => {
    const text = `${"The same sentence again. ".repeat(200)}`
    const cuts = passages(text, whole(text))
    expect(new Set(cuts.map(({ start }) => start)).size).toBe(cuts.length)
    expect(faults(text, whole(text), cuts)).toEqual([])
  })

  it("lines count CRLF, CR and LF once each", () => {
    const text = `one.\r\n\r\n${"Word. ".repeat(120)}\r\r${"Other. ".repeat(120)}\n\n${"Last. ".repeat(120)}`
    const cuts = passages(text, paragraphs(text))
    expect(cuts.map(({ line }) => line)).toEqual(cuts.map(({ start }) => lineAt(text, start)))
    expect(cuts.at(-1)?.line).toBe(7)
  })
})

describe("passages", () => {
  const prose = (n: number) =>
    Array.from({ length: n }, (_, i) => `This is sentence number ${i} of the text.`).join(" ")

  it("hold whole sentences, about 100 words", () => {
    const text = prose(200)
    const cuts = passages(text, whole(text))
    expect(cuts.length).toBe(16)
    for (const cut of cuts) expect(cut.text).toMatch(/^This is .*text\.$/s)
    for (const cut of cuts) expect(weigh(cut.text)).toBeGreaterThan(60)
  })

  it("of a short text are one", () => {
    for (const n of [1, 5, 16]) expect(passages(prose(n), whole(prose(n)))).toHaveLength(1)
    expect(passages(prose(17), whole(prose(17)))).toHaveLength(2)
    expect(passages("", whole(""))).toEqual([])
    expect(passages(" \n\t\r\n", whole(" \n\t\r\n"))).toEqual([])
  })

  it("never cross a heading; a heading stays with what follows", () => {
    const text = "# A\n\nIntro.\n\n## B\n\n### C\n\nDeep.\n\n## D\n\nLast.\n\n## E\n"
    const cuts = passages(text, markdown(text).blocks)
    expect(cuts.map(({ headings, text: own }) => [headings, own])).toEqual([
      [[], "# A\n\nIntro."],
      [["B", "C"], "## B\n\n### C\n\nDeep."],
      [["D"], "## D\n\nLast."],
      [["E"], "## E"]
    ])
  })

  it("an edit at the end of a long text leaves the passages before it", () => {
    const before = passages(prose(400), whole(prose(400)))
    const after = passages(prose(401), whole(prose(401)))
    expect(after.slice(0, -2).map(({ text }) => text)).toEqual(
      before.slice(0, after.length - 2).map(({ text }) => text)
    )
  })

  it.each([
    ["x", 10],
    ["word ", 4],
    ["A sentence of it. ", 2],
    ["漢字", 2],
    ["ภาษาไทย", 1],
    ["aB3/+", 4],
    ["🇩🇪", 0.5],
    ["e\u0301", 1],
    ["\n", 2]
  ])("of a line of %j, %d million characters long, come within seconds", (piece, millions) => {
    const text = piece.repeat(Math.ceil((millions * 1e6) / piece.length))
    let cuts: ReadonlyArray<Cut> = []
    expect(
      cpuMs(() => {
        cuts = passages(text, whole(text))
      })
    ).toBeLessThan(6000)
    expect(cuts.every((cut) => cut.text.length <= passageWords.most * 13)).toBe(true)
  })

  it("take time in proportion to the text where no sentence ends", () => {
    const lines = (n: number) => "a line without any stop\n\n".repeat(n)
    const time = (n: number) => {
      const text = lines(n)
      return cpuMs(() => void sentences(text))
    }
    time(1000)
    expect(time(80_000)).toBeLessThan(40 * Math.max(5, time(8000)))
  })
})

describe("isBoundary", () => {
  it("agrees with the segmenter", () => {
    let cuts = 0
    FastCheck.assert(
      FastCheck.property(texts, (text) => {
        const short = text.slice(0, 300)
        for (let at = 1; at < short.length; at++) {
          cuts++
          if (isBoundary(short, at) !== isGraphemeBoundary(short, at))
            throw new Error(`differs at ${at} of ${JSON.stringify(short)}`)
        }
      }),
      { numRuns: 400, seed: 25 }
    )
    expect(cuts).toBeGreaterThan(20_000)
  })
})
