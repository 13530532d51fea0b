/** Blocks of documents whose text does not say where they lie, as JSON. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("CREATE TABLE staterag_block (document INTEGER PRIMARY KEY, blocks TEXT NOT NULL)")
)
