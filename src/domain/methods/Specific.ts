/** What stands in for a summary where no model writes one: the sentences that say most of what is special to some passages. */
import { lineBreaks, type Passage } from "../Corpus.ts"
import { type EvidenceItem, itemOf } from "../Evidence.ts"
import { type Frequencies, idf } from "../Idf.ts"
import { sentences } from "../Sentences.ts"
import { contentTerms } from "../Words.ts"

/** A sentence of a passage. Offsets are those of its text in the passage. */
export interface Sentence {
  readonly passage: Passage
  readonly start: number
  readonly end: number
  /** Its distinct terms that carry meaning. */
  readonly terms: ReadonlyArray<string>
}

export const textOf = ({ end, passage, start }: Sentence): string => passage.text.slice(start, end)

export const sentencesOf = (passage: Passage): ReadonlyArray<Sentence> =>
  sentences(passage.text).map(({ end, start }) => ({
    passage,
    start,
    end,
    terms: contentTerms(passage.text.slice(start, end))
  }))

/** A sentence as evidence: the slice of its document that it is. */
export const evidenceOf = ({ end, passage, start }: Sentence, score: number): EvidenceItem => ({
  ...itemOf(passage, score, 0),
  start: passage.start + start,
  end: passage.start + end,
  line: passage.line + lineBreaks(passage.text, 0, start),
  text: passage.text.slice(start, end)
})

/** In how many passages each term stands. */
export const frequencies = (shelf: ReadonlyArray<ReadonlyArray<Sentence>>): Frequencies => {
  const byTerm = new Map<string, number>()
  for (const own of shelf)
    for (const term of new Set(own.flatMap(({ terms }) => terms))) byTerm.set(term, (byTerm.get(term) ?? 0) + 1)
  return { passages: shelf.length, byTerm }
}

/** Terms that a sentence has to hold besides its own, so that a long one is not better for its length, nor a short one for its brevity. */
const damping = 8

/**
 * Sentences of at most `budget` tokens together, the most specific first: each with the greatest sum of idf·ln(1 + n) per term, where n
 * sentences hold the term, and what an earlier one has said no longer counts. At least one, where there is any.
 */
export const mostSpecific = (
  from: ReadonlyArray<Sentence>,
  known: Frequencies,
  count: (text: string) => number,
  budget: number
): ReadonlyArray<Sentence> => {
  const holders = new Map<string, number>()
  for (const { terms } of from) for (const term of terms) holders.set(term, (holders.get(term) ?? 0) + 1)
  const weights = new Map([...holders].map(([term, n]) => [term, idf(known, term) * Math.log(1 + n)]))
  const score = ({ terms }: Sentence): number =>
    terms.reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / (damping + terms.length)
  const taken: Array<Sentence> = []
  let left = budget
  const open = new Set(from)
  while (open.size > 0) {
    let best: Sentence | undefined
    let most = 0
    for (const sentence of open) {
      const own = score(sentence)
      if (own > most || best === undefined) [best, most] = [sentence, own]
    }
    if (best === undefined || (most === 0 && taken.length > 0)) break
    open.delete(best)
    const tokens = count(textOf(best))
    if (tokens > left && taken.length > 0) {
      // a shorter one may still fit, but not many
      if (left < budget / 4) break
      continue
    }
    left -= tokens
    taken.push(best)
    for (const term of best.terms) weights.set(term, 0)
    if (left <= 0) break
  }
  return taken
}
