/**
 * One database in this process, gone with it: tables that the twins of the stores share, and the transaction over all of them.
 *
 * A table's changes are noted while a transaction is open and taken back if it does not succeed, so a transaction costs what it changes.
 * Values are replaced, never mutated: what was read stays as it was. Whoever keeps something here makes tables with `table` and touches
 * them only inside `use`.
 */
import { Context, Effect, Exit, Layer, Option } from "effect"
import { Transaction } from "../../services/Transaction.ts"

/** A map by string key. */
export interface Table<V> {
  readonly get: (key: string) => V | undefined
  readonly set: (key: string, value: V) => void
  readonly delete: (key: string) => void
  readonly clear: () => void
  readonly size: () => number
  /** In the order of the code points of the keys, which is SQLite's. */
  readonly keys: () => ReadonlyArray<string>
  /** By key. */
  readonly values: () => ReadonlyArray<V>
  readonly entries: () => ReadonlyArray<readonly [key: string, value: V]>
  /** The values after the key `after`, by key, at most `limit`. */
  readonly page: (after: string, limit: number) => ReadonlyArray<V>
}

export class Memory extends Context.Tag("staterag/layers/memory/Memory")<
  Memory,
  {
    /** A new, empty table that takes part in transactions. */
    readonly table: <V>() => Table<V>
    /** Tables by name, made when first asked for: one for each scope, say. */
    readonly tables: <V>() => (name: string) => Table<V>
    /** Runs `body` when no other fiber's transaction is open. */
    readonly use: <A>(body: () => A) => Effect.Effect<A>
    /** {@link Transaction}, over every table. */
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {}

/** Present in the context of what runs inside a transaction. */
class Inside extends Context.Tag("staterag/layers/memory/Inside")<Inside, true>() {}

const surrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/** The order of code points, which differs from that of UTF-16 units where one side is beyond the basic plane. */
const byCodePoint = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return surrogate(x) === surrogate(y) ? x - y : surrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

const makeTable = <V>(note: (undo: () => void) => void): Table<V> => {
  let map = new Map<string, V>()
  let sorted: ReadonlyArray<string> | undefined
  const put = (key: string, value: V): void => {
    if (!map.has(key)) sorted = undefined
    map.set(key, value)
  }
  const drop = (key: string): void => {
    if (map.delete(key)) sorted = undefined
  }
  const keys = (): ReadonlyArray<string> => {
    sorted ??= [...map.keys()].sort(byCodePoint)
    return sorted
  }
  return {
    get: (key) => map.get(key),
    set: (key, value) => {
      const before = map.get(key)
      note(before === undefined ? () => drop(key) : () => put(key, before))
      put(key, value)
    },
    delete: (key) => {
      const before = map.get(key)
      if (before === undefined) return
      note(() => put(key, before))
      drop(key)
    },
    clear: () => {
      const before = map
      note(() => {
        map = before
        sorted = undefined
      })
      map = new Map()
      sorted = undefined
    },
    size: () => map.size,
    keys,
    values: () => keys().flatMap((key) => map.get(key) ?? []),
    entries: () =>
      keys().flatMap((key) => {
        const value = map.get(key)
        return value === undefined ? [] : [[key, value] as const]
      }),
    page: (after, limit) => {
      const all = keys()
      let low = 0
      let high = all.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (byCodePoint(all[middle] ?? "", after) > 0) high = middle
        else low = middle + 1
      }
      return all.slice(low, low + limit).flatMap((key) => map.get(key) ?? [])
    }
  }
}

const make = Effect.gen(function* () {
  const semaphore = yield* Effect.makeSemaphore(1)
  /** How to take back what the open transaction has done, oldest first; undefined where none is open. */
  let log: Array<() => void> | undefined
  const note = (undo: () => void): void => {
    log?.push(undo)
  }
  const undoTo = (mark: number): void => {
    for (const undo of (log?.splice(mark) ?? []).reverse()) undo()
  }
  const alone = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.serviceOption(Inside), (inside) =>
      Option.isSome(inside) ? effect : semaphore.withPermits(1)(effect)
    )
  const table = <V>(): Table<V> => makeTable<V>(note)
  return Memory.of({
    table,
    tables: <V>() => {
      const byName = new Map<string, Table<V>>()
      return (name) => {
        const found = byName.get(name) ?? table<V>()
        byName.set(name, found)
        return found
      }
    },
    use: (body) => alone(Effect.sync(body)),
    atomically: (effect) =>
      alone(
        Effect.acquireUseRelease(
          Effect.sync(() => {
            const outermost = log === undefined
            log ??= []
            return { outermost, mark: log.length }
          }),
          () => Effect.provideService(effect, Inside, true),
          ({ outermost, mark }, exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) undoTo(mark)
              if (outermost) log = undefined
            })
        )
      )
  })
})

export const layer: Layer.Layer<Memory> = Layer.effect(Memory, make)

/** {@link Transaction} over the {@link Memory} in the context. */
export const transaction: Layer.Layer<Transaction, never, Memory> = Layer.effect(
  Transaction,
  Effect.map(Memory, (memory) => ({ atomically: memory.atomically }))
)
