/**
 * Markdown to blocks: leaf nodes of the syntax tree with their own offsets, under their heading path.
 *
 * Only the structure of blocks is parsed. Emphasis, links and the like are left in the text as they were written, which is nine times as
 * fast and has no slow cases; a heading's words alone are parsed in full. A large file is parsed in stretches that end where no block can be
 * open, so that memory is bounded by the stretch.
 */
import type { Code, Html, Nodes, Root } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import type { Block } from "../../domain/Corpus.ts"
import { paragraphs } from "./Text.ts"

const blocksOnly = {
  extensions: [
    {
      disable: {
        null: [
          "attention",
          "autolink",
          "characterEscape",
          "characterReference",
          "codeText",
          "hardBreakEscape",
          "htmlText",
          "labelEnd",
          "labelStartImage",
          "labelStartLink"
        ]
      }
    }
  ]
}

/** Code units parsed at once, if a place to stop can be found: the parser's time grows faster than the text that it is given. */
const stretchSize = 1 << 12

/** More nested quotations and lists than this on one line are no document, and cost the square of their number. */
const nested = /^(?:[ \t]{0,3}(?:[-*+>]|\d{1,9}[.)])){40}/m

/** A leaf of the tree before it has a heading path. */
interface Leaf {
  readonly start: number
  readonly end: number
  readonly kind: Block["kind"]
  /** Of a heading, from 1. */
  readonly depth: number
}

const plainText = (node: Nodes): string =>
  "value" in node
    ? node.value
    : "children" in node
      ? node.children.map(plainText).join("")
      : "alt" in node
        ? (node.alt ?? "")
        : ""

/** The words of a heading, without marks of emphasis, links and the like. */
const headingText = (source: string): string =>
  plainText(fromMarkdown(source.slice(0, 2000)))
    .replace(/\s+/g, " ")
    .trim()

/** The row of dashes below a table's head. */
const rule = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\r?$/

/** A paragraph that holds a table, parted where the table begins. */
const splitTable = (text: string, leaf: Leaf): ReadonlyArray<Leaf> => {
  const source = text.slice(leaf.start, leaf.end)
  if (!source.includes("|")) return [leaf]
  let head = 0
  let at = source.indexOf("\n") + 1
  while (at > 0) {
    const next = source.indexOf("\n", at) + 1
    const line = source.slice(at, next > 0 ? next - 1 : source.length)
    if (line.includes("|") && rule.test(line) && source.slice(head, at).includes("|")) {
      const table: Leaf = { ...leaf, start: leaf.start + head, kind: "table" }
      const before = source.slice(0, head).trimEnd()
      return before === "" ? [table] : [{ ...leaf, end: leaf.start + before.length }, table]
    }
    head = at
    at = next
  }
  return [leaf]
}

const leavesOf = (text: string, tree: Root, base: number): ReadonlyArray<Leaf> => {
  const leaves: Array<Leaf> = []
  const visit = (node: Nodes): void => {
    const start = base + (node.position?.start.offset ?? 0)
    const end = base + (node.position?.end.offset ?? 0)
    switch (node.type) {
      case "root":
      case "blockquote":
      case "list":
      case "listItem":
        for (const child of node.children) visit(child)
        break
      case "heading":
        leaves.push({ start, end, kind: "heading", depth: node.depth })
        break
      case "code":
        leaves.push({ start, end, kind: "code", depth: 0 })
        break
      case "paragraph":
        for (const leaf of splitTable(text, { start, end, kind: "paragraph", depth: 0 })) leaves.push(leaf)
        break
      case "html":
      case "definition":
        leaves.push({ start, end, kind: "paragraph", depth: 0 })
        break
    }
  }
  visit(tree)
  return leaves
}

const nextBreak = /\n[ \t]*\r?\n(?=[^\s])/g

/** Where the first stretch from `from` may end: after a blank line, before a line that is not indented. */
const stop = (text: string, from: number, size: number): number => {
  if (from + size >= text.length) return text.length
  nextBreak.lastIndex = from + size
  const match = nextBreak.exec(text)
  return match === null ? text.length : match.index + match[0].length
}

/** The last block of a stretch, where it is a fence or HTML that was never closed: it may go on in the next. */
const openAtEnd = (source: string, tree: Root): Code | Html | undefined => {
  const last = tree.children.at(-1)
  if (last?.type !== "code" && last?.type !== "html") return undefined
  return (last.position?.end.offset ?? 0) > source.trimEnd().length ? last : undefined
}

