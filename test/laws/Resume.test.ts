/**
 * C30, L2: a run that is killed anywhere and gone on with comes to the end of the one that was let alone: the same events, state, artifacts,
 * bill and answer, for at most one call more.
 */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Either, Exit, Fiber, Layer, Option, TestClock } from "effect"
import { RoleFailed } from "../../src/domain/Errors.ts"
import type { Event } from "../../src/domain/Event.ts"
import { CorpusRevision, RunId } from "../../src/domain/Ids.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { answerOf } from "../../src/domain/Report.ts"
import { fold } from "../../src/domain/Run.ts"
import * as CorpusStoreMemory from "../../src/layers/memory/CorpusStoreMemory.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as RunStoresMemory from "../../src/layers/memory/RunStores.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import * as RunStoresSql from "../../src/layers/sql/RunStores.ts"
import { script } from "../../src/layers/testing/Script.ts"
import * as Controller from "../../src/programs/Controller.ts"
import { Journal } from "../../src/services/Journal.ts"
import { ModelCalls } from "../../src/services/ModelCalls.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { type Making, process, type Stores } from "../support/Killing.ts"
import { model, onModel } from "../support/Model.ts"
import { random } from "../support/Random.ts"
import { keptCall } from "../support/Runs.ts"
import { forge, honest, layer, question, type Roles, scope } from "../support/WorldRun.ts"
import { world } from "../support/Worlds.ts"

const at = world([...Array(500).keys()].find((seed) => world(seed).completed === 0) ?? 0)
const document = at.documents.find(({ text }) => text.length > 12)
if (document === undefined) throw new Error("a world has documents")

/** The verdicts in their order; each cycle's Verifier hands one artifact to the pool. */
const roles = (verdicts: ReadonlyArray<"Pass" | "Fail">) => (): Roles => {
  const answering = honest(at, verdicts)
  return {
    ...answering,
    verifier: script((turn) => {
      const quote = (end: number) => ({
        span: { document: document.id, start: 0, end },
        text: document.text.slice(0, end)
      })
      const payload = { kind: "Bridge" as const, from: quote(5), to: quote(5 + turn.cycle) }
      return Effect.zipRight(
        Effect.orDie(turn.memory.write({ scope: "Task", payload, restsOn: [] })),
        answering.verifier.call(turn)
      )
    })
  }
}
const threeCycles: Making = { world: at, roles: roles(["Fail", "Fail", "Pass"]) }

const inMemory = RunStoresMemory.layer.pipe(Layer.provide(CorpusStoreMemory.layer), Layer.provide(Memory.layer))
const inSqlite = RunStoresSql.layer.pipe(
  Layer.provide(Migrations.layer),
  Layer.provide(Client.layer({ filename: ":memory:", create: true }))
)

/** Without times, without the mark of a resumption, and numbered anew. */
const plain = (events: ReadonlyArray<Event>) =>
  events.filter((event) => event.tag !== "RunResumed").map(({ at: _, ...event }, sequence) => ({ ...event, sequence }))

const left = Effect.gen(function* () {
  const journal = yield* Journal
  const [summary] = yield* journal.runs(scope, { limit: 1 })
  if (summary === undefined) return undefined
  const events = yield* journal.events(scope, summary.run)
  return {
    run: summary.run,
    summary,
    events,
    view: Either.getOrThrow(fold(events)),
    artifacts: (yield* (yield* SharedMemoryPool).count(scope)).Task,
    calls: yield* journal.calls(scope, summary.run),
    billed: yield* journal.billed(scope, 0)
  }
})
type Left = Exclude<Effect.Effect.Success<typeof left>, undefined>

/** The run that was let alone. */
const whole = (making: Making) =>
  Effect.gen(function* () {
    const alone = yield* process(making)
    yield* alone.run
    const held = yield* left
    if (held === undefined) return yield* Effect.dieMessage("a run leaves a journal")
    return { ...held, steps: alone.steps(), asked: alone.model.asked.length }
  })

/** What two ways to one end do not share. */
const unlike = { sequence: 0, startedAt: 0, endedAt: 0 }

