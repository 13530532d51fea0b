/**
 * BM25 (k1 1.2, b .75), title and text once each, words as they are written: the yardstick that published figures exist for. It is kept
 * apart from the product's word index, which folds words, counts a title twice and has other constants.
 */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { PassageId, ScopeKey } from "../../domain/Ids.ts"
import { words } from "../../domain/Words.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { listed, type Rank, type Ranked } from "./Method.ts"

const k1 = 1.2
const b = 0.75
const page = 1000

/** The words of a text without case; neither stems nor stop words, as in the engines of the published figures. */
const written = (text: string): ReadonlyArray<string> =>
  words(text).flatMap(({ end, start }) =>
    text
      .slice(start, end)
      .toLowerCase()
      .split(/['\u2019]/u)
      .filter((word) => word !== "")
  )

interface Postings {
  readonly texts: Array<number>
  readonly counts: Array<number>
}

/** Scores of texts for a question; 0 where they share no word. */
export type Search = (question: string) => Float64Array

/** An index over texts; pure. */
export const bm25 = (texts: ReadonlyArray<string>): Search => {
  const index = new Map<string, Postings>()
  const lengths = new Float64Array(texts.length)
  texts.forEach((text, n) => {
    const all = written(text)
    lengths[n] = all.length
    const counts = new Map<string, number>()
    for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1)
    for (const [word, count] of counts) {
      const known = index.get(word)
      if (known === undefined) index.set(word, { texts: [n], counts: [count] })
      else {
        known.texts.push(n)
        known.counts.push(count)
      }
    }
  })
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length)
  const norms = lengths.map((length) => k1 * (1 - b + (b * length) / Math.max(1, mean)))
  return (question) => {
    const scores = new Float64Array(texts.length)
    for (const word of written(question)) {
      const found = index.get(word)
      if (found === undefined) continue
      const n = found.texts.length
      const idf = Math.log(1 + (texts.length - n + 0.5) / (n + 0.5))
      found.texts.forEach((at, i) => {
        const count = found.counts[i] ?? 0
        scores[at] = (scores[at] ?? 0) + (idf * count * (k1 + 1)) / (count + (norms[at] ?? k1))
      })
    }
    return scores
  }
}

/** Numbers of the texts that share a word with the question, best first, ties by number, at most `limit`. */
export const best = (scores: Float64Array, limit: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = 0; at < scores.length; at++) if ((scores[at] ?? 0) > 0) found.push(at)
  return found.sort((x, y) => (scores[y] ?? 0) - (scores[x] ?? 0) || x - y).slice(0, limit)
}

const textOf = ({ headings, text, title }: Passage): string => [title, ...headings, text].join("\n")

/** Passages by their own words. */
export const ofPassages = (
  passages: ReadonlyArray<Passage>,
  search: Search = bm25(passages.map(textOf))
): Rank<never> => {
  return (question, within) =>
    Effect.sync(() => {
      const scores = search(question)
      const documents = within && new Set(within)
      return best(scores, documents === undefined ? listed : passages.length)
        .flatMap((at): ReadonlyArray<Ranked> => {
          const passage = passages[at]
          const isAllowed = passage !== undefined && (documents === undefined || documents.has(passage.document))
          return isAllowed ? [{ passage, score: scores[at] ?? 0 }] : []
        })
        .slice(0, listed)
    })
}

/**
 * Whole documents, as the published figures rank them; of each the passage that answers best stands for it. Where only some documents count
 * their passages are ranked.
 */
export const ofDocuments = (passages: ReadonlyArray<Passage>): Rank<never> => {
  const inPassages = bm25(passages.map(textOf))
  const passagesWithin = ofPassages(passages, inPassages)
  const numbers = new Map<string, Array<number>>()
  passages.forEach(({ document }, at) => {
    const known = numbers.get(document)
    if (known === undefined) numbers.set(document, [at])
    else known.push(at)
  })
  const documents = [...numbers.values()].map((own) =>
    own.sort((x, y) => (passages[x]?.start ?? 0) - (passages[y]?.start ?? 0))
  )
  const inDocuments = bm25(
    documents.map((own) =>
      [passages[own[0] ?? 0]?.title ?? "", ...own.map((at) => passages[at]?.text ?? "")].join("\n")
    )
  )
  const whole = (question: string): ReadonlyArray<Ranked> => {
    const scores = inDocuments(question)
    const own = inPassages(question)
    return best(scores, listed).flatMap((at): ReadonlyArray<Ranked> => {
      const [first] = [...(documents[at] ?? [])].sort((x, y) => (own[y] ?? 0) - (own[x] ?? 0) || x - y)
      const passage = first === undefined ? undefined : passages[first]
      return passage === undefined ? [] : [{ passage, score: scores[at] ?? 0 }]
    })
  }
  return (question, within) =>
    within === undefined ? Effect.sync(() => whole(question)) : passagesWithin(question, within)
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
