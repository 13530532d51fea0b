/**
 * What surrounds a model call: the run that it belongs to, where it is metered, and where its answer is made durable before it is used (C28,
 * C30). The controller provides it for a run, indexing for an index run; elsewhere calls are neither metered nor kept.
 */
import { Context, Effect, Option, Schema } from "effect"
import { ModelReply } from "../domain/ModelRequest.ts"
import { ModelCall } from "../domain/Usage.ts"
import type { StaleWriter, StoreError } from "./StoreError.ts"

/** A call that ended, well or not, with all that it cost. */
export const CallRecord = Schema.Struct({
  /** Hash of everything that can change the answer, scope apart. */
  request: Schema.String,
  call: ModelCall,
  /** Null where it failed. Embeddings keep their vectors elsewhere, and have no reply. */
  reply: Schema.NullOr(ModelReply)
})
export type CallRecord = typeof CallRecord.Type

export interface ModelCallsShape {
  /** χ of the caller; what is cached for one scope is never shown to another (C27). None outside a run. */
  readonly scope: Option.Option<string>
  /**
   * The recorded answer to this request, where the run is being resumed and this place in it (run, cycle, stage, attempt) has one that was
   * given to the same request. It is metered as it was then, and its tokens are not paid again.
   */
  readonly recorded: (request: string) => Effect.Effect<Option.Option<ModelReply>, StoreError>
  /** Meters a call and makes it durable, before its answer is used. Not interruptible. */
  readonly record: (record: CallRecord) => Effect.Effect<void, StoreError | StaleWriter>
  /** A part of the reader's answer, for those who watch; never stored. A later attempt stands in place of those before it. */
  readonly delta: (text: string, attempt: number) => Effect.Effect<void>
}

export class ModelCalls extends Context.Reference<ModelCalls>()("staterag/services/ModelCalls", {
  defaultValue: (): ModelCallsShape => ({
    scope: Option.none(),
    recorded: () => Effect.succeedNone,
    record: () => Effect.void,
    delta: () => Effect.void
  })
}) {}
