/**
 * Answers that stand in the evidence: which sentence says most of what a question asks, and which name, date or number in it is meant.
 *
 * Everything here is a slice of the evidence. What it cannot find it does not say.
 */
import { type Entity, entities, entityKey } from "./Entities.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import { type Hop, hopFrom } from "./Hop.ts"
import { idf } from "./Idf.ts"
import { folded, type Question, standsIn } from "./Question.ts"
import { isTelling, sentences } from "./Sentences.ts"
import { fold, isStopWord, terms } from "./Words.ts"

/** A sentence of the evidence and how much of the question it says. */
export interface Said {
  readonly item: EvidenceItem
  /** Offsets into the item's text. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly score: number
  /** The share of the question's words that sentence and title hold. */
  readonly share: number
}

export interface Candidate {
  readonly text: string
  readonly said: Said
  readonly score: number
}

/** The evidence as a reader sees it: sentences, most telling first. */
export interface Ranking {
  readonly sentences: ReadonlyArray<Said>
  /** The share of the question's words that stand anywhere in the evidence. */
  readonly coverage: number
  /** The same of its words that are no part of a name. */
  readonly predicate: number
  /** A name of the question of which the evidence holds no word, if there is one. */
  readonly absent: Entity | undefined
}

/** Words of which a text may say another than the question does. Folded, one group a line. */
const kin: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  `birth born birthplace
death dead die died dying
spouse wife husband married marry
child son daughter
parent father mother
grandfather father son
grandmother mother daughter
film movie
song single track album
performer perform sung singer artist band
director direct
composer compose music score
author write wrote written writer
founder found establish
nationality nation country
country located state province
city town located
university college school educated
older oldest younger youngest born
headquarter based located
capital seat city
population inhabitant people
release come premier publish`
    .split("\n")
    .flatMap((line) => {
      const group = line.split(" ").map(fold)
      const [head = ""] = group
      return [[head, group] as const]
    })
)

/** Whether a set of terms holds `term`, or one that says the same. */
const holds = (held: { readonly has: (term: string) => boolean }, term: string): boolean =>
  held.has(term) || (kin.get(term)?.some((other) => held.has(other)) ?? false)

/** Words that compare or point and that a text need not repeat. */
const comparing: ReadonlySet<string> = new Set(
  "first last early earlier late later older younger old young longer shorter larger bigger higher difference differ compare name call title"
    .split(" ")
    .map(fold)
)

const titleShare = 0.5
/** What counts of a heading, a list of links or an included file: it names what is asked for and does not say it. */
const pointerShare = 0.3
const hopShare = 0.9
/** The first hop must leave this much of the question open before a second is read. */
const openForHop = 0.25

/** Ranks the sentences of the evidence for a question; ties by place in the evidence. */
export const rank = (question: Question, evidence: Evidence): Ranking => {
  const texts = evidence.map((item) => new Set(terms(`${item.title}\n${item.text}`)))
  const byTerm = new Map<string, number>()
  for (const text of texts) for (const term of text) byTerm.set(term, (byTerm.get(term) ?? 0) + 1)
  const weight = (term: string) => 0.3 + idf({ passages: evidence.length, byTerm }, term)
  const wanted = new Set(question.terms)
  const held = question.terms.filter((term) => holds(byTerm, term))
  const names = new Set(question.entities.flatMap((entity) => entity.key.split(" ")))
  const predicate = question.terms.filter((term) => !names.has(term) && !comparing.has(term))

  let start = 0
  let most = -1
  texts.forEach((text, i) => {
    const sum = held.reduce((total, term) => total + (holds(text, term) ? weight(term) : 0), 0)
    if (sum > most) {
      most = sum
      start = i
    }
  })
  const first = evidence[start]
  const hop: Hop | undefined = first === undefined ? undefined : hopFrom(question, weight, first)
  const onward = new Set(hop !== undefined && hop.residual > openForHop ? hop.terms : [])

  const said: Array<Said> = []
  evidence.forEach((item, i) => {
    const title = new Set(terms(item.title))
    for (const stretch of sentences(item.text)) {
      const text = item.text.slice(stretch.start, stretch.end)
      const own = new Set(terms(text))
      let score = 0
      let shared = 0
      for (const term of wanted) {
        const here = holds(own, term)
        if (here) score += weight(term)
        else if (title.has(term)) score += titleShare * weight(term)
        if (here || title.has(term)) shared++
      }
      if (i !== start) {
        for (const term of onward) {
          if (wanted.has(term)) continue
          if (own.has(term)) score += hopShare * weight(term)
          else if (title.has(term)) score += hopShare * titleShare * weight(term)
        }
      }
      if (!isTelling(text)) score *= pointerShare
      said.push({ item, ...stretch, text, score, share: wanted.size === 0 ? 0 : shared / wanted.size })
    }
  })
  return {
    sentences: said.sort((a, b) => b.score - a.score),
    coverage: wanted.size === 0 ? 0 : held.length / wanted.size,
    predicate: predicate.length === 0 ? 1 : predicate.filter((term) => held.includes(term)).length / predicate.length,
    absent: question.entities.find((entity) => {
      const words = entity.key.split(" ").filter((term) => !isStopWord(term))
      return words.length > 0 && !words.some((term) => byTerm.has(term))
    })
  }
}

