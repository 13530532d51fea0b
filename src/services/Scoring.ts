/** Told how many Evidence nodes a Navigator has scored; for measuring. Nobody listens by default. */
import { Context } from "effect"

export class Scoring extends Context.Reference<Scoring>()("staterag/services/Scoring", {
  defaultValue: (): { readonly scored: (nodes: number) => void } => ({ scored: () => undefined })
}) {}
