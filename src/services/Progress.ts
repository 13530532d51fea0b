/** Progress of long work. Silent unless a layer says where to. */
import { Context, Effect } from "effect"

export interface Step {
  /** What is being done, in a word or two. */
  readonly label: string
  readonly done: number
  /** How much there is to do, where that is known. */
  readonly total: number | undefined
}

export class Progress extends Context.Reference<Progress>()("staterag/services/Progress", {
  defaultValue: (): { readonly report: (step: Step) => Effect.Effect<void> } => ({ report: () => Effect.void })
}) {}
