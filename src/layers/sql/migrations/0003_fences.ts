/** Scopes where something has been forgotten: a run begins there only on what is there now (C34). */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("CREATE TABLE staterag_fence (scope TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID")
)
