/**
 * Asking while another process writes for long, an index run say: the run's journal and shared memory stand aside, begun as the kept ones are
 * now, and what came is written when the other has ended.
 *
 * What stands aside is gone if the process is killed. So it is for runs that call no model: of them nothing was paid, and asked again they
 * come to the same answer (C21, C30).
 */
import { Context, type Effect, type Exit } from "effect"
import type { ScopeKey } from "../domain/Ids.ts"
import type { Journal } from "./Journal.ts"
import type { SharedMemoryPool } from "./SharedMemoryPool.ts"
import type { StaleWriter, StoreError } from "./StoreError.ts"

export class SideJournal extends Context.Tag("staterag/services/SideJournal")<
  SideJournal,
  {
    /** Whether another process is writing, and goes on for longer than a commit takes. */
    readonly isHeld: Effect.Effect<boolean, StoreError>
    /**
     * Runs one question of a scope aside. `keep` writes its run and artifacts in one transaction, which waits for the other process; it is a
     * `StaleWriter`, and nothing is written, where something that the run may have read has been forgotten meanwhile (C34).
     */
    readonly beside: <A, E, R>(
      scope: ScopeKey,
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<
      { readonly exit: Exit.Exit<A, E>; readonly keep: Effect.Effect<void, StoreError | StaleWriter> },
      StoreError,
      Exclude<R, Journal | SharedMemoryPool>
    >
  }
>() {}
