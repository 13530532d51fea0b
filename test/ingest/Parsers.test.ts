import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Block, Format } from "../../src/domain/Corpus.ts"
import * as DocumentParserLocal from "../../src/layers/ingest/DocumentParserLocal.ts"
import { markdown } from "../../src/layers/ingest/Markdown.ts"
import { paragraphs } from "../../src/layers/ingest/Text.ts"
import { DocumentParser } from "../../src/services/DocumentParser.ts"
import { cpuMs } from "../support/Cpu.ts"

const parse = (path: string, format: Format, text: string) =>
  Effect.flatMap(DocumentParser, (parser) => parser.parse(path, format, text)).pipe(
    Effect.provide(DocumentParserLocal.layer)
  )
const shown = (text: string, blocks: ReadonlyArray<Block>) =>
  blocks.map(({ end, headings, kind, start }) => [kind, text.slice(start, end), ...headings])

describe("Markdown blocks", () => {
  const blocksOf = (text: string) => shown(text, markdown(text).blocks)

  it("carry offsets through lists, quotations, code, tables and HTML, with CRLF", () => {
    const text = [
      "# Title",
      "",
      "- one",
      "  - two",
      "",
      "    still two",
      "",
      "> quote",
      "> more",
      "",
      "```js",
      "const x = 1",
      "```",
      "",
      "Before it:",
      "| a | b |",
      "|---|:-:|",
      "| 1 | 2 |",
      "",
      "<div>",
      "html",
      "</div>",
      "",
      "    indented code",
      "",
      "Setext",
      "---",
      "[ref]: https://example.org",
      "last"
    ].join("\r\n")
    expect(blocksOf(text)).toEqual([
      ["heading", "# Title"],
      ["paragraph", "- one"],
      ["paragraph", "- two"],
      ["paragraph", "still two"],
      ["paragraph", "> quote\r\n> more"],
      ["code", "```js\r\nconst x = 1\r\n```"],
      ["paragraph", "Before it:"],
      ["table", "| a | b |\r\n|---|:-:|\r\n| 1 | 2 |"],
      ["paragraph", "<div>\r\nhtml\r\n</div>"],
      ["code", "    indented code"],
      ["heading", "Setext\r\n---", "Setext"],
      ["paragraph", "[ref]: https://example.org", "Setext"],
      ["paragraph", "last", "Setext"]
    ])
  })

  it("have the heading path below the title, in words", () => {
    const text = "# The *Title*\n\n## [Part](x.md) `one`\n\n#### Deep\n\na\n\n## Two #\n\nb\n\n# Other\n\nc\n"
    expect(markdown(text).title).toBe("The Title")
    expect(
      markdown(text)
        .blocks.filter(({ kind }) => kind === "paragraph")
        .map(({ headings }) => headings)
    ).toEqual([["Part one", "Deep"], ["Two"], ["Other"]])
  })

  it("take a title from front matter, and keep the matter as text", () => {
    const text = '---\ntitle: "A: Title"\ntags: [x]\n---\n# A: Title\n\nbody\n'
    expect(markdown(text).title).toBe("A: Title")
    expect(blocksOf(text)).toEqual([
      ["code", '---\ntitle: "A: Title"\ntags: [x]\n---'],
      ["heading", "# A: Title"],
      ["paragraph", "body"]
    ])
    expect(markdown("---\ntitle: [a]\n---\n# H\n").title).toBe("H")
    expect(blocksOf("---\nno end\n\n# H\n")).toEqual([
      ["paragraph", "no end"],
      ["heading", "# H"]
    ])
  })

  it("keep offsets where the text begins with byte order marks of its own", () => {
    const text = "\ufeff# A\n\nb"
    for (const { end, start } of markdown(text).blocks) expect(text.slice(start, end)).toMatch(/^(# A|b)$/)
  })

  it("of a large file are those of its parts, also where a fence stays open for long", () => {
    const part = "## Head\n\nA paragraph.\n\n- item\n\n> quote\n\n"
    const fence = `\`\`\`\n${"# no heading\n\ncode\n\n".repeat(20_000)}\`\`\`\n\n`
    const text = `# T\n\n${part.repeat(4000)}${fence}${part.repeat(4000)}`
    const kinds = markdown(text).blocks.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "heading")).toHaveLength(8001)
    expect(kinds.filter((kind) => kind === "code")).toHaveLength(1)
    expect(kinds).toHaveLength(1 + 8000 * 4 + 1)
  })

  it.each([
    ["emphasis", "*a_ ".repeat(40_000)],
    ["brackets", "[".repeat(100_000)],
    ["nested lists", `${"- ".repeat(20_000)}x`],
    ["nested quotations", `${"> ".repeat(50_000)}x`],
    ["nested numbers", `${"1. ".repeat(20_000)}x`],
    ["one long line", "word ".repeat(200_000)],
    ["a heading of a megabyte", `# ${"x *y* ".repeat(200_000)}`],
    ["backticks", "`".repeat(100_000)],
    ["angle brackets", "<a ".repeat(50_000)]
  ])("of a pathological text (%s) come within seconds, and nothing is lost", (_, text) => {
    let blocks: ReadonlyArray<Block> = []
    expect(
      cpuMs(() => {
        blocks = markdown(text).blocks
      })
    ).toBeLessThan(6000)
    expect(blocks[0]?.start).toBe(0)
    expect(text.slice(blocks.at(-1)?.end).trim()).toBe("")
  })
})

