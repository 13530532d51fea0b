/** Processes that write runs: a store notes which one asks a run, so that no other goes on with it while that one is there (C30). */
import { Context, Effect } from "effect"

export interface WritersShape {
  /** This process, told from every other one; empty where that cannot be said. */
  readonly own: string
  /** Whether another process is still there. False of this one, and of one that this machine cannot know of. */
  readonly isThere: (writer: string) => Effect.Effect<boolean>
}

/** Nobody is known where no layer says it. */
export class Writers extends Context.Reference<Writers>()("staterag/services/Writers", {
  defaultValue: (): WritersShape => ({ own: "", isThere: () => Effect.succeed(false) })
}) {}
