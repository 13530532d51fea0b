/** Documents and passages of a scope: the truth that every offset refers to. */
import { Context, type Effect, type Option, Schema } from "effect"
import { type Block, Document, type Passage, type Span } from "../domain/Corpus.ts"
import { ContentHash, CorpusRevision, type DocumentId, type PassageId, type ScopeKey } from "../domain/Ids.ts"
import type { StoreError, UnknownScope } from "./StoreError.ts"

/** A document without its text. */
export const DocumentInfo = Schema.Struct({ ...Document.omit("text").fields, length: Schema.NonNegativeInt })
export type DocumentInfo = typeof DocumentInfo.Type

/** A file that documents came from, as it was when it was read. */
export const Source = Schema.Struct({
  /** Relative to `root`, with forward slashes. */
  path: Schema.String,
  /** The absolute folder that was indexed. */
  root: Schema.String,
  bytes: Schema.NonNegativeInt,
  modifiedAt: Schema.Number,
  /** Digest of the file's bytes, as decoded. */
  hash: ContentHash
})
export type Source = typeof Source.Type

/** What an index run left behind, besides the content itself. */
export const Revision = Schema.Struct({
  revision: CorpusRevision,
  /** Which embedding model made the vectors, and how long they are. */
  embedding: Schema.String,
  dimensions: Schema.NonNegativeInt,
  /** Milliseconds since the epoch. */
  indexedAt: Schema.Number
})
export type Revision = typeof Revision.Type

export const Counts = Schema.Struct({ documents: Schema.Int, passages: Schema.Int })

export class CorpusStore extends Context.Tag("staterag/services/CorpusStore")<
  CorpusStore,
  {
    /** Every scope that has been indexed, sorted. */
    readonly scopes: Effect.Effect<ReadonlyArray<ScopeKey>, StoreError>
    /** The current revision of a scope. */
    readonly revision: (scope: ScopeKey) => Effect.Effect<Revision, StoreError | UnknownScope>
    readonly counts: (scope: ScopeKey) => Effect.Effect<typeof Counts.Type, StoreError>
    /** All documents without their texts, by id. */
    readonly documents: (scope: ScopeKey) => Effect.Effect<ReadonlyArray<DocumentInfo>, StoreError>
    /** All files that documents came from, by path. */
    readonly sources: (scope: ScopeKey) => Effect.Effect<ReadonlyArray<Source>, StoreError>
    /** The content hash of each of these documents that exists: what an artifact about them rests on (C24). */
    readonly hashes: (
      scope: ScopeKey,
      documents: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyMap<DocumentId, ContentHash>, StoreError>
    readonly document: (scope: ScopeKey, id: DocumentId) => Effect.Effect<Option.Option<Document>, StoreError>
    /** The passages with these ids, in the order of `ids`; unknown ids are left out. */
    readonly passages: (
      scope: ScopeKey,
      ids: ReadonlyArray<PassageId>
    ) => Effect.Effect<ReadonlyArray<Passage>, StoreError>
    /** The ids of the passages of these documents, sorted; unknown documents have none. */
    readonly passagesOf: (
      scope: ScopeKey,
      documents: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<PassageId>, StoreError>
    /** Passages in the order of their ids, after `after`, at most `limit`: for walking a whole corpus in bounded memory. */
    readonly page: (
      scope: ScopeKey,
      after: Option.Option<PassageId>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Passage>, StoreError>
    /** The corpus' own text at each span, by `spanKey`; spans that do not exist are left out. */
    readonly slices: (
      scope: ScopeKey,
      spans: ReadonlyArray<Span>
    ) => Effect.Effect<ReadonlyMap<string, string>, StoreError>
    /** The blocks that were put with a document: of one whose stored text does not say where they lie. */
    readonly blocks: (scope: ScopeKey, id: DocumentId) => Effect.Effect<Option.Option<ReadonlyArray<Block>>, StoreError>
    /** Creates the scope if need be, and adds or replaces documents with their passages and source. */
    readonly put: (
      scope: ScopeKey,
      documents: ReadonlyArray<{
        readonly document: Document
        readonly passages: ReadonlyArray<Passage>
        readonly blocks?: ReadonlyArray<Block> | undefined
      }>
    ) => Effect.Effect<void, StoreError>
    /** Records files; replaces those with the same path. */
    readonly putSources: (scope: ScopeKey, sources: ReadonlyArray<Source>) => Effect.Effect<void, StoreError>
    /** Removes documents and their passages; gives the ids of the passages that went. */
    readonly remove: (
      scope: ScopeKey,
      documents: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<PassageId>, StoreError>
    readonly removeSources: (scope: ScopeKey, paths: ReadonlyArray<string>) => Effect.Effect<void, StoreError>
    /** Declares what is there now to be `revision`. */
    readonly setRevision: (scope: ScopeKey, revision: Revision) => Effect.Effect<void, StoreError>
  }
>() {}
