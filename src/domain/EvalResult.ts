/** What one method made of one question: the line that an evaluation writes as soon as it knows it, so that nothing is asked twice. */
import { Schema } from "effect"
import type { Reading } from "./Answer.ts"
import { Span } from "./Corpus.ts"
import type { Question } from "./Dataset.ts"
import { type Metric, metricNames, metrics, recallAt } from "./Metrics.ts"

/** How a method came by its list: a branch of the contract, ⊥, or a plain ranking. */
export const EvalOutcome = Schema.Literal("Bypass", "Release", "Fallback", "Incomplete", "Ranking")
export type EvalOutcome = typeof EvalOutcome.Type

const Documents = Schema.Array(Schema.String)

/** One completed cycle. */
export const CycleDetail = Schema.Struct({
  verdict: Schema.Literal("Pass", "Fail"),
  /** Documents of the region that was opened, and of the evidence that was committed. */
  region: Documents,
  evidence: Documents
})
export type CycleDetail = typeof CycleDetail.Type

/** One navigation, compared with scoring every Evidence node. */
export const NavigationDetail = Schema.Struct({
  /** Whether the trace ends where the exhaustive argmax of g does, or scores the same. */
  agrees: Schema.Boolean,
  /** Evidence nodes that the Navigator scored, and that there are. */
  scored: Schema.NonNegativeInt,
  total: Schema.NonNegativeInt
})
export type NavigationDetail = typeof NavigationDetail.Type

export const Found = Schema.Struct({
  /** In the method's order; a document may stand here more than once. */
  documents: Documents,
  answer: Schema.NullOr(Schema.String),
  /** The answer as it is judged: see {@link shortAnswer}. */
  short: Schema.NullOr(Schema.String),
  /** The document of each citation. */
  cited: Documents,
  /** What the reader was given, in its order. */
  evidence: Schema.optionalWith(Schema.Array(Span), { default: () => [] }),
  outcome: EvalOutcome,
  /** Why a run is incomplete. */
  reason: Schema.NullOr(Schema.String),
  cycles: Schema.Array(CycleDetail),
  /** Documents of E⁰, where there is one. */
  initial: Documents,
  navigation: Schema.Array(NavigationDetail),
  calls: Schema.NonNegativeInt,
  readerEquivalentTokens: Schema.Finite,
  /** What was paid; null where no price is known, and for answers from the cache. */
  money: Schema.optionalWith(Schema.NullOr(Schema.Finite), { default: () => null })
})
export type Found = typeof Found.Type

export const Result = Schema.Struct({
  /** Digest of all that a result depends on besides question and method: policy, corpus revision, version. */
  key: Schema.String,
  id: Schema.String,
  question: Schema.String,
  method: Schema.String,
  ...Found.fields,
  wallMs: Schema.Finite,
  /** Null where several questions share the process, or the platform does not say. */
  cpuMs: Schema.NullOr(Schema.Finite)
})
export type Result = typeof Result.Type

/** What it took to make a method ready: the price of its own index, apart from that of its questions. */
export const Prepared = Schema.Struct({
  key: Schema.String,
  prepared: Schema.String,
  /** What stands in for a part of the method as it was published. */
  note: Schema.NullOr(Schema.String),
  wallMs: Schema.Finite,
  cpuMs: Schema.NullOr(Schema.Finite),
  calls: Schema.NonNegativeInt,
  readerEquivalentTokens: Schema.Finite,
  money: Schema.NullOr(Schema.Finite)
})
export type Prepared = typeof Prepared.Type

/** A line of what an evaluation keeps. */
export const Kept = Schema.Union(Result, Prepared)
export type Kept = typeof Kept.Type
export const isResult = (kept: Kept): kept is Result => "id" in kept

/**
 * What a reading says without the quotations under it and without markers; where it is nothing but quotations, these are what it says. Null
 * where there is no answer.
 */
export const shortAnswer = ({ citations, text }: Pick<Reading, "text" | "citations">): string | null => {
  if (text === null) return null
  const spoken = citations
    .reduce((rest, { marker, text }) => rest.replace(`"${text}" [${marker}]`, ""), text)
    .replace(/ ?\[\d+\]/g, "")
    .trim()
  return spoken === "" ? citations.map(({ text }) => text).join(" ") : spoken
}

/** Every metric of a result, in [0, 1]; null where the question does not say what would be right. */
export type Scores = { readonly [M in Metric]: number | null }

export const scoresOf = (
  question: Pick<Question, "gold" | "answers" | "evidence" | "absent">,
  result: Found
): Scores => {
  const { cited, documents, evidence, outcome, short } = result
  // ⊥ is wrong, whatever there is a word for
  const answer = short ?? (outcome === "Incomplete" ? null : (question.absent ?? null))
  const annotators = question.evidence ?? []
  const judged = { gold: question.gold, answers: question.answers, documents, answer, cited, annotators, evidence }
  const entries = metricNames.map((name) => [name, metrics[name](judged)] as const)
  return Object.fromEntries(entries) as Scores
}

/** Where gold is lost, stage by stage: the share of a question's gold documents that got so far. */
export interface Stages {
  readonly initial: number
  readonly regions: number
  readonly evidence: number
  readonly terminal: number
}

export const stagesOf = (gold: ReadonlyArray<string>, result: Found): Stages | null => {
  if (gold.length === 0) return null
  const share = (documents: ReadonlyArray<string>): number => recallAt(gold, documents, Number.POSITIVE_INFINITY) ?? 0
  return {
    initial: share(result.initial),
    regions: share(result.cycles.flatMap(({ region }) => region)),
    evidence: share(result.cycles.flatMap(({ evidence }) => evidence)),
    terminal: share(result.documents)
  }
}
