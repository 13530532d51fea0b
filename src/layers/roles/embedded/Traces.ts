/**
 * Traces through TAM, from the root to one Evidence node: what the three Navigators share (C12).
 *
 * A Navigator finds Evidence nodes; {@link best} scores them, completes the trace of those that score highest by climbing admissible edges to the
 * root, and chooses. Because g reads only the text of a trace's last node, the traces of all others need not be made.
 *
 * Order of choice: g, then the plan fit of the path's other nodes, then the shorter path, then lexicographic node ids.
 */
import { Effect, Option } from "effect"
import type { DocumentId, NodeId, ScopeKey } from "../../../domain/Ids.ts"
import type { Plan } from "../../../domain/Plan.ts"
import { scorer } from "../../../domain/Relevance.ts"
import { isAdmissible, type Path, type TamEdge, type TamNode } from "../../../domain/Tam.ts"
import type { CorpusStore } from "../../../services/CorpusStore.ts"
import type { StoreError } from "../../../services/StoreError.ts"
import type { TamStore } from "../../../services/TamStore.ts"
import { prepared } from "./Prepared.ts"

type Tam = typeof TamStore.Service

/** A completed trace. */
export interface Trace {
  readonly path: Path
  /** Sum of the plan's scores of the nodes between the root and the last one. */
  readonly fit: number
}

/** An Evidence node with g of its text. */
export interface Candidate {
  readonly node: NodeId
  readonly score: number
}

/** The longest path that a state may hold. */
const longest = 64
/** Nodes asked for at a time. */
const batch = 2000

const lexicographic = (a: ReadonlyArray<NodeId>, b: ReadonlyArray<NodeId>): number => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x = "", y = ""] = [a[i], b[i]]
    if (x !== y) return x < y ? -1 : 1
  }
  return a.length - b.length
}

/** Negative where `a` is chosen over `b`, their last nodes scoring the same. */
export const preferred = (a: Trace, b: Trace): number =>
  b.fit - a.fit || a.path.length - b.path.length || lexicographic(a.path, b.path)

/** How well nodes' texts fit the plan. */
export const fitOf = (plan: Plan): ((node: TamNode) => number) => {
  const score = scorer(plan)
  return (node) => score(prepared(node.abstraction))
}

const inBatches = Effect.fnUntraced(function* <A, B, E>(
  items: ReadonlyArray<A>,
  ask: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
) {
  if (items.length <= batch) return items.length === 0 ? [] : yield* ask(items)
  const all: Array<B> = []
  for (let at = 0; at < items.length; at += batch) all.push(...(yield* ask(items.slice(at, at + batch))))
  return all
})

/** The nodes one admissible step below `from` that are not yet in `known`; transitions outside A are dropped before anything is scored. */
export const below = Effect.fnUntraced(function* (
  tam: Tam,
  scope: ScopeKey,
  from: ReadonlyArray<TamNode>,
  known: ReadonlySet<NodeId>
) {
  const types = new Map(from.map((node) => [node.id, node.type]))
  const edges: ReadonlyArray<TamEdge> = yield* inBatches([...types.keys()], (ids) => tam.children(scope, ids))
  const parents = new Map<NodeId, Array<NodeId>>()
  for (const edge of edges) {
    if (known.has(edge.to)) continue
    const list = parents.get(edge.to)
    if (list === undefined) parents.set(edge.to, [edge.from])
    else list.push(edge.from)
  }
  const nodes: ReadonlyArray<TamNode> = yield* inBatches([...parents.keys()].sort(), (ids) => tam.nodes(scope, ids))
  return nodes.filter((node) =>
    (parents.get(node.id) ?? []).some((parent) => isAdmissible(types.get(parent), node.type))
  )
})

