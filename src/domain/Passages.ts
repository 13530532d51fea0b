/**
 * Cuts blocks into passages: whole sentences, about 100 words, never across a heading.
 *
 *     blocks     ├─heading─┤ ├──paragraph──┤ ├─code──┤   ├─heading─┤ …
 *     pieces     ├─────────┤ ├─s─┤├─s─┤├─s─┤ ├l┤├l┤├l┤   ├─────────┤     sentences and lines; what is longer than a passage is cut at words
 *     passages   ├───────────────────┤├──────────────┤   ├─────── …      a section's pieces, packed in order
 *
 * Offsets are carried from the parser to the passage, so a passage is the slice of the text by construction. Every character of a block that
 * is no white space lies in exactly one passage. No surrogate pair and no grapheme is parted. Linear in the length of the text.
 */
import { type Block, lineBreaks } from "./Corpus.ts"
import { boundaryNear, isBoundary } from "./Graphemes.ts"
import { sentences } from "./Sentences.ts"

/** A passage before it has a document, an id and a token count. */
export interface Cut {
  readonly start: number
  readonly end: number
  /** The line of `start`, from 1. */
  readonly line: number
  readonly headings: ReadonlyArray<string>
  readonly text: string
}

/** In words, as {@link weigh} counts them: what a passage aims at, and what it never exceeds (but for one grapheme that does so alone). */
export const passageWords = { target: 100, most: 130 } as const

/** A run of this many characters without a space counts as a word, and so does one of this many spaces. */
const longWord = 12
/** Scripts that write no spaces: this many characters count as a word. */
const charactersPerWord = 3
/** Pieces with more than this between them (rules, markers, blank lines) do not share a passage. */
const widestGap = 240

const isSpace = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit < 128 ? unit === 32 || (unit >= 9 && unit <= 13) : unit >= 160 && /\s/.test(text.charAt(at))
}

/** Scripts that are written without spaces or in short syllables, and emoji. */
const isUnspaced = (unit: number): boolean =>
  unit >= 0x0e00 &&
  (unit <= 0x10ff ||
    (unit <= 0x11ff && unit >= 0x1100) ||
    (unit >= 0x1780 && unit <= 0x17ff) ||
    (unit >= 0x2e80 && unit <= 0x9fff) ||
    (unit >= 0xa960 && unit <= 0xa97f) ||
    (unit >= 0xac00 && unit <= 0xdbff) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    unit >= 0xff00)

/**
 * Walks `text[from, to)` adding up its weight and calls `full` where the next character would exceed `most`; `full` says where to go on.
 *
 * A word weighs 1 and a character of an unspaced script 1/3; a long run weighs by its length, so that weight bounds length.
 */
const walk = (text: string, from: number, to: number, most: number, full: (at: number) => number): number => {
  let weight = 0
  let run = 0
  let spaces = 0
  for (let at = from; at < to; at++) {
    let added = 0
    const unit = text.charCodeAt(at)
    if (isSpace(text, at)) {
      run = 0
      spaces++
      if (spaces % longWord === 0) added = 1
    } else if (unit >= 0xdc00 && unit <= 0xdfff) {
      run = 0 // the second half of a pair, whose first half has been counted
    } else if (isUnspaced(unit)) {
      run = 0
      spaces = 0
      added = 1 / charactersPerWord
    } else {
      spaces = 0
      if (run % longWord === 0) added = 1
      run++
    }
    if (weight + added > most) {
      at = full(at) - 1
      weight = 0
      run = 0
      spaces = 0
    } else weight += added
  }
  return weight
}

/** The length of `text[from, to)` in words: what limits are counted in. */
export const weigh = (text: string, from = 0, to = text.length): number =>
  walk(text, from, to, Number.POSITIVE_INFINITY, (at) => at)

interface Piece {
  readonly start: number
  readonly end: number
  readonly weight: number
  readonly isHeading: boolean
}

interface Stretch {
  readonly start: number
  readonly end: number
}

/** The lines of `text[from, to)` that hold anything, without the line ends. */
const lines = (text: string, from: number, to: number): ReadonlyArray<Stretch> => {
  const found: Array<Stretch> = []
  const ends = /\r\n?|\n/g
  ends.lastIndex = from
  let start = from
  while (start < to) {
    const match = ends.exec(text)
    const end = match === null || match.index >= to ? to : match.index
    let last = end
    while (last > start && isSpace(text, last - 1)) last--
    let first = start
    while (first < last && isSpace(text, first)) first++
    // indentation says something in code: it is kept, but for what is mere padding
    if (first < last) found.push({ start: first - start > widestGap ? first : start, end: last })
    start = match === null || match.index >= to ? to : match.index + match[0].length
  }
  return found
}

/** Moves the ends of stretches off the insides of graphemes: a mark after a space belongs to the space, one after a full stop to the stop. */
const whole = (text: string, block: Stretch, stretches: ReadonlyArray<Stretch>): ReadonlyArray<Stretch> => {
  const found: Array<Stretch> = []
  let previous: Stretch | undefined
  for (const stretch of stretches) {
    let { end, start } = stretch
    const first = previous?.end ?? 0
    while (start > first && !isBoundary(text, start) && (start > block.start || isSpace(text, start - 1))) start--
    while (end < text.length && !isBoundary(text, end) && (end < block.end || isSpace(text, end))) end++
    if (previous !== undefined && (start < previous.end || (start === previous.end && !isBoundary(text, start)))) {
      found.pop()
      start = previous.start
      end = Math.max(end, previous.end)
    }
    previous = { start, end }
    found.push(previous)
  }
  return found
}

