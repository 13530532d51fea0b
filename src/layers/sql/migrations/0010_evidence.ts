/** What items of evidence say, once for all events of a scope that quote it. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`CREATE TABLE staterag_evidence (
    scope TEXT NOT NULL, digest TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (scope, digest)) WITHOUT ROWID`)
)
