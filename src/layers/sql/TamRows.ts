/** The rows of a graph: what is asked of them, and how a whole graph is read and written. */
import { Effect, Schema } from "effect"
import { NodeId, PassageId, type ScopeKey } from "../../domain/Ids.ts"
import { depthOf, MalformedTam, NodeType, type RawTam, TamEdge, TamNode } from "../../domain/Tam.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { BuiltTam } from "../../services/TamStore.ts"
import { type Execute, insertRows, type Row } from "./Execute.ts"
import { by, compile, damaged, decodeRows, integer, parsed } from "./Rows.ts"
import { ensureScope, scope } from "./Scopes.ts"

export const acceptNode = compile(TamNode)
export const acceptEdge = compile(TamEdge)
export const acceptType = compile(TamNode.pick("id", "type"))
export const acceptPassage = compile(Schema.Struct({ id: PassageId }))
export const acceptEvidence = compile(Schema.Struct({ passage: PassageId, node: NodeId }))
export const acceptLink = compile(Schema.Struct({ from: PassageId, to: PassageId, weight: Schema.Number }))
export const acceptCount = compile(Schema.Struct({ type: NodeType, nodes: Schema.Int }))
export const acceptGraph = compile(Schema.Struct({ edges: Schema.Int, depth: Schema.Int }))
const acceptAnchor = compile(Schema.Struct({ id: PassageId, row: Schema.Int, node: Schema.NullOr(Schema.Int) }))
const acceptAnchors = compile(Schema.Array(Schema.Int))

const given = (table: string) => `json_each(?2) j CROSS JOIN ${table} ON`
export const selectNodes = `SELECT n.id, n.type, n.abstraction
  FROM ${given("staterag_node n")} n.scope = ${scope} AND n.id = j.value`
export const selectChildren = `SELECT a.id AS "from", b.id AS "to"
  FROM ${given("staterag_node a")} a.scope = ${scope} AND a.id = j.value
  CROSS JOIN staterag_edge e ON e.source = a.row LEFT JOIN staterag_node b ON b.row = e.target`
export const selectParents = `SELECT b.id AS "to", a.id AS "from"
  FROM ${given("staterag_node b")} b.scope = ${scope} AND b.id = j.value
  CROSS JOIN staterag_edge e ON e.target = b.row LEFT JOIN staterag_node a ON a.row = e.source`
export const selectRegion = `SELECT a.id FROM staterag_node n CROSS JOIN staterag_region r ON r.node = n.row
  CROSS JOIN json_each(r.anchors) j LEFT JOIN staterag_anchor a ON a.row = j.value
  WHERE n.scope = ${scope} AND n.id = ?2 AND n.type = 'Evidence' ORDER BY j.key`
export const selectEvidence = `SELECT a.id AS passage, n.id AS node
  FROM ${given("staterag_anchor a")} a.scope = ${scope} AND a.id = j.value CROSS JOIN staterag_node n ON n.row = a.node`
export const selectLinks = `SELECT a.id AS "from", b.id AS "to", l.weight
  FROM ${given("staterag_anchor a")} a.scope = ${scope} AND a.id = j.value
  CROSS JOIN staterag_link l ON l.source = a.row CROSS JOIN staterag_anchor b ON b.row = l.target
  UNION SELECT a.id, b.id, l.weight
  FROM ${given("staterag_anchor b")} b.scope = ${scope} AND b.id = j.value
  CROSS JOIN staterag_link l ON l.target = b.row CROSS JOIN staterag_anchor a ON a.row = l.source`
export const selectTypes = `SELECT n.id, n.type FROM ${given("staterag_node n")} n.scope = ${scope} AND n.id = j.value
  UNION SELECT id, type FROM (SELECT id, type FROM staterag_node WHERE scope = ${scope} AND type = 'Root' ORDER BY id LIMIT 1)`
export const selectEdgesAmong = `SELECT a.id AS "from", b.id AS "to"
  FROM ${given("staterag_node a")} a.scope = ${scope} AND a.id = j.value ->> 0
  CROSS JOIN staterag_node b ON b.scope = ${scope} AND b.id = j.value ->> 1
  CROSS JOIN staterag_edge e ON e.source = a.row AND e.target = b.row`
export const selectPage = `SELECT id, type, abstraction FROM staterag_node
  WHERE scope = ${scope} AND type = ?2 AND id > ?3 ORDER BY id LIMIT ?4`
export const selectCounts = `SELECT type, count(*) AS nodes FROM staterag_node WHERE scope = ${scope} GROUP BY type`
export const selectGraph = `SELECT edges, depth FROM staterag_graph WHERE scope = ${scope}`
export const selectHeld = `SELECT id FROM staterag_passage WHERE scope = ${scope}`

const nodesOfScope = `(SELECT row FROM staterag_node WHERE scope = ${scope})`
const selectAllNodes = `SELECT row, id, type, abstraction FROM staterag_node WHERE scope = ${scope}`
const selectAllEdges = `SELECT source, target FROM staterag_edge WHERE source IN ${nodesOfScope}`
const selectAllRegions = `SELECT node, anchors FROM staterag_region WHERE node IN ${nodesOfScope}`
const selectAllAnchors = `SELECT row, id, node FROM staterag_anchor WHERE scope = ${scope}`
const deleteGraph = [
  `DELETE FROM staterag_edge WHERE source IN ${nodesOfScope}`,
  `DELETE FROM staterag_region WHERE node IN ${nodesOfScope}`,
  `DELETE FROM staterag_link WHERE source IN (SELECT row FROM staterag_anchor WHERE scope = ${scope})`,
  `DELETE FROM staterag_anchor WHERE scope = ${scope}`,
  `DELETE FROM staterag_node WHERE scope = ${scope}`,
  `DELETE FROM staterag_graph WHERE scope = ${scope}`
]
const selectLastRow = (table: string) => `SELECT coalesce(max(row), 0) AS row FROM ${table}`

