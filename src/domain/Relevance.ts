/**
 * g, the trace scorer: one fixed function of question, plan and text (C12). It knows no index and no graph; what it needs of the corpus'
 * statistics stands in the plan as term weights.
 *
 *     g = c·S(text) + τ/n where its title is one of the question's n names (later: that are still missing)
 *       + max over hypotheses h of w_h · (λ·T^h(text)² + μ·frontier(text)),   × .7 if held, × .75 a visit
 *
 * S scores the question's own hypothesis, T^h the others, each divided by the best score that the corpus reaches (so in [0, 1]). Nearness in
 * meaning is part of S and T^h where the plan names the texts that are near. Held and visited places are penalised, never filtered.
 */
import { entityKey } from "./Entities.ts"
import { fingerprint } from "./Fingerprint.ts"
import type { Hypothesis, Plan, WeightedTerm } from "./Plan.ts"
import { terms } from "./Words.ts"

export const constants = {
  question: 1,
  second: 0.7,
  frontier: 0.8,
  mention: 0.7,
  title: 1.2,
  named: 0.4,
  held: 0.7,
  visited: 0.75,
  k1: 0.9,
  b: 0.4,
  length: 90
} as const

/** A text made ready to be scored many times. */
export interface Scored {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
  /** The folded words of the text, each between spaces: a name stands in the text if its key stands here. */
  readonly line: string
  /** The key of the text's first line, which is its title; and the same with its disambiguation in brackets. */
  readonly title: string
  readonly fullTitle: string
  readonly fingerprint: string
}

/** Folds `text` once for scoring. */
export const prepare = (text: string): Scored => {
  const all = terms(text)
  const counts = new Map<string, number>()
  for (const term of all) counts.set(term, (counts.get(term) ?? 0) + 1)
  const first = text.slice(0, 400).split("\n", 1)[0] ?? ""
  return {
    counts,
    length: all.length,
    line: ` ${all.join(" ")} `,
    title: entityKey(first),
    fullTitle: terms(first).join(" "),
    fingerprint: fingerprint(text)
  }
}

/** Raw BM25 of a text for weighted terms, with a fixed mean length of {@link constants.length} terms. Non-negative. */
export const raw = (wanted: ReadonlyArray<WeightedTerm>, text: Scored): number => {
  const { b, k1, length } = constants
  const norm = k1 * (1 - b + (b * text.length) / length)
  let sum = 0
  for (const { term, weight } of wanted) {
    const count = text.counts.get(term)
    if (count !== undefined) sum += (weight * (count * (k1 + 1))) / (count + norm)
  }
  return sum
}

/** How much of the best score a text reaches for a hypothesis, by its words and by its nearness in meaning. */
const shareOf = (hypothesis: Hypothesis): ((text: Scored) => number) => {
  const { best, terms } = hypothesis
  if (best <= 0) return () => 0
  if (!("near" in hypothesis)) return (text) => Math.min(1, raw(terms, text) / best)
  const near = new Map(hypothesis.near.map(({ abstraction, score }) => [abstraction, score]))
  return (text) => Math.min(1, (raw(terms, text) + (near.get(text.fingerprint) ?? 0)) / best)
}

/** How well texts fit a plan: {@link g} of it, with the plan's names folded once for the many texts that are scored. */
export const scorer = (plan: Plan): ((text: Scored) => number) => {
  const { held, mention, question, second, frontier: onward, title, visited } = constants
  const ahead = plan.frontier
    .map(({ name, weight }) => ({ key: entityKey(name), weight }))
    .filter(({ key }) => key !== "")
    .map(({ key, weight }) => ({ key, weight, words: key.split(" "), part: ` ${key} ` }))
    .sort((a, b) => b.weight - a.weight)
  // once something has been committed, only a name that is still missing earns its passage that credit
  const missing = plan.missing.map(entityKey).filter((key) => key !== "")
  const names = new Set(
    plan.entities
      .map((name) => terms(name).join(" "))
      .filter((key) => plan.visited.length === 0 || missing.some((part) => ` ${key} `.includes(` ${part} `)))
  )
  names.delete("")
  const isHeld = new Set(plan.held)
  const hypotheses = plan.hypotheses.map((hypothesis) => ({ ...hypothesis, share: shareOf(hypothesis) }))

  /** How much of the frontier the text is about, in [0, 1]: the greatest weight of a name that is its title, less if it only mentions it. */
  const frontier = (text: Scored): number => {
    let best = 0
    for (const { key, part, weight, words } of ahead) {
      if (weight <= best) break
      if (key === text.title) best = weight
      // most names have a word that the text does not: that is seen sooner than read
      else if (mention * weight > best && words.every((word) => text.counts.has(word)) && text.line.includes(part))
        best = mention * weight
    }
    return Math.min(1, best)
  }
  return (text) => {
    const further = onward * frontier(text)
    let base = 0
    let best = 0
    for (const hypothesis of hypotheses) {
      const part = hypothesis.share(text)
      if (hypothesis.from === null) base = Math.max(base, hypothesis.weight * part)
      else best = Math.max(best, hypothesis.weight * (second * part * part + further))
    }
    let total =
      question * base + (names.has(text.title) || names.has(text.fullTitle) ? title / plan.entities.length : 0) + best
    if (isHeld.has(text.fingerprint)) total *= held
    for (const visit of plan.visited) if (visit.abstraction === text.fingerprint) total *= visited
    return total
  }
}

/**
 * The score of the trace that ends at a node with abstraction `text`: higher is better, never negative.
 *
 * `question` is part of the signature of C12; the embedded scorer reads it through the plan's first hypothesis.
 */
export const g = (_question: string, plan: Plan, text: string): number => scorer(plan)(prepare(text))
