/**
 * BM25 over the passages of a scope, title and text once each (k1 1.2, b .75): the yardstick that published figures exist for. It is kept
 * apart from the product's word index, which counts a title twice and has other constants.
 */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { PassageId, ScopeKey } from "../../domain/Ids.ts"
import { contentTerms, terms } from "../../domain/Words.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import type { Rank, Ranked } from "./Method.ts"
import { listed } from "./Method.ts"

const k1 = 1.2
const b = 0.75
const page = 1000

/** Where a term stands: passage numbers, and how often. */
interface Postings {
  readonly passages: Array<number>
  readonly counts: Array<number>
}

/** A ranking over these passages; pure. Ties go by the order of the passages. */
export const bm25 = (
  passages: ReadonlyArray<Passage>
): ((question: string, limit: number) => ReadonlyArray<Ranked>) => {
  const index = new Map<string, Postings>()
  const lengths = new Float64Array(passages.length)
  passages.forEach(({ headings, text, title }, n) => {
    const all = terms([title, ...headings, text].join("\n"))
    lengths[n] = all.length
    const counts = new Map<string, number>()
    for (const term of all) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const [term, count] of counts) {
      const known = index.get(term)
      if (known === undefined) index.set(term, { passages: [n], counts: [count] })
      else {
        known.passages.push(n)
        known.counts.push(count)
      }
    }
  })
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, passages.length)
  const norms = lengths.map((length) => k1 * (1 - b + (b * length) / Math.max(1, mean)))
  const scores = new Float64Array(passages.length)
  return (question, limit) => {
    scores.fill(0)
    const touched = new Set<number>()
    for (const term of contentTerms(question)) {
      const found = index.get(term)
      if (found === undefined) continue
      const n = found.passages.length
      const idf = Math.log(1 + (passages.length - n + 0.5) / (n + 0.5))
      found.passages.forEach((at, i) => {
        const count = found.counts[i] ?? 0
        scores[at] = (scores[at] ?? 0) + (idf * count * (k1 + 1)) / (count + (norms[at] ?? k1))
        touched.add(at)
      })
    }
    return [...touched]
      .sort((x, y) => (scores[y] ?? 0) - (scores[x] ?? 0) || x - y)
      .slice(0, limit)
      .flatMap((at) => {
        const passage = passages[at]
        return passage === undefined ? [] : [{ passage, score: scores[at] ?? 0 }]
      })
  }
}

/** Every passage of a scope, by id. */
export const passagesOf = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const all: Array<Passage> = []
  for (let after = Option.none<PassageId>(); ; ) {
    const some = yield* corpus.page(scope, after, page)
    const last = some.at(-1)
    if (last === undefined) return all
    all.push(...some)
    after = Option.some(last.id)
  }
})

/** The ranking over these passages as a method's. */
export const rank = (passages: ReadonlyArray<Passage>): Rank<never> => {
  const search = bm25(passages)
  return (question) => Effect.sync(() => search(question, listed))
}
