/**
 * BM25 over a large word table, without a walk over every entry that holds a common word.
 *
 *     words, rarest first ──▶ the rows that hold each, until {@link postings} rows ──▶ a row's bound: Σ idf of the words it is known to hold
 *                         ──▶ the rows with the highest bounds ──▶ their texts ──▶ BM25 over all words
 *
 * Rows of one bound are taken together or not at all, so that what is found does not depend on the numbers that rows happen to have; where
 * too many have the same, FTS5 ranks them by those words. Where few rows hold any word at all, it ranks them by all.
 */
import { Effect, Schema } from "effect"
import type { Hit } from "../../services/LexicalIndex.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { Execute } from "./Execute.ts"
import type { Statistics } from "./LexicalStatistics.ts"
import { by, compile, damaged, decodeRows, parsed } from "./Rows.ts"

export interface Limits {
  /** Rows looked at, over all words, before the commoner of them are left out. */
  readonly postings: number
  /** Up to as many rows are ranked by FTS5. */
  readonly exact: number
  /** Rows whose texts are read at least, three times as many as are wanted; up to three times as many may be. */
  readonly texts: number
}
export const defaults: Limits = { postings: 20_000, exact: 8_000, texts: 700 }

const k1 = 1.2
const b = 0.75
const titleWeight = 2

/** How many times the rows that are wanted may be read. */
const slack = 3

const selectPostings = (table: string): string =>
  `SELECT j.key AS term, (SELECT json_group_array(rowid) FROM ${table} WHERE ${table} MATCH j.value) AS rows FROM json_each(?1) j`
const selectRanked = (table: string): string =>
  `SELECT rowid AS row, -bm25(${table}, 2.0, 1.0) AS score FROM ${table} WHERE ${table} MATCH ?1 ORDER BY score DESC LIMIT ?2`
const selectTexts = (table: string): string =>
  `SELECT e.row, e.id, f.c0 AS title, f.c1 AS body FROM json_each(?1) j CROSS JOIN ${table}_content f ON f.id = j.value
   CROSS JOIN staterag_entry e ON e.row = f.id`

const fitPostings = compile(Schema.Struct({ term: Schema.String, rows: Schema.String }))
const fitNumbers = compile(Schema.Array(Schema.Int))
const fitRanked = compile(Schema.Struct({ row: Schema.Int, score: Schema.Number }))
const fitText = compile(
  Schema.Struct({ row: Schema.Int, id: Schema.String, title: Schema.String, body: Schema.String })
)

/** As `bm25()` has it: never negative. */
const idf = (entries: number, holding: number): number => {
  const odds = Math.log((entries - holding + 0.5) / (holding + 0.5))
  return odds > 0 ? odds : 1e-6
}

const holds = (words: number, n: number): boolean => Math.floor(words / 2 ** n) % 2 === 1

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

/** A row, and which of the words it is known to hold: the sum of 2ⁿ over them. */
type Held = readonly [row: number, words: number]
/** As many words a number can tell of. */
const mostHeld = 52

/** Rows by bound, highest first: whole groups, until there are enough. Undefined where one is too large to be read and cannot be spared. */
const byBound = (
  postings: ReadonlyArray<readonly [word: string, rows: ReadonlyArray<number>]>,
  entries: number,
  limit: number,
  enough: number
): ReadonlyArray<Held> | undefined => {
  const held = new Map<number, number>()
  postings.forEach(([, rows], n) => {
    for (const row of rows) held.set(row, (held.get(row) ?? 0) + 2 ** n)
  })
  const groups = new Map<number, Array<number>>()
  for (const [row, words] of held) {
    const group = groups.get(words)
    if (group === undefined) groups.set(words, [row])
    else group.push(row)
  }
  const boundOf = (words: number): number =>
    postings.reduce((sum, [, rows], n) => (holds(words, n) ? sum + idf(entries, rows.length) : sum), 0)
  const taken: Array<Held> = []
  const ranked = Array.from(groups, ([words, rows]) => ({ words, rows, bound: boundOf(words) }))
  for (const { rows, words } of ranked.sort((x, y) => y.bound - x.bound || x.words - y.words)) {
    if (taken.length >= enough) break
    if (taken.length + rows.length > slack * enough) return taken.length >= limit ? taken : undefined
    for (const row of rows) taken.push([row, words])
  }
  return taken
}

