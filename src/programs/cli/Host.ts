/**
 * The machine that the command runs on, as the commands see it: environment, terminal, files, and the house of layers that `main.ts`
 * builds. Commands touch nothing else of the process, so that a test can hand them another.
 */
import type { CliApp } from "@effect/cli"
import { Context, type Effect, type Layer, type Option, Schema } from "effect"
import type { ModelError } from "../../domain/ModelError.ts"
import type { CorpusStore } from "../../services/CorpusStore.ts"
import type { Digest } from "../../services/Digest.ts"
import type { DocumentParser } from "../../services/DocumentParser.ts"
import type { EmbeddingError, EmbeddingModel } from "../../services/EmbeddingModel.ts"
import type { Grouping } from "../../services/Grouping.ts"
import type { Housekeeping } from "../../services/Housekeeping.ts"
import type { Journal } from "../../services/Journal.ts"
import type { LexicalIndex } from "../../services/LexicalIndex.ts"
import type {
  CompactEvidenceCheck,
  Initializer,
  Navigator,
  Planner,
  Reader,
  Retriever,
  Verifier
} from "../../services/Roles.ts"
import type { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import type { SourceFiles } from "../../services/SourceFiles.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { TamStore } from "../../services/TamStore.ts"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import type { Transaction } from "../../services/Transaction.ts"
import type { VectorIndex } from "../../services/VectorIndex.ts"
import type { VectorStore } from "../../services/VectorStore.ts"
import type { Settings } from "./Settings.ts"

/** What one state folder holds, for commands that only tell of it. */
export type Shelf =
  | CorpusStore
  | Digest
  | EmbeddingModel
  | LexicalIndex
  | SharedMemoryPool
  | SourceFiles
  | TamStore
  | Transaction
  | VectorIndex
  | VectorStore

/** All that a command may need of one state folder. */
export type House =
  | Shelf
  | CompactEvidenceCheck
  | DocumentParser
  | Grouping
  | Housekeeping
  | Initializer
  | Journal
  | Navigator
  | Planner
  | Reader
  | Retriever
  | TokenCounter
  | Verifier

/** The machine refused something: a file that cannot be read, a folder that cannot be listed. */
export class HostError extends Schema.TaggedError<HostError>()("HostError", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.detail}`
  }
}

export class Host extends Context.Tag("staterag/programs/cli/Host")<
  Host,
  {
    readonly environment: Readonly<Record<string, string | undefined>>
    /** An absolute path: each part relative to those before it, the first to the working folder. */
    readonly resolve: (...parts: ReadonlyArray<string>) => string
    /** Whether paths match a glob, as `index --include` matches them. */
    readonly matcher: (glob: string) => Effect.Effect<(path: string) => boolean, HostError>
    readonly kindOf: (path: string) => Effect.Effect<"File" | "Folder" | "Absent", HostError>
    /** The text of a file; none where there is no such file. */
    readonly readText: (path: string) => Effect.Effect<Option.Option<string>, HostError>
    /** Writes a file whole: beside it first, then in its place. Folders are made. */
    readonly writeText: (path: string, text: string) => Effect.Effect<void, HostError>
    /** Adds to the end of a file. File and folders are made if need be. */
    readonly append: (path: string, text: string) => Effect.Effect<void, HostError>
    /** The files of a folder and how many bytes each takes, by path relative to it, sorted. */
    readonly sizes: (
      folder: string
    ) => Effect.Effect<ReadonlyArray<{ readonly path: string; readonly bytes: number }>, HostError>
    /** The text of a file that was built beside the command; none where it was not. */
    readonly built: (name: string) => Effect.Effect<Option.Option<string>, HostError>
    /** All of standard input. */
    readonly stdin: Effect.Effect<string, HostError>
    /** Writes to standard output, and waits until it is taken. */
    readonly out: (text: string) => Effect.Effect<void>
    /** Writes to standard error. */
    readonly err: (text: string) => Effect.Effect<void>
    readonly terminal: { readonly in: boolean; readonly out: boolean; readonly columns: number }
    /** What the parser of command lines asks for. */
    readonly platform: Layer.Layer<CliApp.CliApp.Environment>
    /** What reads files, without a state folder. */
    readonly ingest: (progress: boolean) => Layer.Layer<SourceFiles | DocumentParser | TokenCounter>
    /** The layers that tell what a state folder holds; they are there sooner than those of {@link House}. */
    readonly look: (directory: string) => Layer.Layer<Shelf, StoreError>
    /** The layers over a state folder, with the models that the settings name. With `progress`, long work reports on standard error. */
    readonly open: (options: {
      readonly settings: Pick<Settings, "directory" | "models" | "openai">
      readonly progress: boolean
    }) => Layer.Layer<House, StoreError | ModelError | EmbeddingError>
  }
>() {}
