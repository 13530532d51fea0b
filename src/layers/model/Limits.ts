/**
 * Limits of an account, on the Clock: requests and tokens that may be begun in any minute, and calls that may be open at once.
 *
 * Each limit is a bucket that fills evenly, and a call is paid for before it starts; so what starts in any sixty seconds is never above the
 * limit. Requests are spaced out; of tokens a tenth may be spent at once. Tokens are counted as what a call may take at most, as providers do.
 */
import { Clock, Effect, Option, type Scope } from "effect"

export interface Options {
  readonly requestsPerMinute?: number | undefined
  readonly tokensPerMinute?: number | undefined
  readonly concurrency: number
}

export interface Limits {
  /** Waits for its turn, in the order of asking. Who has entered must leave. */
  readonly enter: (tokens: Effect.Effect<number>) => Effect.Effect<void>
  readonly leave: Effect.Effect<void>
  /** Both, by a scope. */
  readonly turn: (tokens: Effect.Effect<number>) => Effect.Effect<void, never, Scope.Scope>
  /** Nothing starts for so many milliseconds: the provider asked for a pause. */
  readonly pause: (ms: number) => Effect.Effect<void>
}

const minute = 60_000

/** What is left of a limit, as of a moment; below zero where later calls have paid for their turn already. */
interface Bucket {
  readonly most: number
  readonly perMs: number
  level: number
  at: number
}
const bucketOf = (most: number, perMinute: number): Bucket => ({ most, perMs: perMinute / minute, level: most, at: 0 })

/** Takes `amount`; gives the milliseconds until it is paid for. */
const take = (bucket: Bucket, amount: number, now: number): number => {
  bucket.level = Math.min(bucket.most, bucket.level + Math.max(0, now - bucket.at) * bucket.perMs) - amount
  bucket.at = Math.max(bucket.at, now)
  return bucket.level >= 0 ? 0 : Math.ceil(-bucket.level / bucket.perMs)
}

export const make = (options: Options): Effect.Effect<Limits> =>
  Effect.map(Effect.makeSemaphore(options.concurrency), (open) => {
    const { requestsPerMinute, tokensPerMinute } = options
    const requests = Option.map(Option.fromNullable(requestsPerMinute), (n) => bucketOf(1, n))
    const tokens = Option.map(Option.fromNullable(tokensPerMinute), (n) => bucketOf(n / 10, n - n / 10))
    let pausedUntil = 0

    const refund = (spent: number) =>
      Effect.sync(() => {
        for (const bucket of Option.toArray(requests)) bucket.level += 1
        for (const bucket of Option.toArray(tokens)) bucket.level += spent
      })
    const pay = Effect.fnUntraced(function* (cost: Effect.Effect<number>) {
      const spent = Option.isSome(tokens) ? yield* cost : 0
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        if (pausedUntil > now) {
          yield* Effect.sleep(pausedUntil - now)
          continue
        }
        const wait = Math.max(
          ...Option.toArray(requests).map((bucket) => take(bucket, 1, now)),
          ...Option.toArray(tokens).map((bucket) => take(bucket, spent, now)),
          0
        )
        if (wait === 0) return
        yield* Effect.onInterrupt(Effect.sleep(wait), () => refund(spent))
        if (pausedUntil <= (yield* Clock.currentTimeMillis)) return
        yield* refund(spent)
      }
    })
    const isFree = Option.isNone(requests) && Option.isNone(tokens)

    const enter = (cost: Effect.Effect<number>): Effect.Effect<void> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(open.take(1)), () =>
          isFree && pausedUntil === 0 ? Effect.void : Effect.onInterrupt(restore(pay(cost)), () => open.release(1))
        )
      )
    const leave = Effect.asVoid(open.release(1))

    return {
      enter,
      leave,
      turn: (cost) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.zipRight(
            restore(enter(cost)),
            Effect.addFinalizer(() => leave)
          )
        ),
      pause: (ms) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          pausedUntil = Math.max(pausedUntil, now + ms)
        })
    }
  })
