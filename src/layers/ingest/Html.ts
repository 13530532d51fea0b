/**
 * HTML to text and blocks: the main content, without tags, scripts, styles and what leads elsewhere.
 *
 *     source   <main>⏎<h1>Title</h1>⏎<p>One &amp; two.</p>⏎</main>
 *     text     ⏎Title⏎One & two.⏎
 *
 * Every line break of the source is a line break of the text, and there is no other: so a line of the text is that line of the source, with
 * no map to keep. Blocks that share a line of the source are parted by a space. Tolerant: whatever is not closed ends with the file.
 */
import type { Block } from "../../domain/Corpus.ts"
import { type Piece, pieces } from "./HtmlPieces.ts"
import { decodeReferences } from "./HtmlReferences.ts"

export interface ParsedHtml {
  /** The first heading of level 1, else what `<title>` says. */
  readonly title: string | undefined
  readonly text: string
  readonly blocks: ReadonlyArray<Block>
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))
/** Their content is no text of the page. */
const silent = set(
  "script style noscript template svg math iframe object canvas audio video select textarea title button dialog"
)
/** Ways to elsewhere, unless they are part of the main content. */
const around = set("nav aside footer menu")
const aroundRoles = set("navigation search banner contentinfo complementary")
const apart = set(
  "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody tfoot thead tr ul"
)
const heading = /^h[1-6]$/

const lineEnds = /\r\n?|\n/g
const countLines = (source: string): number =>
  source.includes("\n") || source.includes("\r") ? (source.match(lineEnds)?.length ?? 0) : 0

interface Open {
  readonly start: number
  readonly kind: Block["kind"]
  readonly level: number
}

/** Text as it grows, with its blocks. Kept in parts: a long text that is looked at while it grows costs the square of its length. */
class Writer {
  readonly blocks: Array<Omit<Block, "headings"> & { readonly level: number }> = []
  private readonly parts: Array<string> = []
  private length = 0
  private last = " "
  /** Of the open block. */
  private said: Array<string> = []
  /** Line breaks of the source inside a word, that are made up for at the next white space. */
  private owed = 0
  private open: Open | undefined
  private next: Omit<Open, "start"> = { kind: "paragraph", level: 0 }

  text(): string {
    return this.parts.join("")
  }
  private put(text: string): void {
    if (text === "") return
    this.parts.push(text)
    if (this.open !== undefined) this.said.push(text)
    this.length += text.length
    this.last = text.slice(-1)
  }
  private settle(): void {
    this.put("\n".repeat(this.owed))
    this.owed = 0
  }
  private endsInSpace(): boolean {
    return /\s/.test(this.last)
  }
  /** Ends the block that is open; what follows is of this kind. */
  part(kind: Block["kind"], level = 0): void {
    if (this.open !== undefined) {
      const { start, ...rest } = this.open
      const end = start + this.said.join("").trimEnd().length
      if (end > start) this.blocks.push({ start, end, ...rest })
    }
    this.open = undefined
    this.said = []
    this.next = { kind, level }
    this.settle()
  }
  lines(count: number): void {
    this.owed += count
    if (this.open === undefined) this.settle()
  }
  space(): void {
    if (this.owed > 0) this.settle()
    else if (this.open !== undefined && !this.endsInSpace()) this.put(" ")
  }
  private begin(): void {
    if (this.open !== undefined) return
    if (!this.endsInSpace()) this.put(" ")
    this.open = { start: this.length, ...this.next }
  }
  /** A cell of the row that is open. */
  cell(): void {
    if (this.open?.kind !== "table") return
    this.settle()
    this.put(this.endsInSpace() ? "| " : " | ")
  }
  words(source: string): void {
    for (const run of source.match(/[ \t\r\n\f]+|[^ \t\r\n\f]+/g) ?? []) {
      if (/^[ \t\r\n\f]/.test(run)) {
        this.lines(countLines(run))
        this.space()
      } else {
        this.begin()
        this.put(decodeReferences(run))
      }
    }
  }
  verbatim(source: string): void {
    for (const line of source.split(/(\r\n?|\n)/)) {
      if (/^[\r\n]/.test(line)) {
        this.owed++
        this.settle()
      } else if (line.trim() !== "") {
        this.begin()
        this.put(decodeReferences(line))
      } else if (this.open !== undefined) this.put(line)
    }
  }
}