/** The graph of a scope as it stands, before anything is believed of it; nodes and edges by id. */
export const readGraph = Effect.fnUntraced(function* (
  method: string,
  run: Execute,
  key: ScopeKey
): Effect.fn.Return<RawTam, StoreError> {
  const ids = new Map<unknown, NodeId>()
  const plain: Array<Row> = []
  for (const { row, ...node } of yield* run(selectAllNodes, [key])) {
    plain.push(node)
    if (typeof node.id === "string") ids.set(row, node.id as NodeId)
  }
  const nodes = yield* decodeRows(method, "staterag_node", acceptNode, plain)
  // an end that is no node any more is named by its number, for the graph's own check to find
  const idOf = (row: unknown): NodeId => ids.get(row) ?? NodeId.make(`#${String(row)}`)
  const edges = (yield* run(selectAllEdges, [key])).map(({ source, target }) => ({
    from: idOf(source),
    to: idOf(target)
  }))
  const anchors = new Map(
    (yield* decodeRows(method, "staterag_anchor", acceptAnchor, yield* run(selectAllAnchors, [key]))).map((anchor) => [
      anchor.row,
      anchor.id
    ])
  )
  const regions = new Map<NodeId, ReadonlyArray<PassageId>>()
  for (const { node, anchors: packed } of yield* run(selectAllRegions, [key])) {
    const rows = acceptAnchors(parsed(packed))
    if (rows._tag === "None") return yield* damaged(method, "staterag_region", idOf(node))
    regions.set(
      idOf(node),
      rows.value.map((row) => anchors.get(row) ?? PassageId.make(`#${row}`))
    )
  }
  return {
    nodes: [...nodes].sort(by((node) => node.id)),
    edges: edges.sort(by((edge) => edge.to)).sort(by((edge) => edge.from)),
    regions
  }
})

/** Numbers for `ids` after the last one used in `table`. */
const numbered = <Id extends string>(ids: ReadonlyArray<Id>, last: number): ReadonlyMap<Id, number> =>
  new Map(ids.map((id, i) => [id, last + 1 + i]))

/** Puts a graph in the place of the old one, inside the caller's transaction. A graph that names nodes it does not have is a defect. */
export const writeGraph = Effect.fnUntraced(function* (
  method: string,
  run: Execute,
  key: ScopeKey,
  tam: BuiltTam
): Effect.fn.Return<void, StoreError> {
  const number = yield* ensureScope(run, method, key)
  for (const statement of deleteGraph) yield* run(statement, [key])

  const nodes = [...tam.nodes].sort(by((node) => node.id))
  const rowOfNode = numbered(
    nodes.map((node) => node.id),
    yield* integer(method, "staterag_node", yield* run(selectLastRow("staterag_node"), []))
  )
  const nodeRow = (id: NodeId): Effect.Effect<number> => {
    const row = rowOfNode.get(id)
    return row === undefined ? Effect.die(new MalformedTam({ reason: "UnknownNode", node: id })) : Effect.succeed(row)
  }
  if (rowOfNode.size < nodes.length) {
    const twice = nodes.find((node, i) => nodes[i + 1]?.id === node.id)
    return yield* Effect.die(new MalformedTam({ reason: "DuplicateNode", node: twice?.id ?? "" }))
  }
  const named = new Set<PassageId>(tam.evidence.keys())
  for (const region of tam.regions.values()) for (const id of region) named.add(id)
  for (const { from, to } of tam.links) named.add(from).add(to)
  const rowOfPassage = numbered(
    [...named].sort(),
    yield* integer(method, "staterag_anchor", yield* run(selectLastRow("staterag_anchor"), []))
  )

  yield* insertRows(
    run,
    "staterag_node (row, scope, id, type, abstraction)",
    nodes.map(({ id, type, abstraction }) => [rowOfNode.get(id) ?? 0, number, id, type, abstraction])
  )
  const edges: Array<readonly [number, number]> = []
  for (const { from, to } of tam.edges) edges.push([yield* nodeRow(from), yield* nodeRow(to)])
  edges.sort(([a, b], [c, d]) => a - c || b - d)
  yield* insertRows(run, "staterag_edge (source, target)", edges, "ON CONFLICT DO NOTHING")
  const anchors: Array<readonly [number, number, PassageId, number | null]> = []
  for (const [id, row] of rowOfPassage) {
    const node = tam.evidence.get(id)
    anchors.push([row, number, id, node === undefined ? null : yield* nodeRow(node)])
  }
  yield* insertRows(run, "staterag_anchor (row, scope, id, node)", anchors)
  const regions: Array<readonly [number, string]> = []
  for (const [id, region] of tam.regions) {
    regions.push([yield* nodeRow(id), JSON.stringify(region.map((passage) => rowOfPassage.get(passage)))])
  }
  yield* insertRows(run, "staterag_region (node, anchors)", regions)
  const links = tam.links.map(({ from, to, weight }) => [
    rowOfPassage.get(from) ?? 0,
    rowOfPassage.get(to) ?? 0,
    weight
  ])
  yield* insertRows(
    run,
    "staterag_link (source, target, weight)",
    links,
    "ON CONFLICT DO UPDATE SET weight = excluded.weight"
  )
  const { size } = new Set(edges.map(([from, to]) => `${from} ${to}`))
  yield* insertRows(run, "staterag_graph (scope, edges, depth)", [[number, size, depthOf(tam)]])
})
