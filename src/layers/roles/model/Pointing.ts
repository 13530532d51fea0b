/**
 * From a model's words to things of the state. What it points to beside them becomes a thing that does not exist, under the name that it
 * used: nothing is guessed, and the rule that refuses it can say what was meant.
 */
import type { Span } from "../../../domain/Corpus.ts"
import type { Evidence, EvidenceItem } from "../../../domain/Evidence.ts"
import { DocumentId, PassageId, SlotName } from "../../../domain/Ids.ts"
import type { Slot } from "../../../domain/Plan.ts"
import { held } from "../../../domain/prompts/Handles.ts"
import { cut } from "../../../domain/Question.ts"
import { locate } from "../../../domain/Quotation.ts"

const called = (said: string): string => cut(said.trim(), 200) || "(unnamed)"

/** The slot that a model names, by handle or by name. */
export const slotOf = (slots: ReadonlyArray<Slot>, said: string): SlotName =>
  (held("slot", slots, said) ?? slots.find(({ name }) => name === said.trim()))?.name ?? SlotName.make(called(said))

/** What a model quotes, as the corpus' own words; where the passage does not say it, as the model wrote it, and so no words of the corpus. */
export interface Quoted {
  readonly item: EvidenceItem | undefined
  readonly passage: PassageId
  readonly span: Span
  readonly text: string
}

export const quotedFrom = (
  evidence: Evidence,
  said: { readonly passage: string; readonly quotation: string }
): Quoted => {
  const item = held("passage", evidence, said.passage)
  if (item === undefined) {
    const name = called(said.passage)
    const span = { document: DocumentId.make(name), start: 0, end: said.quotation.length }
    return { item, passage: PassageId.make(name), span, text: said.quotation }
  }
  const { document, passage, start } = item
  const place = locate(item.text, said.quotation)
  const { end, start: from } = place ?? { start: 0, end: said.quotation.length }
  const text = place === undefined ? said.quotation : item.text.slice(from, end)
  return { item, passage, span: { document, start: start + from, end: start + end }, text }
}
