/** The tables of the run side, which the journal writes and the shared memory pool reads. */
import { Context, Effect, Layer } from "effect"
import type { Artifact } from "../../domain/Artifact.ts"
import type { ScopeKey } from "../../domain/Ids.ts"
import type { ModelReply } from "../../domain/ModelRequest.ts"
import type { FencingToken, KeptCall, RunSummary } from "../../services/Journal.ts"
import { Memory, type Table } from "./Memory.ts"

export interface RunEntry extends RunSummary {
  readonly token: FencingToken
  /** As JSON, so that what was written is what is read, whoever holds on to the value. */
  readonly events: ReadonlyArray<string>
}

export interface CallEntry {
  readonly run: string
  readonly scope: ScopeKey
  readonly kept: KeptCall
}

export class RunTables extends Context.Tag("staterag/layers/memory/RunTables")<
  RunTables,
  {
    /** By run. */
    readonly runs: Table<RunEntry>
    /** Model calls by their place. */
    readonly calls: Table<CallEntry>
    /** Of a scope key, by id. */
    readonly artifacts: (scope: ScopeKey) => Table<Artifact>
    /** Cached answers of a scope by request, and cached vectors by model and text. */
    readonly replies: (scope: string) => Table<{ readonly reply: ModelReply; readonly usedAt: number }>
    readonly vectors: (scope: string) => Table<{ readonly vector: Float32Array; readonly usedAt: number }>
    /** By scope key: where a run begins only on the current revision. */
    readonly fences: Table<true>
  }
>() {}

export const layer: Layer.Layer<RunTables, never, Memory> = Layer.effect(
  RunTables,
  Effect.map(Memory, (memory) => ({
    runs: memory.table<RunEntry>(),
    calls: memory.table<CallEntry>(),
    artifacts: memory.tables<Artifact>(),
    replies: memory.tables<{ readonly reply: ModelReply; readonly usedAt: number }>(),
    vectors: memory.tables<{ readonly vector: Float32Array; readonly usedAt: number }>(),
    fences: memory.table<true>()
  }))
)
