/**
 * How a graph takes the place of another: only what differs is written.
 *
 * Nodes and anchors keep their rows as long as their ids stay, so an edge, a region or a link between such is the same row as before, and
 * a small change to a large corpus is a small write.
 */
import { Effect, Schema } from "effect"
import type { NodeId, PassageId, ScopeKey } from "../../domain/Ids.ts"
import { depthOf, MalformedTam } from "../../domain/Tam.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { BuiltTam } from "../../services/TamStore.ts"
import { type Execute, insertRows } from "./Execute.ts"
import { compile, decodeRows, integer } from "./Rows.ts"
import { ensureScope, scope } from "./Scopes.ts"
import { acceptAnchor, selectAllAnchors, selectAllEdges, selectAllNodes, selectAllRegions } from "./TamRows.ts"

const acceptNode = compile(
  Schema.Struct({ row: Schema.Int, id: Schema.String, type: Schema.String, abstraction: Schema.String })
)
const acceptEdge = compile(Schema.Struct({ source: Schema.Int, target: Schema.Int }))
const acceptRegion = compile(Schema.Struct({ node: Schema.Int, anchors: Schema.String }))
const acceptLink = compile(Schema.Struct({ source: Schema.Int, target: Schema.Int, weight: Schema.Number }))

const selectAllLinks = `SELECT source, target, weight FROM staterag_link
  WHERE source IN (SELECT row FROM staterag_anchor WHERE scope = ${scope})`
/** The last row that is taken, also by what still speaks of a row that is gone: in a damaged graph, nothing of a lost node becomes another's. */
const selectLastRow = (...columns: ReadonlyArray<readonly [table: string, column: string]>): string =>
  `SELECT max(0, ${columns.map(([table, column]) => `coalesce((SELECT max(${column}) FROM ${table}), 0)`).join(", ")}) AS row`
const selectLastNode = selectLastRow(
  ["staterag_node", "row"],
  ["staterag_edge", "source"],
  ["staterag_edge", "target"],
  ["staterag_region", "node"]
)
const selectLastAnchor = selectLastRow(
  ["staterag_anchor", "row"],
  ["staterag_link", "source"],
  ["staterag_link", "target"]
)
const deleteRows = (table: string, column: string): string =>
  `DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?1))`
const deletePairs = (table: string): string =>
  `DELETE FROM ${table} WHERE (source, target) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))`
const replaceGraph = "ON CONFLICT (scope) DO UPDATE SET edges = excluded.edges, depth = excluded.depth"

/** What must go and what must come to make `before` into `after`; a value that differs does both. */
const difference = <K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
  same: (a: V, b: V) => boolean
): { readonly gone: ReadonlyArray<K>; readonly come: ReadonlyArray<readonly [K, V]> } => {
  const gone: Array<K> = []
  const come: Array<readonly [K, V]> = []
  for (const [key, value] of before) {
    const next = after.get(key)
    if (next === undefined || !same(value, next)) gone.push(key)
  }
  for (const [key, value] of after) {
    const last = before.get(key)
    if (last === undefined || !same(last, value)) come.push([key, value])
  }
  return { gone, come }
}

const equal = <V>(a: V, b: V): boolean => a === b

/** Two rows as one number, to be a key; exact as long as there are fewer than 2²⁶ rows, that is 67 million. */
const span = 2 ** 26
const pairKey = (source: number, target: number): number => source * span + target
const pairOf = (key: number): readonly [number, number] => [Math.floor(key / span), key % span]

/** A row for each id: the one that it has, or the next that is free. */
const rowsFor = <Id extends string>(
  ids: Iterable<Id>,
  known: ReadonlyMap<string, { readonly row: number }>,
  last: number
): ReadonlyMap<Id, number> => {
  const rows = new Map<Id, number>()
  let next = last
  for (const id of ids) if (!rows.has(id)) rows.set(id, known.get(id)?.row ?? ++next)
  return rows
}

/** The first node that the graph names without having it, or has twice. */
const misnamed = (tam: BuiltTam): MalformedTam | undefined => {
  const ids = new Set<NodeId>()
  for (const { id } of tam.nodes) {
    if (ids.has(id)) return new MalformedTam({ reason: "DuplicateNode", node: id })
    ids.add(id)
  }
  const unknown = (node: NodeId) => new MalformedTam({ reason: "UnknownNode", node })
  for (const { from, to } of tam.edges) {
    if (!ids.has(from)) return unknown(from)
    if (!ids.has(to)) return unknown(to)
  }
  for (const node of tam.regions.keys()) if (!ids.has(node)) return unknown(node)
  for (const node of tam.evidence.values()) if (!ids.has(node)) return unknown(node)
  return undefined
}

