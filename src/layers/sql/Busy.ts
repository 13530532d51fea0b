/** Waiting for a lock that another process holds: asynchronously, so that other fibers go on. */
import { Effect, Schedule } from "effect"
import type { StoreError } from "../../services/StoreError.ts"

const isBusy = ({ reason }: StoreError): boolean => reason === "Busy"

const soon = Schedule.exponential("3 millis", 1.5).pipe(
  Schedule.union(Schedule.spaced("100 millis")),
  Schedule.jittered,
  Schedule.upTo("5 seconds")
)
/** An index run over a large corpus holds the lock for minutes. */
const later = Schedule.spaced("200 millis").pipe(Schedule.jittered, Schedule.upTo("10 minutes"))

const again = <A, R>(effect: Effect.Effect<A, StoreError, R>): Effect.Effect<A, StoreError, R> =>
  Effect.retry(effect, { schedule: soon, while: isBusy }).pipe(
    Effect.catchIf(isBusy, () =>
      Effect.zipRight(
        Effect.logWarning("another process is writing to this database; waiting until it has ended"),
        Effect.retry(effect, { schedule: later, while: isBusy })
      )
    )
  )

/** Runs `effect`, which must have changed nothing where it fails as `Busy`, until the lock is free; for ten minutes, and says so after five seconds. */
export const whenFree = <A, R>(effect: Effect.Effect<A, StoreError, R>): Effect.Effect<A, StoreError, R> =>
  Effect.catchIf(effect, isBusy, () => again(effect))
