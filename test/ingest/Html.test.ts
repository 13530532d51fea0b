/** HTML: what is taken and what is left, and that lines are the source's lines. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck, Option } from "effect"
import { lineAt, lineBreaks } from "../../src/domain/Corpus.ts"
import { DocumentId } from "../../src/domain/Ids.ts"
import { passages } from "../../src/domain/Passages.ts"
import * as DocumentParserLocal from "../../src/layers/ingest/DocumentParserLocal.ts"
import { html } from "../../src/layers/ingest/Html.ts"
import { ask } from "../../src/programs/Ask.ts"
import { forget } from "../../src/programs/Forget.ts"
import { verify } from "../../src/programs/Verify.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { DocumentParser } from "../../src/services/DocumentParser.ts"
import { folder, index, kinds, portrait, scope, write } from "../support/Living.ts"

const said = (source: string) => {
  const { blocks, text } = html(source)
  return blocks.map(({ end, kind, start }) => [kind, text.slice(start, end)])
}
const plain = (source: string) => said(source).map(([, text]) => text)

const page = `<!DOCTYPE html>
<html>
<head>
  <title>The Clock &mdash; A Site</title>
  <style>p { color: red }</style>
</head>
<body>
  <nav><ul><li><a href="/">Home</a></li></ul></nav>
  <main>
    <h1>The Town <em>Clock</em></h1>
    <p>It was made by
       Orrin&nbsp;Hale &amp; sons in <b>1911</b>.
    </p>
    <script>
      if (1 < 2) document.write("<p>no</p>")
    </script>
    <h2>Keepers</h2>
    <table>
      <tr><th>Name</th><th>Since</th></tr>
      <tr><td>Dora Finch</td><td>1999</td></tr>
    </table>
    <!-- a comment
         of two lines -->
    <pre><code>wind(clock)
  twice()</code></pre>
    <ul><li>One</li><li>Two</li></ul>
  </main>
  <footer>Imprint</footer>
</body>
</html>
`

describe("HTML", () => {
  it("main content, headings, tables, code; entities decoded, scripts and styles dropped", () => {
    expect(said(page)).toEqual([
      ["heading", "The Town Clock"],
      ["paragraph", "It was made by\nOrrin\u00a0Hale & sons in 1911."],
      ["heading", "Keepers"],
      ["table", "Name | Since"],
      ["table", "Dora Finch | 1999"],
      ["code", "wind(clock)\n  twice()"],
      ["paragraph", "One"],
      ["paragraph", "Two"]
    ])
    const { blocks, title } = html(page)
    expect(title).toBe("The Town Clock")
    expect(blocks.map(({ headings }) => headings.join("/"))).toEqual(["", "", ...Array(6).fill("Keepers")])
  })

  it("a line of the text is that line of the source", () => {
    const { blocks, text } = html(page)
    const lines = page.split("\n")
    expect(text.split("\n").length).toBe(lines.length)
    for (const [word, block] of [
      ["The Town", 0],
      ["It was", 1],
      ["Keepers", 2],
      ["Dora", 4],
      ["wind(", 5],
      ["<li>One", 6]
    ] as const)
      expect(lines[lineAt(text, blocks[block]?.start ?? 0) - 1]).toContain(word)
    for (const { line, text: cut } of passages(text, blocks))
      expect(lines[line - 1]).toContain(cut.split(/[\n|]/)[0]?.split(" ").at(-1))
  })

  it("takes all where there is no main part, but for ways to elsewhere", () => {
    expect(plain("<nav>No</nav><header>No</header><h1>Yes</h1><div>And<aside>No</aside> this")).toEqual([
      "Yes",
      "And",
      "this"
    ])
    expect(plain("<div>No</div><article><header><h1>Yes</h1></header></article><p>No")).toEqual(["Yes"])
    expect(plain("<p>No<div id=c ROLE='main'><div>Yes</div> this</div><p>No")).toEqual(["Yes", "this"])
    expect(plain("<nav>All there is</nav>")).toEqual(["All there is"])
    expect(plain('<p class="is hidden here">Yes<p hidden>No</p><p aria-hidden=true>No</p>')).toEqual(["Yes"])
  })

  it("is tolerant: unclosed, misnested, odd tags and references", () => {
    expect(plain("<p>a<b>b<p>c</b>d")).toEqual(["ab", "cd"])
    expect(plain("1 < 2 & 3 > 2 &amp &nosuch; &#x41;&#66;&#128;&#0; &Eacute;")).toEqual([
      "1 < 2 & 3 > 2 &amp &nosuch; AB\u20ac\ufffd \u00c9"
    ])
    expect(plain("<ul><li>a<li>b</ul>c<br>d<img alt='an image' src=x>e")).toEqual(["a", "b", "c d an image e"])
    expect(plain("<p title='a > b'>x</p><p title=\"never closed>y</p>")).toEqual(["x", "y"])
    expect(plain("<title>T</title><script>x = '</p>'</script><style>y</style>z<!-- never closed")).toEqual(["z"])
    expect(html("<title>A\n title</title><p>x").title).toBe("A title")
    expect(html("<p>x").title).toBe(undefined)
    expect(plain("a<b\n>b</b> c")).toEqual(["ab\nc"])
    expect(plain("")).toEqual([])
  })

  it("any text: lines kept, blocks in order, nothing outside of them, and never a throw", () => {
    const part = FastCheck.oneof(
      FastCheck.constantFrom(
        ..."<p> </p> <main> </main> <nav> </nav> <pre> </pre> <table> <tr> <td> <h1> </h1> <script> </script> <!-- --> < > & &amp; &#10; <br> <img\u00a0alt='\n'> \" ' /".split(
          " "
        ),
        "\n",
        "\r\n",
        "\r",
        " ",
        "word"
      ),
      FastCheck.string({ unit: "binary", maxLength: 8 })
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(part, { maxLength: 40 }), (parts) => {
        const source = parts.join("")
        const { blocks, text } = html(source)
        expect(lineBreaks(text, 0, text.length)).toBe(lineBreaks(source, 0, source.length))
        let last = 0
        let rest = ""
        for (const { end, start } of blocks) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          rest += text.slice(last, start)
          last = end
        }
        expect(`${rest}${text.slice(last)}`.trim()).toBe("")
        passages(text, blocks)
      }),
      { numRuns: 2000, seed: 5 }
    )
  })

  it("takes time in proportion to what it reads", () => {
    const time = (source: string) => {
      const from = performance.now()
      html(source)
      return performance.now() - from
    }
    const shapes = [
      "<div>",
      "<p>word ",
      "<",
      "<a b='",
      '<a b="x>',
      "<!-- ",
      "&amp;",
      "<td>x",
      "<nav>",
      "x<br>",
      "<title>"
    ]
    for (const shape of shapes) {
      time(shape.repeat(5_000))
      const small = Math.min(time(shape.repeat(5_000)), time(shape.repeat(5_000)))
      const large = Math.min(time(shape.repeat(20_000)), time(shape.repeat(20_000)))
      expect(large, shape).toBeLessThan(10 * small + 50)
    }
  })
})

describe.each(kinds)("HTML indexed, %s", (_, layer) => {
  it.effect("is asked, cited by its line, verified, changed and forgotten", () =>
    Effect.gen(function* () {
      const root = write(folder(), { "clock.html": page, "b.md": "# B\n\nSomething else.\n" })
      yield* index(root)
      const answer = yield* ask("Who made the Town Clock?", { scope })
      const document = Option.getOrThrow(yield* (yield* CorpusStore).document(scope, DocumentId.make("clock.html")))
      expect(document).toMatchObject({ format: "html", title: "The Town Clock" })
      for (const item of [...answer.evidence, ...answer.citations].filter((one) => one.document === document.id)) {
        expect(document.text.slice(item.start, item.end)).toBe(item.text)
        const first = item.text.split(/[\n&]/)[0]?.trim().split(" ").at(-1) ?? ""
        expect(page.split("\n")[item.line - 1]).toContain(first)
      }
      expect(answer.evidence.length).toBeGreaterThan(0)
      expect((yield* verify({ scope })).findings).toEqual([])
      const before = yield* portrait
      // another structure, the same text
      write(root, { "clock.html": page.replace("<h2>Keepers</h2>", "<p>Keepers</p>") })
      expect((yield* index(root)).documents).toMatchObject({ changed: 1 })
      expect((yield* portrait).passages).not.toEqual(before.passages)
      write(root, { "clock.html": page })
      yield* index(root)
      expect(yield* portrait).toEqual(before)
      yield* forget({ scope, paths: ["clock.html"] })
      expect((yield* portrait).documents.length).toBe(1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("the parser of files", () => {
  it.effect("knows pages by their extension, and skips those that say nothing", () =>
    Effect.gen(function* () {
      const parser = yield* DocumentParser
      expect(["a.html", "A.HTM", "b.xhtml"].map(parser.formatOf)).toEqual(["html", "html", "html"])
      const [parsed] = (yield* parser.parse("x/a.html", "html", "<p>One")).documents
      expect(parsed).toMatchObject({ id: "x/a.html", title: "a", format: "html", text: "One" })
      expect(yield* Effect.flip(parser.parse("e.html", "html", "<script>x</script>"))).toMatchObject({
        reason: "holds no text"
      })
    }).pipe(Effect.provide(DocumentParserLocal.layer))
  )
})
