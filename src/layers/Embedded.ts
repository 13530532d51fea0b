/**
 * The product without a model, a key or a download: SQLite, USearch, hashed vectors, deterministic roles.
 *
 *     roles ──▶ stores, indexes, embedding ──▶ one SQLite database ──▶ a folder, or the application's own client
 *
 * A role, a store or a model is replaced by providing its tag over this layer.
 */
import { NodeFileSystem, NodePath } from "@effect/platform-node"
import type { SqlClient } from "@effect/sql"
import { Layer } from "effect"
import type { CorpusStore } from "../services/CorpusStore.ts"
import type { Digest } from "../services/Digest.ts"
import type { DocumentParser } from "../services/DocumentParser.ts"
import type { EmbeddingModel } from "../services/EmbeddingModel.ts"
import type { Housekeeping } from "../services/Housekeeping.ts"
import type { Journal } from "../services/Journal.ts"
import type { LexicalIndex } from "../services/LexicalIndex.ts"
import type {
  CompactEvidenceCheck,
  Initializer,
  Navigator,
  Planner,
  Reader,
  Retriever,
  Verifier
} from "../services/Roles.ts"
import type { SharedMemoryPool } from "../services/SharedMemoryPool.ts"
import type { SourceFiles } from "../services/SourceFiles.ts"
import type { StoreError } from "../services/StoreError.ts"
import type { TamStore } from "../services/TamStore.ts"
import type { TokenCounter } from "../services/TokenCounter.ts"
import type { Transaction } from "../services/Transaction.ts"
import type { VectorIndex } from "../services/VectorIndex.ts"
import type { VectorStore } from "../services/VectorStore.ts"
import * as Hashed from "./embedding/Hashed.ts"
import * as VectorIndexUsearch from "./index/VectorIndexUsearch.ts"
import * as DocumentParserLocal from "./ingest/DocumentParserLocal.ts"
import * as SourceFilesLocal from "./ingest/SourceFilesLocal.ts"
import * as DigestNode from "./platform/DigestNode.ts"
import * as TokenCounterO200k from "./platform/TokenCounterO200k.ts"
import * as EmbeddedRoles from "./roles/embedded/EmbeddedRoles.ts"
import * as Client from "./sql/Client.ts"
import * as CorpusStores from "./sql/CorpusStores.ts"
import * as RunStores from "./sql/RunStores.ts"

export type Roles = Planner | Navigator | Retriever | Verifier | Initializer | CompactEvidenceCheck | Reader
export type Stores =
  | CorpusStore
  | LexicalIndex
  | VectorStore
  | TamStore
  | Transaction
  | Journal
  | Housekeeping
  | SharedMemoryPool
  | VectorIndex
  | EmbeddingModel
  | Digest
  | TokenCounter
  | DocumentParser
  | SourceFiles
/** Everything that indexing, asking and explaining need. */
export type Services = Roles | Stores

export interface Options {
  /** The state folder: `staterag.db`, and `vectors/`, a cache. */
  readonly directory: string
  /** Whether to make the folder and the database where they are missing. Default true. */
  readonly create?: boolean
}

const platform = Layer.merge(NodeFileSystem.layer, NodePath.layer)
const stores = Layer.provideMerge(RunStores.layer, CorpusStores.layer)
const around = Layer.mergeAll(
  Hashed.layer,
  DigestNode.layer,
  TokenCounterO200k.layer,
  DocumentParserLocal.layer,
  SourceFilesLocal.layer.pipe(Layer.provide(platform), Layer.provide(DigestNode.layer))
)

/**
 * The product over the application's own SQLite client: tables are prefixed `staterag_`, migrations keep their own ledger, and the vector
 * index is held in memory, without files.
 *
 * @example
 * ```ts
 * import { SqliteClient } from "@effect/sql-sqlite-node"
 * import { Layer } from "effect"
 * import { Embedded } from "staterag"
 *
 * export const layer = Embedded.layerOver.pipe(Layer.provideMerge(SqliteClient.layer({ filename: "application.db" })))
 * ```
 */
export const layerOver: Layer.Layer<Services, StoreError, SqlClient.SqlClient> = EmbeddedRoles.layer.pipe(
  Layer.provideMerge(VectorIndexUsearch.layerWithoutFiles()),
  Layer.provideMerge(stores),
  Layer.provideMerge(around)
)

/** The product in a folder of its own. What cannot be opened is a `StoreError` that says why and what to do. */
export const layer = ({ create = true, directory }: Options): Layer.Layer<Services, StoreError> =>
  EmbeddedRoles.layer.pipe(
    Layer.provideMerge(VectorIndexUsearch.layer({ directory }).pipe(Layer.provide(platform))),
    Layer.provideMerge(stores),
    Layer.provideMerge(around),
    Layer.provide(Client.layer({ filename: `${directory}/staterag.db`, create }))
  )
