/** Working notes of a graph, from which the next build goes on: see `GraphChange`. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`CREATE TABLE staterag_note (
    scope INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, item TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (scope, kind, key, item)) WITHOUT ROWID`)
)
