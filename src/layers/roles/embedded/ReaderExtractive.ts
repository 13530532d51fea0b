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
import { choose, decide, type Ground } from "../../../domain/Comparing.ts"
import { lineBreaks } from "../../../domain/Corpus.ts"
import type { Evidence } from "../../../domain/Evidence.ts"
import { bears, candidates, rank, type Said } from "../../../domain/Extract.ts"
import { analyse, cut, type Question } from "../../../domain/Question.ts"
import { sentences } from "../../../domain/Sentences.ts"
import { terms } from "../../../domain/Words.ts"
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
  const all = sentences(said.item.text)
  const next = all[all.findIndex((stretch) => stretch.start === said.start) + 1]
  if (next === undefined || next.end - said.start > longestQuote) return said
  const own = new Set(terms(said.text))
  const further = terms(said.item.text.slice(next.start, next.end))
  const adds = question.terms.some((term) => !own.has(term) && further.includes(term))
  return /[:\uff1a]$/u.test(said.text) || adds ? { item: said.item, start: said.start, end: next.end } : said
}

/** Sentences that say what something is, or how it is done, before those that only mention it. */
const telling = (question: Question, said: Said): number => {
  const opening = new Set(terms(said.text.slice(0, 60)))
  const leads = question.terms.some((term) => opening.has(term))
  if (
    question.type === "Definition" &&
    leads &&
    /\b(?:is|are|was|were|means|provides|represents|refers to)\b/u.test(said.text)
  )
    return 1.4
  if (
    question.type === "Procedure" &&
    /\b(?:use|using|call|run|create|add|set|install|by|you can|to do)\b/iu.test(said.text)
  )
    return 1.2
  return 1
}

const quoted = (question: Question, ranked: ReadonlyArray<Said>): Reading => {
  const ordered = ranked
    .slice(0, 12)
    .map((said) => [said, said.score * telling(question, said)] as const)
    .sort((a, b) => b[1] - a[1])
  const [first, second] = ordered
  if (first === undefined) return notFound
  const grounds = [passageOf(question, first[0])]
  const [start] = grounds
  const apart =
    second !== undefined &&
    (second[0].item !== start?.item || second[0].start >= start.end || second[0].end <= start.start)
  if (second !== undefined && apart && second[1] >= 0.8 * first[1]) grounds.push(second[0])
  return reading(undefined, grounds)
}

/** What two things side by side, or a fixed form, settle. */
const settled = (question: Question, evidence: Evidence): Reading | undefined => {
  if (question.type === "Comparison" || question.type === "Boolean") {
    const said = question.choices.length > 0 ? choose(question, evidence) : decide(question, evidence)
    return said === undefined ? undefined : reading(said.text, said.grounds)
  }
  const told = tell(question, evidence)
  return told === undefined ? undefined : reading(told.text, [told.ground])
}

/** What is answered by a name, a date or a number rather than by a sentence. */
const wantsName: ReadonlySet<Question["type"]> = new Set(["Person", "Place", "Date", "Quantity", "Entity"])

/** Reads the evidence; pure. */
export const read = (asked: string, evidence: Evidence): Reading => {
  const question = analyse(asked)
  if (question.terms.length === 0 || evidence.length === 0) return notFound
  const ranking = rank(question, evidence)
  if (ranking.absent !== undefined) return notFound
  const plainly = settled(question, evidence)
  if (plainly !== undefined) return plainly
  if (!bears(question, ranking)) return notFound
  const [best] = wantsName.has(question.type) ? candidates(question, ranking) : []
  return best === undefined ? quoted(question, ranking.sentences) : reading(best.text, [best.said])
}

export const layer: Layer.Layer<Reader> = Layer.succeed(Reader, {
  read: (question, evidence) => Effect.sync(() => read(question, evidence))
})
