/**
 * y = G(q, E*) without a model (C3, C21): a short form where the question wants one, and the sentences that say it, quoted and numbered.
 *
 *     Rush
 *     "Counterparts is the fifteenth studio album by Canadian rock band Rush." [1]
 *
 * Every word but `Yes` and `No` is the evidence's or the question's own. Where the evidence does not bear on the question there is no text.
 */
import { Effect, Layer } from "effect"
import type { Citation, Reading } from "../../../domain/Answer.ts"
import { tell } from "../../../domain/Attribute.ts"
import { candidates } from "../../../domain/Candidates.ts"
import { choose } from "../../../domain/Comparing.ts"
import { lineBreaks } from "../../../domain/Corpus.ts"
import { decide, shared } from "../../../domain/Deciding.ts"
import { entityKey } from "../../../domain/Entities.ts"
import type { Evidence } from "../../../domain/Evidence.ts"
import { bears, knows, rank, type Said, wantsName } from "../../../domain/Extract.ts"
import { analyse, cut, folded, type Question, standsIn } from "../../../domain/Question.ts"
import { sentencesOf } from "../../../domain/Reading.ts"
import type { Ground } from "../../../domain/Subjects.ts"
import { isStopWord, terms } from "../../../domain/Words.ts"
import { Reader } from "../../../services/Roles.ts"

/** UTF-16 code units that one quotation holds at most. */
const longestQuote = 600

const citation = ({ end, item, start }: Ground, marker: number): Citation => {
  const text = cut(item.text.slice(start, end), longestQuote)
  return {
    marker,
    document: item.document,
    start: item.start + start,
    end: item.start + start + text.length,
    line: item.line + lineBreaks(item.text, 0, start),
    text
  }
}

/** The short form, if there is one, over the quotations it rests on, each once. */
const reading = (short: string | undefined, grounds: ReadonlyArray<Ground>): Reading => {
  const distinct = grounds.filter(
    (ground, i) => grounds.findIndex((other) => other.item === ground.item && other.start === ground.start) === i
  )
  const citations = distinct.map((ground, i) => citation(ground, i + 1))
  const quotes = citations.map(({ marker, text }) => `"${text}" [${marker}]`)
  return { text: [...(short === undefined ? [] : [short]), ...quotes].join("\n"), citations }
}

const notFound: Reading = { text: null, citations: [] }

/** The sentence, and the one after it where the first leads up to it or it says more of what is asked. */
const passageOf = (question: Question, said: Said): Ground => {
  const all = sentencesOf(said.item)
  const next = all[all.findIndex((stretch) => stretch.start === said.start) + 1]
  if (next === undefined || next.end - said.start > longestQuote) return said
  const own = new Set(terms(said.text))
  const adds = question.terms.some((term) => !own.has(term) && next.terms.has(term))
  return /[:\uff1a]$/u.test(said.text) || adds ? { item: said.item, start: said.start, end: next.end } : said
}

const defines = /\b(?:is|are|was|were|means?|provides?|represents?|refers? to|stands? for|allows?|lets?|enables?)\b/u

/** What a definition says: of which kind it is. */
const says = /\b(?:is|are|was|were)[_*]*\s+(?:an?|the|one)\s/u

/** Sentences that say what something is, or how it is done, before those that only mention it. */
const telling = (question: Question, said: Said): number => {
  if (question.type === "Definition") {
    const verb = defines.exec(said.text)
    const lead = verb === null ? [] : terms(said.text.slice(0, verb.index)).filter((term) => !isStopWord(term))
    if (lead.length > 0 && question.terms.every((term) => lead.includes(term)))
      return lead.length > question.terms.length + 1 ? 1.3 : says.test(said.text) ? 1.8 : 1.5
    const called = /\b(?:call(?:ed)?|known as|termed|dubbed)\s(?:this|these|it|them|an?|the)?\s*(.+)$/iu.exec(
      said.text
    )?.[1]
    if (called !== undefined && question.terms.every((term) => terms(called).slice(0, 4).includes(term))) return 1.6
  }
  // what tells two things apart speaks of both
  if (differing.test(question.text) && question.choices.length === 2) {
    const line = folded(said.text)
    return question.choices.every((choice) => standsIn(entityKey(choice), line)) ? 1.8 : 1
  }
  if (
    question.type === "Procedure" &&
    /\b(?:use|using|call|run|create|add|set|install|by|you can|to do)\b/iu.test(said.text)
  )
    return 1.2
  return 1
}

