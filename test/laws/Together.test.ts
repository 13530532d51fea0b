/**
 * C24, C30, C32 many at once on one SQLite database: questions beside one another, some interrupted, and a second connection that writes in
 * between as another process would. Each run's journal is its own and whole, and its artifacts are those of its completed cycles.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either, Exit, Fiber, Layer } from "effect"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { answerOf } from "../../src/domain/Report.ts"
import { fold } from "../../src/domain/Run.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import * as RunStores from "../../src/layers/sql/RunStores.ts"
import { script } from "../../src/layers/testing/Script.ts"
import * as Controller from "../../src/programs/Controller.ts"
import { Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { Transaction } from "../../src/services/Transaction.ts"
import { honest, layer, type Roles, scope } from "../support/WorldRun.ts"
import { world } from "../support/Worlds.ts"

const at = world([...Array(500).keys()].find((seed) => world(seed).completed === 0) ?? 0)
const document = at.documents.find(({ text }) => text.length > 12)
if (document === undefined) throw new Error("a world has documents")

/** Each cycle's Verifier takes its time, and hands over one artifact that is its run's alone. */
const roles = (): Roles => {
  const answering = honest(at, ["Fail", "Fail", "Pass"])
  return {
    ...answering,
    verifier: script((turn) => {
      const quote = (end: number) => ({
        span: { document: document.id, start: 0, end },
        text: document.text.slice(0, end)
      })
      const payload = { kind: "Bridge" as const, from: quote(5), to: quote(5 + turn.cycle) }
      return Effect.sleep("2 millis").pipe(
        Effect.zipRight(Effect.orDie(turn.memory.write({ scope: "Task", payload, restsOn: [] }))),
        Effect.zipRight(answering.verifier.call(turn))
      )
    })
  }
}

describe("C30 fifty questions at once, another process, and interruptions", () => {
  it.live(
    "every journal is whole and every artifact belongs to a completed cycle",
    () =>
      Effect.gen(function* () {
        const folder = mkdtempSync(join(tmpdir(), "staterag-together-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
        const filename = join(folder, "runs.db")
        const database = () =>
          RunStores.layer.pipe(
            Layer.provideMerge(Migrations.layer),
            Layer.provideMerge(Client.layer({ filename, create: true }))
          )
        const mine = yield* Layer.build(database())
        const theirs = yield* Layer.build(database())
        // the last of two that provide the same is taken: the journal is the database's
        const controller = yield* Effect.provide(
          Controller.make,
          Layer.mergeAll(layer(at, roles()), DigestNode.layer, Layer.succeedContext(mine))
        )
        const ask = controller.run({
          question: "Who wrote the parser?",
          scope,
          policy: defaultPolicy
        })
        const outside = yield* Effect.gen(function* () {
          const { atomically } = yield* Transaction
          const journal = yield* Journal
          // holds the write lock for a moment, again and again
          return yield* Effect.forever(
            Effect.zipRight(
              atomically(Effect.zipRight(journal.latest(scope), Effect.sleep("1 millis"))),
              Effect.sleep("5 millis")
            )
          )
        }).pipe(Effect.provide(theirs), Effect.forkScoped)
        const asked = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.fork(ask))
        const exits = yield* Effect.forEach(
          asked,
          (fiber, i) =>
            i % 5 === 4
              ? Effect.zipRight(Effect.sleep(Duration.millis(i * 3)), Fiber.interrupt(fiber))
              : Fiber.await(fiber),
          { concurrency: "unbounded" }
        )
        yield* Fiber.interrupt(outside)
        yield* Effect.gen(function* () {
          const journal = yield* Journal
          const runs = yield* journal.runs(scope, { limit: 100 })
          expect(runs.length).toBeGreaterThanOrEqual(40)
          let cycles = 0
          const outcomes = new Set<string | null>()
          for (const summary of runs) {
            const view = Either.getOrThrow(fold(yield* journal.events(scope, summary.run)))
            expect(view.phase).toBe("Ended")
            expect(summary.cycles).toBe(view.cycles.length)
            outcomes.add(summary.outcome)
            cycles += view.cycles.length
          }
          expect((yield* (yield* SharedMemoryPool).count(scope)).Task).toBe(cycles)
          expect([...outcomes].sort()).toEqual(["Interrupted", "Release"])
          for (const [i, exit] of exits.entries())
            if (Exit.isSuccess(exit)) expect(answerOf(exit.value)).toMatchObject({ outcome: "Release", cycles: 3 })
            else expect(i % 5).toBe(4)
        }).pipe(Effect.provide(mine))
      }).pipe(Effect.scoped),
    60_000
  )
})
