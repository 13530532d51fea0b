/** E, candidate evidence: each item is a slice of the corpus that says where it stands (C14). Only the Retriever writes it; the Initializer writes E⁰. */
import { Schema } from "effect"
import { Offset, type Passage } from "./Corpus.ts"
import { DocumentId, PassageId } from "./Ids.ts"

export const EvidenceItem = Schema.Struct({
  passage: PassageId,
  document: DocumentId,
  title: Schema.String,
  start: Offset,
  end: Offset,
  /** The line of `start` in the document, from 1. */
  line: Schema.Int.pipe(Schema.positive()),
  text: Schema.String.pipe(Schema.minLength(1)),
  score: Schema.Finite,
  /** The cycle that brought it; 0 is initialization. */
  cycle: Schema.NonNegativeInt
})
export type EvidenceItem = typeof EvidenceItem.Type

/** Items that one set of evidence holds at most, whatever the policy allows. */
export const mostItems = 128

export const Evidence = Schema.Array(EvidenceItem).pipe(Schema.maxItems(mostItems))
export type Evidence = typeof Evidence.Type

/** A whole passage as an item of evidence. */
export const itemOf = (
  { document, end, id, line, start, text, title }: Passage,
  score: number,
  cycle: number
): EvidenceItem => ({
  passage: id,
  document,
  title,
  start,
  end,
  line,
  text,
  score,
  cycle
})
