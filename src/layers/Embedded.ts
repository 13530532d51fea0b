/**
 * The product without a model, a key or a download: SQLite, USearch, hashed vectors, deterministic roles.
 *
 *     roles ──▶ stores, indexes, embedding ──▶ one SQLite database ──▶ a folder, or the application's own client
 *
 * A role, a store or a model is replaced by providing its tag over this layer.
 */
import type { SqlClient } from "@effect/sql"
import { Context, Layer } from "effect"
import type { DocumentParser } from "../services/DocumentParser.ts"
import type { EmbeddingModel } from "../services/EmbeddingModel.ts"
import type { Grouping } from "../services/Grouping.ts"
import { Housekeeping } from "../services/Housekeeping.ts"
import type { Journal } from "../services/Journal.ts"
import type {
  CompactEvidenceCheck,
  Initializer,
  Navigator,
  Planner,
  Reader,
  Retriever,
  Verifier
} from "../services/Roles.ts"
import type { SideJournal } from "../services/SideJournal.ts"
import type { StoreError } from "../services/StoreError.ts"
import type { TokenCounter } from "../services/TokenCounter.ts"
import * as EmbeddedCorpus from "./EmbeddedCorpus.ts"
import * as Hashed from "./embedding/Hashed.ts"
import * as GroupingVendors from "./grouping/GroupingVendors.ts"
import * as DocumentParserLocal from "./ingest/DocumentParserLocal.ts"
import * as TokenCounterO200k from "./platform/TokenCounterO200k.ts"
import * as WritersNode from "./platform/WritersNode.ts"
import * as EmbeddedRoles from "./roles/embedded/EmbeddedRoles.ts"
import * as RunStores from "./sql/RunStores.ts"
import * as SideJournalSql from "./sql/SideJournalSql.ts"

export type Roles = Planner | Navigator | Retriever | Verifier | Initializer | CompactEvidenceCheck | Reader
export type Stores = EmbeddedCorpus.Services | Journal | Housekeeping | TokenCounter | DocumentParser | Grouping
/** Everything that indexing, asking and explaining need. */
export type Services = Roles | Stores

export type Options = EmbeddedCorpus.Options

const above = <A, E, R>(roles: Layer.Layer<A, E, R>) =>
  Layer.provideMerge(
    roles,
    Layer.mergeAll(
      Layer.provide(RunStores.layer, WritersNode.layer),
      TokenCounterO200k.layer,
      DocumentParserLocal.layer,
      GroupingVendors.layer
    )
  )

/**
 * The product over the application's own SQLite client: tables are prefixed `staterag_`, migrations keep their own ledger, and the vector
 * index is held in memory, without files.
 *
 * @example
 * ```ts
 * import { SqliteClient } from "@effect/sql-sqlite-node"
 * import { Context, Layer } from "effect"
 * import { Embedded } from "staterag"
 *
 * export const layer = Embedded.layerOver.pipe(Layer.provideMerge(SqliteClient.layer({ filename: "application.db" })))
 * ```
 */
export const layerOver: Layer.Layer<Services, StoreError, SqlClient.SqlClient> = Layer.provideMerge(
  above(EmbeddedRoles.layer),
  EmbeddedCorpus.layerOver
)

/** The stores of a folder of its own with other roles and another embedding model. */
export const layerOf = <A, E, E2>(
  options: Options,
  {
    embedding,
    roles
  }: {
    readonly roles: Layer.Layer<A, E, Stores | SqlClient.SqlClient>
    readonly embedding: Layer.Layer<EmbeddingModel, E2>
  }
): Layer.Layer<A | Stores | SideJournal, E | E2 | StoreError> =>
  SideJournalSql.layer(EmbeddedCorpus.databaseOf(options.directory)).pipe(
    Layer.provideMerge(above(roles)),
    Layer.provideMerge(EmbeddedCorpus.beside(options.directory, embedding)),
    Layer.provide(EmbeddedCorpus.client(options)),
    Layer.tap((context) => Context.get(context, Housekeeping).settle)
  )

/**
 * The product in a folder of its own. What cannot be opened is a `StoreError` that says why and what to do. What a killed process still owed
 * to something forgotten is done first.
 */
export const layer = (options: Options): Layer.Layer<Services | SideJournal, StoreError> =>
  layerOf(options, { roles: EmbeddedRoles.layer, embedding: Hashed.layer })
