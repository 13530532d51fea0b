/** The stores of the corpus side: one set of suites, on every kind of store. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Effect, Layer } from "effect"
import * as CorpusStoresMemory from "../../src/layers/memory/CorpusStores.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as CorpusStoresSql from "../../src/layers/sql/CorpusStores.ts"
import * as CorpusStoreContract from "../contracts/CorpusStore.contract.ts"
import * as LexicalIndexContract from "../contracts/LexicalIndex.contract.ts"
import * as TamStoreContract from "../contracts/TamStore.contract.ts"
import * as TransactionContract from "../contracts/Transaction.contract.ts"
import * as VectorStoreContract from "../contracts/VectorStore.contract.ts"

const folder = mkdtempSync(join(tmpdir(), "staterag-corpus-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const memory = Layer.provide(CorpusStoresMemory.layer, Memory.layer)
const database = (filename: string) => Layer.provide(CorpusStoresSql.layer, Client.layer({ filename, create: true }))
/** An application's own database: foreign keys off, column names rewritten. */
const application = CorpusStoresSql.layer.pipe(
  Layer.provide(Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA foreign_keys = OFF`))),
  Layer.provide(SqliteClient.layer({ filename: ":memory:", transformResultNames: (name) => name.toUpperCase() }))
)

let opened = 0
for (const { contract } of [
  CorpusStoreContract,
  LexicalIndexContract,
  VectorStoreContract,
  TamStoreContract,
  TransactionContract
]) {
  contract("in memory", memory)
  contract("in SQLite", database(":memory:"))
  contract(
    "in a file",
    Layer.suspend(() => database(join(folder, `contract-${++opened}.db`)))
  )
  contract("in an application's database", application)
}
