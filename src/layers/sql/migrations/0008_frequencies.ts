/** What is known of a large word table: how many entries and words it holds, and in how many entries each of its common words stands. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`CREATE TABLE staterag_frequency (
    scope INTEGER NOT NULL, kind TEXT NOT NULL, term TEXT NOT NULL, entries INTEGER NOT NULL,
    PRIMARY KEY (scope, kind, term)) WITHOUT ROWID`)
)
