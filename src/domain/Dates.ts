/** Dates and numbers as English text writes them. */

export interface Found {
  readonly text: string
  readonly start: number
}

/** A number, and where the text says it. */
export interface Value {
  readonly value: number
  readonly offset: number
}

const names = "january|february|march|april|may|june|july|august|september|october|november|december"
const day = "\\d{1,2}(?:st|nd|rd|th)?"
const date = new RegExp(
  `(?<!\\d)(?:(?:${names})\\s+${day},?\\s+\\d{4}|${day}\\s+(?:${names}),?\\s+\\d{4}|(?:${names})\\s+\\d{4}|1[0-9]{3}|20[0-9]{2})(?!\\d{2})`,
  "giu"
)
const span =
  /\b(?:the\s+)?(?:(?:early|mid|middle|late)[\s-]+)?(?:\d{1,2}(?:st|nd|rd|th)\s+century|1\d{2}0s|20\d0s)\b/giu
const number =
  /(?:[$\u20ac\u00a3]\s?)?(?<![\p{L}\p{N}.])\d[\d,]*(?:\.\d+)?(?!\p{L})(?:\s?%|\s(?:percent|million|billion|thousand|hundred|km|miles|metres|meters|feet|years|people|inhabitants|seats|members|steps)\b)?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred)\b/giu

const all = (pattern: RegExp, text: string): ReadonlyArray<Found> =>
  [...text.matchAll(pattern)].map((match) => ({ text: match[0].replace(/,$/u, ""), start: match.index }))

export const dates = (text: string): ReadonlyArray<Found> => all(date, text)
export const numbers = (text: string): ReadonlyArray<Found> => all(number, text)

/** Whether a name is only that of a month, with or without a day. */
export const isMonth = (name: string): boolean => new RegExp(`^(?:${names})\\b[\\s\\d]*$`, "iu").test(name)

/** A date as a number that orders as the calendar does: yyyymmdd, with zeros for what is not said. */
export const dateValue = (text: string): number => {
  const year = Number(/\d{4}/.exec(text)?.[0] ?? 0)
  const name = /(?<!\d)\p{L}{3,}/u.exec(text)?.[0]?.toLowerCase()
  const month = name === undefined ? 0 : names.split("|").indexOf(name) + 1
  const dayOf = month === 0 ? 0 : Number(/(?<!\d)\d{1,2}(?!\d)/.exec(text)?.[0] ?? 0)
  return year * 10_000 + month * 100 + dayOf
}

/** The first date of a text, or else its first decade or century. */
export const firstDate = (text: string): Value | undefined => {
  const [exact] = dates(text)
  if (exact !== undefined) return { value: dateValue(exact.text), offset: exact.start }
  const [about] = all(span, text)
  if (about === undefined) return undefined
  const year = Number(/\d{4}/.exec(about.text)?.[0] ?? 100 * (Number(/\d+/.exec(about.text)?.[0]) - 1))
  const within = /late/iu.test(about.text) ? 0.8 : /early/iu.test(about.text) ? 0.2 : 0.5
  return { value: (year + within * (about.text.includes("century") ? 100 : 10)) * 10_000, offset: about.start }
}

const valueOf = (found: Found | undefined, shift = 0): Value | undefined =>
  found === undefined ? undefined : { value: dateValue(found.text), offset: found.start + shift }

export interface Lifetime {
  readonly birth: Value | undefined
  readonly death: Value | undefined
}

/** When the one whom a text opens with was born and died. */
export const lifetime = (text: string): Lifetime => {
  const after = (word: RegExp): Value | undefined => {
    const match = word.exec(text)
    return match === null ? undefined : valueOf(dates(text.slice(match.index, match.index + 160))[0], match.index)
  }
  for (const bracket of text.slice(0, 500).matchAll(/\(([^()]*\d{4}[^()]*)\)/gu)) {
    const inner = bracket[1] ?? ""
    const inside = dates(inner)
    const shift = bracket.index + 1
    if (inside.length === 0) continue
    if (inside.length === 1 && /\b(?:died|d\.)|^\s*[\u2013-]/iu.test(inner))
      return { birth: after(/\bborn\b/iu), death: valueOf(inside[0], shift) }
    // of two calendars, or of two years that are not sure, each side has its first
    const dash = /\s[\u2013-]\s|[\u2013-]/u.exec(inner.slice(inside[0]?.text.length ?? 0))
    const later = inside.slice(1).find((one) => dash === null || one.start > (dash.index ?? 0)) ?? inside[1]
    return {
      birth: valueOf(inside[0], shift),
      death: valueOf(later, shift) ?? after(/\b(?:died|death|killed|executed)\b/iu)
    }
  }
  return {
    birth: after(/\bborn\b/iu) ?? valueOf(dates(text.slice(0, 400))[0]),
    death: after(/\b(?:died|death|killed|executed)\b/iu)
  }
}
