/**
 * Answers that stand in the evidence: which sentence says most of what a question asks, and which name, date or number in it is meant.
 *
 * Everything here is a slice of the evidence. What it cannot find it does not say.
 */
import type { Entity } from "./Entities.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import { type Hop, hopFrom } from "./Hop.ts"
import { idf } from "./Idf.ts"
import { kindred } from "./Kin.ts"
import { folded, type Question, standsIn } from "./Question.ts"
import { sentencesOf } from "./Reading.ts"
import { isHeading } from "./Sentences.ts"
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

/** The evidence as a reader sees it: sentences, most telling first. */
export interface Ranking {
  readonly sentences: ReadonlyArray<Said>
  /** The share of the question's words that stand anywhere in the evidence. */
  readonly coverage: number
  /** The same of its words that are no part of a name. */
  readonly predicate: number
  /** The share of the question's names that stand in an item; 1 where it has none. */
  readonly named: number
  /** The greatest share of the question's words that one item holds. */
  readonly together: number
  /** A name of the question of which the evidence holds no word, if there is one. */
  readonly absent: Entity | undefined
}

/** Words that compare or point and that a text need not repeat. */
const comparing: ReadonlySet<string> = new Set(
  "first last early earlier late later older younger old young longer shorter larger bigger higher difference differ compare name call title"
    .split(" ")
    .map(fold)
)

const titleShare = 0.5
const headingShare = 0.7
/** What counts of a word that only the sentence before holds. */
const beforeShare = 0.25
/** A heading that holds this share of the question asks it; its first sentence counts for more. */
const asked = 0.6
const openingGain = 1.4
/** What counts of a heading, a list of links or an included file: it names what is asked for and does not say it. */
const pointerShare = 0.3
const hopShare = 0.9
/** The first hop must leave this much of the question open before a second is read. */
const openForHop = 0.25

/** What is answered by a name, a date or a number rather than by a sentence. */
export const wantsName: ReadonlySet<Question["type"]> = new Set(["Person", "Place", "Date", "Quantity", "Entity"])

const isPlain = (word: string): boolean => isStopWord(word) || /^\p{N}+$/u.test(word)

/** Whether a name stands in a folded text: its words side by side, small words and numbers aside; of three or more together one may be missing. */
const stands = (key: string, line: string): boolean => {
  const runs = key.split(" ").reduce<Array<Array<string>>>(
    (runs, word) => {
      if (isPlain(word)) runs.push([])
      else runs[runs.length - 1]?.push(word)
      return runs
    },
    [[]]
  )
  const holds = (run: ReadonlyArray<string>): boolean => run.length === 0 || standsIn(run.join(" "), line)
  return runs.every(
    (run) => holds(run) || (run.length > 2 && run.some((_, i) => holds(run.slice(0, i)) && holds(run.slice(i + 1))))
  )
}

