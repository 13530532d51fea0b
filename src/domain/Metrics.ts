/**
 * How good a list of documents, an answer and its citations are. Every metric is in [0, 1].
 *
 * A list is judged by its *distinct* documents in order of first use. The share of a question's gold documents among the first k of them is
 * recall@k. What is not there counts 0: an incomplete run has an empty list and no answer (C29).
 */

import type { Span } from "./Corpus.ts"
import { distance } from "./Nearest.ts"

/** The distinct items of a list, in order of first use. */
export const distinct = (documents: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(documents)]

const hits = (gold: ReadonlyArray<string>, documents: ReadonlyArray<string>, k: number): number => {
  const wanted = new Set(gold)
  return distinct(documents)
    .slice(0, k)
    .filter((document) => wanted.has(document)).length
}

/** The share of the gold documents among the first k distinct ones; null where there is no gold. */
export const recallAt = (gold: ReadonlyArray<string>, documents: ReadonlyArray<string>, k: number): number | null => {
  const wanted = distinct(gold)
  return wanted.length === 0 ? null : hits(wanted, documents, k) / wanted.length
}

/** 1 where every gold document is among the first k distinct ones, else 0; null where there is no gold. */
export const allSupportAt = (
  gold: ReadonlyArray<string>,
  documents: ReadonlyArray<string>,
  k: number
): number | null => {
  const recall = recallAt(gold, documents, k)
  return recall === null ? null : recall === 1 ? 1 : 0
}

/** 1 / the rank of the first gold document, 0 where none is listed; null where there is no gold. Its mean is MRR. */
export const reciprocalRank = (gold: ReadonlyArray<string>, documents: ReadonlyArray<string>): number | null => {
  if (gold.length === 0) return null
  const wanted = new Set(gold)
  const at = distinct(documents).findIndex((document) => wanted.has(document))
  return at < 0 ? 0 : 1 / (at + 1)
}

/** Normalised discounted cumulative gain at k, gold documents gaining 1 each; null where there is no gold. */
export const ndcgAt = (gold: ReadonlyArray<string>, documents: ReadonlyArray<string>, k: number): number | null => {
  const wanted = new Set(gold)
  if (wanted.size === 0) return null
  const discount = (rank: number): number => 1 / Math.log2(rank + 2)
  let gain = 0
  let ideal = 0
  distinct(documents)
    .slice(0, k)
    .forEach((document, rank) => {
      if (wanted.has(document)) gain += discount(rank)
    })
  for (let rank = 0; rank < Math.min(k, wanted.size); rank++) ideal += discount(rank)
  return ideal === 0 ? 0 : gain / ideal
}

const punctuation = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g
const articles = /\b(?:a|an|the)\b/g

/** SQuAD's normal form: lower case, without ASCII punctuation, articles and superfluous white space. */
export const normalised = (text: string): string =>
  text.toLowerCase().replace(punctuation, "").replace(articles, " ").split(/\s+/).filter(Boolean).join(" ")

const best = (golds: ReadonlyArray<string>, score: (gold: string) => number): number | null =>
  golds.length === 0 ? null : Math.max(...golds.map(score))

/** 1 where the answer equals a gold answer in normal form; null where there is no gold answer. */
export const exactMatch = (golds: ReadonlyArray<string>, answer: string | null): number | null => {
  const said = answer === null ? null : normalised(answer)
  return best(golds, (gold) => (said !== null && said === normalised(gold) ? 1 : 0))
}

/** The harmonic mean of precision and recall of tokens, for the best gold answer; null where there is no gold answer. */
export const tokenF1 = (golds: ReadonlyArray<string>, answer: string | null): number | null => {
  const said = answer === null ? [] : normalised(answer).split(" ").filter(Boolean)
  return best(golds, (gold) => {
    const wanted = normalised(gold).split(" ").filter(Boolean)
    if (said.length === 0 || wanted.length === 0) return answer !== null && said.length === wanted.length ? 1 : 0
    const left = new Map<string, number>()
    for (const token of wanted) left.set(token, (left.get(token) ?? 0) + 1)
    let shared = 0
    for (const token of said) {
      const count = left.get(token) ?? 0
      if (count === 0) continue
      left.set(token, count - 1)
      shared++
    }
    return shared === 0 ? 0 : (2 * shared) / (said.length + wanted.length)
  })
}

/** 1 where a gold answer in normal form stands in the answer, whole words only; null where there is no gold answer. */
export const contained = (golds: ReadonlyArray<string>, answer: string | null): number | null => {
  const said = answer === null ? "" : ` ${normalised(answer)} `
  return best(golds, (gold) => {
    const wanted = normalised(gold)
    return wanted !== "" && said.includes(` ${wanted} `) ? 1 : 0
  })
}

