/**
 * Where a text says what somebody quotes from it. Whoever writes a quotation by heart mends it: spaces run together, quotation marks and
 * dashes are typed plainly, a first letter is raised. Such a quotation is found, and stands for what the text says there.
 */
import type { Stretch } from "./Sentences.ts"

const plain: ReadonlyMap<string, string> = new Map([
  ..."\u2018\u2019\u201a\u201b\u2032`".split("").map((mark) => [mark, "'"] as const),
  ..."\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb".split("").map((mark) => [mark, '"'] as const),
  ..."\u2010\u2011\u2012\u2013\u2014\u2015\u2212".split("").map((mark) => [mark, "-"] as const)
])
const isSpace = /\s/u

interface Folded {
  readonly text: string
  /** Where each unit of `text` stands in what was folded, and where that ends. */
  readonly at: ReadonlyArray<number>
}

const fold = (text: string): Folded => {
  let folded = ""
  const at: Array<number> = []
  for (let i = 0; i < text.length; i++) {
    const unit = text[i] ?? ""
    if (isSpace.test(unit)) {
      if (folded === "" || folded.endsWith(" ")) continue
      folded += " "
    } else {
      const lower = (plain.get(unit) ?? unit).toLowerCase()
      folded += lower.length === 1 ? lower : unit
    }
    at.push(i)
  }
  return { text: folded, at }
}

/** What somebody puts round a quotation, or in the place of what they leave out at its ends. */
const dressing = /^(?:["'\s]|\.\.\.|\u2026)+|(?:["'\s]|\.\.\.|\u2026)+$/gu

/** The first place of `text` that says `quotation`; undefined where none does. */
export const locate = (text: string, quotation: string): Stretch | undefined => {
  const exact = quotation.trim() === "" ? -1 : text.indexOf(quotation)
  if (exact >= 0) return { start: exact, end: exact + quotation.length }
  const dressed = fold(quotation).text.trim()
  const folded = fold(text)
  for (const wanted of [dressed, dressed.replace(dressing, "")]) {
    const found = wanted.replace(dressing, "") === "" ? -1 : folded.text.indexOf(wanted)
    const start = folded.at[found]
    const last = folded.at[found + wanted.length - 1]
    if (start !== undefined && last !== undefined) return { start, end: last + 1 }
  }
  return undefined
}
