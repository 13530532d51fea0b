/** Ranked word search (BM25) over passages and over TAM's Relation nodes, one set of statistics a scope. */
import { Context, type Effect } from "effect"
import type { DocumentId, ScopeKey } from "../domain/Ids.ts"
import type { StoreError } from "./StoreError.ts"

export type LexicalKind = "Passage" | "Relation"

/** A passage id or node id with its score; higher is better, always positive. */
export interface Hit {
  readonly id: string
  readonly score: number
}

/** A text to be found by its words. Both fields are folded by `Words.terms`; a word in `title` counts twice. */
export interface LexicalEntry {
  readonly id: string
  readonly title: string
  readonly body: string
  /** The document it belongs to; null for Relation nodes. */
  readonly document: DocumentId | null
}

export class LexicalIndex extends Context.Tag("staterag/services/LexicalIndex")<
  LexicalIndex,
  {
    /**
     * The best `limit` entries that hold any of `terms` (already folded), best first, ties by id.
     * With `within`, only entries of these documents are ranked; the filter comes before the limit.
     */
    readonly search: (
      scope: ScopeKey,
      kind: LexicalKind,
      terms: ReadonlyArray<string>,
      limit: number,
      within?: ReadonlyArray<DocumentId>
    ) => Effect.Effect<ReadonlyArray<Hit>, StoreError>
    /** In how many passages each term stands, and how many passages there are: what an inverse document frequency is made from. */
    readonly frequencies: (
      scope: ScopeKey,
      terms: ReadonlyArray<string>
    ) => Effect.Effect<{ readonly passages: number; readonly byTerm: ReadonlyMap<string, number> }, StoreError>
    /** For each phrase (folded words, joined by one space) the passages whose body holds it, in no order, at most `limit`. */
    readonly holders: (
      scope: ScopeKey,
      phrases: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>, StoreError>
    /** In how many passages' bodies each word stands, counted up to `limit`. */
    readonly spread: (
      scope: ScopeKey,
      words: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyMap<string, number>, StoreError>
    /** How many entries of a kind can be found. */
    readonly count: (scope: ScopeKey, kind: LexicalKind) => Effect.Effect<number, StoreError>
    /** Adds entries, replacing those with the same id. */
    readonly put: (
      scope: ScopeKey,
      kind: LexicalKind,
      entries: ReadonlyArray<LexicalEntry>
    ) => Effect.Effect<void, StoreError>
    readonly remove: (scope: ScopeKey, kind: LexicalKind, ids: ReadonlyArray<string>) => Effect.Effect<void, StoreError>
    /** Removes every entry of a kind. */
    readonly clear: (scope: ScopeKey, kind: LexicalKind) => Effect.Effect<void, StoreError>
    /** Leaves no byte of entries that were removed: at the price of the whole index, so after forgetting, not after each change. */
    readonly compact: (scope: ScopeKey) => Effect.Effect<void, StoreError>
    /**
     * To be called when a scope's entries are as they shall be: lets a large index be searched by its rare words, where before and without
     * it every entry that holds any of the words is ranked.
     */
    readonly summarise: (scope: ScopeKey) => Effect.Effect<void, StoreError>
  }
>() {}
