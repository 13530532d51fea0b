/**
 * Text to vectors without weights or downloads: hashed words, word pairs and character n-grams, signed, sublinear, of unit length.
 *
 * Works for any language and is the same on every machine. It knows spelling, not meaning: what it adds to word search is tolerance for
 * inflection and misspelling, not synonyms.
 */
import { Effect, Layer } from "effect"
import { Recent } from "../../domain/Recent.ts"
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

/** Where a hash adds to a vector: the place, and in the lowest bit whether it adds or takes away. */
const slotOf = (hash: number, dimensions: number): number => (hash % dimensions) * 2 + ((hash >>> 30) & 1)

/** Slots for the character n-grams of `<word>`. */
const lettersOf = (word: string, dimensions: number): ReadonlyArray<number> => {
  const bounded = `<${word}>`
  const found: Array<number> = []
  for (let from = 0; from + shortest <= bounded.length; from++) {
    let h: number = seeds.letters
    for (let i = from; i < bounded.length && i - from < longest; i++) {
      h = Math.imul(h ^ bounded.charCodeAt(i), prime)
      if (i - from >= shortest - 1) found.push(slotOf(mixed(h), dimensions))
    }
  }
  return found
}

/** What a term adds to: slots for itself, and for its letters unless it is a stop word. */
interface Hashes {
  readonly word: number
  readonly letters: ReadonlyArray<number>
  /** The hash of a pair that begins with it, as far as that goes. */
  readonly pair: number
  readonly isStop: boolean
}

/** Of the terms that were hashed last, for vectors of one length; few words make most of any text. */
const known = new Recent<Hashes>(32_768)
const longestKnown = 24
let knownFor = 0

const hashesOf = (term: string, dimensions: number): Hashes => {
  if (dimensions !== knownFor) {
    known.clear()
    knownFor = dimensions
  }
  const found = known.get(term)
  if (found !== undefined) return found
  const isStop = isStopWord(term)
  const made: Hashes = {
    word: slotOf(mixed(stirred(seeds.word, term)), dimensions),
    letters: isStop ? [] : lettersOf(term, dimensions),
    pair: Math.imul(stirred(seeds.pair, term) ^ space, prime),
    isStop
  }
  if (term.length <= longestKnown) known.set(term, made)
  return made
}

/** A word of a text: how often it stands there, and what it weighs. */
interface Weighted {
  readonly term: string
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
  /** What is added at a slot, by its lowest bit. */
  const signed = new Float64Array(2)
  const amountTo = (amount: number) => {
    signed[0] = -amount
    signed[1] = amount
  }
  const add = (slot: number) => {
    const place = slot >> 1
    vector[place] = (vector[place] ?? 0) + (signed[slot & 1] ?? 0)
  }
  const byTerm = new Map<string, Weighted>()
  const inOrder: Array<Weighted> = []
  for (const { start, term } of words(text)) {
    const weight = isNamed(text, start) ? weights.named : 1
    let own = byTerm.get(term)
    if (own === undefined) {
      const hashes = hashesOf(term, dimensions)
      own = { term, hashes, times: 1, weight: hashes.isStop ? weight * weights.stopWord : weight }
      byTerm.set(term, own)
    } else {
      own.times++
      if (!own.hashes.isStop && weight > own.weight) own.weight = weight
    }
    if (!own.hashes.isStop) inOrder.push(own)
  }
  for (const { hashes, times, weight } of byTerm.values()) {
    const amount = weight * (1 + Math.log(times))
    amountTo(amount)
    add(hashes.word)
    amountTo(weights.letters * amount)
    const { letters } = hashes
    for (let i = 0; i < letters.length; i++) add(letters[i] ?? 0)
  }
  // by their hashes as signed numbers, which a map takes without making an object of each
  const pairs = new Map<number, number>()
  for (let i = 1; i < inOrder.length; i++) {
    const before = inOrder[i - 1]
    const own = inOrder[i]
    if (before === undefined || own === undefined) continue
    pairs.set(mixed(stirred(before.hashes.pair, own.term)) | 0, Math.sqrt(before.weight * own.weight))
  }
  for (const [hash, weight] of pairs) {
    amountTo(weights.pair * weight)
    add(slotOf(hash >>> 0, dimensions))
  }

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
