/** The stores of the run side, over a migrated database. */
import type { SqlClient } from "@effect/sql"
import { Layer } from "effect"
import type { Housekeeping } from "../../services/Housekeeping.ts"
import type { Journal } from "../../services/Journal.ts"
import type { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import type { Transaction } from "../../services/Transaction.ts"
import * as HousekeepingSql from "./HousekeepingSql.ts"
import * as JournalSql from "./JournalSql.ts"
import * as SharedMemoryPoolSql from "./SharedMemoryPoolSql.ts"

export const layer: Layer.Layer<Journal | SharedMemoryPool | Housekeeping, never, SqlClient.SqlClient | Transaction> =
  Layer.mergeAll(JournalSql.layer, SharedMemoryPoolSql.layer, HousekeepingSql.layer)