/** Puts a graph in the place of the old one, inside the caller's transaction. A graph that names nodes it does not have is a defect. */
export const writeGraph = Effect.fnUntraced(function* (
  method: string,
  run: Execute,
  key: ScopeKey,
  tam: BuiltTam
): Effect.fn.Return<void, StoreError> {
  const wrong = misnamed(tam)
  if (wrong !== undefined) return yield* Effect.die(wrong)
  const number = yield* ensureScope(run, method, key)
  const all = <A>(table: string, accept: Parameters<typeof decodeRows<A>>[2], statement: string) =>
    Effect.flatMap(run(statement, [key]), (rows) => decodeRows(method, table, accept, rows))
  const last = (table: string, statement: string) =>
    Effect.flatMap(run(statement, []), (rows) => integer(method, table, rows))
  const remove = (statement: string, keys: ReadonlyArray<unknown>) =>
    keys.length === 0 ? Effect.void : run(statement, [JSON.stringify(keys)])

  // ---- what is there
  const oldNodes = new Map((yield* all("staterag_node", acceptNode, selectAllNodes)).map((node) => [node.id, node]))
  const oldAnchors = new Map(
    (yield* all("staterag_anchor", acceptAnchor, selectAllAnchors)).map((anchor) => [anchor.id as string, anchor])
  )
  const oldEdges = new Map(
    (yield* all("staterag_edge", acceptEdge, selectAllEdges)).map(({ source, target }) => [
      pairKey(source, target),
      true
    ])
  )
  const oldRegions = new Map(
    (yield* all("staterag_region", acceptRegion, selectAllRegions)).map(({ node, anchors }) => [node, anchors])
  )
  const oldLinks = new Map(
    (yield* all("staterag_link", acceptLink, selectAllLinks)).map(({ source, target, weight }) => [
      pairKey(source, target),
      weight
    ])
  )

  // ---- what there will be
  const nodeRows = rowsFor(
    tam.nodes.map((node) => node.id).sort(),
    oldNodes,
    yield* last("staterag_node", selectLastNode)
  )
  const named = new Set<PassageId>(tam.evidence.keys())
  for (const region of tam.regions.values()) for (const id of region) named.add(id)
  for (const { from, to } of tam.links) named.add(from).add(to)
  const anchorRows = rowsFor([...named].sort(), oldAnchors, yield* last("staterag_anchor", selectLastAnchor))
  const nodeRow = (id: NodeId): number => nodeRows.get(id) ?? 0
  const anchorRow = (id: PassageId): number => anchorRows.get(id) ?? 0

  const newNodes = new Map(tam.nodes.map((node) => [node.id as string, { ...node, row: nodeRow(node.id) }]))
  const newAnchors = new Map(
    Array.from(anchorRows, ([id, row]) => {
      const node = tam.evidence.get(id)
      return [id as string, { id, row, node: node === undefined ? null : nodeRow(node) }]
    })
  )
  const newEdges = new Map(tam.edges.map(({ from, to }) => [pairKey(nodeRow(from), nodeRow(to)), true]))
  const newRegions = new Map(
    Array.from(tam.regions, ([node, region]) => [nodeRow(node), JSON.stringify(region.map(anchorRow))])
  )
  const newLinks = new Map(tam.links.map(({ from, to, weight }) => [pairKey(anchorRow(from), anchorRow(to)), weight]))

  // ---- the difference
  const nodes = difference(oldNodes, newNodes, (a, b) => a.type === b.type && a.abstraction === b.abstraction)
  const anchors = difference(oldAnchors, newAnchors, (a, b) => a.node === b.node)
  const edges = difference(oldEdges, newEdges, equal)
  const regions = difference(oldRegions, newRegions, equal)
  const links = difference(oldLinks, newLinks, equal)
  const rowsOf = (ids: ReadonlyArray<string>, known: ReadonlyMap<string, { readonly row: number }>) =>
    ids.map((id) => known.get(id)?.row)

  yield* remove(deletePairs("staterag_edge"), edges.gone.map(pairOf))
  yield* remove(deletePairs("staterag_link"), links.gone.map(pairOf))
  yield* remove(deleteRows("staterag_region", "node"), regions.gone)
  yield* remove(deleteRows("staterag_anchor", "row"), rowsOf(anchors.gone, oldAnchors))
  yield* remove(deleteRows("staterag_node", "row"), rowsOf(nodes.gone, oldNodes))

  yield* insertRows(
    run,
    "staterag_node (row, scope, id, type, abstraction)",
    nodes.come.map(([id, { row, type, abstraction }]) => [row, number, id, type, abstraction])
  )
  yield* insertRows(
    run,
    "staterag_anchor (row, scope, id, node)",
    anchors.come.map(([id, { row, node }]) => [row, number, id, node])
  )
  yield* insertRows(
    run,
    "staterag_edge (source, target)",
    edges.come.map(([pair]) => pairOf(pair))
  )
  yield* insertRows(run, "staterag_region (node, anchors)", regions.come)
  yield* insertRows(
    run,
    "staterag_link (source, target, weight)",
    links.come.map(([pair, weight]) => [...pairOf(pair), weight])
  )
  yield* insertRows(run, "staterag_graph (scope, edges, depth)", [[number, newEdges.size, depthOf(tam)]], replaceGraph)
})
