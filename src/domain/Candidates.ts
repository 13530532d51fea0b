/** The name, date or number that a question wants, among those of the sentences that say most of it. Each is a slice of the evidence. */
import { isBelonging } from "./Countries.ts"
import { dates, type Found, isMonth, numbers } from "./Dates.ts"
import { entities, entityKey } from "./Entities.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import type { Ranking, Said } from "./Extract.ts"
import { kindred } from "./Kin.ts"
import { folded, type Question, standsIn } from "./Question.ts"
import { openingOf, plainTitle } from "./Subjects.ts"
import { isStopWord, terms, words } from "./Words.ts"

export interface Candidate {
  readonly text: string
  readonly said: Said
  readonly score: number
}

const personal =
  /\b(?:born|actor|actress|singer|writer|author|director|composer|musician|politician|player|painter|he|she|his|her|wife|husband|son|daughter|mother|father|king|queen)\b/iu
const located = /\b(?:in|at|from|near|to|of)\s+(?:the\s+)?$/iu

/** Parts of a text, which it refers to by number. */
const numbered = /^(?:Listing|Figure|Table|Chapter|Section|Appendix|Part|Step|Example|Note)s?\b/u

/** Names of their own: not what something was made for or where it lies, and no country, date or year. */
const named = ({ text }: Said, place: boolean): ReadonlyArray<Found> =>
  entities(text).flatMap((entity) => {
    const own = entity.text.split(/\s+(?:for|in|on)\s+/u)[0] ?? entity.text
    const idle = numbered.test(own) || isMonth(own) || /^\p{N}/u.test(own) || (!place && isBelonging(own))
    return idle ? [] : [{ text: own, start: entity.start }]
  })

/** What the question asks for, as its own words say: of "which Canadian rock band released" the four words behind "which". */
const focusOf = ({ text }: Question): ReadonlyArray<string> => {
  const asked = /\b(?:what|which)\s+(?:(?:is|was|are|were)\s+)?(?:the\s+)?(?:name\s+of\s+(?:the|an?)\s+)?/iu.exec(text)
  if (asked === null) return []
  const behind: Array<string> = []
  const from = asked.index + asked[0].length
  for (const { term } of words(text.slice(from, from + 80))) {
    if (isStopWord(term) || behind.length === 4) break
    behind.push(term)
  }
  if (behind.length > 0) return behind
  // "… in the autonomous community of what?"
  return terms(text.slice(Math.max(0, asked.index - 40), asked.index))
    .filter((term) => !isStopWord(term))
    .slice(-2)
}

const units = /\bhow\s+(?:many|much)\s+((?:[\p{L}-]+\s+){1,3})/iu

const suitsPerson = (said: Said, found: Found): number => {
  if (/^\p{Ll}/u.test(found.text)) return 0
  const before = said.text.slice(Math.max(0, found.start - 12), found.start)
  const after = said.text.slice(found.start + found.text.length, found.start + found.text.length + 3)
  const count = found.text.split(/\s+/u).length
  const shaped = count >= 2 && count <= 4 && !/\d/.test(found.text) ? 1.2 : 0.7
  return shaped * (personal.test(said.text) || /\bby\s+$/iu.test(before) ? 1.2 : 1) * (after.startsWith("'s") ? 0.9 : 1)
}

const suitsQuantity = (question: Question, said: Said, found: Found): number => {
  const unit = terms(units.exec(question.text)?.[1] ?? "").filter((term) => !isStopWord(term))
  const before = said.text.slice(Math.max(0, found.start - 12), found.start)
  if (/\b(?:Listing|Figure|Table|Chapter|Section|Appendix|Part|Step|Example)s?\s$/u.test(before)) return 0
  const around = new Set([
    ...terms(said.text.slice(Math.max(0, found.start - 30), found.start)).slice(-4),
    ...terms(said.text.slice(found.start, found.start + found.text.length + 40)).slice(0, 6)
  ])
  const counts = unit.some((term) => kindred(around, term))
  const isYear = /^(?:1\d|20)\d{2}$/.test(found.text)
  return (counts ? 2 : unit.length > 0 ? 0 : 1) * (isYear ? 0.3 : 1)
}

const suits = (question: Question, said: Said, found: Found): number => {
  switch (question.type) {
    case "Person":
      return suitsPerson(said, found)
    case "Place": {
      const before = said.text.slice(Math.max(0, found.start - 12), found.start)
      return (located.test(before) ? 1.4 : 0.8) * (/\d/.test(found.text) ? 0.5 : 1)
    }
    case "Quantity":
      return suitsQuantity(question, said, found)
    default:
      return 1
  }
}

const nations: ReadonlySet<string> = new Set(terms("country nation nationality"))

