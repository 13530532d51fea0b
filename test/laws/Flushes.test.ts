/**
 * C10, C21, C24, C30, L2 where writing goes wrong: a disk that is full at any write, a writer that somebody has taken over, an interruption
 * at any event and inside any write, and a role that meters while the journal is being written.
 */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Either, Exit, Fiber, Option } from "effect"
import type { Event } from "../../src/domain/Event.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { fold } from "../../src/domain/Run.ts"
import { script } from "../../src/layers/testing/Script.ts"
import * as Controller from "../../src/programs/Controller.ts"
import { Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { StaleWriter, StoreError } from "../../src/services/StoreError.ts"
import { honest, layer, type Roles, run, scope } from "../support/WorldRun.ts"
import { world } from "../support/Worlds.ts"

const at = world([...Array(500).keys()].find((seed) => world(seed).completed === 0) ?? 0)
const document = at.documents.find(({ text }) => text.length > 12)
if (document === undefined) throw new Error("a world has documents")

/** Fail, then Pass; each cycle's Verifier hands one artifact of its own to the pool. */
const writing = (): Roles => {
  const roles = honest(at, ["Fail", "Pass"])
  return {
    ...roles,
    verifier: script((turn) => {
      const quote = (end: number) => ({
        span: { document: document.id, start: 0, end },
        text: document.text.slice(0, end)
      })
      const payload = { kind: "Bridge" as const, from: quote(5), to: quote(5 + turn.cycle) }
      return Effect.zipRight(
        Effect.orDie(turn.memory.write({ scope: "Task", payload, restsOn: [] })),
        roles.verifier.call(turn)
      )
    })
  }
}
const asked = (roles: Roles) => roles.reader.asked().length

type Write = Effect.Effect<void, StoreError | StaleWriter>
/** The journal, with something done before every write; writes are numbered from 1. */
const before = (each: (number: number) => Write) => {
  let number = 0
  const next = Effect.suspend(() => each(++number))
  return (journal: typeof Journal.Service): typeof Journal.Service => ({
    ...journal,
    // a run's first write knows of no other writer
    begin: (events) =>
      Effect.zipRight(
        Effect.catchTag(next, "StaleWriter", (stale) => Effect.die(stale)),
        journal.begin(events)
      ),
    commit: (...written) => Effect.zipRight(next, journal.commit(...written))
  })
}

const left = Effect.gen(function* () {
  const journal = yield* Journal
  const [summary] = yield* journal.runs(scope, { limit: 1 })
  const events = summary === undefined ? [] : yield* journal.events(scope, summary.run)
  return { events, summary, artifacts: (yield* (yield* SharedMemoryPool).count(scope)).Task }
})

/** What a journal may hold whatever went wrong: a run that folds, and the artifacts of the cycles that it has completed. */
const expectWhole = ({ artifacts, events }: Effect.Effect.Success<typeof left>, roles: Roles) => {
  const view = events.length === 0 ? undefined : Either.getOrThrow(fold(events))
  expect(artifacts).toBe(view?.cycles.length ?? 0)
  expect(asked(roles)).toBeLessThanOrEqual(1)
  if (asked(roles) === 1) expect(events.map((event) => event.tag)).toContain("ReaderAdmitted")
  return view
}

describe("C24, C30 a write that fails", () => {
  const full = new StoreError({ reason: "Full", method: "Journal.commit", detail: "disk full", cause: "full" })
  for (const fault of ["Full", "Stale"] as const)
    it.effect(`${fault}, at each write of a run: the run fails with it, and what is there is whole`, () =>
      Effect.gen(function* () {
        let wrote = 0
        for (let failing = fault === "Full" ? 1 : 2; failing <= 4; failing++) {
          const roles = writing()
          const result = yield* Effect.gen(function* () {
            const exit = yield* Effect.exit(
              run().pipe(
                Effect.updateService(
                  Journal,
                  before((number) =>
                    Effect.suspend((): Write => {
                      wrote = number
                      if (number !== failing) return Effect.void
                      const id = roles.planner.asked()[0]?.run ?? ""
                      return fault === "Full" ? full : new StaleWriter({ run: id, token: 1 })
                    })
                  )
                )
              )
            )
            return { exit, ...(yield* left) }
          }).pipe(Effect.provide(layer(at, roles)))
          expect(
            Exit.isFailure(result.exit) ? Option.getOrNull(Cause.failureOption(result.exit.cause)) : null
          ).toMatchObject({ _tag: fault === "Full" ? "StoreError" : "StaleWriter" })
          expect(wrote).toBe(failing)
          const view = expectWhole(result, roles)
          expect(view?.cycles.length ?? 0).toBe([0, 0, 1, 2][failing - 1])
          expect(asked(roles)).toBe(failing === 4 ? 1 : 0)
        }
      })
    )
})

describe("C24, C30 an interruption", () => {
  it.effect(
    "at each event, and inside each write: the run says so or has ended, and nothing of an open cycle is kept",
    () =>
      Effect.gen(function* () {
        const outcomes = new Set<string | null>()
        for (const inside of [false, true])
          for (let stop = 0; stop < 30; stop++) {
            const roles = writing()
            const result = yield* Effect.gen(function* () {
              const reached = yield* Deferred.make<void>()
              let events = 0
              let writes = 0
              const program = run(defaultPolicy, () => {
                if (!inside && events++ === stop) Deferred.unsafeDone(reached, Effect.void)
              }).pipe(
                Effect.updateService(
                  Journal,
                  before(() =>
                    Effect.suspend(() => {
                      if (inside && writes++ === stop) Deferred.unsafeDone(reached, Effect.void)
                      return Effect.zipRight(Effect.yieldNow(), Effect.yieldNow())
                    })
                  )
                )
              )
              const fiber = yield* Effect.fork(program)
              yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(fiber))
              yield* Fiber.interrupt(fiber)
              return yield* left
            }).pipe(Effect.provide(layer(at, roles)))
            const view = expectWhole(result, roles)
            outcomes.add(result.summary?.outcome ?? null)
            if (view !== undefined) expect(view.phase).toBe("Ended")
          }
        expect([...outcomes].sort()).toEqual(["Interrupted", "Release"])
      })
  )
})

