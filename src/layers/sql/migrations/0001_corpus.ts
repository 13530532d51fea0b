/**
 * Documents, passages, word index, vectors and graph.
 *
 *     scope ─┬─ document ─┬─ text       (pieces of at most 3,840 UTF-16 units: a slice is read without the rest)
 *            │            └─ passage    (offsets only)
 *            ├─ source
 *            ├─ entry                   (one row of the scope's FTS5 table, made with the scope)
 *            ├─ vector
 *            └─ graph ─┬─ node ─┬─ edge
 *                      │        └─ region
 *                      └─ anchor ── link   (a passage as the graph knows it)
 *
 * `row` columns are internal and never leave the database. `label` is for access control: what may be read by whom.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

const statements: ReadonlyArray<string> = [
  // a number is never given to a second scope: the scope's FTS5 tables are named after it
  `CREATE TABLE staterag_scope (
     id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
     revision TEXT, embedding TEXT, dimensions INTEGER, indexed_at REAL)`,
  `CREATE TABLE staterag_document (
     row INTEGER PRIMARY KEY, scope INTEGER NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, format TEXT NOT NULL,
     source TEXT NOT NULL, hash TEXT NOT NULL, length INTEGER NOT NULL, label TEXT NOT NULL DEFAULT '',
     UNIQUE (scope, id))`,
  `CREATE INDEX staterag_document_hash ON staterag_document (scope, hash)`,
  `CREATE TABLE staterag_text (
     row INTEGER PRIMARY KEY, document INTEGER NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL,
     UNIQUE (document, start))`,
  `CREATE TABLE staterag_passage (
     row INTEGER PRIMARY KEY, scope INTEGER NOT NULL, id TEXT NOT NULL, document INTEGER NOT NULL, title TEXT,
     headings TEXT NOT NULL, start INTEGER NOT NULL, finish INTEGER NOT NULL, line INTEGER NOT NULL,
     tokens INTEGER NOT NULL, label TEXT NOT NULL DEFAULT '',
     UNIQUE (scope, id))`,
  `CREATE INDEX staterag_passage_document ON staterag_passage (document)`,
  `CREATE TABLE staterag_source (
     scope INTEGER NOT NULL, path TEXT NOT NULL, root TEXT NOT NULL, bytes INTEGER NOT NULL, modified_at REAL NOT NULL,
     hash TEXT NOT NULL,
     PRIMARY KEY (scope, path)) WITHOUT ROWID`,
  `CREATE TABLE staterag_entry (
     row INTEGER PRIMARY KEY, scope INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, document TEXT,
     UNIQUE (scope, kind, id))`,
  `CREATE TABLE staterag_vector (
     row INTEGER PRIMARY KEY, scope INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, vector BLOB NOT NULL,
     UNIQUE (scope, kind, id))`,
  `CREATE TABLE staterag_graph (scope INTEGER PRIMARY KEY, edges INTEGER NOT NULL, depth INTEGER NOT NULL)`,
  `CREATE TABLE staterag_node (
     row INTEGER PRIMARY KEY, scope INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, abstraction TEXT NOT NULL,
     label TEXT NOT NULL DEFAULT '',
     UNIQUE (scope, id))`,
  `CREATE INDEX staterag_node_type ON staterag_node (scope, type, id)`,
  `CREATE TABLE staterag_edge (
     source INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID`,
  `CREATE INDEX staterag_edge_target ON staterag_edge (target, source)`,
  // anchors: their rows, as a JSON array
  `CREATE TABLE staterag_region (node INTEGER PRIMARY KEY, anchors TEXT NOT NULL)`,
  `CREATE TABLE staterag_anchor (
     row INTEGER PRIMARY KEY, scope INTEGER NOT NULL, id TEXT NOT NULL, node INTEGER, UNIQUE (scope, id))`,
  `CREATE TABLE staterag_link (
     source INTEGER NOT NULL, target INTEGER NOT NULL, weight REAL NOT NULL,
     PRIMARY KEY (source, target)) WITHOUT ROWID`,
  `CREATE INDEX staterag_link_target ON staterag_link (target, source)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
}) satisfies Effect.Effect<void, SqlError, SqlClient.SqlClient>
