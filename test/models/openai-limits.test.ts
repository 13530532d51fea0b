/** Limits and retries, on a clock that the test moves. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Random, TestClock } from "effect"
import { isPassing, ModelError, ModelFault } from "../../src/domain/ModelError.ts"
import * as Limits from "../../src/layers/model/Limits.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"

/** When `calls` calls of `tokens` each begin, all asked for at once; each lasts `lasts`. */
const starts = (options: Limits.Options, calls: number, tokens = 1, lasts = 0) =>
  Effect.gen(function* () {
    const limits = yield* Limits.make(options)
    const begun: Array<number> = []
    const fiber = yield* Effect.fork(
      Effect.forEach(
        Array.from({ length: calls }),
        () =>
          Effect.scoped(
            Effect.gen(function* () {
              yield* limits.turn(Effect.succeed(tokens))
              begun.push(yield* Clock.currentTimeMillis)
              yield* Effect.sleep(lasts)
            })
          ),
        { concurrency: "unbounded" }
      )
    )
    yield* TestClock.adjust("1 hours")
    expect(begun).toHaveLength(calls)
    yield* Fiber.join(fiber)
    return begun
  })

/** The most that begin in any sixty seconds. */
const mostAMinute = (begun: ReadonlyArray<number>): number =>
  Math.max(...begun.map((from) => begun.filter((at) => at >= from && at < from + 60_000).length))

describe("limits", () => {
  it.effect("of requests are never passed in any minute, and used as far as they go", () =>
    Effect.gen(function* () {
      for (const perMinute of [1, 7, 60]) {
        const calls = perMinute * 5
        const begun = yield* starts({ requestsPerMinute: perMinute, concurrency: 1000 }, calls)
        expect(mostAMinute(begun)).toBeLessThanOrEqual(perMinute)
        expect(Math.max(...begun) - Math.min(...begun)).toBeLessThanOrEqual(5 * 61_000)
      }
    })
  )

  it.effect("of tokens are never passed in any minute, also where one call takes more than a minute's", () =>
    Effect.gen(function* () {
      const begun = yield* starts({ tokensPerMinute: 10_000, concurrency: 1000 }, 30, 900)
      expect(mostAMinute(begun) * 900).toBeLessThanOrEqual(10_000)
      expect(Math.max(...begun) - Math.min(...begun)).toBeLessThanOrEqual((30 * 900 * 60_000) / 9000 + 2000)
      const large = yield* starts({ tokensPerMinute: 1000, concurrency: 1000 }, 3, 2500)
      expect(mostAMinute(large)).toBe(1)
    })
  )

  it.effect("of open calls hold, and order is kept", () =>
    Effect.gen(function* () {
      const begun = yield* starts({ concurrency: 2 }, 6, 1, 10_000)
      expect(begun.map((at) => at - (begun[0] ?? 0))).toEqual([0, 0, 10_000, 10_000, 20_000, 20_000])
    })
  )

  it.effect("a pause holds all, and who leaves while waiting takes nothing with him", () =>
    Effect.gen(function* () {
      const limits = yield* Limits.make({ requestsPerMinute: 60, concurrency: 1 })
      yield* limits.pause(5000)
      let isBegun = false
      const turn = Effect.scoped(limits.turn(Effect.succeed(1)))
      const leaving = yield* Effect.fork(turn)
      const staying = yield* Effect.fork(
        Effect.tap(turn, () =>
          Effect.sync(() => {
            isBegun = true
          })
        )
      )
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.interrupt(leaving)
      expect(isBegun).toBe(false)
      yield* TestClock.adjust("1 seconds")
      expect(isBegun).toBe(true)
      yield* Fiber.join(staying)
    })
  )
})

const failing = (fault: ModelFault, retryAfter?: number) =>
  new ModelError({ model: "m", fault, detail: "", ...(retryAfter === undefined ? {} : { retryAfter }) })

/** When attempts are made that all fail so. */
const attempts = (error: ModelError, options: Partial<Pacing.Options> = {}) =>
  Effect.gen(function* () {
    const pacing = yield* Pacing.make(options)
    const at: Array<number> = []
    const from = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.fork(
      pacing.call({
        model: "m",
        tokens: Effect.succeed(1),
        attempt: Effect.zipRight(
          Effect.map(Clock.currentTimeMillis, (now) => void at.push(now - from)),
          error
        ),
        ended: () => Effect.void
      })
    )
    yield* TestClock.adjust("10 minutes")
    expect(yield* Fiber.await(fiber)).toEqual(Exit.fail(error))
    return at
  })

describe("retries", () => {
  it.effect.each(ModelFault.literals)("%s is tried again only where it may pass", (fault) =>
    Effect.gen(function* () {
      expect(yield* attempts(failing(fault))).toHaveLength(isPassing(fault) ? 3 : 1)
      expect(yield* attempts(failing(fault), { retries: 0 })).toHaveLength(1)
    })
  )

  it.effect("wait longer each time, no two callers alike", () =>
    Effect.gen(function* () {
      const options = { retries: 4, backoff: "1 seconds" } as const
      const seeded = (seed: string) => Effect.withRandom(attempts(failing("Unavailable"), options), Random.make(seed))
      const at = yield* seeded("a")
      const waits = at.slice(1).map((time, i) => time - (at[i] ?? 0))
      waits.forEach((wait, i) => {
        expect(wait).toBeGreaterThanOrEqual(500 * 2 ** i)
        expect(wait).toBeLessThanOrEqual(1000 * 2 ** i)
      })
      expect(yield* seeded("b")).not.toEqual(at)
    })
  )

  it.effect("wait as long as the provider says, and not at all for one that asks for longer than the deadline", () =>
    Effect.gen(function* () {
      expect(yield* attempts(failing("RateLimited", 7000))).toEqual([0, 7000, 14_000])
      expect(yield* attempts(failing("RateLimited", 7000), { deadline: "5 seconds" })).toEqual([0])
    })
  )

  it.effect("an attempt ends at its deadline, and is told of as it ended", () =>
    Effect.gen(function* () {
      const pacing = yield* Pacing.make({ retries: 0, deadline: "5 seconds" })
      const ended: Array<string> = []
      const fiber = yield* Effect.fork(
        pacing.call({
          model: "m",
          tokens: Effect.succeed(1),
          attempt: Effect.never,
          ended: (exit) => Effect.sync(() => void ended.push(Exit.isFailure(exit) ? exit.cause._tag : "Success"))
        })
      )
      yield* TestClock.adjust("5 seconds")
      expect((yield* Effect.flip(Fiber.join(fiber))).fault).toBe("TimedOut")
      expect(ended).toEqual(["Fail"])
    })
  )
})
