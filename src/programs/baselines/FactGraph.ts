/**
 * The graph of HippoRAG 2 (HippoRAG.py): phrases and passages.
 *
 *     phrase ─ how many facts name both ─ phrase ─ 1 ─ passage that says a fact of it
 *        └──── cosine, where it is at least .8 ──── phrase
 *
 * Deviations: phrases are equal by their folded words, without a disambiguation in brackets; synonyms are looked for among phrases that share
 * a word which at most 500 phrases have.
 */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import { entityKey } from "../../domain/Entities.ts"
import { type Fact, factText, linkFacts } from "../../domain/methods/Facts.ts"
import { type Adjacency, adjacency } from "../../domain/PageRank.ts"
import * as prompts from "../../domain/prompts/methods/HippoRag.ts"
import { isStopWord } from "../../domain/Words.ts"
import { type Asker, askerFor } from "./Asker.ts"
import type { Library } from "./Method.ts"
import { besides, orElse } from "./Substitutes.ts"
import { cosine, embedAll } from "./Vectors.ts"

const concurrency = 4
const synonym = 0.8
/** Synonyms of one phrase, at most. */
const mostSynonyms = 100
/** Shorter phrases have none. */
const shortest = 3
/** Phrases that share a word, at most, for it to tell anything. */
const commonest = 500

export interface FactGraph {
  readonly passages: ReadonlyArray<Passage>
  /** Each fact once, with the two phrases it is about. */
  readonly facts: ReadonlyArray<{ readonly text: string; readonly phrases: readonly [number, number] }>
  readonly factVectors: ReadonlyArray<Float32Array>
  /** In how many passages each phrase stands. */
  readonly spread: Uint32Array
  /** Phrases first, then passages. */
  readonly adjacency: Adjacency
  readonly phrases: number
  readonly note: string | undefined
}

/** Pairs of phrases whose vectors are near, each once. */
const synonyms = (keys: ReadonlyArray<string>, vectors: ReadonlyArray<Float32Array>) => {
  const holders = new Map<string, Array<number>>()
  keys.forEach((key, at) => {
    if (key.length < shortest) return
    for (const word of new Set(key.split(" "))) {
      if (isStopWord(word)) continue
      const known = holders.get(word)
      if (known === undefined) holders.set(word, [at])
      else known.push(at)
    }
  })
  const found: Array<readonly [a: number, b: number, weight: number]> = []
  keys.forEach((key, at) => {
    if (key.length < shortest) return
    const others = new Set<number>()
    for (const word of key.split(" ")) {
      const own = holders.get(word) ?? []
      if (own.length <= commonest) for (const other of own) if (other > at) others.add(other)
    }
    const vector = vectors[at] ?? new Float32Array(0)
    const near: Array<readonly [number, number, number]> = []
    for (const other of others) {
      const score = cosine(vector, vectors[other] ?? new Float32Array(0))
      if (score >= synonym) near.push([at, other, score])
    }
    near.sort(([, x, a], [, y, b]) => b - a || x - y)
    for (const edge of near.slice(0, mostSynonyms)) found.push(edge)
  })
  return found
}

/** Two calls a passage: its names, then the facts about them. */
const read = ({ value }: Asker, passage: Passage) =>
  Effect.flatMap(value(prompts.names, { passage }, 2048), ({ names }) =>
    Effect.map(value(prompts.facts, { passage, names }, 4096), ({ facts }): ReadonlyArray<Fact> => facts)
  )

export const build = Effect.fnUntraced(function* (library: Library) {
  const asker = yield* Effect.option(askerFor("hipporag2"))
  const passages = yield* library.passages
  const missing = besides()
  const said = yield* Option.match(asker, {
    onNone: () => Effect.sync(() => passages.map(linkFacts)),
    onSome: (held) =>
      Effect.forEach(passages, (passage) => orElse(missing, () => linkFacts(passage))(read(held, passage)), {
        concurrency
      })
  })

  const places = new Map<string, number>()
  const phrases: Array<string> = []
  const placeOf = (name: string): number | undefined => {
    const key = entityKey(name)
    if (key === "") return undefined
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, phrases.length)
    phrases.push(name)
    return phrases.length - 1
  }
  const facts = new Map<string, { readonly text: string; readonly phrases: readonly [number, number] }>()
  const together = new Map<string, readonly [a: number, b: number, times: number]>()
  const holding: Array<readonly [phrase: number, passage: number]> = []
  said.forEach((own, passage) => {
    const held = new Set<number>()
    for (const fact of own) {
      const a = placeOf(fact.subject)
      const b = placeOf(fact.object)
      if (a === undefined || b === undefined) continue
      const text = factText(fact)
      if (!facts.has(text)) facts.set(text, { text, phrases: [a, b] })
      held.add(a).add(b)
      if (a === b) continue
      const key = `${Math.min(a, b)} ${Math.max(a, b)}`
      together.set(key, [a, b, (together.get(key)?.[2] ?? 0) + 1])
    }
    for (const phrase of held) holding.push([phrase, passage])
  })
  const spread = new Uint32Array(phrases.length)
  for (const [phrase] of holding) spread[phrase] = (spread[phrase] ?? 0) + 1
  const all = [...facts.values()]
  const factVectors = yield* embedAll(all.map(({ text }) => text))
  const near = synonyms([...places.keys()], yield* embedAll(phrases))
  const edges = [
    ...together.values(),
    ...near,
    ...holding.map(([phrase, passage]) => [phrase, phrases.length + passage, 1] as const)
  ]
  return {
    passages,
    facts: all,
    factVectors,
    spread,
    adjacency: adjacency(phrases.length + passages.length, edges),
    phrases: phrases.length,
    note: Option.isNone(asker) ? "title and name links for OpenIE, no recognition filter" : missing.note("passages")
  } satisfies FactGraph
})