/** The end of the line that closes the fence which opens at `from`, or of the text. */
const fenceEnd = (text: string, from: number): number => {
  const marks = /^(`+|~+)/.exec(text.slice(from, from + 1000))?.[0] ?? "```"
  const close = new RegExp(`\\n {0,3}${marks.charAt(0)}{${marks.length},}[ \\t]*(?=\\r?\\n|\\r|$)`, "g")
  close.lastIndex = from
  const match = close.exec(text)
  return match === null ? text.length : match.index + match[0].length
}

function* parse(text: string, from: number): Generator<void, ReadonlyArray<Leaf>> {
  const leaves: Array<Leaf> = []
  const keep = (leaf: Leaf) => {
    leaves.push(leaf)
  }
  let size = stretchSize
  while (from < text.length) {
    let end = stop(text, from, size)
    const source = text.slice(from, end)
    if (nested.test(source)) {
      for (const { end: last, kind, start } of paragraphs(text, from, end)) keep({ start, end: last, kind, depth: 0 })
    } else {
      // the parser drops a byte order mark without counting it; here it is a character of the text
      const mark = /^\ufeff*/.exec(source)?.[0].length ?? 0
      const tree = fromMarkdown(source.slice(mark), blocksOnly)
      const open = end < text.length ? openAtEnd(source.slice(mark), tree) : undefined
      if (open?.type === "html") {
        size *= 2
        continue
      }
      const base = from + mark
      if (open !== undefined) tree.children.pop()
      leavesOf(text, tree, base).forEach(keep)
      if (open !== undefined) {
        const start = base + (open.position?.start.offset ?? 0)
        end = fenceEnd(text, start)
        keep({ start, end, kind: "code", depth: 0 })
      }
    }
    from = end
    size = stretchSize
    yield
  }
  return leaves
}

/** A leaf with the marker of the list or quotation before it on its line. */
const withMarker = (text: string, leaf: Leaf, previous: number): number => {
  let line = leaf.start
  while (line > previous && !/[\r\n]/.test(text.charAt(line - 1))) line--
  const prefix = text.slice(line, leaf.start)
  // code keeps its indentation, which the parser counts as its container's
  const lead = leaf.kind === "code" ? prefix.length : prefix.length - prefix.trimStart().length
  return prefix.trim() === "" && leaf.kind !== "code" ? leaf.start : line + (prefix.trim() === "" ? 0 : lead)
}

const frontMatter = /^---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/** The `title:` of front matter, where it is a plain or quoted scalar. */
const titleOf = (matter: string): string | undefined => {
  const value = /^title:[ \t]*(.*?)[ \t]*\r?$/m.exec(matter)?.[1] ?? ""
  const bare = /^"(.*)"$|^'(.*)'$/.exec(value)
  const title = (bare?.[1] ?? bare?.[2] ?? value).trim()
  return title === "" || /^[|>{[&*!]/.test(title) ? undefined : title
}

export interface Parsed {
  /** From front matter, else the first heading, if there is either. */
  readonly title: string | undefined
  readonly blocks: ReadonlyArray<Block>
}

/**
 * The blocks of a Markdown document; each heading path is given below the title. Stops after each stretch (some milliseconds), so that
 * whoever goes on with it may do something else before.
 */
export function* markdownInTurns(text: string): Generator<void, Parsed> {
  const matter = frontMatter.exec(text.slice(0, 1 << 16))?.[0] ?? ""
  let title = titleOf(matter)
  const blocks: Array<Block> = []
  if (matter !== "") blocks.push({ start: 0, end: matter.trimEnd().length, headings: [], kind: "code" })
  let path: ReadonlyArray<{ readonly depth: number; readonly text: string }> = []
  let headings: ReadonlyArray<string> = []
  let previous = matter.length
  for (const leaf of yield* parse(text, matter.length)) {
    const start = withMarker(text, leaf, previous)
    if (leaf.kind === "heading") {
      const words = headingText(text.slice(leaf.start, leaf.end))
      if (words !== "") {
        title ??= words
        path = [...path.filter(({ depth }) => depth < leaf.depth), { depth: leaf.depth, text: words }]
        headings = path.map((heading) => heading.text)
        if (headings[0] === title) headings = headings.slice(1)
      }
    }
    if (leaf.end > start) blocks.push({ start, end: leaf.end, headings, kind: leaf.kind })
    previous = leaf.end
  }
  return { title, blocks }
}

/** {@link markdownInTurns}, without a pause. */
export const markdown = (text: string): Parsed => {
  const turns = markdownInTurns(text)
  for (;;) {
    const turn = turns.next()
    if (turn.done === true) return turn.value
  }
}