/** Where the main content stands: in `main`, or else in articles; everywhere where there are neither. */
const mainOf = (all: ReadonlyArray<Piece>): ((piece: Piece) => boolean) | undefined => {
  const starts = all.filter((piece) => piece.kind === "start")
  if (starts.some(({ name, role }) => name === "main" || role === "main"))
    return ({ name, role }) => name === "main" || role === "main"
  return starts.some(({ name }) => name === "article") ? ({ name }) => name === "article" : undefined
}

/** Walks the pieces; `isMain` opens the gate, where there is one, and `skips` closes it. */
const write = (
  all: ReadonlyArray<Piece>,
  source: string,
  isMain: ((piece: Piece) => boolean) | undefined,
  skips: (piece: Piece) => boolean
): Writer => {
  const writer = new Writer()
  /** The element that decides, and how many of its name are open. */
  let main: { readonly name: string; depth: number } | undefined
  let skipped: { readonly name: string; depth: number } | undefined
  let preformatted = 0
  for (const piece of all) {
    const { kind, name } = piece
    const raw = source.slice(piece.start, piece.end)
    const isSeen = skipped === undefined && (isMain === undefined || main !== undefined)
    if (kind === "text" && isSeen) {
      if (preformatted > 0) writer.verbatim(raw)
      else writer.words(raw)
      continue
    }
    const gone = countLines(raw)
    if (kind === "start") {
      if (skipped?.name === name && !piece.isVoid) skipped.depth++
      else if (skipped === undefined && !piece.isVoid && skips(piece)) skipped = { name, depth: 1 }
      if (main?.name === name) main.depth++
      else if (main === undefined && isMain?.(piece) === true) main = { name, depth: 1 }
    }
    if (isSeen && kind !== "other") {
      if (apart.has(name)) {
        if (name === "pre") preformatted = Math.max(0, preformatted + (kind === "start" ? 1 : -1))
        const level = kind === "start" && heading.test(name) ? Number(name.slice(1)) : 0
        const kindOf =
          level > 0 ? "heading" : preformatted > 0 ? "code" : name === "tr" && kind === "start" ? "table" : "paragraph"
        writer.part(kindOf, level)
      } else if (kind === "start" && (name === "td" || name === "th")) writer.cell()
      else if (kind === "start" && (name === "br" || name === "wbr")) writer.space()
      else if (kind === "start" && name === "img" && piece.alt !== "") {
        writer.space()
        writer.words(piece.alt.replace(/[\r\n]+/g, " "))
        writer.space()
      }
    }
    if (kind === "end") {
      if (skipped?.name === name && --skipped.depth === 0) skipped = undefined
      if (main?.name === name && --main.depth === 0) {
        main = undefined
        writer.part("paragraph")
      }
    }
    writer.lines(gone)
  }
  writer.part("paragraph")
  return writer
}

/** On one line, and without the invisible signs that pages hang their links on. */
const flat = (text: string): string =>
  text
    .replace(/[\u200b\ufeff]/g, "")
    .replace(/\s+/g, " ")
    .trim()

const titleOf = (all: ReadonlyArray<Piece>, source: string): string | undefined => {
  const at = all.findIndex((piece) => piece.kind === "start" && piece.name === "title")
  const text = all[at + 1]
  return at < 0 || text?.kind !== "text"
    ? undefined
    : flat(decodeReferences(source.slice(text.start, text.end))) || undefined
}

/** The text and the blocks of a page. Without a main content that says anything, all of it but scripts and styles. */
export const html = (source: string): ParsedHtml => {
  const all = pieces(source)
  const isSilent = ({ hidden, name }: Piece) => silent.has(name) || hidden
  const isMain = mainOf(all)
  const isAround = (piece: Piece) =>
    isSilent(piece) ||
    around.has(piece.name) ||
    aroundRoles.has(piece.role) ||
    (piece.name === "header" && isMain === undefined)
  const strict = write(all, source, isMain, isAround)
  const written = strict.blocks.length > 0 ? strict : write(all, source, undefined, isSilent)
  const { blocks } = written
  const text = written.text()

  let path: ReadonlyArray<{ readonly level: number; readonly text: string }> = []
  const first = blocks.find(({ level }) => level === 1)
  const title = (first && flat(text.slice(first.start, first.end))) || titleOf(all, source)
  let headings: ReadonlyArray<string> = []
  return {
    title,
    text,
    blocks: blocks.map(({ end, kind, level, start }): Block => {
      if (level > 0) {
        path = [...path.filter((above) => above.level < level), { level, text: flat(text.slice(start, end)) }]
        headings = path.map((above) => above.text)
        if (headings[0] === title) headings = headings.slice(1)
      }
      return { start, end, headings, kind }
    })
  }
}