/** The rows that hold each of some words, by word, those that hold none left out. */
const postingsOf = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  table: string,
  words: ReadonlyArray<readonly [term: string, quoted: string]>
): Effect.fn.Return<ReadonlyArray<readonly [term: string, rows: ReadonlyArray<number>]>, StoreError> {
  if (words.length === 0) return []
  const found = yield* run(selectPostings(table), [JSON.stringify(Object.fromEntries(words))])
  const postings: Array<readonly [string, ReadonlyArray<number>]> = []
  for (const { rows, term } of yield* decodeRows(method, table, fitPostings, found)) {
    const numbers = fitNumbers(parsed(rows))
    if (numbers._tag === "None") return yield* damaged(method, table, term)
    if (numbers.value.length > 0) postings.push([term, numbers.value])
  }
  return postings.sort(by(([term]) => term)).sort(([, x], [, y]) => x.length - y.length)
})

/** Rows by BM25 over some words: enough, without those that tie with one that is not among them. */
const byScore = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  table: string,
  words: ReadonlyArray<string>,
  most: number
): Effect.fn.Return<ReadonlyArray<Held>, StoreError> {
  const found = yield* run(selectRanked(table), [words.join(" OR "), most])
  const ranked = yield* decodeRows(method, table, fitRanked, found)
  const last = ranked.length < most ? undefined : ranked.at(-1)?.score
  const kept = ranked.filter(({ score }) => score !== last)
  return (kept.length > 0 ? kept : ranked).map(({ row }) => [row, 2 ** words.length - 1])
})

/** The best `limit` entries, best first, ties by id; undefined where FTS5 is to be asked. */
export const search = Effect.fnUntraced(function* (
  run: Execute,
  method: string,
  table: string,
  { common, entries, length }: Statistics,
  words: ReadonlyMap<string, string>,
  limit: number,
  { exact, postings, texts }: Limits
): Effect.fn.Return<ReadonlyArray<Hit> | undefined, StoreError> {
  const rare = yield* postingsOf(
    run,
    method,
    table,
    [...words].filter(([term]) => !common.has(term))
  )
  let left = postings
  for (const [, rows] of rare) left -= rows.length
  const all = [...common].sort(by(([term]) => term)).sort(([, x], [, y]) => x - y)
  let within = 0
  for (const [, count] of all) {
    if (count > left && rare.length + within > 0) break
    left -= count
    within++
  }
  if (within === all.length && postings - left <= exact) return undefined
  const chosen = all.slice(0, within).map(([term]) => [term, words.get(term) ?? ""] as const)
  const held = [...rare, ...(yield* postingsOf(run, method, table, chosen))].slice(0, mostHeld)
  const enough = Math.max(texts, 3 * limit)
  const match = held.map(([term]) => words.get(term) ?? "")
  const rows = byBound(held, entries, limit, enough) ?? (yield* byScore(run, method, table, match, slack * enough))

  const weigh = (term: string, holding: number) => [` ${term} `, idf(entries, holding)] as const
  const known = held.map(([term, found]) => weigh(term, found.length))
  const unknown = [...rare.map(([term, found]) => [term, found.length] as const), ...all].flatMap(([term, holding]) =>
    held.some(([other]) => other === term) ? [] : [weigh(term, holding)]
  )
  const found = yield* run(selectTexts(table), [JSON.stringify(rows.map(([row]) => row))])
  const wordsOf = new Map(rows)
  const hits: Array<Hit> = []
  for (const { body, id, row, title } of yield* decodeRows(method, table, fitText, found)) {
    const norm = k1 * (1 - b + (b * (lengthOf(title) + lengthOf(body))) / length)
    const [head, rest] = [` ${title} `, ` ${body} `]
    const own = wordsOf.get(row) ?? 0
    let score = 0
    for (const [word, weight] of [...known.filter((_, n) => holds(own, n)), ...unknown]) {
      const count = titleWeight * countOf(head, word) + countOf(rest, word)
      if (count > 0) score += (weight * count * (k1 + 1)) / (count + norm)
    }
    hits.push({ id, score })
  }
  return hits
    .sort(by((hit) => hit.id))
    .sort((x, y) => y.score - x.score)
    .slice(0, limit)
})
