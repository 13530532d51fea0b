/** What the steps of one build hand on to each other. */
import { Effect } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { DocumentId, NodeId, PassageId, ScopeKey } from "../../domain/Ids.ts"
import type { TamEdge } from "../../domain/Tam.ts"
import type { Bond } from "../../domain/tam/Bonds.ts"
import type { Doc } from "../../domain/tam/Notes.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { type Board, board } from "./Board.ts"

/** A document that was added, changed or removed. */
export interface Touched {
  readonly before: Doc | undefined
  /** By place; none where it is gone. */
  readonly after: ReadonlyArray<Passage>
}

/** Passages that hang under a name or word now and did not before, and the reverse; each once. */
export interface Hung {
  readonly come: ReadonlyArray<PassageId>
  readonly gone: ReadonlyArray<PassageId>
}

export interface Run {
  readonly scope: ScopeKey
  /** Whether nothing is built on: no note is read. */
  readonly fresh: boolean
  readonly board: Board
  /** Passages with their texts, as far as they were needed. */
  readonly texts: Map<PassageId, Passage>
  readonly touched: Map<DocumentId, Touched>
  readonly gone: Set<PassageId>
  /** Passages of which other names or words are known than before. */
  readonly surveyed: Set<PassageId>
  /** By how much the number of passages that hold a word has changed; none in a fresh build. */
  readonly wordChange: Map<string, number>
  /** The words of surveyed and gone passages as they were. */
  readonly wordsBefore: Map<PassageId, ReadonlyArray<string>>
  /** Passages whose bonds by names and words are others, or weigh otherwise. */
  readonly rebound: Set<PassageId>
  /** By name or word. */
  readonly hung: Map<string, Hung>
  /** All links out of the passages of which they may be others than before. */
  readonly links: Map<PassageId, ReadonlyArray<Bond>>
  /** Passages whose Evidence node says something else than before. */
  readonly retold: Set<PassageId>
  /** Relations that are new or have another vector; none in a fresh build, where all do. */
  readonly moved: Set<NodeId>
  /** Relations that are gone. */
  readonly lost: Set<NodeId>
  /** Relations with another name than before. */
  readonly renamed: Map<NodeId, string>
  readonly edges: Array<TamEdge>
  readonly unbound: Array<TamEdge>
}

export const run = (scope: ScopeKey, fresh: boolean): Run => ({
  scope,
  fresh,
  board: board(fresh),
  texts: new Map(),
  touched: new Map(),
  gone: new Set(),
  surveyed: new Set(),
  wordChange: new Map(),
  wordsBefore: new Map(),
  rebound: new Set(),
  hung: new Map(),
  links: new Map(),
  retold: new Set(),
  moved: new Set(),
  lost: new Set(),
  renamed: new Map(),
  edges: [],
  unbound: []
})

/** Reads passages whose texts are not there yet. */
export const needTexts = Effect.fnUntraced(function* ({ scope, texts }: Run, ids: Iterable<PassageId>) {
  const missing = [...new Set(ids)].filter((id) => !texts.has(id))
  if (missing.length === 0) return
  for (const passage of yield* (yield* CorpusStore).passages(scope, missing)) texts.set(passage.id, passage)
})
