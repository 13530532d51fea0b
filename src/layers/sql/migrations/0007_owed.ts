/** Work that is owed to what has been forgotten: done by whoever did it, or after a crash by whoever opens the folder next (C34). */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("CREATE TABLE staterag_owed (work TEXT PRIMARY KEY NOT NULL, times INTEGER NOT NULL) WITHOUT ROWID")
)
