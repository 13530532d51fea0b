/** Plain text: a block a paragraph. */
import type { Block } from "../../domain/Corpus.ts"

const noHeadings: ReadonlyArray<string> = []

/** The paragraphs of `text[from, to)`: what stands between blank lines, without the white space around it. */
export const paragraphs = (
  text: string,
  from = 0,
  to = text.length,
  headings: ReadonlyArray<string> = noHeadings
): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  const whole = text.slice(from, to)
  const push = (start: number, end: number) => {
    const piece = whole.slice(start, end)
    const trimmed = piece.trimEnd()
    const indent = trimmed.length - trimmed.trimStart().length
    if (trimmed !== "") {
      blocks.push({ start: from + start + indent, end: from + start + trimmed.length, headings, kind: "paragraph" })
    }
  }
  let start = 0
  for (const gap of whole.matchAll(/(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*/g)) {
    push(start, gap.index)
    start = gap.index + gap[0].length
  }
  push(start, whole.length)
  return blocks
}
