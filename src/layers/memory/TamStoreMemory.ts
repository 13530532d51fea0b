/** TAM in the {@link Memory} of this process. */
import { Effect, Layer } from "effect"
import type { NodeId, PassageId, ScopeKey } from "../../domain/Ids.ts"
import { edgeKey, type NodeType, nodeTypes, rootId, type TamEdge, type TamNode, wellFormed } from "../../domain/Tam.ts"
import { changeOf, type GraphChange, misnamed } from "../../domain/tam/Graph.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { type Link, TamStore } from "../../services/TamStore.ts"
import { Memory } from "./Memory.ts"

const by =
  <A>(key: (value: A) => string) =>
  (a: A, b: A): number =>
    key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0

const make = Effect.gen(function* () {
  const memory = yield* Memory
  const corpus = yield* CorpusStore
  const nodes = memory.tables<TamNode>()
  const types = memory.tables<TamNode>()
  /** By one end, the other ends. */
  const below = memory.tables<ReadonlySet<NodeId>>()
  const above = memory.tables<ReadonlySet<NodeId>>()
  const regions = memory.tables<ReadonlyArray<PassageId>>()
  const evidence = memory.tables<NodeId>()
  /** By the passage at either end. */
  const linksOut = memory.tables<ReadonlyArray<Link>>()
  const linksInto = memory.tables<ReadonlyArray<Link>>()
  const notes = memory.tables<ReadonlyMap<string, string>>()
  const depths = memory.table<number>()

  const ofType = (scope: string, type: NodeType) => types(`${type} ${scope}`)
  const distinct = <A>(values: Iterable<A>): ReadonlyArray<A> => [...new Set(values)]
  const edgesOf = (scope: string): ReadonlyArray<TamEdge> =>
    below(scope)
      .keys()
      .flatMap((from) => [...(below(scope).get(from) ?? [])].map((to) => ({ from: from as NodeId, to })))
  /** Adds or takes away ends, each list once. */
  const alter = (
    table: ReturnType<typeof below>,
    pairs: ReadonlyArray<readonly [key: NodeId, end: NodeId]>,
    how: "add" | "delete"
  ) => {
    const open = new Map<NodeId, Set<NodeId>>()
    for (const [key, end] of pairs) {
      const own = open.get(key) ?? new Set(table.get(key))
      own[how](end)
      open.set(key, own)
    }
    for (const [key, own] of open) {
      if (own.size === 0) table.delete(key)
      else table.set(key, own)
    }
  }
  const alterEdges = (scope: string, edges: Iterable<TamEdge>, how: "add" | "delete") => {
    const all = [...edges]
    alter(
      below(scope),
      all.map(({ from, to }) => [from, to]),
      how
    )
    alter(
      above(scope),
      all.map(({ from, to }) => [to, from]),
      how
    )
  }
  const setLinks = (scope: string, from: PassageId, own: ReadonlyArray<Link>) => {
    for (const link of linksOut(scope).get(from) ?? []) {
      const left = (linksInto(scope).get(link.to) ?? []).filter((other) => other.from !== from)
      if (left.length === 0) linksInto(scope).delete(link.to)
      else linksInto(scope).set(link.to, left)
    }
    if (own.length === 0) linksOut(scope).delete(from)
    else linksOut(scope).set(from, own)
    for (const link of own) linksInto(scope).set(link.to, [...(linksInto(scope).get(link.to) ?? []), link])
  }

  const change = (scope: ScopeKey, wanted: GraphChange): void => {
    for (const node of wanted.nodes ?? []) {
      nodes(scope).set(node.id, node)
      ofType(scope, node.type).set(node.id, node)
    }
    for (const [passage, node] of wanted.evidence ?? []) evidence(scope).set(passage, node)
    for (const [from, own] of wanted.links ?? [])
      setLinks(
        scope,
        from,
        own.map(({ to, weight }) => ({ from, to, weight }))
      )
    for (const [node, region] of wanted.regions ?? []) regions(scope).set(node, region)
    for (const { item, key, kind } of wanted.erased ?? []) {
      const left = new Map(notes(scope).get(`${kind} ${key}`))
      left.delete(item)
      if (left.size === 0) notes(scope).delete(`${kind} ${key}`)
      else notes(scope).set(`${kind} ${key}`, left)
    }
    const written = new Map<string, Map<string, string>>()
    for (const { item, key, kind, value } of wanted.notes ?? []) {
      const own = written.get(`${kind} ${key}`) ?? new Map(notes(scope).get(`${kind} ${key}`))
      written.set(`${kind} ${key}`, own.set(item, value))
    }
    for (const [key, own] of written) notes(scope).set(key, own)
    alterEdges(scope, wanted.unbound ?? [], "delete")
    alterEdges(scope, wanted.edges ?? [], "add")
    for (const passage of wanted.gone ?? []) {
      setLinks(scope, passage, [])
      for (const { from } of linksInto(scope).get(passage) ?? [])
        setLinks(
          scope,
          from,
          (linksOut(scope).get(from) ?? []).filter(({ to }) => to !== passage)
        )
      evidence(scope).delete(passage)
    }
    for (const id of wanted.removed ?? []) {
      const type = nodes(scope).get(id)?.type
      if (type !== undefined) ofType(scope, type).delete(id)
      nodes(scope).delete(id)
      regions(scope).delete(id)
    }
    if (wanted.depth !== undefined) depths.set(scope, wanted.depth)
  }

  const clear = (scope: ScopeKey): void => {
    for (const table of [nodes, below, above, regions, evidence, linksOut, linksInto, notes]) table(scope).clear()
    for (const type of nodeTypes) ofType(scope, type).clear()
    depths.delete(scope)
  }

  return TamStore.of({
    nodes: (scope, ids) => memory.use(() => ids.flatMap((id) => nodes(scope).get(id) ?? [])),
    children: (scope, ids) =>
      memory.use(() =>
        distinct(ids).flatMap((from) => [...(below(scope).get(from) ?? [])].sort().map((to) => ({ from, to })))
      ),
    parents: (scope, ids) =>
      memory.use(() =>
        distinct(ids).flatMap((to) => [...(above(scope).get(to) ?? [])].sort().map((from) => ({ from, to })))
      ),
    region: (scope, node) =>
      memory.use(() => (nodes(scope).get(node)?.type === "Evidence" ? (regions(scope).get(node) ?? []) : [])),
    evidenceOf: (scope, passages) =>
      memory.use(
        () =>
          new Map(
            passages.flatMap((passage) => {
              const node = evidence(scope).get(passage)
              return node === undefined ? [] : [[passage, node] as const]
            })
          )
      ),
    links: (scope, passages) =>
      memory.use(() =>
        distinct<Link>(
          passages.flatMap((id) => [...(linksOut(scope).get(id) ?? []), ...(linksInto(scope).get(id) ?? [])])
        )
          .slice()
          .sort(by<Link>(({ to }) => to))
          .sort(by<Link>(({ from }) => from))
      ),
    ground: (scope, path) =>
      memory.use(() => {
        const pairs = path.slice(1).map((to, i) => [path[i] ?? to, to] as const)
        return {
          root: ofType(scope, "Root").values()[0]?.id ?? rootId,
          types: new Map(
            path.flatMap((id) => {
              const type = nodes(scope).get(id)?.type
              return type === undefined ? [] : [[id, type] as const]
            })
          ),
          edges: new Set(
            pairs.filter(([from, to]) => below(scope).get(from)?.has(to)).map(([from, to]) => edgeKey(from, to))
          )
        }
      }),
    page: (scope, type, after, limit) => memory.use(() => ofType(scope, type).page(after, limit)),
    counts: (scope) =>
      memory.use(() => {
        const [Root, Topic, Relation, Evidence] = nodeTypes.map((type) => ofType(scope, type).size())
        return {
          nodes: { Root: Root ?? 0, Topic: Topic ?? 0, Relation: Relation ?? 0, Evidence: Evidence ?? 0 },
          edges: edgesOf(scope).length,
          depth: depths.get(scope) ?? 0
        }
      }),
    load: (scope) =>
      memory.atomically(
        Effect.gen(function* () {
          const held = new Map(
            regions(scope)
              .keys()
              .map((id) => [id as NodeId, regions(scope).get(id) ?? []])
          )
          const passages = yield* corpus.passages(scope, distinct([...held.values()].flat()))
          const ids = new Set(passages.map(({ id }) => id))
          const raw = { nodes: nodes(scope).values(), edges: edgesOf(scope), regions: held }
          return yield* wellFormed(raw, (id) => ids.has(id))
        })
      ),
    notes: (scope, kind, keys, limit) =>
      memory.use(
        () =>
          new Map(
            distinct(keys).flatMap((key) => {
              const own = notes(scope).get(`${kind} ${key}`)
              return own === undefined ? [] : [[key, [...own].sort(by(([item]) => item)).slice(0, limit)] as const]
            })
          )
      ),
    change: (scope, wanted) => memory.use(() => change(scope, wanted)),
    clear: (scope) => memory.use(() => clear(scope)),
    replace: (scope, tam) =>
      memory.use(() => {
        const wrong = misnamed(tam)
        if (wrong !== undefined) throw wrong
        clear(scope)
        change(scope, changeOf(tam))
      })
  })
})

export const layer: Layer.Layer<TamStore, never, Memory | CorpusStore> = Layer.effect(TamStore, make)
