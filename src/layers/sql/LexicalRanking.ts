/**
 * BM25 from {@link import("./Postings.ts")}. In a large table the commonest words of a query choose nobody:
 *
 *     words, rarest first, until {@link Limits.postings} entries ──▶ the best by these ──▶ their texts, for the words that were left out
 *
 * In a small table, and where the words are rare enough, none is left out and no text is read.
 */
import { Effect, Schema } from "effect"
import type { Hit } from "../../services/LexicalIndex.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { Execute } from "./Execute.ts"
import type { Scope } from "./LexicalStatistics.ts"
import type { Posting, Postings } from "./Postings.ts"
import { by, compile, decodeRows } from "./Rows.ts"

export interface Limits {
  /** Entries looked at in a large table, over all words, before the commoner of them are left out. */
  readonly postings: number
  /** Texts read at least where words were left out; twice as many as are wanted where that is more. */
  readonly texts: number
}
export const defaults: Limits = { postings: 20_000, texts: 300 }

const k1 = 1.2
const b = 0.75
const titleWeight = 2

const selectTexts = (table: string): string =>
  `SELECT e.row, e.id, f.c0 AS title, f.c1 AS body FROM json_each(?1) j CROSS JOIN ${table}_content f ON f.id = j.value
   CROSS JOIN staterag_entry e ON e.row = f.id`

const fitText = compile(
  Schema.Struct({ row: Schema.Int, id: Schema.String, title: Schema.String, body: Schema.String })
)

/** The number of words of a text that holds words and spaces. */
const lengthOf = (text: string): number => {
  if (text === "") return 0
  let length = 1
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) length++
  return length
}

/** How often a word stands in a text; both begin and end with a space. */
const countOf = (text: string, word: string): number => {
  let count = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length - 1)) count++
  return count
}

const enough = (limit: number, { texts }: Limits): number => Math.max(texts, 2 * limit)

/** Of the common words of a query, the rarest first, how many choose, where `held` entries hold the others. */
const choosing = (
  common: ReadonlyArray<readonly [term: string, holding: number]>,
  held: number,
  limit: number,
  limits: Limits
): number => {
  let all = held
  let count = 0
  for (const [, holding] of common) {
    if (all + holding > limits.postings && all >= enough(limit, limits)) break
    all += holding
    count++
  }
  return count
}

/** The `n`th highest of more than `n` values: the root of a heap that holds the `n` highest so far, the least on top. */
const nth = (values: Iterable<number>, n: number): number => {
  const heap = new Float64Array(n).fill(Number.NEGATIVE_INFINITY)
  for (const value of values) {
    if (value <= (heap[0] ?? 0)) continue
    let at = 0
    for (let child = 1; child < n; child = 2 * at + 1) {
      if (child + 1 < n && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child++
      if ((heap[child] ?? 0) >= value) break
      heap[at] = heap[child] ?? 0
      at = child
    }
    heap[at] = value
  }
  return heap[0] ?? 0
}

/** The `limit` rows with the highest sums, and those that tie with the last of them. */
const best = (postings: Iterable<Posting>, limit: number): ReadonlyMap<number, number> => {
  const sums = new Map<number, number>()
  for (const { parts, rows } of postings) {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0
      sums.set(row, (sums.get(row) ?? 0) + (parts[i] ?? 0))
    }
  }
  if (sums.size <= limit) return sums
  const least = nth(sums.values(), limit)
  return new Map([...sums].filter(([, sum]) => sum >= least))
}

/** The best `limit` entries for words (each quoted, by term), best first, ties by id. */
export const search = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  table: string,
  { since, statistics }: Scope,
  postings: Postings,
  words: ReadonlyMap<string, string>,
  limit: number,
  limits: Limits
): Effect.fn.Return<ReadonlyArray<Hit>, StoreError> {
  const common = [...(statistics?.common ?? [])].sort(by(([term]) => term)).sort(([, x], [, y]) => x - y)
  const rare = new Map([...words].filter(([term]) => statistics?.common.has(term) !== true))
  const look = yield* postings.look(run, method, table, since)
  const parts = new Map(yield* look.of(rare))
  let held = 0
  for (const { rows } of parts.values()) held += rows.length
  const count = choosing(common, held, limit, limits)
  if (count > 0) {
    const more = new Map(common.slice(0, count).map(([term]) => [term, words.get(term) ?? ""]))
    for (const [term, posting] of yield* look.of(more)) parts.set(term, posting)
  }
  // in the order of the query, as `bm25()` adds them
  const chosen = [...words.keys()].flatMap((term) => parts.get(term) ?? [])
  const leftOut = common.slice(count)
  const hits: Array<Hit> = []
  if (statistics === undefined || leftOut.length === 0) {
    const rows = best(chosen, limit)
    for (const [row, id] of yield* look.ids(rows.keys())) hits.push({ id, score: rows.get(row) ?? 0 })
  } else {
    const { entries, length } = statistics
    const rows = best(chosen, enough(limit, limits))
    const found = yield* run(selectTexts(table), [JSON.stringify([...rows.keys()])])
    const weights = leftOut.map(([term, holding]) => {
      const odds = Math.log((entries - holding + 0.5) / (holding + 0.5))
      // as `bm25()` has it: never negative
      return [` ${term} `, odds > 0 ? odds : 1e-6] as const
    })
    for (const { body, id, row, title } of yield* decodeRows(method, table, fitText, found)) {
      const norm = k1 * (1 - b + (b * (lengthOf(title) + lengthOf(body))) / length)
      const [head, rest] = [` ${title} `, ` ${body} `]
      let score = rows.get(row) ?? 0
      for (const [word, weight] of weights) {
        const times = titleWeight * countOf(head, word) + countOf(rest, word)
        if (times > 0) score += (weight * times * (k1 + 1)) / (times + norm)
      }
      hits.push({ id, score })
    }
  }
  yield* look.keep
  return hits
    .sort(by((hit) => hit.id))
    .sort((x, y) => y.score - x.score)
    .slice(0, limit)
})
