/** Which process asks a run. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("ALTER TABLE staterag_run ADD COLUMN writer TEXT NOT NULL DEFAULT ''")
)
