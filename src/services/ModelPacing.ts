/**
 * When a call of a provider may start, how long it may take, and how often it is tried. All models that share an account share one of these:
 * the provider's limits are the account's.
 */
import type { Effect, Exit, Scope } from "effect"
import type { ModelError } from "../domain/ModelError.ts"

/** One call, to be tried until it succeeds or there is no use in it. */
export interface PacedCall<A> {
  /** `openai:NAME`, for errors. */
  readonly model: string
  /** What it may cost at most, prompt and answer. */
  readonly tokens: Effect.Effect<number>
  readonly attempt: Effect.Effect<A, ModelError>
  /** Told of every attempt that was begun, interrupted ones too, before anything else happens. Not interruptible. */
  readonly ended: (exit: Exit.Exit<A, ModelError>) => Effect.Effect<void, ModelError>
}

export interface ModelPacing {
  readonly call: <A>(call: PacedCall<A>) => Effect.Effect<A, ModelError>
  /** The pieces of it, for streams: waits for a turn, which ends with the scope. */
  readonly turn: (tokens: Effect.Effect<number>) => Effect.Effect<void, never, Scope.Scope>
  /** Waits before attempt `tried` + 1 where there is to be one; fails with `error` where not. */
  readonly again: (error: ModelError, tried: number) => Effect.Effect<void, ModelError>
  /** Milliseconds that one attempt may take. */
  readonly deadlineMs: number
  /** Milliseconds between two parts of a streamed answer. */
  readonly idleMs: number
}
