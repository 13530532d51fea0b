/** What is read of an item of evidence again and again while one question is answered: its sentences, their words, its names. Kept by item. */
import { type Entity, entities } from "./Entities.ts"
import type { EvidenceItem } from "./Evidence.ts"
import { isTelling, type Stretch, sentences } from "./Sentences.ts"
import { terms } from "./Words.ts"

export interface Sentence extends Stretch {
  readonly text: string
  readonly terms: ReadonlySet<string>
  /** Whether it says something by itself. */
  readonly telling: boolean
}

const keptSentences = new WeakMap<EvidenceItem, ReadonlyArray<Sentence>>()
const keptNames = new WeakMap<EvidenceItem, ReadonlyArray<Entity>>()

/** The sentences of an item, in order; offsets into its text. */
export const sentencesOf = (item: EvidenceItem): ReadonlyArray<Sentence> => {
  const kept = keptSentences.get(item)
  if (kept !== undefined) return kept
  const made = sentences(item.text).map((stretch) => {
    const text = item.text.slice(stretch.start, stretch.end)
    return { ...stretch, text, terms: new Set(terms(text)), telling: isTelling(text) }
  })
  keptSentences.set(item, made)
  return made
}

/** The names in an item's text, in order. */
export const namesIn = (item: EvidenceItem): ReadonlyArray<Entity> => {
  const kept = keptNames.get(item)
  if (kept !== undefined) return kept
  const made = entities(item.text)
  keptNames.set(item, made)
  return made
}
