/** Bytes of a file to documents with blocks (one service for every format). */
import { Context, type Effect, Schema } from "effect"
import type { Block, Format } from "../domain/Corpus.ts"

/** The input cannot be indexed; it is skipped, with this in the summary. */
export class Unparseable extends Schema.TaggedError<Unparseable>()("Unparseable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.reason}`
  }
}

/** A document before it has ids and hashes. `text` is what offsets refer to. */
export interface ParsedDocument {
  /** Relative path, or the JSON Lines `id`. */
  readonly id: string
  readonly title: string
  readonly format: Format
  readonly text: string
  readonly blocks: ReadonlyArray<Block>
}

export class DocumentParser extends Context.Tag("staterag/services/DocumentParser")<
  DocumentParser,
  {
    /** The format that a path's extension stands for, if it is one that this parser reads. */
    readonly formatOf: (path: string) => Format | undefined
    /**
     * The documents of one file. `text` is the decoded file without its byte order mark.
     * Records of a JSON Lines file that are no documents are reported beside those that are.
     */
    readonly parse: (
      path: string,
      format: Format,
      text: string
    ) => Effect.Effect<
      { readonly documents: ReadonlyArray<ParsedDocument>; readonly skipped: ReadonlyArray<Unparseable> },
      Unparseable
    >
  }
>() {}
