/** What an index says of many passages at once: sentences of the corpus, or words of a model's. */
import type { Passage } from "../Corpus.ts"
import type { EvidenceItem } from "../Evidence.ts"
import { DocumentId, PassageId } from "../Ids.ts"
import { evidenceOf, type Sentence, textOf } from "./Specific.ts"

export type Told =
  | { readonly _tag: "Quoted"; readonly sentences: ReadonlyArray<Sentence> }
  | { readonly _tag: "Written"; readonly text: string }

export const quoted = (sentences: ReadonlyArray<Sentence>): Told => ({ _tag: "Quoted", sentences })
export const written = (text: string): Told => ({ _tag: "Written", text })

export const toldText = (told: Told): string =>
  told._tag === "Written" ? told.text : told.sentences.map(textOf).join(" ")

/** The passages that are quoted, in order; none of what a model wrote. */
export const toldPassages = (told: Told): ReadonlyArray<Passage> =>
  told._tag === "Written" ? [] : [...new Set(told.sentences.map(({ passage }) => passage))]

/** As evidence. What a model wrote is of no document: it stands under `id`, which no gold names, so that citing it supports nothing. */
export const toldItems = (told: Told, id: string, score: number): ReadonlyArray<EvidenceItem> => {
  if (told._tag === "Quoted") return told.sentences.map((sentence) => evidenceOf(sentence, score))
  const { text } = told
  if (text.trim() === "") return []
  const named = { passage: PassageId.make(id), document: DocumentId.make(id), title: "" }
  return [{ ...named, start: 0, end: text.length, line: 1, text, score, cycle: 0 }]
}
