/**
 * The second hop: where a passage that says part of the answer points to.
 *
 * Its query is what the question still asks (the words that the passage does not hold) together with the names that the passage's best
 * sentence brings in, without those that the question names already.
 */
import { entities, entityKey } from "./Entities.ts"
import { residualShare } from "./Idf.ts"
import { folded, type Question, standsIn } from "./Question.ts"
import { type Stretch, sentences } from "./Sentences.ts"
import { isStopWord, terms } from "./Words.ts"

export interface Hop {
  /** Folded words to look for, each once: what is left of the question, then the new names. */
  readonly terms: ReadonlyArray<string>
  /** The same in the words of question and passage. */
  readonly query: string
  /** The names that the passage brings in. */
  readonly names: ReadonlyArray<string>
  /** The share of the question, by weight, that the passage does not hold. */
  readonly residual: number
  /** The sentence of the passage that says most of the question; offsets into its text. */
  readonly sentence: Stretch | undefined
}

const mostNames = 6
const months = /\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b/gu
/** A date leads nowhere. */
const isName = (text: string): boolean =>
  /\p{L}{2}/u.test(text.replace(months, "").replace(/\b\d+(?:st|nd|rd|th)\b/gu, ""))

/** The stretch of `text` whose words weigh most among `wanted`; the first where several do, undefined where none holds any. */
export const bestSentence = (
  text: string,
  wanted: ReadonlySet<string>,
  weight: (term: string) => number
): Stretch | undefined => {
  let best: Stretch | undefined
  let most = 0
  for (const stretch of sentences(text)) {
    let sum = 0
    for (const term of new Set(terms(text.slice(stretch.start, stretch.end)))) if (wanted.has(term)) sum += weight(term)
    if (sum > most) {
      most = sum
      best = stretch
    }
  }
  return best
}

/** The hop from a passage, given the weight of the question's terms. */
export const hopFrom = (
  question: Question,
  weight: (term: string) => number,
  passage: { readonly title: string; readonly text: string }
): Hop => {
  const held = new Set(terms(`${passage.title}\n${passage.text}`))
  const left = question.words.filter(({ term }) => !held.has(term))
  const sentence = bestSentence(passage.text, new Set(question.terms), weight) ?? sentences(passage.text)[0]
  const line = folded(question.text)
  const names: Array<string> = []
  const keys = new Set<string>()
  const offer = (name: string) => {
    const key = entityKey(name)
    if (names.length >= mostNames || key === "" || keys.has(key) || standsIn(key, line) || !isName(name)) return
    keys.add(key)
    names.push(name)
  }
  offer(passage.title)
  if (sentence !== undefined)
    for (const { text } of entities(passage.text.slice(sentence.start, sentence.end))) offer(text)
  const wanted = new Set(left.map(({ term }) => term))
  for (const key of keys) for (const term of key.split(" ")) if (!isStopWord(term)) wanted.add(term)
  return {
    terms: [...wanted],
    query: [...left.map(({ end, start }) => question.text.slice(start, end)), ...names].join(" "),
    names,
    residual: residualShare(question.terms, weight, (term) => held.has(term)),
    sentence
  }
}
