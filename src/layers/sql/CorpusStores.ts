/** The corpus side of the stores, over whatever SQLite database the context holds: an application's own, or {@link import("./Client.ts")}. */
import type { SqlClient } from "@effect/sql"
import { Layer } from "effect"
import type { CorpusStore } from "../../services/CorpusStore.ts"
import type { LexicalIndex } from "../../services/LexicalIndex.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { TamStore } from "../../services/TamStore.ts"
import type { Transaction } from "../../services/Transaction.ts"
import type { VectorStore } from "../../services/VectorStore.ts"
import * as CorpusStoreSql from "./CorpusStoreSql.ts"
import * as LexicalIndexFts5 from "./LexicalIndexFts5.ts"
import * as Migrations from "./Migrations.ts"
import * as TamStoreSql from "./TamStoreSql.ts"
import * as TransactionSql from "./TransactionSql.ts"
import * as VectorStoreSql from "./VectorStoreSql.ts"

export const layer: Layer.Layer<
  CorpusStore | LexicalIndex | VectorStore | TamStore | Transaction,
  StoreError,
  SqlClient.SqlClient
> = Layer.mergeAll(CorpusStoreSql.layer, LexicalIndexFts5.layer, VectorStoreSql.layer, TamStoreSql.layer).pipe(
  Layer.provide(Migrations.layer),
  Layer.provideMerge(TransactionSql.layer)
)