/** Ranks the sentences of the evidence for a question; ties by place in the evidence. */
export const rank = (question: Question, evidence: Evidence): Ranking => {
  const texts = evidence.map((item) => {
    const held = new Set(terms(item.title))
    for (const sentence of sentencesOf(item)) for (const term of sentence.terms) held.add(term)
    return held
  })
  const named = question.entities
  const lines = evidence.map(({ text, title }) => folded(`${title}\n${text}`))
  const isHeld = ({ key }: Entity): boolean => lines.some((line) => stands(key, line))
  const byTerm = new Map<string, number>()
  for (const text of texts) for (const term of text) byTerm.set(term, (byTerm.get(term) ?? 0) + 1)
  const weight = (term: string) => 0.3 + idf({ passages: evidence.length, byTerm }, term)
  const wanted = new Set(question.terms)
  const total = question.terms.reduce((sum, term) => sum + weight(term), 0)
  const held = question.terms.filter((term) => kindred(byTerm, term))
  const names = new Set(question.entities.flatMap((entity) => entity.key.split(" ")))
  const predicate = question.terms.filter((term) => !names.has(term) && !comparing.has(term))

  let from = 0
  let most = -1
  texts.forEach((text, i) => {
    const sum = held.reduce((total, term) => total + (kindred(text, term) ? weight(term) : 0), 0)
    if (sum > most) {
      most = sum
      from = i
    }
  })
  const first = evidence[from]
  const hop: Hop | undefined = first === undefined ? undefined : hopFrom(question, weight, first)
  const onward = new Set(
    hop !== undefined && hop.residual > openForHop && wantsName.has(question.type) ? hop.terms : []
  )

  const said: Array<Said> = []
  evidence.forEach((item, i) => {
    const title = new Set(terms(item.title))
    let heading: ReadonlySet<string> = new Set()
    let opens = false
    let before: ReadonlySet<string> = new Set()
    for (const { end, start, telling, terms: own, text } of sentencesOf(item)) {
      if (isHeading(text)) {
        heading = own
        opens = true
        before = own
      }
      let score = 0
      let shared = 0
      let headed = 0
      for (const term of wanted) {
        const w = weight(term)
        const here = kindred(own, term)
        if (kindred(heading, term)) headed += w
        if (here) score += w
        else if (heading.has(term)) score += headingShare * w
        else if (title.has(term)) score += titleShare * w
        else if (before.has(term)) score += beforeShare * w
        if (here || title.has(term) || heading.has(term)) shared++
      }
      if (i !== from) {
        for (const term of onward) {
          if (wanted.has(term)) continue
          if (own.has(term)) score += hopShare * weight(term)
          else if (title.has(term)) score += hopShare * titleShare * weight(term)
        }
      }
      if (!telling) score *= pointerShare
      else if (opens && own.size > 2) {
        // what a heading asks is told by what stands under it
        if (headed >= asked * total) score *= openingGain
        opens = false
      }
      before = own
      said.push({ item, start, end, text, score, share: wanted.size === 0 ? 0 : shared / wanted.size })
    }
  })
  return {
    sentences: said.sort((a, b) => b.score - a.score),
    coverage: wanted.size === 0 ? 0 : held.length / wanted.size,
    together:
      wanted.size === 0
        ? 0
        : Math.max(0, ...texts.map((text) => question.terms.filter((term) => text.has(term)).length / wanted.size)),
    named: named.length === 0 ? 1 : named.filter(isHeld).length / named.length,
    predicate: predicate.length === 0 ? 1 : predicate.filter((term) => held.includes(term)).length / predicate.length,
    absent: question.entities.find((entity) => {
      const words = entity.key.split(" ").filter((term) => !isStopWord(term))
      return words.length > 0 && !words.some((term) => byTerm.has(term))
    })
  }
}

/** Scripts that are read in pairs of characters: many pairs of a question are endings and joints that no text repeats. */
const paired =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const pairsHeld = 0.25
/** A short question without names is answered by a sentence that says this share of it. */
const fewTerms = 5
const fewShare = 0.6
/** More than this share of a question's names must be held; as much will do where one item says most of the question. */
const halfNamed = 0.5
const mostTogether = 0.65

/** Whether the evidence speaks of those whom the question names. */
export const knows = ({ absent, named, together }: Ranking): boolean =>
  absent === undefined && (named > halfNamed || (named === halfNamed && together >= mostTogether))

/** Whether the evidence speaks of what is asked, so that an answer may be looked for in it. */
export const bears = (
  question: Question,
  { coverage, named, predicate, sentences: [best], together }: Ranking
): boolean => {
  if (best === undefined || best.score <= 0) return false
  if (best.share < Math.min(0.33, 2 / Math.max(1, question.terms.length))) return false
  if (question.terms.filter((term) => paired.test(term)).length > question.terms.length / 2)
    return coverage >= pairsHeld
  if (question.entities.length === 0 && question.terms.length <= fewTerms && best.share < fewShare) return false
  // who speaks of all that a question names may say the rest in other words
  if (question.entities.length > 0) return coverage >= 0.4 && (named === 1 || predicate >= 0.33)
  return coverage >= 0.4 && (predicate >= 0.75 || (predicate >= 0.5 && together >= 0.6))
}
