/**
 * TAM in SQLite: nodes by id, edges by row number.
 *
 * The graph knows passages by a table of its own (anchors), so it says the same whatever the corpus side is doing meanwhile; `load` is where
 * the two are compared (C5).
 */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { NodeId, PassageId } from "../../domain/Ids.ts"
import { edgeKey, nodeTypes, rootId, type TamEdge, wellFormed } from "../../domain/Tam.ts"
import { changeOf, misnamed } from "../../domain/tam/Graph.ts"
import { TamStore } from "../../services/TamStore.ts"
import { Transaction } from "../../services/Transaction.ts"
import { translate } from "./Errors.ts"
import { methods } from "./Methods.ts"
import { by, decodeRows, texts } from "./Rows.ts"
import * as Tam from "./TamRows.ts"
import { changeGraph, clearGraph, readNotes } from "./TamWrite.ts"

/** `edges` by one end in the order of `ids`, then by the other. */
const inOrder = (
  edges: ReadonlyArray<TamEdge>,
  ids: ReadonlyArray<NodeId>,
  end: "from" | "to",
  other: "from" | "to"
): ReadonlyArray<TamEdge> => {
  const groups = new Map<NodeId, Array<TamEdge>>(ids.map((id) => [id, []]))
  for (const edge of edges) groups.get(edge[end])?.push(edge)
  return [...groups.values()].flatMap((group) => group.sort(by((edge) => edge[other])))
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { atomically } = yield* Transaction
  const at = methods(sql, "TamStore", [
    "nodes",
    "children",
    "parents",
    "region",
    "evidenceOf",
    "links",
    "ground",
    "page",
    "counts",
    "load",
    "notes",
    "change",
    "clear",
    "replace"
  ])

  return TamStore.of({
    nodes: Effect.fnUntraced(function* (key, ids) {
      const { method, run } = at.nodes
      if (ids.length === 0) return []
      const rows = yield* run(Tam.selectNodes, [key, JSON.stringify([...new Set(ids)])])
      const found = new Map(
        (yield* decodeRows(method, "staterag_node", Tam.acceptNode, rows)).map((node) => [node.id, node])
      )
      return ids.flatMap((id) => found.get(id) ?? [])
    }),
    children: Effect.fnUntraced(function* (key, ids) {
      const { method, run } = at.children
      if (ids.length === 0) return []
      const rows = yield* run(Tam.selectChildren, [key, JSON.stringify([...new Set(ids)])])
      return inOrder(yield* decodeRows(method, "staterag_edge", Tam.acceptEdge, rows), ids, "from", "to")
    }),
    parents: Effect.fnUntraced(function* (key, ids) {
      const { method, run } = at.parents
      if (ids.length === 0) return []
      const rows = yield* run(Tam.selectParents, [key, JSON.stringify([...new Set(ids)])])
      return inOrder(yield* decodeRows(method, "staterag_edge", Tam.acceptEdge, rows), ids, "to", "from")
    }),
    region: Effect.fnUntraced(function* (key, node) {
      const { method, run } = at.region
      const rows = yield* run(Tam.selectRegion, [key, node])
      return (yield* decodeRows(method, "staterag_region", Tam.acceptPassage, rows)).map(({ id }) => id)
    }),
    evidenceOf: Effect.fnUntraced(function* (key, passages) {
      const { method, run } = at.evidenceOf
      if (passages.length === 0) return new Map<PassageId, NodeId>()
      const rows = yield* run(Tam.selectEvidence, [key, JSON.stringify([...new Set(passages)])])
      const found = yield* decodeRows(method, "staterag_anchor", Tam.acceptEvidence, rows)
      const nodes = new Map(found.map(({ passage, node }) => [passage, node]))
      return new Map(
        passages.flatMap((passage) => {
          const node = nodes.get(passage)
          return node === undefined ? [] : [[passage, node] as const]
        })
      )
    }),
    links: Effect.fnUntraced(function* (key, passages) {
      const { method, run } = at.links
      if (passages.length === 0) return []
      const rows = yield* run(Tam.selectLinks, [key, JSON.stringify([...new Set(passages)])])
      const links = yield* decodeRows(method, "staterag_link", Tam.acceptLink, rows)
      return [...links].sort(by((link) => link.to)).sort(by((link) => link.from))
    }),
    ground: Effect.fnUntraced(function* (key, path) {
      const { method, run } = at.ground
      const nodes = yield* run(Tam.selectTypes, [key, JSON.stringify([...new Set(path)])])
      const pairs = path.slice(1).map((to, i) => [path[i], to])
      const edges = yield* run(Tam.selectEdgesAmong, [key, JSON.stringify(pairs)])
      const types = yield* decodeRows(method, "staterag_node", Tam.acceptType, nodes)
      return {
        root: types.find((node) => node.type === "Root")?.id ?? rootId,
        types: new Map(types.filter(({ id }) => path.includes(id)).map(({ id, type }) => [id, type])),
        edges: new Set(
          (yield* decodeRows(method, "staterag_edge", Tam.acceptEdge, edges)).map(({ from, to }) => edgeKey(from, to))
        )
      }
    }),
    page: Effect.fnUntraced(function* (key, type, after, limit) {
      const { method, run } = at.page
      return yield* decodeRows(
        method,
        "staterag_node",
        Tam.acceptNode,
        yield* run(Tam.selectPage, [key, type, after, limit])
      )
    }),
    counts: Effect.fnUntraced(function* (key) {
      const { method, run } = at.counts
      const nodes = yield* decodeRows(method, "staterag_node", Tam.acceptCount, yield* run(Tam.selectCounts, [key]))
      const [graph] = yield* decodeRows(method, "staterag_graph", Tam.acceptGraph, yield* run(Tam.selectGraph, [key]))
      const byType = new Map(nodes.map(({ type, nodes: count }) => [type, count]))
      const [Root, Topic, Relation, Evidence] = nodeTypes.map((type) => byType.get(type) ?? 0)
      return {
        nodes: { Root: Root ?? 0, Topic: Topic ?? 0, Relation: Relation ?? 0, Evidence: Evidence ?? 0 },
        edges: graph?.edges ?? 0,
        depth: graph?.depth ?? 0
      }
    }),
    load: Effect.fnUntraced(function* (key) {
      const { method, run } = at.load
      // one snapshot for all statements; nothing is written, so there is no lock to wait for
      const { raw, passages } = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            const held = yield* texts(method, "staterag_passage", yield* run(Tam.selectHeld, [key]))
            return { raw: yield* Tam.readGraph(method, run, key), passages: new Set(held) }
          })
        )
        .pipe(Effect.catchTag("SqlError", (error) => Effect.fail(translate(method)(error))))
      return yield* wellFormed(raw, (id) => passages.has(id))
    }),
    notes: (key, kind, keys, limit) => readNotes(at.notes.method, at.notes.run, key, kind, keys, limit),
    change: (key, change) => atomically(changeGraph(at.change.method, at.change.run, key, change)),
    clear: (key) => atomically(clearGraph(at.clear.run, key)),
    replace: Effect.fnUntraced(function* (key, tam) {
      const { method, run } = at.replace
      const wrong = misnamed(tam)
      if (wrong !== undefined) return yield* Effect.die(wrong)
      yield* atomically(Effect.zipRight(clearGraph(run, key), changeGraph(method, run, key, changeOf(tam))))
    })
  })
})

export const layer: Layer.Layer<TamStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(TamStore, make)
