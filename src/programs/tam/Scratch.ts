/** A graph that is built beside the stored one, in memory and written nowhere: what a fresh build would give. */
import { Effect } from "effect"
import type { NodeId, PassageId, ScopeKey } from "../../domain/Ids.ts"
import type { TamEdge, TamNode } from "../../domain/Tam.ts"
import type { NoteKind, TitleLink, WholeGraph } from "../../domain/tam/Graph.ts"
import { LexicalIndex } from "../../services/LexicalIndex.ts"
import { TamStore } from "../../services/TamStore.ts"
import { type StoredVector, VectorStore } from "../../services/VectorStore.ts"
import { buildTam } from "../BuildTam.ts"

export interface Scratch extends WholeGraph {
  /** By kind and key, the items with their values. */
  readonly notes: ReadonlyMap<NoteKind, ReadonlyMap<string, ReadonlyMap<string, string>>>
}

/** Entries after `after` in the order of their ids, at most `limit`. */
const pageOf = <A>(all: ReadonlyArray<A>, id: (one: A) => string, after: string, limit: number): ReadonlyArray<A> => {
  const from = all.findIndex((one) => id(one) > after)
  return from < 0 ? [] : all.slice(from, from + limit)
}

/** Builds the graph of `scope` from nothing; neither the stored graph nor any index is touched. */
export const fromNothing = Effect.fnUntraced(function* (scope: ScopeKey) {
  const tam = yield* TamStore
  const lexical = yield* LexicalIndex
  const store = yield* VectorStore
  const nodes = new Map<NodeId, TamNode>()
  const edges: Array<TamEdge> = []
  const regions = new Map<NodeId, ReadonlyArray<PassageId>>()
  const links: Array<TitleLink> = []
  const evidence = new Map<PassageId, NodeId>()
  const notes = new Map<NoteKind, Map<string, Map<string, string>>>()
  const vectors = new Map<string, StoredVector>()
  const sorted = { size: -1, relations: [] as ReadonlyArray<TamNode>, vectors: [] as ReadonlyArray<StoredVector> }
  const inOrder = () => {
    if (sorted.size === nodes.size) return sorted
    sorted.size = nodes.size
    sorted.relations = [...nodes.values()]
      .filter(({ type }) => type === "Relation")
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    sorted.vectors = [...vectors.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    return sorted
  }
  const nothing = () => Effect.void
  yield* buildTam(scope).pipe(
    Effect.provideService(TamStore, {
      ...tam,
      clear: nothing,
      nodes: (_, ids) => Effect.sync(() => ids.flatMap((id) => nodes.get(id) ?? [])),
      page: (_, type, after, limit) =>
        Effect.sync(() => (type === "Relation" ? pageOf(inOrder().relations, ({ id }) => id, after, limit) : [])),
      change: (_, change) =>
        Effect.sync(() => {
          for (const node of change.nodes ?? []) nodes.set(node.id, node)
          for (const edge of change.edges ?? []) edges.push(edge)
          for (const [node, region] of change.regions ?? []) regions.set(node, region)
          for (const [passage, node] of change.evidence ?? []) evidence.set(passage, node)
          for (const [from, own] of change.links ?? [])
            for (const { to, weight } of own) links.push({ from, to, weight })
          for (const { item, key, kind, value } of change.notes ?? []) {
            const ofKind = notes.get(kind) ?? new Map<string, Map<string, string>>()
            notes.set(kind, ofKind.set(key, (ofKind.get(key) ?? new Map<string, string>()).set(item, value)))
          }
        })
    }),
    Effect.provideService(LexicalIndex, { ...lexical, put: nothing, remove: nothing, clear: nothing }),
    Effect.provideService(VectorStore, {
      ...store,
      remove: nothing,
      clear: nothing,
      put: (_, __, all) =>
        Effect.sync(() => {
          for (const one of all) vectors.set(one.id, one)
        }),
      get: (_, __, ids) => Effect.sync(() => ids.flatMap((id) => vectors.get(id) ?? [])),
      count: () => Effect.sync(() => vectors.size),
      page: (_, __, after, limit) =>
        Effect.sync(() => pageOf(inOrder().vectors, ({ id }) => id, after._tag === "None" ? "" : after.value, limit))
    })
  )
  const scratch: Scratch = { nodes: [...nodes.values()], edges, regions, links, evidence, notes }
  return scratch
})
