/** The rows of a graph: what is asked of them, and how a whole graph is read. */
import { Effect, Schema } from "effect"
import { NodeId, PassageId, type ScopeKey } from "../../domain/Ids.ts"
import { NodeType, type RawTam, TamEdge, TamNode } from "../../domain/Tam.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { Execute, Row } from "./Execute.ts"
import { by, compile, damaged, decodeRows, parsed } from "./Rows.ts"
import { scope } from "./Scopes.ts"

export const acceptNode = compile(TamNode)
export const acceptEdge = compile(TamEdge)
export const acceptType = compile(TamNode.pick("id", "type"))
export const acceptPassage = compile(Schema.Struct({ id: PassageId }))
export const acceptEvidence = compile(Schema.Struct({ passage: PassageId, node: NodeId }))
export const acceptLink = compile(Schema.Struct({ from: PassageId, to: PassageId, weight: Schema.Number }))
export const acceptCount = compile(Schema.Struct({ type: NodeType, nodes: Schema.Int }))
export const acceptGraph = compile(Schema.Struct({ edges: Schema.Int, depth: Schema.Int }))
export const acceptAnchor = compile(Schema.Struct({ id: PassageId, row: Schema.Int, node: Schema.NullOr(Schema.Int) }))
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
export const selectAllNodes = `SELECT row, id, type, abstraction FROM staterag_node WHERE scope = ${scope}`
export const selectAllEdges = `SELECT source, target FROM staterag_edge WHERE source IN ${nodesOfScope}`
export const selectAllRegions = `SELECT node, anchors FROM staterag_region WHERE node IN ${nodesOfScope}`
export const selectAllAnchors = `SELECT row, id, node FROM staterag_anchor WHERE scope = ${scope}`

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
