/** A part of a text that is too long to be given whole: whole sentences round the one that says most, or as much of that one as fits. */
import { isBoundary } from "./Graphemes.ts"
import { bestSentence } from "./Hop.ts"
import { type Stretch, sentences } from "./Sentences.ts"
import { words } from "./Words.ts"

/** Whether a cut at `offset` parts no character. */
const whole = (text: string, offset: number): boolean =>
  offset <= 0 || offset >= text.length || isBoundary(text, offset)

/** The longest beginning of `[start, end)` that fits, cut before a word; undefined where not even the first word does. */
const beginning = (text: string, { end, start }: Stretch, fits: (text: string) => boolean): Stretch | undefined => {
  const cuts = words(text.slice(start, end))
    .map((word) => start + word.start)
    .filter((at) => at > start && whole(text, at))
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (fits(text.slice(start, cuts[middle - 1]))) low = middle
    else high = middle - 1
  }
  const to = cuts[low - 1]
  if (to === undefined) return undefined
  const kept = text.slice(start, to).trimEnd()
  return kept === "" ? undefined : { start, end: start + kept.length }
}

/**
 * The stretch of `text` to keep. It begins and ends with a sentence unless one alone does not fit, never parts a character, and `fits`.
 * Undefined where nothing fits.
 */
export const narrow = (
  text: string,
  wanted: ReadonlySet<string>,
  fits: (text: string) => boolean
): Stretch | undefined => {
  const all = sentences(text).filter(({ end, start }) => whole(text, start) && whole(text, end))
  const chosen = bestSentence(text, wanted, () => 1)
  let first = Math.max(
    0,
    all.findIndex((sentence) => sentence.start === chosen?.start)
  )
  let last = first
  const at = all[first]
  if (at === undefined) return undefined
  if (!fits(text.slice(at.start, at.end))) return beginning(text, at, fits)
  let window = at
  for (let grown = true; grown; ) {
    grown = false
    for (const [from, to] of [
      [first, last + 1],
      [first - 1, last]
    ] as const) {
      const [a, b] = [all[from], all[to]]
      if (a === undefined || b === undefined || !fits(text.slice(a.start, b.end))) continue
      first = from
      last = to
      window = { start: a.start, end: b.end }
      grown = true
      break
    }
  }
  return window
}
