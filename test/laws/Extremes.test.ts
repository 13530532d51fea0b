/** C16, C30 at the edges of what a policy allows, and of what a caller does. */
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Option, Stream } from "effect"
import { mostCycles } from "../../src/domain/Plan.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { answerOf } from "../../src/domain/Report.ts"
import { fold } from "../../src/domain/Run.ts"
import * as Ask from "../../src/programs/Ask.ts"
import { Journal } from "../../src/services/Journal.ts"
import { honest, layer, question, run, scope } from "../support/WorldRun.ts"
import { world } from "../support/Worlds.ts"

const at = world([...Array(500).keys()].find((seed) => world(seed).completed === 0) ?? 0)

describe("C16, C17 T_max at its highest", () => {
  it.effect(
    "as many cycles as the policy allows end in Fallback, not in ⊥",
    () =>
      Effect.gen(function* () {
        const maxCycles = 150
        expect(mostCycles).toBeGreaterThan(maxCycles)
        const view = yield* run({ ...defaultPolicy, maxCycles }).pipe(Effect.provide(layer(at, honest(at, ["Fail"]))))
        expect(answerOf(view)).toMatchObject({ outcome: "Fallback", cycles: maxCycles, answered: true })
      }),
    60_000
  )
})

describe("C30 a stream of events", () => {
  it.effect("a consumer that stops after any event interrupts the run, and the journal says so", () =>
    Effect.gen(function* () {
      for (let taken = 1; taken <= 8; taken++) {
        const roles = honest(at, ["Fail", "Fail", "Pass"])
        yield* Effect.gen(function* () {
          const events = yield* Stream.runCollect(Stream.take(Ask.askStream(question, { scope }), taken))
          expect(Chunk.toReadonlyArray(events).map((event) => event.sequence)).toEqual([...Array(taken).keys()])
          const journal = yield* Journal
          const [summary] = yield* journal.runs(scope, { limit: 1 })
          expect(summary, `after ${taken}`).toMatchObject({ outcome: "Interrupted" })
          expect(roles.reader.asked()).toHaveLength(0)
        }).pipe(Effect.provide(layer(at, roles)))
      }
    })
  )
  it.effect("taken to its end, it is the journal", () =>
    Effect.gen(function* () {
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(Ask.askStream(question, { scope })))
      const journal = yield* Journal
      expect(events).toEqual(yield* journal.events(scope, Option.getOrThrow(yield* journal.latest(scope))))
      expect(yield* Effect.exit(fold(events))).toSatisfy(Exit.isSuccess)
    }).pipe(Effect.provide(layer(at, honest(at, ["Fail", "Pass"]))))
  )
})
