/** Questions that are answered by yes or no, or by what two things have in common. */
import { type Belonging, belongings, isBelonging, isOf } from "./Countries.ts"
import { isMonth } from "./Dates.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import type { Question } from "./Question.ts"
import { namesIn } from "./Reading.ts"
import { comparedBy, comparing, firstOf, predicateOf, type Settled, type Side, saying, sidesOf } from "./Sides.ts"
import { about, type Ground, mentioned, openingOf, type Subject, sentenceAt } from "./Subjects.ts"
import { isStopWord, terms } from "./Words.ts"

const twofold = /\b(?:both|same|share|and|common)\b/iu
const negative = /\b(?:not|no|never|nor|cannot|without|neither)\b|n['\u2019]t\b/iu
const same = /\b(?:same|share|common)\b/iu
const nation = /\b(?:country|countries|nationality|nationalities|nation)\b/iu
const region = /\bsame\s+(?:\p{L}+\s+)?(?:state|city|town|village|place|county|region|district|province)\b/iu

/** Both sides, and the question without their names. */
interface Pair {
  readonly sides: readonly [Side, Side]
  readonly rest: string
}

const answer = (so: boolean, ...grounds: ReadonlyArray<Ground>): Settled => ({ text: so ? "Yes" : "No", grounds })
const openings = ({ sides: [a, b] }: Pair): ReadonlyArray<Ground> => [
  openingOf(a.subject.items[0]),
  openingOf(b.subject.items[0])
]

const belongingsOf = ({ text }: EvidenceItem): ReadonlyArray<Belonging> | undefined => {
  const all = belongings(text)
  return all.length === 0 ? undefined : all
}

/** Of one country, they or whom the question compares them by. */
const ofOneCountry = (question: Question, evidence: Evidence, { sides }: Pair): Settled | undefined => {
  const by = comparedBy(question, evidence, sides)
  const [u, v] = [firstOf(by(sides[0]), belongingsOf), firstOf(by(sides[1]), belongingsOf)]
  if (u === undefined || v === undefined) return undefined
  return answer(
    u.value.some((one) => v.value.some((other) => other.country === one.country)),
    sentenceAt(u.item, u.value[0]?.offset ?? 0),
    sentenceAt(v.item, v.value[0]?.offset ?? 0)
  )
}

/** The places that an opening names behind in, at, near or another place, without countries. */
const placesOf = (subject: Subject): ReadonlySet<string> => {
  const { end, item, start } = openingOf(subject.items[0])
  return new Set(
    namesIn(item)
      .filter((name) => name.start >= start && name.end <= end && !isBelonging(name.text))
      .filter((name) => /(?:\b(?:in|at|near|of)\s+(?:the\s+)?|,\s+)$/u.test(item.text.slice(0, name.start)))
      .map(({ key }) => key)
  )
}

/** What follows `is a` in an opening: of which kind something is. */
const kindOf = (subject: Subject): ReadonlySet<string> => {
  const { end, item, start } = openingOf(subject.items[0])
  const text = item.text.slice(start, end)
  const is = /\b(?:is|was|are|were)\s+(?:an?|the|one)\b/iu.exec(text)
  return new Set(terms(text.slice(is?.index ?? 0)).filter((term) => !isStopWord(term)))
}

const meet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => [...a].some((one) => b.has(one))

/** Whether each side's evidence says most of what is asked, and is of the country that the question names. */
const bothSay = (question: Question, { rest, sides }: Pair): Settled | undefined => {
  const predicate = predicateOf(question, sides)
  if (predicate.length === 0) return undefined
  const need = Math.round(0.5 * predicate.length)
  const [country] = belongings(rest)
  const said = sides.map(({ subject }) => {
    const { ground, held } = saying(subject, predicate)
    const belongs = country === undefined || subject.items.some(({ text }) => isOf(text, country))
    return { ground, so: held.size >= need && belongs }
  })
  return answer(
    said.every(({ so }) => so),
    ...said.map(({ ground }) => ground)
  )
}

/** Yes or no, with the sentences that say so; undefined where the evidence does not settle it. */
export const decide = (question: Question, evidence: Evidence): Settled | undefined => {
  const sides = twofold.test(question.text) ? sidesOf(question, evidence) : undefined
  if (sides === undefined) return decideOne(question, evidence)
  const [a, b] = sides
  const pair = { sides, rest: question.text.replace(a.text, " ").replace(b.text, " ") }
  const alike = same.test(pair.rest)
  if ((alike || /\bboth\b/iu.test(pair.rest)) && nation.test(pair.rest)) return ofOneCountry(question, evidence, pair)
  if (region.test(pair.rest)) return answer(meet(placesOf(a.subject), placesOf(b.subject)), ...openings(pair))
  if (alike) return answer(meet(kindOf(a.subject), kindOf(b.subject)), ...openings(pair))
  return bothSay(question, pair)
}

/** Of one thing alone a sentence must say most of what is asked; silence is no denial, and of two negations none is told. */
const decideOne = (question: Question, evidence: Evidence): Settled | undefined => {
  const [one] = mentioned(question, evidence)
  const named =
    one?.subject ?? (question.entities[0] === undefined ? undefined : about(evidence, question.entities[0].text))
  if (named === undefined || negative.test(question.text)) return undefined
  const own = new Set(named.key.split(" "))
  const predicate = question.terms.filter((term) => !own.has(term) && !isStopWord(term) && !comparing.has(term))
  const { ground, most } = saying(named, predicate)
  if (predicate.length === 0 || most < Math.ceil(0.6 * predicate.length)) return undefined
  const denied = negative.test(ground.item.text.slice(ground.start, ground.end))
  return { text: denied ? "No" : "Yes", grounds: [ground] }
}

/** What two things have in common: the words that their openings share after `is a`, as the first writes them. */
export const shared = (question: Question, evidence: Evidence): Settled | undefined => {
  const sides = sidesOf(question, evidence)
  if (sides === undefined) return undefined
  const [a, b] = sides
  const ground = openingOf(a.subject.items[0])
  const text = ground.item.text.slice(ground.start, ground.end)
  const is = /\b(?:is|was|are|were)\s+(?:an?|the|one)\b/iu.exec(text)?.index ?? 0
  const other = kindOf(b.subject)
  const pieces = [...text.slice(is).matchAll(/[\p{L}\p{N}'\u2019-]+/gu)].map((match) => match[0])
  let best: ReadonlyArray<string> = []
  let current: Array<string> = []
  for (const piece of [...pieces, ""]) {
    const term = terms(piece)[0]
    if (term !== undefined && other.has(term) && !isMonth(piece)) current.push(piece)
    else {
      if (current.length > best.length) best = current
      current = []
    }
  }
  const phrase = best.join(" ")
  if (phrase === "" || !text.includes(phrase)) return undefined
  return { text: phrase, grounds: [ground, openingOf(b.subject.items[0])] }
}
