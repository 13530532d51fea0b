/**
 * Documents, passages and spans.
 *
 *     document  ├──────────────── stored text ────────────────┤
 *     passages     ├─────────┤├──────────┤   ├───────┤           slices of it, in order, never across a heading
 *     span              ├──┤                                     any slice
 *
 * An offset is a UTF-16 code unit (a JavaScript string index) into the stored text. The stored text is the source's own text without its
 * byte order mark; nothing else is changed, so offsets are the source's offsets. They are carried from the parser, never searched for.
 * Of HTML it is what a reader of the page sees, with the line breaks of the source: lines are the source's, offsets are the text's.
 */
import { Schema } from "effect"
import { ContentHash, DocumentId, PassageId } from "./Ids.ts"

/** UTF-16 code units from the start of the stored text. */
export const Offset = Schema.NonNegativeInt

export const Format = Schema.Literal("text", "markdown", "html", "jsonl")
export type Format = typeof Format.Type

/** A half-open range `[start, end)` of one document. */
export const Span = Schema.Struct({ document: DocumentId, start: Offset, end: Offset })
export type Span = typeof Span.Type

export const spanKey = (span: Span): string => `${span.start}-${span.end}@${span.document}`

export const Document = Schema.Struct({
  id: DocumentId,
  title: Schema.String,
  format: Format,
  /** Where it came from: a path relative to the indexed root. Several JSON Lines documents share one. */
  source: Schema.String,
  /** Digest of title and text: what tells a changed document from an unchanged one. */
  hash: ContentHash,
  text: Schema.String
})
export type Document = typeof Document.Type

/** What retrieval ranks and quotes: a slice of a document of about 100 words. */
export const Passage = Schema.Struct({
  id: PassageId,
  document: DocumentId,
  title: Schema.String,
  /** The headings above it, outermost first, without the document's title. */
  headings: Schema.Array(Schema.String),
  start: Offset,
  end: Offset,
  /** The line of `start`, from 1, in the document's stored text, which is that of the source (for JSON Lines: within its text). */
  line: Schema.Int.pipe(Schema.positive()),
  text: Schema.String,
  /** Reader tokens of `text` (o200k). */
  tokens: Schema.NonNegativeInt
})
export type Passage = typeof Passage.Type

/** Whether a passage says of itself what its document says there. */
export const isSliceOf = (passage: Passage, document: Document): boolean =>
  passage.document === document.id &&
  passage.end <= document.text.length &&
  document.text.slice(passage.start, passage.end) === passage.text

/** What a parser yields: a stretch of text that belongs together, under its headings. Blocks are in order and do not overlap. */
export const Block = Schema.Struct({
  start: Offset,
  end: Offset,
  headings: Schema.Array(Schema.String),
  /** A heading is context for what follows it and is kept with it. */
  kind: Schema.Literal("heading", "paragraph", "code", "table")
})
export type Block = typeof Block.Type

/** True where cutting at `offset` would part a surrogate pair. */
export const splitsSurrogate = (text: string, offset: number): boolean => {
  if (offset <= 0 || offset >= text.length) return false
  const before = text.charCodeAt(offset - 1)
  const after = text.charCodeAt(offset)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}

/** How many lines start in `text[from, to)` after `from`: CRLF, CR and LF each end one line. */
export const lineBreaks = (text: string, from: number, to: number): number => {
  let count = 0
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 10 || (unit === 13 && text.charCodeAt(i + 1) !== 10)) count++
  }
  return count
}

/** The line of `offset` in `text`, from 1. */
export const lineAt = (text: string, offset: number): number => 1 + lineBreaks(text, 0, offset)