const differing = /\b(?:differences?|differs?|compared?|comparison|versus|vs)\b/iu

const mostQuotes = 3
/** A sentence is quoted beside the best one where it counts for this share of it. */
const beside = 0.6

/** The sentences that say most of the question, at most `most`, none within another. */
const best = (question: Question, ranked: ReadonlyArray<Said>, most: number): ReadonlyArray<Ground> => {
  const ordered = ranked
    .slice(0, 20)
    .map((said) => [said, said.score * telling(question, said)] as const)
    .sort((a, b) => b[1] - a[1])
  const top = ordered[0]?.[1] ?? 0
  const grounds: Array<Ground> = []
  for (const [said, score] of ordered) {
    if (grounds.length >= most || score < beside * top) break
    const ground = passageOf(question, said)
    if (!grounds.some((one) => one.item === ground.item && one.start < ground.end && ground.start < one.end))
      grounds.push(ground)
  }
  return grounds
}

const inCommon = /\b(?:both|in common|share)\b/iu
const offers = /\s(?:or|out of|between)\s/iu

/** A short form, and what it rests on. */
interface Short {
  readonly text: string
  readonly grounds: ReadonlyArray<Ground>
}

/** What two things side by side, or a fixed form, settle. */
const settled = (question: Question, evidence: Evidence): Short | undefined => {
  if (differing.test(question.text)) return undefined
  const offered = question.choices.length > 0 || offers.test(question.text)
  const yes = question.type === "Boolean" || question.type === "Comparison"
  const said =
    (offered ? choose(question, evidence) : undefined) ??
    (yes && question.choices.length === 0 ? decide(question, evidence) : undefined)
  if (said !== undefined || yes) return said
  return tell(question, evidence) ?? (inCommon.test(question.text) ? shared(question, evidence) : undefined)
}

/** A question for what happens or is done wants a sentence. */
const wantsSentence = /^how often\b|^(?:what|which)\s+(?:happens|does|do|did|if|are the|should|would|can)\b/iu

const asksYear = /\byear\b/iu
/** Of a date, the year where that is asked for. */
const formed = (question: Question, text: string): string =>
  asksYear.test(question.text) ? (/(?<!\d)\d{4}(?!\d)/.exec(text)?.[0] ?? text) : text

/** Reads the evidence; pure. */
export const read = (asked: string, evidence: Evidence): Reading => {
  const question = analyse(asked)
  if (question.terms.length === 0 || evidence.length === 0) return notFound
  const ranking = rank(question, evidence)
  if (!knows(ranking)) return notFound
  const short = settled(question, evidence)
  if (short === undefined && !bears(question, ranking)) return notFound
  const [named] =
    short === undefined && wantsName.has(question.type) && !wantsSentence.test(question.text.trim())
      ? candidates(question, ranking, evidence)
      : []
  const said = short ?? (named === undefined ? undefined : { text: named.text, grounds: [named.said] })
  if (short !== undefined && question.type !== "Boolean") return reading(formed(question, short.text), short.grounds)
  const quoted = best(question, ranking.sentences, mostQuotes)
  return said === undefined
    ? reading(undefined, quoted)
    : reading(formed(question, said.text), [...said.grounds, ...quoted].slice(0, mostQuotes))
}

export const layer: Layer.Layer<Reader> = Layer.succeed(Reader, {
  read: (question, evidence) => Effect.sync(() => read(question, evidence))
})
