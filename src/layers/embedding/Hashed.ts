/**
 * Text to vectors without weights or downloads: hashed words, word pairs and character n-grams, signed, sublinear, of unit length.
 *
 * Works for any language and is the same on every machine. It knows spelling, not meaning: what it adds to word search is tolerance for
 * inflection and misspelling, not synonyms.
 */
import { Effect, Layer } from "effect"
import { isStopWord, words } from "../../domain/Words.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"

export interface Options {
  readonly dimensions: number
}
export const defaults: Options = { dimensions: 512 }

/** Chosen on HotpotQA and MuSiQue: what is written with a capital letter or in digits names something, and counts twice. */
const weights = { pair: 0.5, letters: 0.4, named: 2, stopWord: 0.1 } as const
const shortest = 3
const longest = 4
const prime = 16777619
const seeds = { word: 0x811c9dc5, pair: 0x2f0b4a27, letters: 0x5bd1e995 } as const

/** The last mixing of MurmurHash3: every bit of the sum reaches every bit of the result. */
const mixed = (hash: number): number => {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
const stirred = (seed: number, text: string): number => {
  let h = seed
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), prime)
  return h
}
const space = " ".charCodeAt(0)
const pairHash = (before: string, term: string): number =>
  mixed(stirred(Math.imul(stirred(seeds.pair, before) ^ space, prime), term))

/** Hashes of the character n-grams of `<word>`. */
const lettersOf = (word: string): ReadonlyArray<number> => {
  const bounded = `<${word}>`
  const found: Array<number> = []
  for (let from = 0; from + shortest <= bounded.length; from++) {
    let h: number = seeds.letters
    for (let i = from; i < bounded.length && i - from < longest; i++) {
      h = Math.imul(h ^ bounded.charCodeAt(i), prime)
      if (i - from >= shortest - 1) found.push(mixed(h))
    }
  }
  return found
}

/** What a term adds to: the hash of itself, and of its letters unless it is a stop word. */
interface Hashes {
  readonly word: number
  readonly letters: Uint32Array
  readonly isStop: boolean
}

/** Of the terms that were hashed last; few words make most of any text. */
const known = new Map<string, Hashes>()
const mostKnown = 32_768
const longestKnown = 24

const hashesOf = (term: string): Hashes => {
  const found = known.get(term)
  if (found !== undefined) return found
  const isStop = isStopWord(term)
  const made: Hashes = {
    word: mixed(stirred(seeds.word, term)),
    letters: isStop ? new Uint32Array() : Uint32Array.from(lettersOf(term)),
    isStop
  }
  if (known.size >= mostKnown) known.clear()
  if (term.length <= longestKnown) known.set(term, made)
  return made
}

/** A word of a text: how often it stands there, and what it weighs. */
interface Weighted {
  readonly hashes: Hashes
  times: number
  weight: number
}

const isNamed = (text: string, start: number): boolean => {
  const code = text.charCodeAt(start)
  if (code < 128) return (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
  const letter = String.fromCodePoint(text.codePointAt(start) ?? 0)
  return letter !== letter.toLowerCase() || /\p{N}/u.test(letter)
}

/** The vector of a text: finite, of length 1. A text without words gives the first unit vector. */
export const embedText = (text: string, dimensions: number): Float32Array => {
  const vector = new Float32Array(dimensions)
  const add = (hash: number, amount: number) => {
    const place = hash % dimensions
    vector[place] = (vector[place] ?? 0) + (hash & 0x40000000 ? amount : -amount)
  }
  const found = words(text)
  const byTerm = new Map<string, Weighted>()
  for (const { start, term } of found) {
    const weight = isNamed(text, start) ? weights.named : 1
    const known = byTerm.get(term)
    if (known === undefined) {
      const hashes = hashesOf(term)
      byTerm.set(term, { hashes, times: 1, weight: hashes.isStop ? weight * weights.stopWord : weight })
    } else {
      known.times++
      if (!known.hashes.isStop) known.weight = Math.max(known.weight, weight)
    }
  }
  for (const { hashes, times, weight } of byTerm.values()) {
    const amount = weight * (1 + Math.log(times))
    add(hashes.word, amount)
    const { letters } = hashes
    const little = weights.letters * amount
    for (let i = 0; i < letters.length; i++) add(letters[i] ?? 0, little)
  }
  const pairs = new Map<number, number>()
  let before: string | undefined
  let weightBefore = 1
  for (const { term } of found) {
    const own = byTerm.get(term)
    if (own === undefined || own.hashes.isStop) continue
    if (before !== undefined) pairs.set(pairHash(before, term), Math.sqrt(weightBefore * own.weight))
    before = term
    weightBefore = own.weight
  }
  for (const [hash, weight] of pairs) add(hash, weights.pair * weight)

  let square = 0
  for (let i = 0; i < dimensions; i++) square += (vector[i] ?? 0) ** 2
  if (square === 0) {
    vector[0] = 1
    return vector
  }
  const length = Math.sqrt(square)
  for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] ?? 0) / length
  return vector
}

/** Hashed vectors of the given length. */
export const layerOf = ({ dimensions }: Options): Layer.Layer<EmbeddingModel> =>
  Layer.succeed(EmbeddingModel, {
    id: `hashed-${dimensions}`,
    dimensions,
    kind: "Spelling",
    embed: (texts) => Effect.sync(() => texts.map((text) => embedText(text, dimensions)))
  })

export const layer: Layer.Layer<EmbeddingModel> = layerOf(defaults)
