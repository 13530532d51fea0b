/** {@link ModelPacing}: limits, deadlines and retries, on the Clock. */
import { Duration, Effect, Random } from "effect"
import { isPassing, ModelError } from "../../domain/ModelError.ts"
import type { ModelPacing } from "../../services/ModelPacing.ts"
import { makeDeadlines } from "./Deadlines.ts"
import * as Limits from "./Limits.ts"

export interface Options extends Limits.Options {
  /** Further attempts after a fault that may pass. */
  readonly retries: number
  /** For one attempt, from its start to the end of its answer. A provider that asks for a longer pause is not waited for. */
  readonly deadline: Duration.DurationInput
  /** Between two parts of a streamed answer. */
  readonly idle: Duration.DurationInput
  /** Before the first further attempt; doubled for each that follows, and shortened by up to a half at random. */
  readonly backoff: Duration.DurationInput
}
export const defaults: Options = {
  concurrency: 4,
  retries: 2,
  deadline: "2 minutes",
  idle: "30 seconds",
  backoff: "500 millis"
}
const longestBackoffMs = 20_000

/** What a deadline of so many milliseconds says. */
export const late = (model: string, ms: number): ModelError =>
  new ModelError({ model, fault: "TimedOut", detail: `nothing whole within ${Duration.format(Duration.millis(ms))}` })

export const make = (options: Partial<Options> = {}): Effect.Effect<ModelPacing> =>
  Effect.gen(function* () {
    const { backoff, deadline, idle, retries, ...limited } = { ...defaults, ...options }
    const limits = yield* Limits.make(limited)
    const deadlines = yield* makeDeadlines
    const deadlineMs = Duration.toMillis(deadline)
    const backoffMs = Duration.toMillis(backoff)

    const again = Effect.fnUntraced(function* (error: ModelError, tried: number) {
      const { fault, retryAfter } = error
      if (tried > retries || !isPassing(fault) || (retryAfter ?? 0) > deadlineMs) return yield* error
      if (retryAfter !== undefined) return yield* Effect.zipRight(limits.pause(retryAfter), Effect.sleep(retryAfter))
      const longest = Math.min(longestBackoffMs, backoffMs * 2 ** (tried - 1))
      yield* Effect.sleep(longest * (0.5 + 0.5 * (yield* Random.next)))
    })

    return {
      deadlineMs,
      idleMs: Duration.toMillis(idle),
      turn: limits.turn,
      again,
      call: ({ attempt, ended, model, tokens }) => {
        const once = Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(limits.enter(tokens)), () =>
            Effect.flatMap(
              deadlines.within(attempt, deadlineMs, () => late(model, deadlineMs), restore),
              (exit) => Effect.ensuring(Effect.zipRight(ended(exit), exit), limits.leave)
            )
          )
        )
        const from = (tried: number): typeof once =>
          Effect.catchAll(once, (error) => Effect.zipRight(again(error, tried), from(tried + 1)))
        return from(1)
      }
    }
  })
