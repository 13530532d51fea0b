/**
 * TAM, the typed abstraction memory: a rooted typed DAG over the corpus (contract section 2).
 *
 *     Root ──▶ Topic ──▶ Topic ──▶ Relation ──▶ Relation ──▶ Evidence ──ρ──▶ region (passages)
 *
 * This module owns the node types, the admissible pairs A, well-formedness (C5), and membership in Π_H (C7). It knows nothing of how a
 * graph is built or stored.
 */
import { Either, Schema } from "effect"
import { NodeId, type PassageId } from "./Ids.ts"

export const NodeType = Schema.Literal("Root", "Topic", "Relation", "Evidence")
export type NodeType = typeof NodeType.Type
export const nodeTypes = NodeType.literals

/** A node with λ (`type`) and a (`abstraction`). */
export const TamNode = Schema.Struct({ id: NodeId, type: NodeType, abstraction: Schema.String })
export type TamNode = typeof TamNode.Type

export const TamEdge = Schema.Struct({ from: NodeId, to: NodeId })
export type TamEdge = typeof TamEdge.Type

/** A, the admissible type pairs (C6), as a total table: `admissible[from][to]`. */
export const admissible: { readonly [From in NodeType]: { readonly [To in NodeType]: boolean } } = {
  Root: { Root: false, Topic: true, Relation: false, Evidence: false },
  Topic: { Root: false, Topic: true, Relation: true, Evidence: false },
  Relation: { Root: false, Topic: false, Relation: true, Evidence: true },
  Evidence: { Root: false, Topic: false, Relation: false, Evidence: false }
}

export const rootId: NodeId = NodeId.make("root")

/** π: node ids from the root to one Evidence node. The shortest member of Π_H has four. */
export const Path = Schema.NonEmptyArray(NodeId).pipe(Schema.maxItems(64))
export type Path = typeof Path.Type

/** The part of H that a path touches: what is needed to judge it, whatever the size of the graph. */
export interface PathGround {
  readonly root: NodeId
  readonly types: ReadonlyMap<NodeId, NodeType>
  /** Keys made by {@link edgeKey}. */
  readonly edges: ReadonlySet<string>
}
export const edgeKey = (from: NodeId, to: NodeId): string => `${from}\u0000${to}`

/** A graph as it arrives from a builder or a store, before anything is believed of it. */
export interface RawTam {
  readonly nodes: ReadonlyArray<TamNode>
  readonly edges: ReadonlyArray<TamEdge>
  /** ρ, by Evidence node. */
  readonly regions: ReadonlyMap<NodeId, ReadonlyArray<PassageId>>
}

/** The graph breaks C5; `node` says where. */
export class MalformedTam extends Schema.TaggedError<MalformedTam>()("MalformedTam", {
  reason: Schema.Literal(
    "NoRoot",
    "SeveralRoots",
    "DuplicateNode",
    "UnknownNode",
    "Cycle",
    "Unreachable",
    "RegionMissing",
    "RegionMisplaced",
    "RegionUnresolved",
    "NoAdmissiblePath"
  ),
  node: Schema.String
}) {
  override get message(): string {
    const seen = {
      NoRoot: "the graph has no Root node",
      SeveralRoots: "a second Root node",
      DuplicateNode: "two nodes bear this id",
      UnknownNode: "an edge or region names a node that is not in the graph",
      Cycle: "the node lies on a cycle",
      Unreachable: "the node cannot be reached from the root",
      RegionMissing: "an Evidence node has no region",
      RegionMisplaced: "a region is given for a node that is no Evidence node",
      RegionUnresolved: "the region names a passage that the corpus does not hold, or none",
      NoAdmissiblePath: "no admissible path from the root ends at this Evidence node"
    }
    return `TAM is malformed at ${this.node || "the root"}: ${seen[this.reason]}. Index the corpus again to rebuild it.`
  }
}

/** A graph that has passed {@link wellFormed}. */
export interface Tam {
  readonly root: NodeId
  readonly nodes: ReadonlyMap<NodeId, TamNode>
  readonly children: ReadonlyMap<NodeId, ReadonlyArray<NodeId>>
  readonly regions: ReadonlyMap<NodeId, ReadonlyArray<PassageId>>
}

const reachable = (
  root: NodeId,
  children: ReadonlyMap<NodeId, ReadonlyArray<NodeId>>,
  follow: (from: NodeId, to: NodeId) => boolean
): ReadonlySet<NodeId> => {
  const seen = new Set<NodeId>([root])
  const open = [root]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of children.get(at) ?? []) {
      if (!seen.has(next) && follow(at, next)) {
        seen.add(next)
        open.push(next)
      }
    }
  }
  return seen
}