const expectSameEnd = (of: Left, expected: Left): void => {
  expect(plain(of.events)).toEqual(plain(expected.events))
  expect(of.view.usage).toEqual(expected.view.usage)
  expect(of.artifacts).toBe(expected.artifacts)
  expect({ ...of.summary, startedAt: 0 }).toEqual({ ...expected.summary, startedAt: 0 })
}

/** A process that is killed at a step. */
const killedOnce = (making: Making, cut: number) => Effect.flatMap(process(making, cut), (one) => Effect.exit(one.run))

/** Kills at `cuts[0]`, goes on and kills at `cuts[1]`, …, and goes on to the end; gives what was asked of models in all. */
const killedAt = (making: Making, cuts: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    let asked = 0
    let killed = 0
    for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
      const held = yield* left
      const one = yield* process(making, cut)
      if (held === undefined) yield* Effect.exit(one.run)
      else yield* Effect.exit(one.resume(held.run))
      asked += one.model.asked.length
      if (one.isDead()) killed++
    }
    return { asked, killed }
  })

for (const [name, stores, everyCut] of [
  ["in memory", inMemory, true],
  ["in SQLite", inSqlite, false]
] as const)
  describe(`C30, L2 killed ${name}`, () => {
    const fresh = <A, E>(effect: Effect.Effect<A, E, Stores>) => Effect.provide(effect, stores)

    for (const [ending, making, inFlight, apart] of [
      ["Release after three cycles", threeCycles, 1, everyCut ? 1 : 4],
      ["Fallback after three cycles", { ...threeCycles, roles: roles(["Fail"]) }, 1, everyCut ? 3 : 8],
      ["two calls in flight", { ...threeCycles, width: 2 }, 2, everyCut ? 3 : 8]
    ] as const)
      it.effect(
        `at each step of a run: ${ending}`,
        () =>
          Effect.gen(function* () {
            const expected = yield* fresh(whole(making))
            expect(expected.view.cycles.length).toBe(3)
            expect(expected.asked).toBe(expected.view.usage.calls)
            expect(expected.steps).toBeGreaterThan(80)
            let repeated = 0
            for (let cut = 1; cut <= expected.steps; cut += apart)
              yield* fresh(
                Effect.gen(function* () {
                  const { asked, killed } = yield* killedAt(making, [cut])
                  expect(killed).toBe(1)
                  const held = yield* left
                  expect(held, `step ${cut}`).toBeDefined()
                  if (held === undefined) return
                  expectSameEnd(held, expected)
                  expect(asked, `step ${cut}`).toBeLessThanOrEqual(expected.asked + inFlight)
                  // the bill has each answer that was kept once, and no other
                  expect(held.billed.length).toBe(held.view.usage.calls)
                  if (asked > expected.asked) repeated++
                })
              )
            // or the test never cut between an answer and its record
            expect(repeated).toBeGreaterThan(0)
          }),
        120_000
      )

    it.effect(
      "again and again, at random steps",
      () =>
        Effect.gen(function* () {
          const expected = yield* fresh(whole(threeCycles))
          for (let seed = 0; seed < (everyCut ? 40 : 10); seed++) {
            const r = random(seed)
            const cuts = Array.from({ length: 1 + r.int(4) }, () => 1 + r.int(expected.steps))
            yield* fresh(
              Effect.gen(function* () {
                const { asked, killed } = yield* killedAt(threeCycles, cuts)
                const held = yield* left
                if (held === undefined) return yield* Effect.dieMessage("a run leaves a journal")
                expectSameEnd(held, expected)
                expect(asked).toBeLessThanOrEqual(expected.asked + killed)
              })
            )
          }
        }),
      120_000
    )

    it.effect(
      "interrupted at each step, and gone on with: the same end, and no call without its record",
      () =>
        Effect.gen(function* () {
          const expected = yield* fresh(whole(threeCycles))
          let interrupted = 0
          for (let cut = 1; cut <= expected.steps; cut += everyCut ? 1 : 5)
            yield* fresh(
              Effect.gen(function* () {
                const reached = yield* Deferred.make<void>()
                const first = yield* process({
                  ...threeCycles,
                  onStep: (step) =>
                    step < cut ? Effect.void : Effect.zipRight(Deferred.succeed(reached, undefined), Effect.yieldNow())
                })
                const fiber = yield* Effect.fork(first.run)
                yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(fiber))
                yield* Fiber.interrupt(fiber)
                const before = yield* left
                if (before === undefined || before.summary.outcome !== "Interrupted") return
                interrupted++
                // what was paid is in the run's own usage, though its open cycle is dropped
                expect(before.view.usage.calls).toBe(before.calls.length)
                expect(answerOf(before.view).reason?.advice).toContain("staterag resume")
                const second = yield* process(threeCycles)
                yield* second.resume(before.run)
                const held = yield* left
                if (held === undefined) return yield* Effect.dieMessage("a run leaves a journal")
                expect({ ...held.view, ...unlike }).toEqual({ ...expected.view, ...unlike })
                expect({ ...held.summary, startedAt: 0 }).toEqual({ ...expected.summary, startedAt: 0 })
                expect(held.artifacts).toBe(expected.artifacts)
                expect(first.model.asked.length + second.model.asked.length).toBeLessThanOrEqual(expected.asked + 1)
              })
            )
          expect(interrupted).toBeGreaterThan(everyCut ? 30 : 5)
        }),
      120_000
    )

    it.effect("every prefix that is durable folds, and holds nothing of an open cycle", () =>
      fresh(
        Effect.gen(function* () {
          const expected = yield* whole(threeCycles)
          for (let n = 1; n <= expected.events.length; n++)
            expect(Either.isRight(fold(expected.events.slice(0, n)))).toBe(true)
        })
      )
    )
  })