/** The share of the citations whose document is gold; 0 where nothing is cited, null where there is no gold. */
export const citationPrecision = (gold: ReadonlyArray<string>, cited: ReadonlyArray<string>): number | null => {
  if (gold.length === 0) return null
  const wanted = new Set(gold)
  return cited.length === 0 ? 0 : cited.filter((document) => wanted.has(document)).length / cited.length
}

/** The share of the gold documents that are cited; null where there is no gold. */
export const citationRecall = (gold: ReadonlyArray<string>, cited: ReadonlyArray<string>): number | null =>
  recallAt(gold, cited, Number.POSITIVE_INFINITY)

const longestCompared = 2000

/**
 * Average normalised Levenshtein similarity, for the best gold answer: 1 − distance / longer length, and 0 from a distance of half the length
 * on (Biten et al. 2019). Null where there is no gold answer.
 */
export const anls = (golds: ReadonlyArray<string>, answer: string | null): number | null => {
  const form = (text: string) => text.trim().toLowerCase().split(/\s+/).join(" ").slice(0, longestCompared)
  const said = form(answer ?? "")
  return best(golds, (gold) => {
    const wanted = form(gold)
    const length = Math.max(said.length, wanted.length)
    const far = length === 0 ? 0 : distance(said, wanted) / length
    return far < 0.5 ? 1 - far : 0
  })
}

/** The share of the characters of `wanted` that lie in one of the spans found; 0 of nothing. */
export const covered = (wanted: ReadonlyArray<Span>, found: ReadonlyArray<Span>): number => {
  let all = 0
  let held = 0
  for (const { document, end, start } of wanted) {
    all += end - start
    const inside = found
      .filter((span) => span.document === document && span.start < end && span.end > start)
      .map((span) => [Math.max(start, span.start), Math.min(end, span.end)] as const)
      .sort(([a], [b]) => a - b)
    let until = start
    for (const [from, to] of inside) {
      held += Math.max(0, to - Math.max(from, until))
      until = Math.max(until, to)
    }
  }
  return all === 0 ? 0 : held / all
}

/** How much was found of what the best-served annotator took as evidence; null where none took any. */
export const evidenceRecall = (
  annotators: ReadonlyArray<ReadonlyArray<Span>>,
  found: ReadonlyArray<Span>
): number | null => (annotators.length === 0 ? null : Math.max(...annotators.map((wanted) => covered(wanted, found))))

/** What is measured of one question and one method. */
export interface Judged {
  readonly gold: ReadonlyArray<string>
  readonly answers: ReadonlyArray<string>
  readonly documents: ReadonlyArray<string>
  /** Without quotations and markers. */
  readonly answer: string | null
  /** The document of each citation. */
  readonly cited: ReadonlyArray<string>
  /** What each annotator took as evidence, and what the reader was given. */
  readonly annotators?: ReadonlyArray<ReadonlyArray<Span>>
  readonly evidence?: ReadonlyArray<Span>
}

/** Every metric by its name. */
export const metrics = {
  "recall@2": ({ documents, gold }: Judged) => recallAt(gold, documents, 2),
  "recall@5": ({ documents, gold }: Judged) => recallAt(gold, documents, 5),
  "recall@10": ({ documents, gold }: Judged) => recallAt(gold, documents, 10),
  "allSupport@2": ({ documents, gold }: Judged) => allSupportAt(gold, documents, 2),
  "allSupport@5": ({ documents, gold }: Judged) => allSupportAt(gold, documents, 5),
  "allSupport@10": ({ documents, gold }: Judged) => allSupportAt(gold, documents, 10),
  mrr: ({ documents, gold }: Judged) => reciprocalRank(gold, documents),
  "ndcg@10": ({ documents, gold }: Judged) => ndcgAt(gold, documents, 10),
  em: ({ answer, answers }: Judged) => exactMatch(answers, answer),
  f1: ({ answer, answers }: Judged) => tokenF1(answers, answer),
  contained: ({ answer, answers }: Judged) => contained(answers, answer),
  citationPrecision: ({ cited, gold }: Judged) => citationPrecision(gold, cited),
  citationRecall: ({ cited, gold }: Judged) => citationRecall(gold, cited),
  anls: ({ answer, answers }: Judged) => anls(answers, answer),
  evidenceRecall: ({ annotators = [], evidence = [] }: Judged) => evidenceRecall(annotators, evidence)
} as const

export type Metric = keyof typeof metrics
export const metricNames: ReadonlyArray<Metric> = [
  "recall@2",
  "recall@5",
  "recall@10",
  "allSupport@2",
  "allSupport@5",
  "allSupport@10",
  "mrr",
  "ndcg@10",
  "em",
  "f1",
  "contained",
  "citationPrecision",
  "citationRecall",
  "anls",
  "evidenceRecall"
]
export const isMetric = (name: string): name is Metric => Object.hasOwn(metrics, name)