describe("C28, C30 what is metered while the journal is written", () => {
  it.effect("is written with the next, once", () =>
    Effect.gen(function* () {
      const call = {
        role: "Planner",
        model: "m",
        promptTokens: 1,
        completionTokens: 1,
        sizeRatio: 1,
        money: null,
        cached: false,
        estimated: false
      }
      const roles = writing()
      let late: Effect.Effect<void> = Effect.void
      const metering: Roles = {
        ...roles,
        planner: script((turn) => {
          late = turn.meter(call)
          return roles.planner.call(turn)
        })
      }
      const observed: Array<Event> = []
      const result = yield* Effect.gen(function* () {
        const controller = yield* Effect.updateService(Controller.make, Journal, (journal): typeof Journal.Service => ({
          ...journal,
          // in the middle of the write, after its events have been read
          commit: (id, token, events, artifacts, atMost) =>
            Effect.zipLeft(
              journal.commit(id, token, events, artifacts, atMost),
              events.some((event) => event.tag === "ActionSelected" && event.action === "Revise") ? late : Effect.void
            )
        }))
        const exit = yield* Effect.exit(
          controller.run({
            question: "Who wrote the parser?",
            scope,
            policy: defaultPolicy,
            observe: (event) => observed.push(event)
          })
        )
        return { exit, ...(yield* left) }
      }).pipe(Effect.provide(layer(at, metering)))
      expect(Exit.isSuccess(result.exit)).toBe(true)
      expect(result.events).toEqual(observed)
      expect(expectWhole(result, roles)?.usage.calls).toBe(1)
    })
  )
})
