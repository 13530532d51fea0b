/** Names in a text, by how they are written: capitalised runs, quoted phrases, years. A script without capital letters yields only the latter two. */
import { fold, isStopWord, terms } from "./Words.ts"

export interface Entity {
  readonly text: string
  /** Its folded words, joined by one space: what two mentions of one entity share. */
  readonly key: string
  readonly start: number
  readonly end: number
}

/** A name without the disambiguation in brackets at its end. */
export const withoutAside = (name: string): string => name.replace(/(?<!\s)\s*\([^()]*\)\s*$/u, "")

/** The form under which a title or entity is looked up, without its disambiguation. Empty where nothing is left. */
export const entityKey = (name: string): string => terms(withoutAside(name) || name).join(" ")

// initials and a few titles keep their full stop; any other ends the name
const capital = "(?:(?:\\p{Lu}\\.)+|(?:St|Dr|Mr|Mrs|Ms|Jr|Sr|Mt|Prof)\\.|\\p{Lu}[\\p{L}\\p{N}\\p{M}'\u2019-]*)"
const joint = "(?:of|the|de|da|del|della|di|du|van|von|der|den|for|in|on|la|le|el|al|y|&)"
const name = new RegExp(
  `(?:${capital}|(?<!\\p{N})\\p{N}+(?:[Ss]t|[Nn]d|[Rr]d|[Tt]h)?(?=\\s+\\p{Lu}))(?:(?:\\s+${joint}){0,2}\\s+(?:${capital}|\\p{N}+\\b))*`,
  "gu"
)
const quoted =
  /["\u201c\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb\n]{2,80})["\u201d\u00bb]|\u300c([^\u300d\n]{2,80})\u300d|`([^`\n]{2,60})`/gu
// each look-behind keeps a search from starting inside a run that it has already read: time stays linear
const trailing = new RegExp(`(?<!\\s)(?:\\s+${joint})+$`, "u")
const lead = /^[\p{L}\p{M}'\u2019]+/u

/** True at the start of a text or after a sentence's end, where a capital letter says nothing. */
const opensSentence = (text: string, at: number): boolean =>
  /(?:^|[.!?:\n]["'\u201d)\]]*\s*|^\s*[-*#>]+\s*)$/u.test(text.slice(Math.max(0, at - 4), at))

/** The entities of `text` in order. Overlapping finds are given once, quoted phrases first. */
export const entities = (text: string): ReadonlyArray<Entity> => {
  const found: Array<Entity> = []
  const add = (piece: string, start: number) => {
    const key = entityKey(piece)
    if (key.length > 1) found.push({ text: piece, key, start, end: start + piece.length })
  }
  for (const match of text.matchAll(quoted)) {
    const inner = match[1] ?? match[2] ?? match[3] ?? ""
    add(inner, match.index + match[0].indexOf(inner))
  }
  const phrases = [...found]
  let next = 0
  /** Whether `[start, end)` overlaps a quoted phrase. Asked in the order of the text, so one pass over the phrases is enough. */
  const isQuoted = (start: number, end: number): boolean => {
    while ((phrases[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++
    return (phrases[next]?.start ?? Number.POSITIVE_INFINITY) < end
  }
  for (const match of text.matchAll(name)) {
    let piece = match[0].replace(/(?:['\u2019]s|(?<![.'\u2019-])[.'\u2019-]+)$/u, "")
    let start = match.index
    // a sentence's first word is capitalised anyway: a stop word there is no name, and neither is a lone plain word
    for (
      let first = lead.exec(piece)?.[0];
      first !== undefined && isStopWord(fold(first));
      first = lead.exec(piece)?.[0]
    ) {
      const rest = piece.slice(first.length).replace(/^\s+/u, "")
      start += piece.length - rest.length
      piece = rest
    }
    piece = piece.replace(trailing, "")
    if (piece === "" || !/\p{Lu}/u.test(piece)) continue
    if (!/\s/u.test(piece) && opensSentence(text, start) && /^\p{Lu}\p{Ll}+$/u.test(piece)) continue
    if (!isQuoted(start, start + piece.length)) add(piece, start)
  }
  return found.sort((a, b) => a.start - b.start)
}
