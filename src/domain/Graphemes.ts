/**
 * Where a text may be cut without parting what a reader sees as one character.
 *
 * `Intl.Segmenter` knows, but its time grows with the square of the text, so it is asked about a few characters around a cut, and not at all
 * where the characters on both sides settle it.
 */

let made: Intl.Segmenter | undefined
/** Made when it is first asked: making it takes longer than most commands have to start. */
const segmenter = (): Intl.Segmenter => {
  made ??= new Intl.Segmenter("und", { granularity: "grapheme" })
  return made
}

/** Characters that no grapheme begins before or goes on after, but for marks: letters, digits and signs of the commonest scripts. */
const standsAlone = (unit: number): boolean =>
  (unit >= 0x20 && unit < 0x7f) ||
  (unit >= 0xa0 && unit < 0x250 && unit !== 0xa9 && unit !== 0xad && unit !== 0xae) ||
  (unit >= 0x370 && unit <= 0x52f && !(unit >= 0x483 && unit <= 0x489)) ||
  (unit >= 0x5d0 && unit <= 0x5ea) ||
  (unit >= 0x620 && unit <= 0x64a) ||
  (unit >= 0xe01 && unit <= 0xe30) ||
  (unit >= 0xe40 && unit <= 0xe46) ||
  (unit >= 0x2010 && unit <= 0x2027) ||
  (unit >= 0x3001 && unit <= 0x3029) ||
  (unit >= 0x3041 && unit <= 0x3096) ||
  (unit >= 0x30a1 && unit <= 0x30fa) ||
  (unit >= 0x3400 && unit <= 0x9fff) ||
  (unit >= 0xac00 && unit <= 0xd7a3) ||
  (unit >= 0xff01 && unit <= 0xff9d)

/** What goes on with the character before it: marks, joiners, skin tones, vowels and finals of decomposed Hangul. */
const goesOn = /[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\u0e33\u0eb3\u1160-\u11ff\ud7b0-\ud7fb]|\u200d/uy

/** What may hold on to a plain character after it: number signs written before their digits, leading jamo, halves of pairs. */
const holdsOn = (unit: number): boolean =>
  (unit >= 0x600 && unit <= 0x605) ||
  (unit >= 0x6dd && unit <= 0x8e2 && (unit === 0x6dd || unit === 0x70f || unit >= 0x890)) ||
  unit === 0xd4e ||
  (unit >= 0x1100 && unit <= 0x115f) ||
  (unit >= 0xa960 && unit <= 0xa97c) ||
  (unit >= 0xd800 && unit <= 0xdfff)

/** Whether a boundary lies at `at`, where its two neighbours settle it; undefined where more must be looked at. */
const settled = (text: string, at: number): boolean | undefined => {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  if (before < 0x20 || after < 0x20) return before !== 13 || after !== 10
  if (standsAlone(after) && !holdsOn(before)) return true
  if (!standsAlone(before)) return undefined
  goesOn.lastIndex = at
  return !goesOn.test(text)
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Whether half of a flag begins at `at`; two of them in a row are one. */
const isFlagHalf = (text: string, at: number): boolean => {
  const low = text.charCodeAt(at + 1)
  return text.charCodeAt(at) === 0xd83c && low >= 0xdde6 && low <= 0xddff
}

/** How far back a boundary can depend on what stands there; what is longer is no sequence that anybody writes. */
const context = 64
/** A grapheme longer than this is not read by anybody; it is cut between two code points. */
const longest = 512

/**
 * Whether cutting at `at` parts no grapheme; `known` is a boundary before it, further back than which nothing is looked at. Exact but for
 * what is joined over more than {@link context} code units.
 */
export const isBoundary = (text: string, at: number, known = 0): boolean => {
  if (at <= 0 || at >= text.length) return true
  const answer = settled(text, at)
  if (answer !== undefined) return answer
  if (isFlagHalf(text, at) && isFlagHalf(text, at - 2)) {
    let halves = 0
    for (let i = at - 2; i >= known && isFlagHalf(text, i); i -= 2) halves++
    return halves % 2 === 0
  }
  let from = Math.max(known, at - context)
  for (let i = at - 1; i > from; i--) if (settled(text, i) === true) from = i
  if (from > known && isLow(text.charCodeAt(from))) from--
  const window = text.slice(from, Math.min(text.length, at + 4))
  const found = segmenter()
    .segment(window)
    .containing(at - from)
  return found?.index === at - from
}

/**
 * The last boundary in `(start, at]`, where `start` is one; the first after it where there is none.
 *
 * Looks no further than one grapheme of {@link longest} code units; a longer one is cut between two code points.
 */
export const boundaryNear = (text: string, start: number, at: number): number => {
  for (let i = at; i > start && i > at - 16; i--) if (settled(text, i) === true) return i
  // from a true boundary on, what the segmenter says is exact
  const window = text.slice(start, Math.min(text.length, at + longest))
  let best = 0
  for (const { index } of segmenter().segment(window)) {
    if (index > at - start) {
      if (best === 0 && index <= longest) return start + index
      break
    }
    best = index
  }
  if (best > 0) return start + best
  if (text.length - start <= longest) return text.length
  return isLow(text.charCodeAt(at)) && !isLow(text.charCodeAt(at - 1)) ? at + 1 : at
}