describe("text blocks", () => {
  it("are paragraphs, whatever ends the lines", () => {
    const text = "  one\nmore\r\n \t\r\ntwo\r\rthree\n"
    expect(shown(text, paragraphs(text))).toEqual([
      ["paragraph", "one\nmore"],
      ["paragraph", "two"],
      ["paragraph", "three"]
    ])
  })
})

describe("DocumentParserLocal", () => {
  it.effect("names a document by its first heading, else by its file", () =>
    Effect.gen(function* () {
      const title = (path: string, format: Format, text: string) =>
        Effect.map(parse(path, format, text), ({ documents }) => documents.map(({ id, title }) => [id, title]))
      expect(yield* title("a/b.md", "markdown", "text\n\n## Head\n")).toEqual([["a/b.md", "Head"]])
      expect(yield* title("a/b.c.md", "markdown", "text")).toEqual([["a/b.c.md", "b.c"]])
      expect(yield* title("a/Makefile", "text", "all:")).toEqual([["a/Makefile", "Makefile"]])
    })
  )

  it.effect("knows formats by extension, in any case", () =>
    Effect.gen(function* () {
      const { formatOf } = yield* DocumentParser
      expect(["a.md", "A.MD", "x/y.markdown", "b.mdx", "c.txt", "d.rst", "e.jsonl", "f.ndjson"].map(formatOf)).toEqual([
        "markdown",
        "markdown",
        "markdown",
        "markdown",
        "text",
        "text",
        "jsonl",
        "jsonl"
      ])
      expect(["md", ".md", "a.png", "a.md/b", "a"].map(formatOf)).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
        undefined
      ])
    }).pipe(Effect.provide(DocumentParserLocal.layer))
  )

  it.effect("refuses what holds no text", () =>
    Effect.gen(function* () {
      for (const [format, text] of [
        ["text", ""],
        ["markdown", " \r\n\t"],
        ["markdown", "---\n\n***\n"],
        ["jsonl", "\n\n"]
      ] as const) {
        expect((yield* Effect.flip(parse("x", format, text)))._tag).toBe("Unparseable")
      }
    })
  )

  it.effect("keeps the good records of JSON Lines and tells the bad ones by line", () =>
    Effect.gen(function* () {
      const lines = [
        '{"id":"a","title":"A","text":"One.\\r\\n\\r\\nTwo {x} \\u2028."}',
        "",
        "not json",
        '{"id":"b","text":"no title"}',
        '{"id":"a","text":"again"}',
        '{"text":"x"}',
        '{"id":"c"}',
        '{"id":7,"text":"x"}',
        '{"id":"d","text":["x"]}',
        '{"id":"e","text":"x","title":3}',
        "[1]",
        "null",
        '{"id":"f","text":"  "}',
        `{"id":"${"g".repeat(1025)}","text":"x"}`,
        '{"id":"h","title":null,"text":"last"}'
      ]
      const { documents, skipped } = yield* parse("d.jsonl", "jsonl", lines.join("\r\n"))
      expect(documents.map(({ id, text, title }) => [id, title, text])).toEqual([
        ["a", "A", "One.\r\n\r\nTwo {x} \u2028."],
        ["b", "b", "no title"],
        ["h", "h", "last"]
      ])
      expect(documents[0]?.blocks.map(({ end, start }) => [start, end])).toEqual([
        [0, 4],
        [8, 18]
      ])
      expect(skipped.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
        expect.stringMatching(/^d\.jsonl:3 is no JSON \(/),
        "d.jsonl:5 repeats the id a of line 1",
        'd.jsonl:6 has no "id"',
        'd.jsonl:7 has no "text"',
        'd.jsonl:8 "id" is no string with something in it',
        'd.jsonl:9 "text" is no string',
        'd.jsonl:10 "title" is no string',
        "d.jsonl:11 is no JSON object",
        "d.jsonl:12 is no JSON object",
        "d.jsonl:13 document f has no text",
        'd.jsonl:14 "id" is longer than 1024 characters'
      ])
    })
  )
})

describe("a large file", () => {
  it.live("lets others have their turn while it is parsed: Ctrl-C is not deaf", () =>
    Effect.gen(function* () {
      const text = Array.from(
        { length: 4000 },
        (_, i) => `## Part ${i}\n\nThe bridge of Town ${i} stands, *and* is old.\n`
      ).join("\n")
      const other = Effect.as(Effect.sleep("1 millis"), "other")
      expect(yield* Effect.raceFirst(Effect.as(parse("a.md", "markdown", text), "parsed"), other)).toBe("other")
      const { documents } = yield* parse("a.md", "markdown", text)
      expect(documents[0]?.blocks).toEqual(markdown(text).blocks)
    })
  )
})
