/**
 * What a state folder holds, without the roles, the journal and what reads documents: enough to tell of it, and there sooner than
 * {@link import("./Embedded.ts")}, which stands on it.
 */
import { NodeFileSystem, NodePath } from "@effect/platform-node"
import type { SqlClient } from "@effect/sql"
import { Layer } from "effect"
import type { CorpusStore } from "../services/CorpusStore.ts"
import type { Digest } from "../services/Digest.ts"
import type { EmbeddingModel } from "../services/EmbeddingModel.ts"
import type { LexicalIndex } from "../services/LexicalIndex.ts"
import type { SharedMemoryPool } from "../services/SharedMemoryPool.ts"
import type { SourceFiles } from "../services/SourceFiles.ts"
import type { StoreError } from "../services/StoreError.ts"
import type { TamStore } from "../services/TamStore.ts"
import type { Transaction } from "../services/Transaction.ts"
import type { VectorIndex } from "../services/VectorIndex.ts"
import type { VectorStore } from "../services/VectorStore.ts"
import * as Hashed from "./embedding/Hashed.ts"
import * as VectorIndexUsearch from "./index/VectorIndexUsearch.ts"
import * as SourceFilesLocal from "./ingest/SourceFilesLocal.ts"
import * as DigestNode from "./platform/DigestNode.ts"
import * as Client from "./sql/Client.ts"
import * as CorpusStores from "./sql/CorpusStores.ts"
import * as SharedMemoryPoolSql from "./sql/SharedMemoryPoolSql.ts"

export type Services =
  | CorpusStore
  | LexicalIndex
  | VectorStore
  | TamStore
  | Transaction
  | SharedMemoryPool
  | VectorIndex
  | EmbeddingModel
  | Digest
  | SourceFiles

export interface Options {
  /** The state folder: `staterag.db`, and `vectors/`, a cache. */
  readonly directory: string
  /** Whether to make the folder and the database where they are missing. Default true. */
  readonly create?: boolean
}

const platform = Layer.merge(NodeFileSystem.layer, NodePath.layer)
const stores = Layer.provideMerge(SharedMemoryPoolSql.layer, CorpusStores.layer)
const around = <E>(embedding: Layer.Layer<EmbeddingModel, E>) =>
  Layer.mergeAll(
    embedding,
    DigestNode.layer,
    SourceFilesLocal.layer.pipe(Layer.provide(platform), Layer.provide(DigestNode.layer))
  )

/** Over the application's own SQLite client, with an embedding model; the vector index is held in memory, without files. */
export const over = <E>(
  embedding: Layer.Layer<EmbeddingModel, E>
): Layer.Layer<Services, StoreError | E, SqlClient.SqlClient> =>
  VectorIndexUsearch.layerWithoutFiles().pipe(Layer.provideMerge(stores), Layer.provideMerge(around(embedding)))

/** The same over hashed vectors. */
export const layerOver: Layer.Layer<Services, StoreError, SqlClient.SqlClient> = over(Hashed.layer)

/** Over a client and an embedding model, with the vector index in files of the state folder. */
export const beside = <E>(
  directory: string,
  embedding: Layer.Layer<EmbeddingModel, E>
): Layer.Layer<Services, StoreError | E, SqlClient.SqlClient> =>
  VectorIndexUsearch.layer({ directory }).pipe(
    Layer.provide(platform),
    Layer.provideMerge(stores),
    Layer.provideMerge(around(embedding))
  )

/** Where the database of a state folder lies. */
export const databaseOf = (directory: string): string => `${directory}/staterag.db`

/** The database of a state folder. What cannot be opened is a `StoreError` that says why and what to do. */
export const client = ({ create = true, directory }: Options): Layer.Layer<SqlClient.SqlClient, StoreError> =>
  Client.layer({ filename: databaseOf(directory), create })

/** What a folder of its own holds. */
export const layer = (options: Options): Layer.Layer<Services, StoreError> =>
  Layer.provide(beside(options.directory, Hashed.layer), client(options))
