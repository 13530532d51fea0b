/**
 * Deadlines of calls that are open, watched by one fiber for all of them: racing each call with a sleep of its own costs as much as half a call.
 * The fiber ends, at most a tenth of a second later, when nothing is open.
 */
import { Clock, Effect, Exit, type Fiber, FiberId } from "effect"

interface Open {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly until: number
  isLate: boolean
}

export interface Deadlines {
  /** How `attempt` ended; with `late` where that was not within `ms` milliseconds. To be run where nothing interrupts but in `restore`. */
  readonly within: <A, E>(
    attempt: Effect.Effect<A, E>,
    ms: number,
    late: () => E,
    restore: <B, F>(effect: Effect.Effect<B, F>) => Effect.Effect<B, F>
  ) => Effect.Effect<Exit.Exit<A, E>>
}

const sliceMs = 100

export const makeDeadlines: Effect.Effect<Deadlines> = Effect.sync(() => {
  const open = new Set<Open>()
  let isWatched = false

  const watch = Effect.gen(function* () {
    while (open.size > 0) {
      const now = yield* Clock.currentTimeMillis
      let wait = sliceMs
      for (const entry of open) {
        if (entry.until > now) wait = Math.min(wait, entry.until - now)
        else {
          open.delete(entry)
          entry.isLate = true
          entry.fiber.unsafeInterruptAsFork(FiberId.none)
        }
      }
      yield* Effect.sleep(wait)
    }
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        isWatched = false
      })
    ),
    Effect.interruptible,
    Effect.forkDaemon
  )

  return {
    within: (attempt, ms, late, restore) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(Effect.fork(Effect.interruptible(attempt)), (fiber) => {
          const entry: Open = { fiber, until: now + ms, isLate: false }
          open.add(entry)
          const done = Effect.matchCauseEffect(restore(fiber.await), {
            onSuccess: (exit) => {
              open.delete(entry)
              return Effect.succeed(entry.isLate && Exit.isInterrupted(exit) ? Exit.fail(late()) : exit)
            },
            onFailure: (cause) => {
              open.delete(entry)
              return Effect.as(fiber.interruptAsFork(FiberId.none), Exit.failCause(cause)).pipe(
                Effect.zipLeft(fiber.await)
              )
            }
          })
          if (isWatched) return done
          isWatched = true
          return Effect.zipRight(watch, done)
        })
      )
  }
})