/** Whether a name is of the kind that is asked for: by the words before it, or by how the evidence about it opens. */
const isOfKind = (focus: ReadonlyArray<string>, said: Said, found: Found, own: EvidenceItem | undefined): number => {
  if (focus.length === 0) return 1
  const before = terms(said.text.slice(Math.max(0, found.start - 40), found.start)).slice(-3)
  const inside = terms(found.text)
  // "Anne Arundel County" where a county is asked for
  if (inside.length > 1 && focus.includes(inside[inside.length - 1] ?? "")) return 2
  if (focus.some((term) => nations.has(term))) return isBelonging(found.text) ? 1.5 : 0.5
  const called = focus.some((term) => kindred(new Set([...before, ...inside]), term))
  if (own === undefined) return called ? 1.4 : 1
  const opening = openingOf(own)
  const kind = new Set(terms(own.text.slice(opening.start, Math.min(opening.end, opening.start + 200))))
  const shared = focus.filter((term) => kindred(kind, term)).length
  return shared === 0 ? (called ? 1.2 : 0.8) : 1.3 + (0.3 * shared) / focus.length
}

/** Whether a name is the question's own, or no more than words of it; a name in quotation marks is another where it is written otherwise. */
const isAsked = (question: Question, line: string, said: Said, { start, text }: Found): boolean => {
  const key = entityKey(text)
  if (!standsIn(key, line) && !key.split(" ").every((term) => question.terms.includes(term))) return false
  const isQuoted = /["\u201c`]$/u.test(said.text.slice(0, start)) && said.text.slice(start).startsWith(text)
  return !isQuoted || words(question.text).some((word) => question.text.slice(word.start, word.end) === text)
}

/** How a sentence begins that is about what its text is titled. */
const ofTitle =
  /^(?:It|He|She|They|His|Her|Its|Their|This|The (?:film|song|album|book|band|series|novel|show|company|game))\b/u

/** A text about what it is titled names it this early. */
const opensWithin = 120

/** Whether a title names what its text is about; where a person is asked for, a person. */
const isNamed = ({ type }: Question, item: EvidenceItem, title: string): boolean => {
  if (type === "Date" || type === "Quantity") return false
  const opening = openingOf(item)
  const text = item.text.slice(opening.start, Math.min(opening.end, opening.start + opensWithin))
  return text.includes(title) && (type !== "Person" || (/\s/u.test(title) && personal.test(text)))
}

/** Words for what is told by a number. */
const measures: ReadonlySet<string> = new Set(
  terms("value number amount limit size age price cost length height width")
)

const lookedIn = 8
/** A sentence that says less than this share of what the best one says names nothing. */
const leastSaid = 0.35

/**
 * Names, dates or numbers that may be meant, most likely first: in the most telling sentences, near the question's words, of the kind that is
 * asked for, and not in the question itself.
 */
export const candidates = (
  question: Question,
  { sentences: ranked }: Ranking,
  evidence: Evidence
): ReadonlyArray<Candidate> => {
  const line = folded(question.text)
  const wanted = new Set(question.terms)
  const best = ranked[0]?.score ?? 0
  const focus = focusOf(question)
  const byKey = new Map([...evidence].reverse().map((item) => [entityKey(item.title), item] as const))
  const found: Array<Candidate> = []
  for (const said of ranked.slice(0, lookedIn)) {
    if (said.score < leastSaid * best) break
    const pieces =
      question.type === "Date"
        ? dates(said.text)
        : question.type === "Quantity" || focus.some((term) => measures.has(term))
          ? numbers(said.text)
          : named(said, question.type === "Place")
    const title = plainTitle(said.item.title)
    const titled = isNamed(question, said.item, title) ? [{ text: title, start: 0 }] : []
    for (const piece of [...pieces, ...titled]) {
      const key = entityKey(piece.text)
      const kind = isOfKind(focus, said, piece, byKey.get(key))
      // a title of one word may be no name at all
      if (titled.includes(piece) && kind < 1 && !/\s/u.test(piece.text)) continue
      if (key === "" || isAsked(question, line, said, piece)) continue
      const around = said.text.slice(Math.max(0, piece.start - 60), piece.start + piece.text.length + 60)
      const near = terms(around).filter((term) => wanted.has(term)).length
      const score =
        (best > 0 ? said.score / best : 0) *
        suits(question, said, piece) *
        kind *
        (1 + 0.15 * Math.min(4, near)) *
        (titled.includes(piece) ? (ofTitle.test(said.text) ? 1.2 : 0.9) : 1)
      if (score > 0) found.push({ text: piece.text, said, score })
    }
  }
  return found.sort((a, b) => b.score - a.score)
}