/** A node that lies on a cycle, if there is one (Kahn's algorithm, then back along what was never freed of its predecessors). */
const cyclic = (
  nodes: ReadonlyMap<NodeId, TamNode>,
  children: ReadonlyMap<NodeId, ReadonlyArray<NodeId>>
): NodeId | undefined => {
  const pending = new Map<NodeId, number>()
  for (const targets of children.values()) for (const to of targets) pending.set(to, (pending.get(to) ?? 0) + 1)
  const free = [...nodes.keys()].filter((id) => !pending.has(id))
  let freed = 0
  for (let at = free.pop(); at !== undefined; at = free.pop()) {
    freed++
    for (const to of children.get(at) ?? []) {
      const left = (pending.get(to) ?? 0) - 1
      pending.set(to, left)
      if (left === 0) free.push(to)
    }
  }
  if (freed === nodes.size) return undefined
  // a node that was not freed has such a node before it, so walking back ends on a cycle
  const before = new Map<NodeId, NodeId>()
  for (const [from, targets] of children) {
    if ((pending.get(from) ?? 0) > 0) for (const to of targets) before.set(to, from)
  }
  const seen = new Set<NodeId>()
  let at = [...nodes.keys()].find((id) => (pending.get(id) ?? 0) > 0)
  while (at !== undefined && !seen.has(at)) {
    seen.add(at)
    at = before.get(at)
  }
  return at
}

/**
 * Checks C5 and, for our builder's promise, that an admissible path ends at every Evidence node.
 *
 * `holdsPassage` says whether the corpus holds a passage. Total: any graph gives a {@link Tam} or the first {@link MalformedTam}.
 */
export const wellFormed = (raw: RawTam, holdsPassage: (id: PassageId) => boolean): Either.Either<Tam, MalformedTam> => {
  const fail = (reason: MalformedTam["reason"], node: string) => Either.left(new MalformedTam({ reason, node }))
  const nodes = new Map<NodeId, TamNode>()
  for (const node of raw.nodes) {
    if (nodes.has(node.id)) return fail("DuplicateNode", node.id)
    nodes.set(node.id, node)
  }
  const roots = raw.nodes.filter((node) => node.type === "Root")
  const root = roots[0]
  if (root === undefined) return fail("NoRoot", "")
  if (roots[1] !== undefined) return fail("SeveralRoots", roots[1].id)

  const children = new Map<NodeId, Array<NodeId>>()
  for (const { from, to } of raw.edges) {
    if (!nodes.has(from)) return fail("UnknownNode", from)
    if (!nodes.has(to)) return fail("UnknownNode", to)
    const targets = children.get(from)
    if (targets === undefined) children.set(from, [to])
    else targets.push(to)
  }
  const looped = cyclic(nodes, children)
  if (looped !== undefined) return fail("Cycle", looped)
  const reached = reachable(root.id, children, () => true)
  const walked = reachable(root.id, children, (from, to) => isAdmissible(nodes.get(from)?.type, nodes.get(to)?.type))
  for (const node of nodes.values()) {
    if (!reached.has(node.id)) return fail("Unreachable", node.id)
    if (node.type !== "Evidence") continue
    const region = raw.regions.get(node.id)
    if (region === undefined) return fail("RegionMissing", node.id)
    if (region.length === 0 || !region.every(holdsPassage)) return fail("RegionUnresolved", node.id)
    if (!walked.has(node.id)) return fail("NoAdmissiblePath", node.id)
  }
  for (const id of raw.regions.keys()) {
    const node = nodes.get(id)
    if (node === undefined) return fail("UnknownNode", id)
    if (node.type !== "Evidence") return fail("RegionMisplaced", id)
  }
  return Either.right({ root: root.id, nodes, children, regions: raw.regions })
}

/** Whether a traversal may step from a node of type `from` to one of type `to`; unknown nodes admit nothing. */
export const isAdmissible = (from: NodeType | undefined, to: NodeType | undefined): boolean =>
  from !== undefined && to !== undefined && admissible[from][to]

/** How many admissible edges the longest traversal from the root takes; nodes that lie on or behind a cycle do not count. */
export const depthOf = (raw: Pick<RawTam, "nodes" | "edges">): number => {
  const places = new Map(raw.nodes.map((node, place) => [node.id, place]))
  const children = raw.nodes.map((): Array<number> => [])
  const pending = raw.nodes.map(() => 0)
  for (const { from, to } of raw.edges) {
    const source = places.get(from)
    const target = places.get(to)
    if (source === undefined || target === undefined) continue
    if (!isAdmissible(raw.nodes[source]?.type, raw.nodes[target]?.type)) continue
    children[source]?.push(target)
    pending[target] = (pending[target] ?? 0) + 1
  }
  /** The longest way to a node so far; below 0 where none leads from the root. */
  const depths = raw.nodes.map(({ type }): number => (type === "Root" ? 0 : -1))
  const free = [...pending.keys()].filter((place) => pending[place] === 0)
  let deepest = 0
  for (let at = free.pop(); at !== undefined; at = free.pop()) {
    const depth = depths[at] ?? -1
    deepest = Math.max(deepest, depth)
    for (const to of children[at] ?? []) {
      if (depth >= 0) depths[to] = Math.max(depths[to] ?? -1, depth + 1)
      const left = (pending[to] ?? 0) - 1
      pending[to] = left
      if (left === 0) free.push(to)
    }
  }
  return deepest
}
