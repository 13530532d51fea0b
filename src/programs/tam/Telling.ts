/** Relations by the batch: what they say, and what of it is new. Nothing is embedded that says what it said before. */
import { Effect } from "effect"
import type { DocumentId, NodeId, PassageId } from "../../domain/Ids.ts"
import type { TamEdge, TamNode } from "../../domain/Tam.ts"
import { evidenceId, isEvidence } from "../../domain/tam/Graph.ts"
import {
  abstractionOf,
  type Content,
  type Draft,
  describe,
  type Hash,
  nameIn,
  relationId,
  tellersOf
} from "../../domain/tam/Relations.ts"
import { Digest } from "../../services/Digest.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"
import { type LexicalEntry, LexicalIndex } from "../../services/LexicalIndex.ts"
import { Progress } from "../../services/Progress.ts"
import { TamStore } from "../../services/TamStore.ts"
import { VectorStore } from "../../services/VectorStore.ts"
import { pause } from "../IndexPassages.ts"
import { type Hung, needTexts, type Run } from "./Run.ts"

const batchSize = 256
/** Entries that go to the word index at once: each time it is written to, it makes a segment, which has to be merged with the others. */
const entriesAtOnce = 4096
const noDocument: DocumentId | null = null

/** A Relation as it should be. */
export interface Made {
  readonly id: NodeId
  readonly draft: Draft
}

const contentOf = ({ board, texts }: Run, id: PassageId): ReadonlyArray<Content> => {
  const passage = texts.get(id)
  const note = board.note.get(id)
  if (passage === undefined || note === undefined) return []
  const names = new Map<string, string>()
  note.names.forEach((key, at) => {
    const surface = note.surfaces[at] ?? ""
    if (surface !== "" && key !== note.title) names.set(key, surface)
  })
  return [{ headings: passage.headings, text: passage.text, title: passage.title, names }]
}

const below = ({ passages, refinements }: Draft, hash: Hash): ReadonlyArray<NodeId> => [
  ...Array.from(passages, evidenceId),
  ...Array.from(refinements, (key) => relationId(key, hash))
]

const childrenOf = Effect.fnUntraced(function* ({ scope }: Run, ids: ReadonlyArray<NodeId>) {
  const found = new Map<NodeId, Set<NodeId>>(ids.map((id) => [id, new Set()]))
  for (const { from, to } of yield* (yield* TamStore).children(scope, ids)) found.get(from)?.add(to)
  return found
})

/** Takes Relations as they should be, and brings the stored ones to that. */
export const teller = Effect.fnUntraced(function* (run: Run) {
  const { board, edges, fresh, lost, moved, renamed, scope, unbound } = run
  const { hash } = yield* Digest
  const tam = yield* TamStore
  const lexical = yield* LexicalIndex
  const vectors = yield* VectorStore
  const model = yield* EmbeddingModel
  const progress = yield* Progress
  let batch: Array<Made> = []
  let losing: Array<NodeId> = []
  let entries: Array<LexicalEntry> = []
  let done = 0

  const enter = Effect.suspend(() => {
    const full = entries
    entries = []
    return lexical.put(scope, "Relation", full)
  })

  const embed = Effect.fnUntraced(function* (
    said: ReadonlyArray<{ readonly id: NodeId; readonly name: string; readonly rest: string }>
  ) {
    if (said.length === 0) return
    const made = yield* model.embed(said.map(abstractionOf))
    yield* vectors.put(
      scope,
      "Relation",
      said.flatMap(({ id }, i) => {
        const vector = made[i]
        return vector === undefined ? [] : [{ id, vector }]
      })
    )
    for (const { id, name, rest } of said) entries.push({ id, title: name, body: rest, document: noDocument })
    if (entries.length >= entriesAtOnce) yield* enter
    const nodes = said.map((one): TamNode => ({ id: one.id, type: "Relation", abstraction: abstractionOf(one) }))
    yield* tam.change(scope, { nodes })
  })

  const write = Effect.fnUntraced(function* (made: ReadonlyArray<Made>) {
    yield* pause
    const ids = made.map(({ id }) => id)
    const stored = new Map((fresh ? [] : yield* tam.nodes(scope, ids)).map((node) => [node.id, node.abstraction]))
    const children = fresh ? new Map<NodeId, ReadonlySet<NodeId>>() : yield* childrenOf(run, ids)
    const tellers = made.map((one) => tellersOf(one.draft))
    yield* needTexts(run, tellers.flat())
    yield* board.note.need(scope, tellers.flat())
    const said = made.map(({ draft, id }, at) => ({
      id,
      ...describe(
        draft,
        (tellers[at] ?? []).flatMap((passage) => contentOf(run, passage))
      )
    }))
    const changed = said.filter((one) => stored.get(one.id) !== abstractionOf(one))
    for (const { id, name } of changed) {
      if (!fresh) moved.add(id)
      const before = stored.get(id)
      if (before === undefined || nameIn(before) !== name) renamed.set(id, name)
    }
    yield* embed(changed)
    // Evidence nodes are there already; of the Relations below, some are still to come
    const hangings: Array<TamEdge> = []
    for (const { draft, id } of made) {
      const before = children.get(id) ?? new Set<NodeId>()
      const after = new Set(below(draft, hash))
      for (const to of after) if (!before.has(to)) (isEvidence(to) ? hangings : edges).push({ from: id, to })
      for (const to of before) if (!after.has(to)) unbound.push({ from: id, to })
    }
    yield* tam.change(scope, { edges: hangings })
    done += made.length
    yield* progress.report({ label: "embedding relations", done, total: undefined })
  })

  const lose = Effect.fnUntraced(function* (ids: ReadonlyArray<NodeId>) {
    if (fresh || ids.length === 0) return
    const there = (yield* tam.nodes(scope, ids)).map(({ id }) => id)
    if (there.length === 0) return
    for (const [from, own] of yield* childrenOf(run, there)) for (const to of own) unbound.push({ from, to })
    for (const id of there) lost.add(id)
    yield* lexical.remove(scope, "Relation", there)
    yield* vectors.remove(scope, "Relation", there)
  })

  return {
    take: Effect.fnUntraced(function* (made: ReadonlyArray<Made>) {
      batch.push(...made)
      if (batch.length < batchSize) return
      const full = batch
      batch = []
      yield* write(full)
    }),
    /** Other passages mention it than before; what it says stays. */
    rehang: (id: NodeId, change: Hung) => {
      for (const passage of change.come) edges.push({ from: id, to: evidenceId(passage) })
      for (const passage of change.gone) unbound.push({ from: id, to: evidenceId(passage) })
    },
    lose: (ids: ReadonlyArray<NodeId>) => {
      losing.push(...ids)
    },
    flush: Effect.suspend(() => {
      const last = batch
      const going = losing
      batch = []
      losing = []
      return Effect.all([last.length === 0 ? Effect.void : write(last), enter, lose(going)], { discard: true })
    })
  }
})

export type Teller = Effect.Effect.Success<ReturnType<typeof teller>>
