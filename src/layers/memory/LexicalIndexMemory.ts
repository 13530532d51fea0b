/**
 * Word search in the {@link Memory} of this process: SQLite's `bm25()`, formula for formula, so that scores and order are the same.
 *
 *     score = Σ over terms  idf · f·(k1 + 1) / (f + k1·(1 − b + b·length/average))     k1 = 1.2, b = 0.75
 *     idf   = max(ln((N − n + ½) / (n + ½)), or 10⁻⁶ where that is not positive)
 *
 * f counts a word of the title twice; length does not.
 */
import { Effect, Layer } from "effect"
import type { DocumentId } from "../../domain/Ids.ts"
import { terms } from "../../domain/Words.ts"
import { type Hit, LexicalIndex, type LexicalKind } from "../../services/LexicalIndex.ts"
import { Memory } from "./Memory.ts"

interface Indexed {
  readonly id: string
  readonly document: DocumentId | null
  readonly length: number
  /** The folded body between two spaces. */
  readonly body: string
  readonly weights: ReadonlyMap<string, number>
}

const titleWeight = 2
const k1 = 1.2
const b = 0.75

const best = (
  entries: ReadonlyArray<Indexed>,
  wanted: ReadonlyArray<string>,
  candidates: ReadonlyArray<Indexed>
): ReadonlyArray<Hit> => {
  const average = entries.reduce((sum, entry) => sum + entry.length, 0) / entries.length
  const idfs = [...new Set(wanted)].map((term) => {
    const holding = entries.reduce((n, entry) => (entry.weights.has(term) ? n + 1 : n), 0)
    const idf = Math.log((entries.length - holding + 0.5) / (holding + 0.5))
    return [term, idf > 0 ? idf : 1e-6] as const
  })
  const hits: Array<Hit> = []
  for (const { id, length, weights } of candidates) {
    let score = 0
    for (const [term, idf] of idfs) {
      const f = weights.get(term)
      if (f !== undefined) score += idf * ((f * (k1 + 1)) / (f + k1 * (1 - b + (b * length) / average)))
    }
    if (score > 0) hits.push({ id, score })
  }
  return hits.sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1))
}

/** The first entries whose body holds a phrase. */
const holding = (entries: ReadonlyArray<Indexed>, phrase: string, limit: number): ReadonlyArray<Indexed> => {
  const found: Array<Indexed> = []
  for (const entry of entries) {
    if (found.length >= limit) break
    if (entry.body.includes(` ${phrase} `)) found.push(entry)
  }
  return found
}

const make = Effect.map(Memory, (memory) => {
  const byKind = { Passage: memory.tables<Indexed>(), Relation: memory.tables<Indexed>() }
  const table = (scope: string, kind: LexicalKind) => byKind[kind](scope)

  return LexicalIndex.of({
    search: (scope, kind, wanted, limit, within) =>
      memory.use(() => {
        if (limit <= 0) return []
        const entries = table(scope, kind).values()
        const allowed = within === undefined ? undefined : new Set<DocumentId | null>(within)
        return best(
          entries,
          wanted,
          allowed === undefined
            ? entries
            : entries.filter((entry) => entry.document !== null && allowed.has(entry.document))
        ).slice(0, limit)
      }),
    frequencies: (scope, wanted) =>
      memory.use(() => {
        const entries = table(scope, "Passage").values()
        return {
          passages: entries.length,
          byTerm: new Map(wanted.map((term) => [term, entries.filter((entry) => entry.weights.has(term)).length]))
        }
      }),
    holders: (scope, phrases, limit) =>
      memory.use(() => {
        const entries = table(scope, "Passage").values()
        return new Map(phrases.map((phrase) => [phrase, holding(entries, phrase, limit).map(({ id }) => id)]))
      }),
    spread: (scope, wanted, limit) =>
      memory.use(() => {
        const entries = table(scope, "Passage").values()
        return new Map(wanted.map((word) => [word, holding(entries, word, limit).length]))
      }),
    count: (scope, kind) => memory.use(() => table(scope, kind).size()),
    put: (scope, kind, entries) =>
      memory.use(() => {
        for (const { id, title, body, document } of entries) {
          const weights = new Map<string, number>()
          const heads = terms(title)
          const rest = terms(body)
          for (const term of heads) weights.set(term, (weights.get(term) ?? 0) + titleWeight)
          for (const term of rest) weights.set(term, (weights.get(term) ?? 0) + 1)
          table(scope, kind).set(id, {
            id,
            document,
            length: heads.length + rest.length,
            body: ` ${rest.join(" ")} `,
            weights
          })
        }
      }),
    remove: (scope, kind, ids) =>
      memory.use(() => {
        for (const id of ids) table(scope, kind).delete(id)
      }),
    clear: (scope, kind) => memory.use(() => table(scope, kind).clear()),
    compact: () => Effect.void,
    summarise: () => Effect.void
  })
})

export const layer: Layer.Layer<LexicalIndex, never, Memory> = Layer.effect(LexicalIndex, make)
