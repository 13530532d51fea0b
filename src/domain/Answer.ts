/** What a caller gets back: the answer, where each quotation stands, and what it cost. The JSON of `ask --json`. */
import { Schema } from "effect"
import { lineBreaks, Offset } from "./Corpus.ts"
import { Evidence, type EvidenceItem } from "./Evidence.ts"
import { CorpusRevision, DocumentId, RunId } from "./Ids.ts"
import { Usage } from "./Usage.ts"

/** A quotation: marker [n] of the answer, and the slice of the document that it stands for. */
export const Citation = Schema.Struct({
  marker: Schema.Int.pipe(Schema.positive()),
  document: DocumentId,
  start: Offset,
  end: Offset,
  line: Schema.Int.pipe(Schema.positive()),
  text: Schema.String
})
export type Citation = typeof Citation.Type

/** What the reader says of a question and its evidence; `text` is null where the evidence does not answer it. */
export const Reading = Schema.Struct({ text: Schema.NullOr(Schema.String), citations: Schema.Array(Citation) })
export type Reading = typeof Reading.Type

export const Outcome = Schema.Literal("Bypass", "Release", "Fallback", "Incomplete")
export type Outcome = typeof Outcome.Type

/** Why a run is incomplete. */
export const Reason = Schema.Struct({
  stage: Schema.String,
  tag: Schema.String,
  message: Schema.String,
  advice: Schema.String
})
export type Reason = typeof Reason.Type

export const Answer = Schema.Struct({
  run: RunId,
  question: Schema.String,
  /** Hash of the policy. */
  policy: Schema.String,
  corpusRevision: CorpusRevision,
  answer: Schema.NullOr(Schema.String),
  answered: Schema.Boolean,
  /** Where not answered: the Verifier's last justification. */
  missing: Schema.NullOr(Schema.String),
  outcome: Outcome,
  reason: Schema.NullOr(Reason),
  /** Completed cycles. */
  cycles: Schema.NonNegativeInt,
  citations: Schema.Array(Citation),
  evidence: Evidence,
  usage: Usage,
  elapsedMs: Schema.Number
})
export type Answer = typeof Answer.Type

const cites = (citation: Citation, item: EvidenceItem): boolean =>
  citation.document === item.document &&
  citation.start >= item.start &&
  citation.end <= item.end &&
  citation.start < citation.end &&
  citation.line === item.line + lineBreaks(item.text, 0, citation.start - item.start) &&
  item.text.slice(citation.start - item.start, citation.end - item.start) === citation.text

/** Citations ⊆ E* (L3): those of a reading that the evidence bears out, and those that it does not. */
export const supportedCitations = (
  reading: Reading,
  evidence: Evidence
): { readonly supported: ReadonlyArray<Citation>; readonly unsupported: ReadonlyArray<Citation> } => {
  const isSupported = (citation: Citation) => evidence.some((item) => cites(citation, item))
  return {
    supported: reading.citations.filter(isSupported),
    unsupported: reading.citations.filter((citation) => !isSupported(citation))
  }
}

/**
 * A reading without the citations that its evidence does not bear out, and without markers `[n]` that stand for nothing (where nothing else
 * was said, nothing was): those of the
 * citations removed, and those that no citation has. Where the evidence itself says `[n]`, that is a text and stays.
 */
export const withoutUnsupported = (reading: Reading, evidence: Evidence): Reading => {
  const { supported, unsupported } = supportedCitations(reading, evidence)
  const kept = new Set(supported.map((citation) => citation.marker))
  const removed = new Set(unsupported.map((citation) => citation.marker))
  const stands = (marker: number, written: string) =>
    kept.has(marker) || (!removed.has(marker) && evidence.some((item) => item.text.includes(written)))
  const text = reading.text?.replace(/ ?\[(\d+)\]/g, (mark, digits: string) =>
    stands(Number(digits), `[${digits}]`) ? mark : ""
  )
  return { text: text === undefined || text.trim() === "" ? null : text, citations: supported }
}
