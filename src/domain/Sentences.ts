/** Where sentences begin and end, by rules: terminators, abbreviations, and the next word's case. Linear in the length of the text. */

const abbreviations: ReadonlySet<string> = new Set(
  "mr mrs ms dr prof st mt jr sr vs etc e.g i.e cf al fig figs eq no nos vol pp p ed eds inc ltd co corp gen col lt sgt capt rev hon jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k u.n a.m p.m ph.d b.c a.d approx dept est".split(
    " "
  )
)
const terminator = /[.!?\u2026\u3002\uff01\uff1f\uff61\u0964]+["'\u201d\u2019)\]\u300d\u300f]*/gu
const fullWidth = /[\u3002\uff01\uff1f\uff61\u0964]/u

export interface Stretch {
  readonly start: number
  readonly end: number
}

const trimmed = (text: string, from: number, to: number): Stretch | undefined => {
  let start = from
  let end = to
  while (start < end && /\s/.test(text.charAt(start))) start++
  while (end > start && /\s/.test(text.charAt(end - 1))) end--
  return start < end ? { start, end } : undefined
}

/**
 * The sentences of `text[from, to)`, in order, without the white space around them. A blank line always ends a sentence.
 *
 * Every character that is no white space lies in exactly one sentence.
 */
export const sentences = (text: string, from = 0, to = text.length): ReadonlyArray<Stretch> => {
  const found: Array<Stretch> = []
  const push = (start: number, end: number) => {
    const stretch = trimmed(text, start, end)
    if (stretch !== undefined) found.push(stretch)
  }
  const blank = /\r?\n[ \t]*\r?\n/g
  const whole = text.slice(from, to)
  let paragraph = 0
  while (paragraph < whole.length) {
    blank.lastIndex = paragraph
    const gap = blank.exec(whole)
    const end = gap === null ? whole.length : gap.index
    // matched within the paragraph alone: a search that found nothing would run on to the end of the text, once a paragraph
    const piece = whole.slice(paragraph, end)
    const base = from + paragraph
    let start = 0
    for (const match of piece.matchAll(terminator)) {
      const after = match.index + match[0].length
      if (after >= piece.length) break
      if (!fullWidth.test(match[0])) {
        if (!/\s/.test(piece.charAt(after))) continue
        const before = /(\S+)$/
          .exec(piece.slice(Math.max(start, match.index - 24), match.index))?.[1]
          ?.toLowerCase()
          .replace(/^[("'\u201c[]+/, "")
        if (match[0].startsWith(".") && before !== undefined && (abbreviations.has(before) || /^\p{L}$/u.test(before)))
          continue
        const next = /\S/u.exec(piece.slice(after, after + 64))?.[0]
        if (next !== undefined && /\p{Ll}/u.test(next)) continue
      }
      push(base + start, base + after)
      start = after
    }
    push(base + start, base + piece.length)
    paragraph = gap === null ? whole.length : gap.index + gap[0].length
  }
  return found
}

/** Markdown that says where something stands, not something: headings, links alone, link definitions, includes, fences, comments. */
const pointers =
  /<!--[\s\S]*?(?:-->|(?![\s\S]))|^[ \t]*#{1,6}[ \t].*$|^[ \t]*\[[^\]\n]*\]:[ \t]*\S+.*$|^[ \t]*(?:`{3,}|~{3,}).*$|!?\[[^\]\n]*\]\([^)\n]*\)|\{\{[^}\n]*\}\}/gmu

/** Whether a stretch says something by itself, rather than only naming or including what does. */
export const isTelling = (text: string): boolean => /[\p{L}\p{N}]/u.test(text.replace(pointers, " "))

/** Whether a stretch is a Markdown heading. */
export const isHeading = (text: string): boolean => /^[ \t]*#{1,6}[ \t]/u.test(text)
