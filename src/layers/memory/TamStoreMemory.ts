/** TAM in the {@link Memory} of this process. */
import { Effect, Layer } from "effect"
import type { NodeId, PassageId } from "../../domain/Ids.ts"
import {
  depthOf,
  edgeKey,
  MalformedTam,
  type NodeType,
  rootId,
  type TamEdge,
  type TamNode,
  wellFormed
} from "../../domain/Tam.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { type BuiltTam, type Link, TamStore } from "../../services/TamStore.ts"
import { Memory } from "./Memory.ts"

/** A graph with the look-ups that the service promises; made once, when it is put. */
interface Graph {
  readonly nodes: ReadonlyMap<NodeId, TamNode>
  readonly byType: { readonly [T in NodeType]: ReadonlyArray<TamNode> }
  readonly children: ReadonlyMap<NodeId, ReadonlyArray<TamEdge>>
  readonly parents: ReadonlyMap<NodeId, ReadonlyArray<TamEdge>>
  readonly edges: ReadonlyMap<string, TamEdge>
  readonly regions: ReadonlyMap<NodeId, ReadonlyArray<PassageId>>
  readonly links: ReadonlyMap<PassageId, ReadonlyArray<Link>>
  readonly evidence: ReadonlyMap<PassageId, NodeId>
  readonly depth: number
}

const by =
  <A>(key: (value: A) => string) =>
  (a: A, b: A): number =>
    key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0

const group = <K, V>(values: Iterable<V>, keys: (value: V) => ReadonlyArray<K>): ReadonlyMap<K, ReadonlyArray<V>> => {
  const groups = new Map<K, Array<V>>()
  for (const value of values) {
    for (const key of keys(value)) {
      const found = groups.get(key)
      if (found === undefined) groups.set(key, [value])
      else found.push(value)
    }
  }
  return groups
}

const indexed = (tam: BuiltTam): Graph => {
  const nodes = new Map<NodeId, TamNode>()
  for (const node of [...tam.nodes].sort(by(({ id }) => id))) {
    if (nodes.has(node.id)) throw new MalformedTam({ reason: "DuplicateNode", node: node.id })
    nodes.set(node.id, node)
  }
  const ends = [...tam.edges.flatMap(({ from, to }) => [from, to]), ...tam.regions.keys(), ...tam.evidence.values()]
  const stranger = ends.find((id) => !nodes.has(id))
  if (stranger !== undefined) throw new MalformedTam({ reason: "UnknownNode", node: stranger })
  const edges = new Map(
    [...tam.edges]
      .sort(by(({ to }) => to))
      .sort(by(({ from }) => from))
      .map((edge) => [edgeKey(edge.from, edge.to), edge])
  )
  const links = [...new Map(tam.links.map((link) => [`${link.from}\u0000${link.to}`, link])).values()]
  const ofType = (type: NodeType) => [...nodes.values()].filter((node) => node.type === type)
  return {
    nodes,
    byType: {
      Root: ofType("Root"),
      Topic: ofType("Topic"),
      Relation: ofType("Relation"),
      Evidence: ofType("Evidence")
    },
    children: group(edges.values(), ({ from }) => [from]),
    parents: group(edges.values(), ({ to }) => [to]),
    edges,
    regions: new Map(tam.regions),
    links: group(links.sort(by(({ to }) => to)).sort(by(({ from }) => from)), ({ from, to }) =>
      from === to ? [from] : [from, to]
    ),
    evidence: new Map(tam.evidence),
    depth: depthOf(tam)
  }
}

const empty = indexed({ nodes: [], edges: [], regions: new Map(), links: [], evidence: new Map() })

const make = Effect.gen(function* () {
  const memory = yield* Memory
  const corpus = yield* CorpusStore
  const graphs = memory.table<Graph>()
  const graph = (scope: string): Graph => graphs.get(scope) ?? empty
  const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

  return TamStore.of({
    nodes: (scope, ids) => memory.use(() => ids.flatMap((id) => graph(scope).nodes.get(id) ?? [])),
    children: (scope, ids) => memory.use(() => distinct(ids).flatMap((id) => graph(scope).children.get(id) ?? [])),
    parents: (scope, ids) => memory.use(() => distinct(ids).flatMap((id) => graph(scope).parents.get(id) ?? [])),
    region: (scope, node) =>
      memory.use(() =>
        graph(scope).nodes.get(node)?.type === "Evidence" ? (graph(scope).regions.get(node) ?? []) : []
      ),
    evidenceOf: (scope, passages) =>
      memory.use(
        () =>
          new Map(
            passages.flatMap((passage) => {
              const node = graph(scope).evidence.get(passage)
              return node === undefined ? [] : [[passage, node] as const]
            })
          )
      ),
    links: (scope, passages) =>
      memory.use(() =>
        [...new Set(passages.flatMap((passage) => graph(scope).links.get(passage) ?? []))]
          .sort(by(({ to }) => to))
          .sort(by(({ from }) => from))
      ),
    ground: (scope, path) =>
      memory.use(() => {
        const { byType, edges, nodes } = graph(scope)
        const steps = path.slice(1).map((to, i) => edgeKey(path[i] ?? to, to))
        return {
          root: byType.Root[0]?.id ?? rootId,
          types: new Map(
            path.flatMap((id) => {
              const type = nodes.get(id)?.type
              return type === undefined ? [] : [[id, type] as const]
            })
          ),
          edges: new Set(steps.filter((key) => edges.has(key)))
        }
      }),
    page: (scope, type, after, limit) =>
      memory.use(() =>
        graph(scope)
          .byType[type].filter(({ id }) => id > after)
          .slice(0, limit)
      ),
    counts: (scope) =>
      memory.use(() => {
        const { byType, depth, edges } = graph(scope)
        return {
          nodes: {
            Root: byType.Root.length,
            Topic: byType.Topic.length,
            Relation: byType.Relation.length,
            Evidence: byType.Evidence.length
          },
          edges: edges.size,
          depth
        }
      }),
    load: (scope) =>
      memory.atomically(
        Effect.gen(function* () {
          const { edges, nodes, regions } = graph(scope)
          const held = yield* corpus.passages(scope, distinct([...regions.values()].flat()))
          const ids = new Set(held.map(({ id }) => id))
          return yield* wellFormed({ nodes: [...nodes.values()], edges: [...edges.values()], regions }, (id) =>
            ids.has(id)
          )
        })
      ),
    replace: (scope, tam) => memory.use(() => graphs.set(scope, indexed(tam)))
  })
})

export const layer: Layer.Layer<TamStore, never, Memory | CorpusStore> = Layer.effect(TamStore, make)
