/** All or nothing, over every store that shares one database (one writer). */
import { Context, type Effect } from "effect"
import type { StoreError } from "./StoreError.ts"

export class Transaction extends Context.Tag("staterag/services/Transaction")<
  Transaction,
  {
    /** Runs `effect`; what it wrote is kept if it succeeds, and undone if it fails, dies or is interrupted. Readers see the old state until then. */
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreError, R>
  }
>() {}
