/** A scripted stand-in for anything that is called: it answers by a function, fails the next N calls when told to, and keeps what it was asked. */
import { Effect } from "effect"

export interface Script<In, Out, E> {
  readonly call: (input: In) => Effect.Effect<Out, E>
  /** What it was called with, oldest first. */
  readonly asked: () => ReadonlyArray<In>
  /** The next `count` calls fail with `error`. */
  failNext(count: number, error: E): void
}

/**
 * `answer` is given the input and the number of the call, from 1.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Planner, script } from "staterag/testing"
 *
 * export const planner = script((turn: Parameters<typeof Planner.Service.propose>[0]) => Effect.die(turn.question))
 * export const layer = Layer.succeed(Planner, { propose: planner.call })
 * ```
 */
export const script = <In, Out, E>(answer: (input: In, call: number) => Effect.Effect<Out, E>): Script<In, Out, E> => {
  const inputs: Array<In> = []
  const failures: Array<E> = []
  return {
    call: (input) =>
      Effect.suspend(() => {
        inputs.push(input)
        const failure = failures.shift()
        return failure === undefined ? answer(input, inputs.length) : Effect.fail(failure)
      }),
    asked: () => inputs,
    failNext: (count, error) => {
      for (let i = 0; i < count; i++) failures.push(error)
    }
  }
}
