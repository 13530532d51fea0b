/** What every Journal promises: order, fencing, all or nothing, one tenant at a time. A new layer earns its place by passing this. */
import { describe, expect, layer as provide } from "@effect/vitest"
import { Effect, Either, FastCheck, type Layer, Option, Runtime } from "effect"
import { artifactKinds } from "../../src/domain/Artifact.ts"
import type { Event, Fact } from "../../src/domain/Event.ts"
import type { RunId, ScopeKey } from "../../src/domain/Ids.ts"
import { roles } from "../../src/domain/State.ts"
import { FencingToken, Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { Transaction } from "../../src/services/Transaction.ts"
import {
  artifact,
  bridge,
  cycle,
  ended,
  facts,
  failed,
  hash,
  keptCall,
  nasty,
  runId,
  scopeKey,
  stamped,
  started,
  surface
} from "../support/Runs.ts"

export type Stores = Journal | SharedMemoryPool | Transaction

/** A column of text keeps no half of a surrogate pair; events do. */
const wellFormed = (text: string) => text.replace("\ud800", "\ufffd")

const reasonOf = (effect: Effect.Effect<unknown, { readonly _tag: string }, Journal>) =>
  Effect.flip(effect).pipe(
    Effect.map((error) => ("reason" in error ? `${error._tag} ${String(error.reason)}` : error._tag))
  )

export const contract = (name: string, stores: Layer.Layer<Stores, unknown>): void => {
  describe(`Journal ${name}`, () => {
    describe("C30 the journal keeps events in order", () => {
      provide(stores)((it) => {
        it.effect("every prefix that was committed is what is read, whatever the events", () =>
          Effect.gen(function* () {
            const runtime = yield* Effect.runtime<Stores>()
            const journal = yield* Journal
            let number = 0
            const pieces = FastCheck.array(FastCheck.array(facts, { maxLength: 5 }), { maxLength: 4 })
            const readBack = (first: ReadonlyArray<Fact>, rest: ReadonlyArray<ReadonlyArray<Fact>>) =>
              Effect.gen(function* () {
                const scope = scopeKey("prefixes")
                const id = runId(`prefix-${number++}`)
                const written: Array<Event> = [started(id, scope), ...stamped(id, 1, first)]
                const token = yield* journal.begin([started(id, scope), ...stamped(id, 1, first)])
                expect(yield* journal.events(scope, id)).toEqual(written)
                for (const piece of rest) {
                  const events = stamped(id, written.length, piece)
                  yield* journal.commit(id, token, events, [])
                  written.push(...events)
                  expect(yield* journal.events(scope, id)).toEqual(written)
                }
              })
            yield* Effect.promise(() =>
              FastCheck.assert(
                FastCheck.asyncProperty(FastCheck.array(facts, { maxLength: 5 }), pieces, (first, rest) =>
                  Runtime.runPromise(runtime)(readBack(first, rest))
                ),
                { numRuns: 100, seed: 30 }
              )
            )
          })
        )

        it.effect("a gap, a repetition, another run's event, a second start and a delta write nothing", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const scope = scopeKey("gaps")
            const [id, other] = [runId("gap"), runId("gap-other")]
            const token = yield* journal.begin([started(id, scope)])
            yield* journal.begin([started(other, scope)])
            yield* journal.commit(id, token, stamped(id, 1, cycle), [])
            const before = yield* journal.events(scope, id)
            const [open, acted] = stamped(id, 3, cycle)
            if (open === undefined || acted === undefined) throw new Error("a cycle has two events here")
            const wrong: ReadonlyArray<ReadonlyArray<Event>> = [
              stamped(id, 4, cycle),
              stamped(id, 2, cycle),
              stamped(id, 0, cycle),
              [open, { ...acted, sequence: 5 }],
              [open, { ...acted, sequence: 3 }],
              [acted, open],
              stamped(other, 3, cycle),
              [open, { ...acted, run: other }],
              [{ ...started(id, scope), sequence: 3 }],
              stamped(id, 3, [{ tag: "AnswerDelta", text: "…", attempt: 0 }]),
              stamped(id, 3, [{ tag: "ReaderAdmitted", items: -1 }]),
              [{ ...open, at: Number.NaN }]
            ]
            const made = artifact({ scopeKey: scope, run: id, payload: failed("gap") })
            for (const events of wrong)
              expect(yield* reasonOf(journal.commit(id, token, events, [made]))).toBe("StoreError Unreadable")
            expect(yield* journal.events(scope, id)).toEqual(before)
            expect(yield* (yield* SharedMemoryPool).count(scope)).toEqual({ Global: 0, Task: 0, Private: 0 })
            yield* journal.commit(id, token, [open, acted], [])
            expect((yield* journal.events(scope, id)).length).toBe(5)
          })
        )

        it.effect("a run begins once, and its first event starts it", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const scope = scopeKey("beginnings")
            const id = runId("begin")
            yield* journal.begin([started(id, scope, "first")])
            expect(yield* reasonOf(journal.begin([started(id, scope, "second")]))).toBe("StoreError Unreadable")
            expect(yield* reasonOf(journal.begin([started(id, scopeKey("elsewhere"), "second")]))).toBe(
              "StoreError Unreadable"
            )
            const gap = journal.begin([started(runId("begin-2"), scope), ...stamped(runId("begin-2"), 2, cycle)])
            expect(yield* reasonOf(gap)).toBe("StoreError Unreadable")
            expect((yield* journal.runs(scope, { limit: 9 })).map((run) => [run.run, run.question])).toEqual([
              [id, "first"]
            ])
          })
        )

        it.effect("pain 33: what is asked is kept as it is", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const scope = scopeKey("quotes")
            for (const [i, text] of nasty.entries()) {
              const id = runId(`quotes ' " ${i} {x} \${y}; --`)
              const events = [
                started(id, scope, text, i),
                ...stamped(id, 1, [{ tag: "BypassDeclined", reason: text }])
              ] as const
              yield* journal.begin([
                started(id, scope, text, i),
                ...stamped(id, 1, [{ tag: "BypassDeclined", reason: text }])
              ])
              expect(yield* journal.events(scope, id)).toEqual(events)
            }
            const questions = (yield* journal.runs(scope, { limit: 9 })).map((run) => run.question)
            expect(questions).toEqual(nasty.map(wellFormed).reverse())
          })
        )
      })
    })

    describe("C30 the summary of a run", () => {
      provide(stores)((it) => {
        it.effect("runs come newest first, with outcome and cycles; ties by id", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const scope = scopeKey("summaries")
            expect(yield* journal.latest(scope)).toEqual(Option.none())
            expect(yield* journal.runs(scope, { limit: 10 })).toEqual([])
            const begin = (id: string, at: number) => journal.begin([started(runId(id), scope, id, at)])
            const a = yield* begin("a", 5)
            yield* begin("b", 7)
            const c = yield* begin("c", 7)
            yield* begin("d", 6)
            yield* journal.commit(runId("a"), a, stamped(runId("a"), 1, cycle), [])
            yield* journal.commit(runId("a"), a, stamped(runId("a"), 3, [...cycle, ended("Release")]), [])
            yield* journal.commit(runId("c"), c, stamped(runId("c"), 1, [ended("Incomplete")]), [])
            const runs = yield* journal.runs(scope, { limit: 10 })
            expect(runs.map(({ cycles, outcome, run, startedAt }) => [run, startedAt, outcome, cycles])).toEqual([
              ["c", 7, "Incomplete", 0],
              ["b", 7, null, 0],
              ["d", 6, null, 0],
              ["a", 5, "Release", 2]
            ])
            expect(yield* journal.latest(scope)).toEqual(Option.some("c"))
            expect((yield* journal.runs(scope, { limit: 2 })).map((run) => run.run)).toEqual(["c", "b"])
            expect((yield* journal.runs(scope, { outcome: "Release", limit: 2 })).map((run) => run.run)).toEqual(["a"])
            expect(yield* journal.runs(scope, { outcome: "Bypass", limit: 2 })).toEqual([])
          })
        )
      })
    })

    describe("C27 and pain 28, 29: a run of another scope is as if it were not there", () => {
      provide(stores)((it) => {
        it.effect("absent and foreign give the same answer, which names up to 20 runs of the asker's own scope", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const [mine, theirs] = [scopeKey("mine"), scopeKey("theirs")]
            for (let i = 0; i < 25; i++) yield* journal.begin([started(runId(`mine-${i}`), mine, "?", i)])
            yield* journal.begin([started(runId("theirs-1"), theirs)])
            const foreign = yield* Effect.flip(journal.events(mine, runId("theirs-1")))
            const absent = yield* Effect.flip(journal.events(mine, runId("nobody")))
            expect(foreign).toMatchObject({ _tag: "UnknownRun", run: "theirs-1" })
            const known = Array.from({ length: 20 }, (_, i) => `mine-${24 - i}`)
            for (const error of [foreign, absent]) expect("known" in error && error.known).toEqual(known)
            expect(yield* Effect.flip(journal.events(scopeKey("empty"), runId("mine-1")))).toMatchObject({ known: [] })
            expect(yield* journal.latest(theirs)).toEqual(Option.some("theirs-1"))
            expect((yield* journal.runs(theirs, { limit: 99 })).map((run) => run.run)).toEqual(["theirs-1"])
            expect(yield* Effect.flip(journal.takeOver(runId("nobody")))).toMatchObject({
              _tag: "UnknownRun",
              known: []
            })
          })
        )
      })
    })

    describe("C24, C30 and pain 17: only the holder of the newest token writes", () => {
      provide(stores)((it) => {
        it.effect("a writer that was overtaken writes nothing, no events and no artifacts", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const pool = yield* SharedMemoryPool
            const scope = scopeKey("fencing")
            const id = runId("fenced")
            const old = yield* journal.begin([started(id, scope)])
            const made = artifact({ scopeKey: scope, run: id, payload: bridge("a", "b") })
            const token = yield* journal.takeOver(id)
            expect(token).toBeGreaterThan(old)
            for (const stale of [old, FencingToken.make(token + 1), FencingToken.make(0)])
              expect(yield* Effect.flip(journal.commit(id, stale, stamped(id, 1, cycle), [made]))).toMatchObject({
                _tag: "StaleWriter",
                run: id,
                token: stale
              })
            expect(yield* reasonOf(journal.commit(id, old, [], []))).toBe("StaleWriter")
            expect((yield* journal.events(scope, id)).length).toBe(1)
            expect((yield* pool.count(scope)).Global).toBe(0)
            yield* journal.commit(id, token, stamped(id, 1, cycle), [made])
            expect((yield* journal.events(scope, id)).length).toBe(3)
            expect((yield* pool.count(scope)).Global).toBe(1)
          })
        )

        it.effect("pain 18: a run that is not there stays away, whatever is written late", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const id = runId("gone")
            expect(yield* reasonOf(journal.commit(id, FencingToken.make(1), stamped(id, 1, cycle), []))).toBe(
              "StaleWriter"
            )
            expect(yield* Effect.flip(journal.events(scopeKey("fencing"), id))).toMatchObject({ _tag: "UnknownRun" })
          })
        )

        it.effect("any interleaving of writers: exactly the commits of the newest holder stand, in order", () =>
          Effect.gen(function* () {
            const runtime = yield* Effect.runtime<Stores>()
            const journal = yield* Journal
            const scope = scopeKey("interleaving")
            let number = 0
            const step = FastCheck.record({ writer: FastCheck.nat(2), takes: FastCheck.boolean() })
            const play = (steps: ReadonlyArray<{ readonly writer: number; readonly takes: boolean }>) =>
              Effect.gen(function* () {
                const id = runId(`interleaved-${number++}`)
                const tokens = new Map([[0, yield* journal.begin([started(id, scope)])]])
                let newest = 0
                const accepted: Array<Event> = [started(id, scope)]
                for (const { takes, writer } of steps) {
                  const held = tokens.get(writer)
                  if (takes || held === undefined) {
                    tokens.set(writer, yield* journal.takeOver(id))
                    newest = writer
                    continue
                  }
                  const events = stamped(id, accepted.length, [{ tag: "BypassDeclined", reason: `writer ${writer}` }])
                  const outcome = yield* Effect.either(journal.commit(id, held, events, []))
                  expect(Either.isRight(outcome)).toBe(writer === newest)
                  if (Either.isRight(outcome)) accepted.push(...events)
                }
                expect(yield* journal.events(scope, id)).toEqual(accepted)
              })
            yield* Effect.promise(() =>
              FastCheck.assert(
                FastCheck.asyncProperty(FastCheck.array(step, { maxLength: 12 }), (steps) =>
                  Runtime.runPromise(runtime)(play(steps))
                ),
                { numRuns: 60, seed: 17 }
              )
            )
          })
        )
      })
    })

    describe("C22, C23, C24 artifacts are persisted with the action, or not at all", () => {
      provide(stores)((it) => {
        it.effect("what their producer may not write refuses the whole commit", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const pool = yield* SharedMemoryPool
            const scope = scopeKey("grants")
            const id = runId("granted")
            const token = yield* journal.begin([started(id, scope)])
            const of = (run: RunId, key: ScopeKey) => ({ run, scopeKey: key, payload: bridge("a", "b") })
            const wrong = [
              artifact({ ...of(id, scopeKey("other")) }),
              artifact({ ...of(runId("another"), scope), scope: "Task" }),
              artifact({ ...of(runId("another"), scope) }),
              ...roles.filter((role) => role !== "Verifier").map((producer) => artifact({ ...of(id, scope), producer }))
            ]
            const right = artifact({ ...of(id, scope), scope: "Task", producer: "Planner" })
            for (const one of wrong)
              expect(yield* reasonOf(journal.commit(id, token, stamped(id, 1, cycle), [right, one]))).toBe(
                "StoreError Unreadable"
              )
            expect((yield* journal.events(scope, id)).length).toBe(1)
            for (const key of [scope, scopeKey("other")])
              expect(yield* pool.count(key)).toEqual({ Global: 0, Task: 0, Private: 0 })
            const every = roles.flatMap((producer) =>
              (["Task", "Private"] as const).map((memory) =>
                artifact({ ...of(id, scope), scope: memory, producer, payload: surface(producer) })
              )
            )
            yield* journal.commit(id, token, stamped(id, 1, cycle), [...every, artifact(of(id, scope))])
            expect(yield* pool.count(scope)).toEqual({ Global: 1, Task: 4, Private: 4 })
          })
        )

        it.effect("an id that is there stays as it was; the same id twice is one artifact", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const pool = yield* SharedMemoryPool
            const scope = scopeKey("again")
            const id = runId("again")
            const token = yield* journal.begin([started(id, scope)])
            const first = artifact({ scopeKey: scope, run: id, payload: bridge("north", "south"), restsOn: [] })
            const second = { ...first, createdAt: 2_000, payload: bridge("east", "west") }
            yield* journal.commit(id, token, [], [first, first])
            yield* journal.commit(id, token, [], [second])
            const claim = {
              actor: "Planner",
              operation: "read",
              scopeKey: scope,
              run: id,
              exposed: [first.id]
            } as const
            expect(yield* pool.read(claim, [first.id])).toEqual([first])
            expect(yield* pool.expose(scope, id, ["east"], 9, 0)).toEqual([])
            expect(yield* pool.count(scope)).toEqual({ Global: 1, Task: 0, Private: 0 })
          })
        )

        it.effect(
          "C33 of a kind at most so many stay, the newest; what has had its days goes, and may come again",
          () =>
            Effect.gen(function* () {
              const journal = yield* Journal
              const pool = yield* SharedMemoryPool
              const scope = scopeKey("bounded")
              const other = scopeKey("unbounded")
              const id = runId("bounded")
              const token = yield* journal.begin([started(id, scope)])
              const elsewhere = yield* journal.begin([started(runId("unbounded"), other)])
              const bridges = (key: ScopeKey, run: RunId) =>
                Array.from({ length: 6 }, (_, i) =>
                  artifact({ scopeKey: key, run, payload: bridge("word", `b${i}`), createdAt: 100 - i })
                )
              yield* journal.commit(runId("unbounded"), elsewhere, [], bridges(other, runId("unbounded")))
              const made = bridges(scope, id)
              const region = artifact({ scopeKey: scope, run: id, payload: failed("word"), createdAt: 1 })
              yield* journal.commit(id, token, [], [region, ...made], { SurfaceForm: 0, Bridge: 4, FailedRegion: null })
              const kept = () => pool.expose(scope, id, ["word"], 99, 0)
              expect(new Set(yield* kept())).toEqual(new Set(made.slice(0, 4).map((one) => one.id)))
              expect(yield* pool.count(scope)).toEqual({ Global: 5, Task: 0, Private: 0 })
              yield* journal.commit(
                id,
                token,
                [],
                [artifact({ scopeKey: scope, run: id, payload: bridge("word", "new"), createdAt: 101 })],
                {
                  SurfaceForm: null,
                  Bridge: 1,
                  FailedRegion: 0
                }
              )
              expect((yield* kept()).length).toBe(1)
              expect((yield* pool.count(other)).Global).toBe(6)

              const brief = artifact({
                scopeKey: scope,
                run: id,
                payload: surface("brief"),
                createdAt: 200,
                expiresAt: 300
              })
              yield* journal.commit(id, token, [], [brief])
              expect(yield* pool.expose(scope, id, ["brief"], 9, 299)).toEqual([brief.id])
              expect(yield* pool.expose(scope, id, ["brief"], 9, 300)).toEqual([])
              yield* journal.commit(id, token, [], [{ ...brief, createdAt: 300, expiresAt: 400 }])
              expect(yield* pool.expose(scope, id, ["brief"], 9, 300)).toEqual([brief.id])
              expect(artifactKinds.length).toBe(3)
            })
        )

        it.effect("an enclosing transaction that fails, dies or is interrupted undoes a commit", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const { atomically } = yield* Transaction
            const scope = scopeKey("undone")
            const id = runId("undone")
            const token = yield* journal.begin([started(id, scope)])
            const made = artifact({ scopeKey: scope, run: id, payload: bridge("a", "b"), restsOn: [hash("a")] })
            const commit = journal.commit(id, token, stamped(id, 1, cycle), [made])
            for (const end of [Effect.fail("failed"), Effect.die("died"), Effect.interrupt])
              yield* Effect.exit(atomically(Effect.zipRight(commit, end)))
            expect((yield* journal.events(scope, id)).length).toBe(1)
            expect(yield* (yield* SharedMemoryPool).count(scope)).toEqual({ Global: 0, Task: 0, Private: 0 })
            expect((yield* journal.runs(scope, { limit: 1 }))[0]?.cycles).toBe(0)
            yield* commit
            expect((yield* journal.events(scope, id)).length).toBe(3)
          })
        )
      })
    })

    describe("C28, C30 model calls are kept before their answers are used", () => {
      provide(stores)((it) => {
        it.effect("each with its answer, by place; the events stay as they are", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const scope = scopeKey("calls")
            const id = runId("calls")
            const token = yield* journal.begin([started(id, scope)])
            const kept = [
              keptCall({
                cycle: 0,
                stage: "Initializer",
                text: null,
                call: { role: "Embedding", sizeRatio: 0, money: null }
              }),
              keptCall({ text: nasty.join("\n") }),
              keptCall({
                attempt: 1,
                text: null,
                call: { fault: "RateLimited", promptVersion: "p1", estimated: true }
              }),
              keptCall({ attempt: 2, call: { cached: true, money: null } }),
              keptCall({ cycle: 2, stage: "Verifier" })
            ]
            for (const call of [...kept].reverse()) yield* journal.keepCall(id, token, call)
            expect(yield* journal.calls(scope, id)).toEqual(kept)
            expect((yield* journal.events(scope, id)).length).toBe(1)
            expect(yield* journal.calls(scopeKey("elsewhere"), id)).toEqual([])
            expect(yield* journal.calls(scope, runId("another"))).toEqual([])
            yield* journal.commit(id, token, stamped(id, 1, cycle), [])
            expect(yield* journal.calls(scope, id)).toEqual(kept)
          })
        )

        it.effect("a place that is taken, and what does not encode, are refused, and nothing is written", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const scope = scopeKey("places")
            const id = runId("places")
            const token = yield* journal.begin([started(id, scope)])
            yield* journal.keepCall(id, token, keptCall({ text: "first" }))
            for (const wrong of [
              keptCall({ text: "second" }),
              keptCall({ attempt: 1, call: { promptTokens: -1 } }),
              keptCall({ attempt: 1, call: { money: Number.NaN } }),
              keptCall({ attempt: 1, at: Number.POSITIVE_INFINITY })
            ])
              expect(yield* reasonOf(journal.keepCall(id, token, wrong))).toBe("StoreError Unreadable")
            expect((yield* journal.calls(scope, id)).map(({ reply }) => reply?.text)).toEqual(["first"])
          })
        )

        it.effect("pain 17: only the holder of the newest token keeps one", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const scope = scopeKey("keepers")
            const id = runId("keepers")
            const old = yield* journal.begin([started(id, scope)])
            const token = yield* journal.takeOver(id)
            expect(yield* reasonOf(journal.keepCall(id, old, keptCall({})))).toBe("StaleWriter")
            expect(yield* reasonOf(journal.keepCall(runId("nobody"), token, keptCall({})))).toBe("StaleWriter")
            expect(yield* journal.calls(scope, id)).toEqual([])
            yield* journal.keepCall(id, token, keptCall({}))
            expect((yield* journal.calls(scope, id)).length).toBe(1)
          })
        )

        it.effect(
          "the bill has every call once: kept ones, those of other work, and those that are in events alone",
          () =>
            Effect.gen(function* () {
              const journal = yield* Journal
              const scope = scopeKey("bill")
              const id = runId("bill")
              const token = yield* journal.begin([started(id, scope, "who?", 10)])
              const kept = keptCall({ at: 20 })
              yield* journal.keepCall(id, token, kept)
              yield* journal.keepOther(scope, "index-1", keptCall({ cycle: 0, stage: "Index", at: 30, text: null }))
              yield* journal.keepOther(scopeKey("bill-2"), "index-2", keptCall({ at: 30 }))
              expect(yield* reasonOf(journal.keepOther(scope, "index-1", keptCall({ cycle: 0, stage: "Index" })))).toBe(
                "StoreError Unreadable"
              )
              const { call } = kept
              const own = { ...call, model: "somebody's own" }
              const facts: ReadonlyArray<Fact> = [
                { tag: "ModelCalled", call, place: { stage: kept.stage, attempt: kept.attempt } },
                { tag: "ModelCalled", call: own }
              ]
              yield* journal.commit(
                id,
                token,
                stamped(id, 1, facts).map((event) => ({ ...event, at: 25 })),
                []
              )
              expect((yield* journal.billed(scope, 0)).map(({ at, call, run }) => [run, at, call.model])).toEqual([
                [id, 20, "m"],
                [id, 25, "somebody's own"],
                ["index-1", 30, "m"]
              ])
              expect((yield* journal.billed(scope, 25)).length).toBe(2)
              expect((yield* journal.billed(scopeKey("bill-3"), 0)).length).toBe(0)
              // other work is no run
              expect((yield* journal.runs(scope, { limit: 9 })).map(({ run }) => run)).toEqual([id])
            })
        )

        it.effect("a run that is gone on with is open again in its summary", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const scope = scopeKey("again")
            const id = runId("again")
            const token = yield* journal.begin([
              started(id, scope),
              ...stamped(id, 1, [{ tag: "RunEnded", outcome: "Interrupted", reason: null }])
            ])
            const outcome = Effect.map(journal.runs(scope, { limit: 1 }), ([run]) => run?.outcome)
            expect(yield* outcome).toBe("Interrupted")
            yield* journal.commit(id, token, stamped(id, 2, [{ tag: "RunResumed" }]), [])
            expect(yield* outcome).toBe(null)
            yield* journal.commit(id, token, stamped(id, 3, [ended("Release")]), [])
            expect(yield* outcome).toBe("Release")
          })
        )
      })
    })
  })
}
