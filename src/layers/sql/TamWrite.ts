/**
 * How a graph is changed: what is named is written, and nothing else is read.
 *
 * A change may come as what makes it along the way; it is taken in pieces, so that no whole list has to be held.
 */
import { Effect, Schema } from "effect"
import type { NodeId, PassageId, ScopeKey } from "../../domain/Ids.ts"
import type { GraphChange, NoteKind, NoteRow } from "../../domain/tam/Graph.ts"
import type { StoreError } from "../../services/StoreError.ts"
import { type Execute, insertRows } from "./Execute.ts"
import { compile, decodeRows } from "./Rows.ts"
import { ensureScope, scope } from "./Scopes.ts"

const acceptRow = compile(Schema.Struct({ id: Schema.String, row: Schema.Int }))
const acceptNote = compile(Schema.Struct({ key: Schema.String, item: Schema.String, value: Schema.String }))

const rowsIn = (table: string): string => `SELECT t.id, t.row FROM json_each(?2) j
  CROSS JOIN ${table} t ON t.scope = ?1 AND t.id = j.value`
const nodeAgain = "ON CONFLICT (scope, id) DO UPDATE SET type = excluded.type, abstraction = excluded.abstraction"
const anchorAgain = "ON CONFLICT (scope, id) DO UPDATE SET node = excluded.node"
const regionAgain = "ON CONFLICT (node) DO UPDATE SET anchors = excluded.anchors"
const noteAgain = "ON CONFLICT (scope, kind, key, item) DO UPDATE SET value = excluded.value"
const graphAgain = `ON CONFLICT (scope) DO UPDATE SET edges = edges + excluded.edges, depth = excluded.depth`
const deleteRows = (table: string, column: string): string =>
  `DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?1))`
const deletePairs = `DELETE FROM staterag_edge
  WHERE (source, target) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))`
const deleteNotes = `DELETE FROM staterag_note WHERE scope = ?1 AND kind = ?2
  AND (key, item) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?3))`
const selectDepth = "SELECT depth FROM staterag_graph WHERE scope = ?1"
const selectNotes = `SELECT n.key, n.item, n.value FROM json_each(?3) j
  CROSS JOIN staterag_note n ON n.scope = ${scope} AND n.kind = ?2 AND n.key = j.value`
const selectSomeNotes = `SELECT n.key, n.item, n.value FROM json_each(?3) j
  CROSS JOIN staterag_note n ON n.scope = ${scope} AND n.kind = ?2 AND n.key = j.value
    AND n.item <= coalesce((SELECT item FROM staterag_note
      WHERE scope = ${scope} AND kind = ?2 AND key = j.value ORDER BY item LIMIT 1 OFFSET ?4), n.item)`

/** Of everything that hangs together, the largest part first; then what hangs on nothing any more. */
const clearing: ReadonlyArray<string> = [
  `DELETE FROM staterag_graph WHERE scope = ${scope}`,
  `DELETE FROM staterag_node WHERE scope = ${scope}`,
  `DELETE FROM staterag_anchor WHERE scope = ${scope}`,
  `DELETE FROM staterag_note WHERE scope = ${scope}`
]
const orphans: ReadonlyArray<string> = [
  `DELETE FROM staterag_edge WHERE source NOT IN (SELECT row FROM staterag_node) OR target NOT IN (SELECT row FROM staterag_node)`,
  "DELETE FROM staterag_region WHERE node NOT IN (SELECT row FROM staterag_node)",
  `DELETE FROM staterag_link WHERE source NOT IN (SELECT row FROM staterag_anchor) OR target NOT IN (SELECT row FROM staterag_anchor)`
]

