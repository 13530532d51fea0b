/**
 * Text to vectors without weights or downloads: hashed words, word pairs and character n-grams, signed, sublinear, of unit length.
 *
 * Works for any language and is the same on every machine. It knows spelling, not meaning: what it adds to word search is tolerance for
 * inflection and misspelling, not synonyms.
 */
import { Effect, Layer } from "effect"
import { isStopWord, terms } from "../../domain/Words.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"

export interface Options {
  readonly dimensions: number
}
export const defaults: Options = { dimensions: 512 }

const weights = { word: 1, pair: 0.5, letters: 0.35, stopWord: 0.1 } as const
const shortest = 3
const longest = 5
const prime = 16777619
const seeds = { word: 0x811c9dc5, pair: 0x2f0b4a27, letters: 0x5bd1e995 } as const

/** The last mixing of MurmurHash3: every bit of the sum reaches every bit of the result. */
const mixed = (hash: number): number => {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
const hashOf = (seed: number, text: string): number => {
  let h = seed
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), prime)
  return mixed(h)
}

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

const count = (counts: Map<number, number>, key: number, weight: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + weight)
}

/** The vector of a text: finite, of length 1. A text without words gives the first unit vector. */
export const embedText = (text: string, dimensions: number): Float32Array => {
  const all = terms(text)
  const byWord = new Map<string, number>()
  for (const term of all) byWord.set(term, (byWord.get(term) ?? 0) + 1)
  const vector = new Float32Array(dimensions)
  const add = (hash: number, amount: number) => {
    const place = hash % dimensions
    vector[place] = (vector[place] ?? 0) + (hash & 0x40000000 ? amount : -amount)
  }
  const letters = new Map<number, number>()
  for (const [word, times] of byWord) {
    const share = isStopWord(word) ? weights.stopWord : 1
    add(hashOf(seeds.word, word), weights.word * share * (1 + Math.log(times)))
    if (share === 1) for (const hash of lettersOf(word)) count(letters, hash, times)
  }
  for (const [hash, times] of letters) add(hash, weights.letters * (1 + Math.log(times)))
  const pairs = new Map<number, number>()
  const content = all.filter((term) => !isStopWord(term))
  for (let i = 0; i + 1 < content.length; i++) count(pairs, hashOf(seeds.pair, `${content[i]} ${content[i + 1]}`), 1)
  for (const [hash, times] of pairs) add(hash, weights.pair * (1 + Math.log(times)))

  let square = 0
  for (const part of vector) square += part * part
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
    embed: (texts) => Effect.sync(() => texts.map((text) => embedText(text, dimensions)))
  })

export const layer: Layer.Layer<EmbeddingModel> = layerOf(defaults)
