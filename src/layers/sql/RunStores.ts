/** The stores of the run side, over a migrated database. */
import type { SqlClient } from "@effect/sql"
import { Layer } from "effect"
import type { Journal } from "../../services/Journal.ts"
import type { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import type { Transaction } from "../../services/Transaction.ts"
import * as JournalSql from "./JournalSql.ts"
import * as SharedMemoryPoolSql from "./SharedMemoryPoolSql.ts"

export const layer: Layer.Layer<Journal | SharedMemoryPool, never, SqlClient.SqlClient | Transaction> = Layer.merge(
  JournalSql.layer,
  SharedMemoryPoolSql.layer
)