describe("C21, C24, C30, C34 going on with a run", () => {
  const fresh = <A, E>(effect: Effect.Effect<A, E, Stores>) => Effect.provide(effect, inSqlite)
  const failureOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
    Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
  /** A run that was killed at a step. */
  const killed = (making: Making, cut: number) =>
    Effect.gen(function* () {
      yield* killedOnce(making, cut)
      const held = yield* left
      return held ?? (yield* Effect.dieMessage("a run leaves a journal"))
    })

  it.effect("what was recorded is what is used: a model that never says the same again is not asked again", () =>
    fresh(
      Effect.gen(function* () {
        const numbered = (from: number): Making => ({ ...threeCycles, answer: (_, call) => `answer ${from + call}` })
        const held = yield* killed(numbered(0), 50)
        const second = yield* process(numbered(1000))
        const view = yield* second.resume(held.run)
        const said = held.calls.map(({ reply }) => reply?.text)
        const told = (yield* left)?.calls.map(({ reply }) => reply?.text)
        expect(told?.slice().sort()).toEqual(
          [...said, ...second.model.asked.map((_, i) => `answer ${1001 + i}`)].sort()
        )
        const { asked } = yield* Effect.provide(whole(threeCycles), inSqlite)
        expect(second.model.asked.length).toBe(asked - said.length)
        // the open cycle's Planner had been answered
        const planned = held.calls.find(
          ({ cycle, stage }) => cycle === held.view.cycles.length + 1 && stage === "Planner"
        )
        expect(planned?.reply?.text).toMatch(/^answer \d+$/)
        expect(view.cycles[held.view.cycles.length]?.plan.objective).toBe(planned?.reply?.text)
        expect(view.cycles[2]?.plan.objective).toMatch(/^answer 1\d{3}$/)
      })
    )
  )

  it.effect("a role that asks otherwise the second time is answered anew, and both answers are in the bill", () =>
    fresh(
      Effect.gen(function* () {
        const held = yield* killed(threeCycles, 50)
        const open = held.calls.filter(({ cycle }) => cycle > held.view.cycles.length)
        expect(open.length).toBeGreaterThan(0)
        const second = yield* process({ ...threeCycles, prefix: "otherwise: " })
        const view = yield* second.resume(held.run)
        const after = yield* left
        const { asked } = yield* Effect.provide(whole(threeCycles), inSqlite)
        expect(held.calls.length + second.model.asked.length).toBe(asked + open.length)
        expect(view.usage.calls).toBe(asked + open.length)
        expect(view.usage.calls).toBe(after?.calls.length)
        expect(after?.billed.length).toBe(after?.calls.length)
      })
    )
  )

  it.effect("of two who go on with one run, one wins and the other is a StaleWriter", () =>
    fresh(
      Effect.gen(function* () {
        const expected = yield* Effect.provide(whole(threeCycles), inSqlite)
        const held = yield* killed(threeCycles, 50)
        const arrived = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        let stopped = 0
        const slow = yield* process({
          ...threeCycles,
          // in the middle of a model call
          onStep: (step) =>
            step >= 8 && stopped++ === 0
              ? Effect.zipRight(Deferred.succeed(arrived, undefined), Deferred.await(go))
              : Effect.void
        })
        const fiber = yield* Effect.fork(slow.resume(held.run))
        yield* Deferred.await(arrived)
        const quick = yield* process(threeCycles)
        const view = yield* quick.resume(held.run)
        expect(view.phase).toBe("Ended")
        yield* Deferred.succeed(go, undefined)
        expect(failureOf(yield* Fiber.await(fiber))).toMatchObject({ _tag: "StaleWriter", run: held.run })
        const after = yield* left
        expect(after === undefined ? undefined : plain(after.events)).toEqual(plain(expected.events))
        // whoever comes later is told the end
        const late = yield* process(threeCycles)
        expect({ ...(yield* late.resume(held.run)) }).toEqual(view)
        expect(late.model.asked).toEqual([])
      })
    )
  )

  it.effect("C34 the corpus has moved on: ⊥ CorpusChanged, in the journal, without a call", () =>
    fresh(
      Effect.gen(function* () {
        const held = yield* killed(threeCycles, 50)
        const own = model()
        const controller = yield* Effect.provide(
          Controller.make,
          Layer.mergeAll(
            layer(at, onModel(threeCycles.roles(), own), { revision: CorpusRevision.make("another") }),
            DigestNode.layer,
            Layer.succeedContext(yield* Effect.context<Stores>())
          )
        )
        const exit = yield* Effect.exit(controller.resume({ run: held.run, scope }))
        expect(failureOf(exit)).toMatchObject({
          _tag: "Incomplete",
          cause: { _tag: "CorpusChanged", found: "another" }
        })
        expect(own.asked).toEqual([])
        expect((yield* left)?.summary.outcome).toBe("Incomplete")
        // and it stays so
        const again = yield* Effect.exit((yield* process(threeCycles)).resume(held.run))
        expect(failureOf(again)).toMatchObject({ _tag: "Incomplete", cause: { _tag: "CorpusChanged" } })
      })
    )
  )

  it.effect("C10 what a rule refused stays refused; what a model left unanswered is asked for again", () =>
    fresh(
      Effect.gen(function* () {
        const refusing: Making = {
          ...threeCycles,
          roles: () => ({
            ...threeCycles.roles(),
            verifier: script(() => Effect.succeed(forge({ field: "verification", value: { verdict: "Pending" } })))
          })
        }
        const refused = yield* process(refusing)
        yield* Effect.exit(refused.run)
        const first = yield* left
        const again = yield* Effect.exit((yield* process(threeCycles)).resume(first?.run ?? RunId.make("")))
        expect(failureOf(again)).toMatchObject({ _tag: "Incomplete", cause: { _tag: "ProposalRefused" } })
        expect((yield* left)?.events).toEqual(first?.events)
      })
    )
  )

  for (const [where, fails] of [
    ["in the second cycle", 9],
    ["at the reader", 12]
  ] as const)
    it.effect(
      `C10, C21 a model that was away ${where}: gone on with, the run comes to its end, with one admission`,
      () =>
        fresh(
          Effect.gen(function* () {
            const expected = yield* Effect.provide(whole({ ...threeCycles, roles: roles(["Fail", "Pass"]) }), inSqlite)
            const making: Making = { ...threeCycles, roles: roles(["Fail", "Pass"]) }
            let asked = 0
            const away = yield* process(making, undefined, (role) =>
              ++asked > fails
                ? new RoleFailed({ role, reason: "Failed", detail: "it is away", fault: "Unavailable" })
                : Effect.void
            )
            const exit = yield* Effect.exit(away.run)
            expect(failureOf(exit)).toMatchObject({ _tag: "Incomplete", cause: { fault: "Unavailable" } })
            const held = yield* left
            expect(held?.summary.outcome).toBe("Incomplete")
            const back = yield* process(making)
            const view = yield* back.resume(held?.run ?? RunId.make(""))
            expect({ ...view, ...unlike }).toEqual({ ...expected.view, ...unlike })
            expect(fails + back.model.asked.length).toBe(expected.asked)
            const after = yield* left
            expect(after?.summary.outcome).toBe("Release")
            expect(after?.events.filter((event) => event.tag === "ReaderAdmitted").length).toBe(1)
            expect(after?.billed.length).toBe(expected.asked)
          })
        )
    )

  it.effect("it asks within the documents, and under the policy, that the run was begun with", () =>
    fresh(
      Effect.gen(function* () {
        const only = at.documents.map(({ id }) => id)
        const policy = { ...defaultPolicy, maxCycles: 2 }
        yield* killedOnce({ ...threeCycles, policy, within: only }, 45)
        const held = yield* left
        const seen: Array<unknown> = []
        const watching: Making = {
          ...threeCycles,
          roles: () => {
            const answering = threeCycles.roles()
            return {
              ...answering,
              planner: script((turn) => {
                seen.push([turn.within, turn.policy.maxCycles, turn.run, turn.question])
                return answering.planner.call(turn)
              })
            }
          }
        }
        const view = yield* (yield* process(watching)).resume(held?.run ?? RunId.make(""))
        expect(view.cycles.length).toBe(2)
        expect(seen.length).toBeGreaterThan(0)
        for (const one of seen) expect(one).toEqual([only, 2, held?.run, question])
      })
    )
  )

  it.effect("C35 what was spent before counts, the time between does not", () =>
    fresh(
      Effect.gen(function* () {
        const expected = yield* Effect.provide(whole(threeCycles), inSqlite)
        const budget = { tokens: null, calls: 13, money: null, time: 60_000 }
        const making: Making = { ...threeCycles, policy: { ...defaultPolicy, budget } }
        const alone = yield* Effect.provide(whole(making), inSqlite)
        expect(alone.view.cycles.length).toBeLessThan(expected.view.cycles.length)
        yield* killedOnce(making, 45)
        const held = yield* left
        yield* TestClock.adjust("3 days")
        const view = yield* (yield* process(making)).resume(held?.run ?? RunId.make(""))
        expect({ ...view, ...unlike }).toEqual({ ...alone.view, ...unlike })
      })
    )
  )

  it.effect("what is no model call is recorded nowhere, and spoils no run", () =>
    fresh(
      Effect.gen(function* () {
        const said: Array<unknown> = []
        const spoiling: Making = {
          ...threeCycles,
          roles: () => {
            const answering = threeCycles.roles()
            const { call, reply, request } = keptCall({ call: { promptTokens: Number.NaN } })
            return {
              ...answering,
              planner: script((turn) =>
                Effect.gen(function* () {
                  const { record } = yield* ModelCalls
                  said.push(yield* Effect.either(record({ request, call, reply })))
                  return yield* answering.planner.call(turn)
                })
              )
            }
          }
        }
        const view = yield* (yield* process(spoiling)).run
        expect(view.outcome).toEqual(Option.some("Release"))
        expect(said.map((one) => Either.isEither(one) && Either.isLeft(one))).toEqual([true, true, true])
        const after = yield* left
        expect(after?.calls.length).toBe(view.usage.calls)
      })
    )
  )

  it.effect("a run that has ended is given as it is; one that is unknown, or of another scope, is not", () =>
    fresh(
      Effect.gen(function* () {
        const first = yield* process(threeCycles)
        const view = yield* first.run
        const second = yield* process(threeCycles)
        expect(yield* second.resume(view.run)).toEqual(view)
        expect(second.observed).toEqual([])
        const exit = yield* Effect.exit(second.resume(RunId.make("nobody's")))
        expect(failureOf(exit)).toMatchObject({ _tag: "UnknownRun" })
      })
    )
  )
})