/** The best trace that ends at one of `lasts`, over every admissible path of the graph; none where no such path starts at the root. */
export const complete = Effect.fnUntraced(function* (
  tam: Tam,
  scope: ScopeKey,
  plan: Plan,
  lasts: ReadonlyArray<NodeId>
) {
  const nodes = new Map<NodeId, TamNode>()
  const parents = new Map<NodeId, Array<NodeId>>()
  for (const node of yield* inBatches(lasts, (ids) => tam.nodes(scope, ids))) nodes.set(node.id, node)
  let open: ReadonlyArray<NodeId> = [...nodes.keys()]
  while (open.length > 0) {
    const edges: ReadonlyArray<TamEdge> = yield* inBatches(open, (ids) => tam.parents(scope, ids))
    const fresh = [...new Set(edges.map((edge) => edge.from))].filter((id) => !nodes.has(id)).sort()
    for (const node of yield* inBatches(fresh, (ids) => tam.nodes(scope, ids))) nodes.set(node.id, node)
    for (const { from, to } of edges) {
      if (!isAdmissible(nodes.get(from)?.type, nodes.get(to)?.type)) continue
      const list = parents.get(to)
      if (list === undefined) parents.set(to, [from])
      else list.push(from)
    }
    open = fresh
  }
  const suits = fitOf(plan)
  const traces = new Map<NodeId, Trace | undefined>()
  const reach = (id: NodeId): Trace | undefined => {
    if (traces.has(id)) return traces.get(id)
    traces.set(id, undefined)
    const node = nodes.get(id)
    if (node === undefined) return undefined
    let chosen: Trace | undefined = node.type === "Root" ? { path: [id], fit: 0 } : undefined
    const own = node.type === "Evidence" || node.type === "Root" ? 0 : suits(node)
    for (const parent of parents.get(id) ?? []) {
      const above = reach(parent)
      if (above === undefined || above.path.length >= longest) continue
      const trace: Trace = { path: [...above.path, id], fit: above.fit + own }
      if (chosen === undefined || preferred(trace, chosen) < 0) chosen = trace
    }
    traces.set(id, chosen)
    return chosen
  }
  let chosen: Trace | undefined
  for (const last of lasts) {
    const trace = nodes.get(last)?.type === "Evidence" ? reach(last) : undefined
    if (trace !== undefined && (chosen === undefined || preferred(trace, chosen) < 0)) chosen = trace
  }
  return Option.fromNullable(chosen)
})

/** The trace to propose: the highest g of those candidates to which an admissible path leads. */
export const best = Effect.fnUntraced(function* (
  tam: Tam,
  scope: ScopeKey,
  plan: Plan,
  candidates: ReadonlyArray<Candidate>
) {
  const ranked = [...candidates].sort((a, b) => b.score - a.score || (a.node < b.node ? -1 : 1))
  for (let at = 0; at < ranked.length; ) {
    const top = ranked[at]?.score
    const tied = ranked.slice(at).filter((candidate) => candidate.score === top)
    const trace = yield* complete(
      tam,
      scope,
      plan,
      tied.map((candidate) => candidate.node)
    )
    if (Option.isSome(trace)) return trace
    at += tied.length
  }
  return Option.none<Trace>()
})

/** Those Evidence nodes whose own passage lies in one of the documents; all of them where `within` is undefined. */
export const inside = (
  tam: Tam,
  corpus: typeof CorpusStore.Service,
  scope: ScopeKey,
  within: ReadonlyArray<DocumentId> | undefined,
  nodes: ReadonlyArray<TamNode>
): Effect.Effect<ReadonlyArray<TamNode>, StoreError> =>
  within === undefined
    ? Effect.succeed(nodes)
    : Effect.gen(function* () {
        const own = yield* Effect.forEach(nodes, (node) => tam.region(scope, node.id).pipe(Effect.map((ids) => ids[0])))
        const passages = yield* inBatches(
          own.flatMap((id) => id ?? []),
          (ids) => corpus.passages(scope, ids)
        )
        const allowed = new Set(within)
        const kept = new Set(passages.filter((passage) => allowed.has(passage.document)).map((passage) => passage.id))
        return nodes.filter((_, i) => {
          const id = own[i]
          return id !== undefined && kept.has(id)
        })
      })
