/**
 * Builds TAM for the corpus that a scope holds now (C8).
 *
 *     survey ─▶ bind ─▶ link ─▶ relate ─▶ place
 *     titles,   who     links,  Relations  Topics
 *     names,    shares  regions and what
 *     words     what            they say
 *
 * The graph is a function of the corpus and the embedding model alone. After a change the same steps are taken for what the change touches:
 * notes that are kept with the graph say what that is. Run inside one transaction with the corpus change, after the word index.
 */
import { Effect } from "effect"
import type { DocumentId, PassageId, ScopeKey } from "../domain/Ids.ts"
import { type NodeType, rootId } from "../domain/Tam.ts"
import { evidenceId } from "../domain/tam/Graph.ts"
import type { CorpusStore } from "../services/CorpusStore.ts"
import type { Digest } from "../services/Digest.ts"
import type { EmbeddingError, EmbeddingModel } from "../services/EmbeddingModel.ts"
import { LexicalIndex } from "../services/LexicalIndex.ts"
import type { StoreError } from "../services/StoreError.ts"
import { TamStore } from "../services/TamStore.ts"
import { VectorStore } from "../services/VectorStore.ts"
import { pause } from "./IndexPassages.ts"
import { bind } from "./tam/Binding.ts"
import { lines } from "./tam/Board.ts"
import { relink } from "./tam/Linking.ts"
import { place } from "./tam/Placing.ts"
import { relate } from "./tam/Relating.ts"
import { run as begin, type Run } from "./tam/Run.ts"
import { survey } from "./tam/Surveying.ts"
import { teller } from "./tam/Telling.ts"

/** What was built. */
export interface TamSummary {
  readonly nodes: { readonly [T in NodeType]: number }
  readonly edges: number
}

/** Documents that were added, changed or removed since the graph was built, with their passages now; none where one is gone. */
export type ChangedDocuments = ReadonlyMap<DocumentId, ReadonlyArray<PassageId>>

/** Clears what a fresh build makes again. */
const clear = Effect.fnUntraced(function* (scope: ScopeKey) {
  yield* (yield* TamStore).clear(scope)
  yield* (yield* LexicalIndex).clear(scope, "Relation")
  yield* (yield* VectorStore).clear(scope, "Relation")
})

/** How many edges the longest traversal takes: to a Topic of each level, through the longest chain of Relations, to Evidence. */
const depthOf = (run: Run, height: number): number => {
  let chain = 1
  for (let length = 1; length < 64; length++) if ((run.board.deep.get(String(length)) ?? 0) > 0) chain = length
  return height === 0 ? 0 : height + chain + 1
}

/** Writes what a fresh build knows of passages, and keeps of it what the steps that follow ask for: a large corpus' words are most of it. */
const release = Effect.fnUntraced(function* ({ board, links, rebound, retold, scope, surveyed }: Run) {
  const tam = yield* TamStore
  for (const own of [board.note, board.head, board.said]) yield* tam.change(scope, { notes: own.put() })
  for (const own of [board.head, board.said]) own.release()
  for (const id of [...board.note.touched]) {
    const note = board.note.get(id)
    if (note !== undefined) board.note.set(id, "", { ...note, words: "", shared: [], hung: [], mentions: [] })
  }
  for (const held of [links, rebound, retold, surveyed]) held.clear()
})

/**
 * Brings the graph of `scope` up to date with its corpus. Without `changed`, or where there is no graph yet, it is built from nothing. A
 * corpus without passages gives the root alone.
 */
export const buildTam: (
  scope: ScopeKey,
  changed?: ChangedDocuments
) => Effect.Effect<
  TamSummary,
  StoreError | EmbeddingError,
  CorpusStore | TamStore | LexicalIndex | VectorStore | EmbeddingModel | Digest
> = Effect.fn("buildTam")(function* (scope: ScopeKey, changed?: ChangedDocuments) {
  const tam = yield* TamStore
  const isFresh = changed === undefined || (yield* tam.nodes(scope, [rootId])).length === 0
  const run = begin(scope, isFresh)
  if (isFresh) {
    yield* clear(scope)
    yield* tam.change(scope, { nodes: [{ id: rootId, type: "Root", abstraction: "" }] })
  }
  yield* survey(run, isFresh ? undefined : changed)
  yield* pause
  yield* bind(run)
  yield* pause
  const { nodes, regions } = yield* relink(run)
  const { board, gone } = run
  yield* tam.change(scope, {
    nodes,
    evidence: Array.from(run.surveyed, (id) => [id, evidenceId(id)] as const),
    links: run.links
  })
  yield* tam.change(scope, { regions })
  if (isFresh) yield* release(run)
  yield* pause
  yield* relate(run, yield* teller(run))
  run.texts.clear()
  yield* pause
  const { goneTopics, height } = yield* place(run)
  for (const id of gone) board.note.delete(id)
  yield* tam.change(scope, {
    edges: run.edges,
    unbound: run.unbound,
    removed: [...run.lost, ...goneTopics, ...Array.from(gone, evidenceId)],
    gone,
    depth: depthOf(run, height)
  })
  yield* pause
  if (isFresh) board.note.release()
  for (const own of lines(board)) yield* tam.change(scope, { notes: own.put(), erased: own.erased() })
  const { edges, nodes: counted } = yield* tam.counts(scope)
  return { nodes: counted, edges }
})