/** Whether the evidence speaks of what is asked, so that an answer may be looked for in it. */
export const bears = (question: Question, { absent, coverage, predicate, sentences: [best] }: Ranking): boolean =>
  best !== undefined &&
  best.score > 0 &&
  absent === undefined &&
  coverage >= 0.4 &&
  predicate >= (question.entities.length > 0 ? 0.33 : 0.5) &&
  best.share >= Math.min(0.34, 2 / Math.max(1, question.terms.length))

// ---- dates and numbers

const months = "january|february|march|april|may|june|july|august|september|october|november|december"
const date = new RegExp(
  `\\b(?:(?:${months})\\s+\\d{1,2},?\\s+\\d{4}|\\d{1,2}\\s+(?:${months})\\s+\\d{4}|(?:${months})\\s+\\d{4}|1[0-9]{3}|20[0-9]{2})\\b`,
  "giu"
)
const number =
  /(?:[$\u20ac\u00a3]\s?)?\b\d[\d,]*(?:\.\d+)?(?:\s?%|\s(?:percent|million|billion|thousand|hundred|km|miles|metres|meters|feet|years|people|inhabitants|seats|members)\b)?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred)\b/giu

export interface Found {
  readonly text: string
  readonly start: number
}

const all = (pattern: RegExp, text: string): ReadonlyArray<Found> =>
  [...text.matchAll(pattern)].map((match) => ({ text: match[0], start: match.index }))

export const dates = (text: string): ReadonlyArray<Found> => all(date, text)
export const numbers = (text: string): ReadonlyArray<Found> => all(number, text)

/** A date as a number that orders as the calendar does: yyyymmdd, with zeros for what is not said. */
export const dateValue = (text: string): number => {
  const year = Number(/\d{4}/.exec(text)?.[0] ?? 0)
  const name = /\p{L}+/u.exec(text)?.[0]?.toLowerCase()
  const month = name === undefined ? 0 : months.split("|").indexOf(name) + 1
  const day = month === 0 ? 0 : Number(/\b\d{1,2}\b/.exec(text)?.[0] ?? 0)
  return year * 10_000 + month * 100 + day
}

// ---- candidates

const personal =
  /\b(?:born|actor|actress|singer|writer|author|director|composer|musician|politician|player|painter|he|she|his|her|wife|husband|son|daughter|mother|father|king|queen)\b/iu
const located = /\b(?:in|at|from|near|to|of)\s+(?:the\s+)?$/iu
const month = new RegExp(`^(?:${months})$`, "iu")

const named = (said: Said): ReadonlyArray<Found> => {
  return entities(said.text).flatMap(({ start, text }) => {
    // a name of its own, not what it was made for or where it lies
    const own = text.split(/\s+(?:for|in|on)\s+/u)[0] ?? text
    return month.test(own) ? [] : [{ text: own, start }]
  })
}

const suits = (type: Question["type"], said: Said, found: Found): number => {
  const before = said.text.slice(Math.max(0, found.start - 12), found.start)
  const after = said.text.slice(found.start + found.text.length, found.start + found.text.length + 3)
  switch (type) {
    case "Person": {
      const count = found.text.split(/\s+/u).length
      const shaped = count >= 2 && count <= 4 && !/\d/.test(found.text) ? 1.2 : 0.7
      return (
        shaped * (personal.test(said.text) || /\bby\s+$/iu.test(before) ? 1.2 : 1) * (after.startsWith("'s") ? 0.9 : 1)
      )
    }
    case "Place":
      return (located.test(before) ? 1.4 : 0.8) * (/\d/.test(found.text) ? 0.5 : 1)
    default:
      return 1
  }
}

const lookedIn = 6

/**
 * Names, dates or numbers that may be meant, most likely first: in the most telling sentences, near the question's words, and not in the
 * question itself.
 */
export const candidates = (question: Question, { sentences: ranked }: Ranking): ReadonlyArray<Candidate> => {
  const line = folded(question.text)
  const wanted = new Set(question.terms)
  const best = ranked[0]?.score ?? 0
  const found: Array<Candidate> = []
  ranked.slice(0, lookedIn).forEach((said) => {
    const pieces =
      question.type === "Date" ? dates(said.text) : question.type === "Quantity" ? numbers(said.text) : named(said)
    const titled =
      question.type === "Person" || question.type === "Entity" || question.type === "Place"
        ? [{ text: said.item.title.replace(/\s*\([^()]*\)\s*$/u, ""), start: 0 }]
        : []
    for (const piece of [...pieces, ...titled]) {
      const key = entityKey(piece.text)
      if (key === "" || standsIn(key, line) || key.split(" ").every((term) => wanted.has(term))) continue
      const around = said.text.slice(Math.max(0, piece.start - 60), piece.start + piece.text.length + 60)
      const near = terms(around).filter((term) => wanted.has(term)).length
      const isTitle = !pieces.includes(piece)
      if (isTitle && (said.text.length === 0 || !said.item.text.includes(piece.text))) continue
      const score =
        (best > 0 ? said.score / best : 0) * suits(question.type, said, piece) * (1 + 0.15 * Math.min(4, near))
      found.push({ text: piece.text, said, score: isTitle ? 0.9 * score : score })
    }
  })
  return found.sort((a, b) => b.score - a.score)
}
