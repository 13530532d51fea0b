/** One holder a name; whoever comes later waits, in the order of coming. */
import { Effect, type Scope } from "effect"

export interface Locks {
  readonly hold: (name: string) => Effect.Effect<void, never, Scope.Scope>
}

export const makeLocks: Effect.Effect<Locks> = Effect.sync(() => {
  const held = new Map<string, { readonly lock: Effect.Semaphore; wanted: number }>()
  return {
    hold: (name) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const entry = held.get(name) ?? { lock: Effect.unsafeMakeSemaphore(1), wanted: 0 }
          held.set(name, entry)
          entry.wanted++
          const leave = Effect.sync(() => {
            if (--entry.wanted === 0) held.delete(name)
          })
          return Effect.zipRight(
            Effect.onInterrupt(restore(entry.lock.take(1)), () => leave),
            Effect.addFinalizer(() => Effect.zipRight(entry.lock.release(1), leave))
          )
        })
      )
  }
})
