/** What stands in where a model fails at one piece of an index: the rest of the index, and what it cost, is not lost with it. */
import { Effect } from "effect"
import type { ModelError, ModelFault } from "../../domain/ModelError.ts"

/** Faults that are of this piece alone: another one may well be read. */
const ofThePiece: ReadonlySet<ModelFault> = new Set<ModelFault>(["Unfit", "Truncated", "Refused", "TooLong"])

export interface Missing {
  count: number
  /** What a report says of it; nothing where nothing is missing. */
  readonly note: (things: string) => string | undefined
}

export const besides = (): Missing => {
  const missing: Missing = {
    count: 0,
    note: (things) => (missing.count === 0 ? undefined : `substitutes for ${missing.count} ${things}`)
  }
  return missing
}

export const orElse =
  <B>(missing: Missing, substitute: () => B) =>
  <A, R>(effect: Effect.Effect<A, ModelError, R>): Effect.Effect<A | B, ModelError, R> =>
    Effect.catchIf(
      effect,
      ({ fault }) => ofThePiece.has(fault),
      () =>
        Effect.sync(() => {
          missing.count++
          return substitute()
        })
    )