const pieceSize = 4096
const pieces = function* <A>(all: Iterable<A>): Iterable<ReadonlyArray<A>> {
  let piece: Array<A> = []
  for (const one of all) {
    piece.push(one)
    if (piece.length < pieceSize) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

/** Takes the pieces of `all` one after the other. */
const eachPiece = <A, E>(
  all: Iterable<A> | undefined,
  body: (piece: ReadonlyArray<A>) => Effect.Effect<unknown, E>
): Effect.Effect<void, E> => (all === undefined ? Effect.void : Effect.forEach(pieces(all), body, { discard: true }))

export const readNotes = Effect.fnUntraced(function* (
  method: string,
  run: Execute,
  key: ScopeKey,
  kind: NoteKind,
  keys: ReadonlyArray<string>,
  limit: number
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<readonly [string, string]>>, StoreError> {
  const found = new Map<string, Array<readonly [string, string]>>()
  if (keys.length === 0) return found
  const asked = JSON.stringify([...new Set(keys)])
  const rows = yield* limit >= Number.MAX_SAFE_INTEGER
    ? run(selectNotes, [key, kind, asked])
    : run(selectSomeNotes, [key, kind, asked, limit - 1])
  for (const { item, key: own, value } of yield* decodeRows(method, "staterag_note", acceptNote, rows)) {
    const list = found.get(own)
    if (list === undefined) found.set(own, [[item, value]])
    else list.push([item, value])
  }
  return found
})

/** Inside the caller's transaction. */
export const clearGraph = (run: Execute, key: ScopeKey): Effect.Effect<void, StoreError> =>
  Effect.zipRight(
    Effect.forEach(clearing, (statement) => run(statement, [key]), { discard: true }),
    Effect.forEach(orphans, (statement) => run(statement, []), { discard: true })
  )

/** Changes a graph, inside the caller's transaction. What names a node or passage that is not there is a defect. */
export const changeGraph = Effect.fnUntraced(function* (
  method: string,
  run: Execute,
  key: ScopeKey,
  change: GraphChange
): Effect.fn.Return<void, StoreError> {
  const number = yield* ensureScope(run, method, key)
  const rowsOf = Effect.fnUntraced(function* (table: string, ids: Iterable<string>) {
    const asked = [...new Set(ids)]
    const look = Effect.map(
      Effect.flatMap(run(rowsIn(table), [number, JSON.stringify(asked)]), (rows) =>
        decodeRows(method, table, acceptRow, rows)
      ),
      (rows) => new Map(rows.map(({ id, row }) => [id, row]))
    )
    let found = yield* look
    if (table === "staterag_anchor" && found.size < asked.length) {
      // a passage that the graph knows only by name
      const strangers = asked.filter((id) => !found.has(id))
      yield* insertRows(
        run,
        "staterag_anchor (scope, id)",
        strangers.map((id) => [number, id])
      )
      found = yield* look
    }
    const stranger = asked.find((id) => !found.has(id))
    if (stranger !== undefined) return yield* Effect.dieMessage(`${table} does not hold ${stranger}`)
    return (id: string): number => found.get(id) ?? 0
  })
  const remove = (table: string, column: string, rows: ReadonlyArray<number>) =>
    run(deleteRows(table, column), [JSON.stringify(rows)])

  yield* eachPiece(change.nodes, (piece) =>
    insertRows(
      run,
      "staterag_node (scope, id, type, abstraction)",
      piece.map(({ abstraction, id, type }) => [number, id, type, abstraction]),
      nodeAgain
    )
  )
  yield* eachPiece(change.evidence, (piece) =>
    Effect.flatMap(
      rowsOf(
        "staterag_node",
        piece.map(([, node]) => node)
      ),
      (rowOf) =>
        insertRows(
          run,
          "staterag_anchor (scope, id, node)",
          piece.map(([passage, node]) => [number, passage, rowOf(node)]),
          anchorAgain
        )
    )
  )
  yield* eachPiece(change.links, (piece) =>
    Effect.gen(function* () {
      const ends = piece.flatMap(([from, own]): ReadonlyArray<PassageId> => [from, ...own.map(({ to }) => to)])
      const rowOf = yield* rowsOf("staterag_anchor", ends)
      yield* remove(
        "staterag_link",
        "source",
        piece.map(([from]) => rowOf(from))
      )
      yield* insertRows(
        run,
        "staterag_link (source, target, weight)",
        piece.flatMap(([from, own]) => own.map(({ to, weight }) => [rowOf(from), rowOf(to), weight]))
      )
    })
  )
  yield* eachPiece(change.regions, (piece) =>
    Effect.gen(function* () {
      const nodeOf = yield* rowsOf(
        "staterag_node",
        piece.map(([node]) => node)
      )
      const anchorOf = yield* rowsOf(
        "staterag_anchor",
        piece.flatMap(([, region]) => region)
      )
      const rows = piece.map(([node, region]) => [nodeOf(node), JSON.stringify(region.map(anchorOf))])
      yield* insertRows(run, "staterag_region (node, anchors)", rows, regionAgain)
    })
  )
  yield* eachPiece(change.erased, (piece) =>
    Effect.forEach(
      new Set(piece.map(({ kind }) => kind)),
      (kind) => {
        const own = piece.filter((line) => line.kind === kind)
        return run(deleteNotes, [number, kind, JSON.stringify(own.map((line) => [line.key, line.item]))])
      },
      { discard: true }
    )
  )
  yield* eachPiece(change.notes, (piece: ReadonlyArray<NoteRow>) =>
    insertRows(
      run,
      "staterag_note (scope, kind, key, item, value)",
      piece.map((line) => [number, line.kind, line.key, line.item, line.value]),
      noteAgain
    )
  )

  let edges = 0
  const pairs = Effect.fnUntraced(function* (piece: ReadonlyArray<{ readonly from: NodeId; readonly to: NodeId }>) {
    const rowOf = yield* rowsOf(
      "staterag_node",
      piece.flatMap(({ from, to }) => [from, to])
    )
    return piece.map(({ from, to }) => [rowOf(from), rowOf(to)] as const)
  })
  yield* eachPiece(change.unbound, (piece) =>
    Effect.flatMap(pairs(piece), (rows) => {
      edges -= rows.length
      return run(deletePairs, [JSON.stringify(rows)])
    })
  )
  yield* eachPiece(change.edges, (piece) =>
    Effect.flatMap(pairs(piece), (rows) => {
      edges += rows.length
      return insertRows(run, "staterag_edge (source, target)", rows)
    })
  )
  yield* eachPiece(change.gone, (piece) =>
    Effect.gen(function* () {
      const rows = yield* run(rowsIn("staterag_anchor"), [number, JSON.stringify(piece)])
      const own = (yield* decodeRows(method, "staterag_anchor", acceptRow, rows)).map(({ row }) => row)
      yield* remove("staterag_link", "source", own)
      yield* remove("staterag_link", "target", own)
      yield* remove("staterag_anchor", "row", own)
    })
  )
  yield* eachPiece(change.removed, (piece) =>
    Effect.gen(function* () {
      const rowOf = yield* rowsOf("staterag_node", piece)
      const own = [...new Set(piece)].map(rowOf)
      yield* remove("staterag_region", "node", own)
      yield* remove("staterag_node", "row", own)
    })
  )
  if (edges === 0 && change.depth === undefined) return
  const [known] = yield* run(selectDepth, [number])
  const depth = change.depth ?? (typeof known?.depth === "number" ? known.depth : 0)
  yield* insertRows(run, "staterag_graph (scope, edges, depth)", [[number, edges, depth]], graphAgain)
})