/** After these a long sentence of an unspaced script is best cut. */
const pauses = /[\s\u3001\uff0c\uff1b\uff1a\u060c\u061b]/

/** A stretch as pieces that fit: itself, or cuts at white space, else after a pause, else between graphemes. */
const fitting = (text: string, stretch: Stretch): ReadonlyArray<Stretch & { readonly weight: number }> => {
  const weight = weigh(text, stretch.start, stretch.end)
  if (weight <= passageWords.most) return [{ ...stretch, weight }]
  const found: Array<Stretch & { readonly weight: number }> = []
  let start = stretch.start
  const close = (end: number) => {
    let last = end
    while (last > start && isSpace(text, last - 1)) last--
    if (!isBoundary(text, last, start)) last = end
    if (last > start) found.push({ start, end: last, weight: weigh(text, start, last) })
  }
  walk(text, stretch.start, stretch.end, passageWords.target, (full) => {
    let at = full
    const least = start + Math.max(1, (full - start) >> 1)
    while (at > least && !pauses.test(text.charAt(at - 1))) at--
    if (at <= least || !isBoundary(text, at, start)) at = boundaryNear(text, start, full)
    at = Math.min(at, stretch.end)
    close(at)
    while (at < stretch.end && isSpace(text, at) && isBoundary(text, at + 1, at)) at++
    start = at
    return at
  })
  close(stretch.end)
  return found
}

const piecesOf = (text: string, block: Block): ReadonlyArray<Piece> => {
  const byLine = block.kind === "code" || block.kind === "table"
  const stretches = whole(
    text,
    block,
    byLine ? lines(text, block.start, block.end) : sentences(text, block.start, block.end)
  )
  return stretches.flatMap((stretch) =>
    fitting(text, stretch).map((piece) => ({ ...piece, isHeading: block.kind === "heading" }))
  )
}

const sameHeadings = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a === b || (a.length === b.length && a.every((heading, i) => heading === b[i]))

interface Section {
  readonly headings: ReadonlyArray<string>
  readonly pieces: ReadonlyArray<Piece>
}

/** Blocks under the same headings, with the headings that lead up to them. A heading with nothing of its own joins the section below it. */
function* sectionsOf(text: string, blocks: ReadonlyArray<Block>): Generator<void, ReadonlyArray<Section>> {
  const sections: Array<Section> = []
  let headings: ReadonlyArray<string> = []
  let pieces: Array<Piece> = []
  let hasBody = false
  const close = () => {
    if (pieces.length > 0) sections.push({ headings, pieces })
    pieces = []
    hasBody = false
  }
  for (const block of blocks) {
    const isHeading = block.kind === "heading"
    if (hasBody && (isHeading || !sameHeadings(headings, block.headings))) close()
    headings = block.headings
    if (!isHeading) hasBody = true
    for (const piece of piecesOf(text, block)) pieces.push(piece)
    yield
  }
  close()
  return sections
}

/** How heavy the next passage should be, where `left` is what the section still holds: no small rest is left at its end. */
const aim = (left: number): number =>
  left <= passageWords.most ? left : left <= 2 * passageWords.target ? left / 2 : passageWords.target

/** The pieces of one section, packed in order. */
const pack = (text: string, { pieces }: Section): ReadonlyArray<Stretch> => {
  const packed: Array<Stretch> = []
  let left = pieces.reduce((sum, piece) => sum + piece.weight, 0)
  let target = aim(left)
  let open: { readonly start: number; end: number; weight: number; onlyHeadings: boolean } | undefined
  for (const piece of pieces) {
    if (open !== undefined) {
      // what stands between two pieces (a list's marker, a quotation's) is in the passage and weighs too
      const weight: number = open.weight + weigh(text, open.end, piece.end)
      const isBetterWithout = weight > target && weight - target > target - open.weight && !open.onlyHeadings
      if (isBetterWithout || weight > passageWords.most || piece.start - open.end > widestGap) {
        packed.push({ start: open.start, end: open.end })
        target = aim(left)
        open = undefined
      } else {
        open.weight = weight
        open.end = piece.end
        open.onlyHeadings &&= piece.isHeading
      }
    }
    open ??= { start: piece.start, end: piece.end, weight: piece.weight, onlyHeadings: piece.isHeading }
    left -= piece.weight
  }
  if (open !== undefined) packed.push({ start: open.start, end: open.end })
  return packed
}

/**
 * The passages of a document in order. `blocks` are in order and do not overlap; what lies outside of them is in no passage of its own. A
 * large document takes long: whoever goes on with it may do something else between two blocks.
 */
export function* passagesInTurns(text: string, blocks: ReadonlyArray<Block>): Generator<void, ReadonlyArray<Cut>> {
  const cuts: Array<Cut> = []
  let line = 1
  let counted = 0
  for (const section of yield* sectionsOf(text, blocks)) {
    yield
    for (const { end, start } of pack(text, section)) {
      line += lineBreaks(text, counted, start)
      counted = start
      cuts.push({ start, end, line, headings: section.headings, text: text.slice(start, end) })
    }
  }
  return cuts
}

/** {@link passagesInTurns}, without a pause. */
export const passages = (text: string, blocks: ReadonlyArray<Block>): ReadonlyArray<Cut> => {
  const turns = passagesInTurns(text, blocks)
  for (;;) {
    const turn = turns.next()
    if (turn.done === true) return turn.value
  }
}
