/** The graph of a scope, kept with its corpus. Nothing is loaded whole but by `load`. */
import { Context, type Effect } from "effect"
import type { NodeId, PassageId, ScopeKey } from "../domain/Ids.ts"
import type { MalformedTam, NodeType, PathGround, Tam, TamEdge, TamNode } from "../domain/Tam.ts"
import type { GraphChange, NoteKind, TitleLink, WholeGraph } from "../domain/tam/Graph.ts"
import type { StoreError } from "./StoreError.ts"

/** A passage names the title of another: `weight` in (0, 1]. */
export type Link = TitleLink
/** A whole graph, with what was found on the way. */
export type BuiltTam = WholeGraph

export class TamStore extends Context.Tag("staterag/services/TamStore")<
  TamStore,
  {
    /** The nodes with these ids, in the order of `ids`; unknown ids are left out. */
    readonly nodes: (scope: ScopeKey, ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<TamNode>, StoreError>
    /** Edges out of these nodes, by `from` in the order of `ids`, then by `to`. */
    readonly children: (
      scope: ScopeKey,
      ids: ReadonlyArray<NodeId>
    ) => Effect.Effect<ReadonlyArray<TamEdge>, StoreError>
    /** Edges into these nodes, by `to` in the order of `ids`, then by `from`. */
    readonly parents: (scope: ScopeKey, ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<TamEdge>, StoreError>
    /** ρ: the node's own passage first, then its neighbours, nearest first; empty for anything but an Evidence node. */
    readonly region: (scope: ScopeKey, node: NodeId) => Effect.Effect<ReadonlyArray<PassageId>, StoreError>
    /** The Evidence node of each passage. */
    readonly evidenceOf: (
      scope: ScopeKey,
      passages: ReadonlyArray<PassageId>
    ) => Effect.Effect<ReadonlyMap<PassageId, NodeId>, StoreError>
    /** Links that start or end at one of these passages, by `from`, then `to`. */
    readonly links: (
      scope: ScopeKey,
      passages: ReadonlyArray<PassageId>
    ) => Effect.Effect<ReadonlyArray<Link>, StoreError>
    /** What is needed to judge a path, whatever it names. */
    readonly ground: (scope: ScopeKey, path: ReadonlyArray<NodeId>) => Effect.Effect<PathGround, StoreError>
    /** Nodes of a type in the order of their ids, after `after`, at most `limit`. */
    readonly page: (
      scope: ScopeKey,
      type: NodeType,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TamNode>, StoreError>
    readonly counts: (
      scope: ScopeKey
    ) => Effect.Effect<
      { readonly nodes: { readonly [T in NodeType]: number }; readonly edges: number; readonly depth: number },
      StoreError
    >
    /** The whole graph, checked (C5). */
    readonly load: (scope: ScopeKey) => Effect.Effect<Tam, StoreError | MalformedTam>
    /** The items of each of these keys with their values, by item; at most `limit` of a key. */
    readonly notes: (
      scope: ScopeKey,
      kind: NoteKind,
      keys: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<readonly [item: string, value: string]>>, StoreError>
    /** Changes parts of the graph and its notes, in this order: nodes, evidence, links, regions, notes, edges, what is taken away. */
    readonly change: (scope: ScopeKey, change: GraphChange) => Effect.Effect<void, StoreError>
    /** Leaves nothing of the graph and its notes, nor of what damage has left behind. */
    readonly clear: (scope: ScopeKey) => Effect.Effect<void, StoreError>
    /** Puts a graph in the place of the old one. */
    readonly replace: (scope: ScopeKey, tam: BuiltTam) => Effect.Effect<void, StoreError>
  }
>() {}
