/** What every Housekeeping promises: tombstones in place, runs that stay gone, writers that are kept out, one tenant at a time. */
import { describe, expect, layer as provide } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { CorpusRevision } from "../../src/domain/Ids.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { Housekeeping } from "../../src/services/Housekeeping.ts"
import { Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { artifact, bridge, cycle, ended, failed, nasty, runId, scopeKey, stamped, started } from "../support/Runs.ts"

export type Stores = Housekeeping | Journal | SharedMemoryPool | CorpusStore

const tagOf = (effect: Effect.Effect<unknown, { readonly _tag: string }, Stores>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? `${error._tag} ${String(error.reason)}` : error._tag))

export const contract = (name: string, stores: Layer.Layer<Stores, unknown>): void => {
  describe(`Housekeeping ${name}`, () => {
    describe("C34 tombstones stand where the events stood", () => {
      provide(stores)((it) => {
        it.effect("the events given are written in the place of those with their sequences; the others stay", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const { rewrite } = yield* Housekeeping
            const scope = scopeKey("rewriting")
            const id = runId("rewriting")
            const facts = nasty.map((reason) => ({ tag: "BypassDeclined", reason }) as const)
            const token = yield* journal.begin([started(id, scope), ...stamped(id, 1, facts)])
            const before = yield* journal.events(scope, id)
            const changed = stamped(
              id,
              2,
              [...nasty]
                .reverse()
                .slice(0, 2)
                .map((reason) => ({ tag: "BypassDeclined", reason }) as const)
            )
            yield* rewrite(scope, id, changed)
            expect(yield* journal.events(scope, id)).toEqual([...before.slice(0, 2), ...changed, ...before.slice(4)])
            // the run goes on as it was
            yield* journal.commit(id, token, stamped(id, before.length, cycle), [])
            expect((yield* journal.events(scope, id)).length).toBe(before.length + 2)
          })
        )

        it.effect("what has no counterpart, or is another scope's, changes nothing", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const { rewrite } = yield* Housekeeping
            const scope = scopeKey("rewriting-2")
            const [id, other] = [runId("rewriting-2"), runId("rewriting-3")]
            yield* journal.begin([started(id, scope), ...stamped(id, 1, cycle)])
            yield* journal.begin([started(other, scope), ...stamped(other, 1, cycle)])
            const before = yield* journal.events(scope, id)
            const [fits] = stamped(id, 2, [{ tag: "ActionSelected", action: "Release", reason: "changed" }])
            if (fits === undefined) throw new Error("one fact is one event")
            const wrong = [
              [fits, { ...fits, sequence: 3 }],
              [fits, ...stamped(id, 1, [{ tag: "ReaderAdmitted", items: 1 }])],
              [fits, { ...fits, run: other }],
              [fits, ...stamped(id, 1, [{ tag: "BypassDeclined", reason: 5 as unknown as string }])]
            ]
            for (const events of wrong) expect(yield* tagOf(rewrite(scope, id, events))).toBe("StoreError Unreadable")
            expect(yield* tagOf(rewrite(scopeKey("elsewhere"), id, [fits]))).toBe("UnknownRun")
            expect(yield* tagOf(rewrite(scope, runId("nobody"), []))).toBe("UnknownRun")
            expect(yield* journal.events(scope, id)).toEqual(before)
          })
        )
      })
    })

    describe("a run that was removed stays removed", () => {
      provide(stores)((it) => {
        it.effect(
          "with its task and private artifacts; a late writer is stale, global artifacts and other scopes stay",
          () =>
            Effect.gen(function* () {
              const journal = yield* Journal
              const pool = yield* SharedMemoryPool
              const { artifacts, removeRuns } = yield* Housekeeping
              const [scope, other] = [scopeKey("removing"), scopeKey("removing-other")]
              const [gone, stays, foreign] = [runId("gone"), runId("stays"), runId("foreign")]
              const token = yield* journal.begin([started(gone, scope), ...stamped(gone, 1, cycle)])
              const kept = yield* journal.begin([started(stays, scope)])
              yield* journal.begin([started(foreign, other), ...stamped(foreign, 1, cycle)])
              const global = artifact({ scopeKey: scope, run: gone, payload: bridge("a", "b") })
              const task = (run: typeof gone) =>
                artifact({ scopeKey: scope, run, payload: failed("s"), scope: "Task", producer: "Planner" })
              const own = artifact({ scopeKey: scope, run: gone, payload: failed("p"), scope: "Private" })
              yield* journal.commit(gone, token, [], [global, task(gone), own])
              yield* journal.commit(stays, kept, [], [task(stays)])
              yield* removeRuns(scope, [gone, foreign, runId("nobody")])
              expect(yield* tagOf(journal.commit(gone, token, stamped(gone, 3, cycle), [task(gone)]))).toBe(
                "StaleWriter"
              )
              expect(yield* tagOf(journal.takeOver(gone))).toBe("UnknownRun")
              expect(yield* tagOf(journal.events(scope, gone))).toBe("UnknownRun")
              expect((yield* journal.runs(scope, { limit: 9 })).map(({ run }) => run)).toEqual([stays])
              expect((yield* journal.events(other, foreign)).length).toBe(3)
              expect((yield* artifacts(scope)).map(({ id }) => id)).toEqual([global.id, task(stays).id].sort())
              expect(yield* pool.count(scope)).toEqual({ Global: 1, Task: 1, Private: 0 })
            })
        )

        it.effect("artifacts go by id, of their own scope", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const { artifacts, removeArtifacts } = yield* Housekeeping
            const [scope, other] = [scopeKey("artifacts"), scopeKey("artifacts-other")]
            for (const of of [scope, other]) {
              const run = runId(`artifacts-${of}`)
              const token = yield* journal.begin([started(run, of)])
              const made = nasty.map((text) => artifact({ scopeKey: of, run, payload: bridge(text, "x") }))
              yield* journal.commit(run, token, [], made)
            }
            const [first, ...rest] = yield* artifacts(scope)
            if (first === undefined) throw new Error("there are artifacts")
            const theirs = yield* artifacts(other)
            yield* removeArtifacts(other, [first.id])
            yield* removeArtifacts(scope, [first.id])
            yield* removeArtifacts(scope, [])
            expect(yield* artifacts(scope)).toEqual(rest)
            expect(yield* artifacts(other)).toEqual(theirs)
          })
        )
      })
    })

    describe("C34 what is forgotten cannot be written back", () => {
      provide(stores)((it) => {
        it.effect("open runs are stale, ended ones as they were; a run begins only on the current revision", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const corpus = yield* CorpusStore
            const { fence } = yield* Housekeeping
            const [scope, other] = [scopeKey("fenced"), scopeKey("fenced-other")]
            const [open, done, free] = [runId("fenced-open"), runId("fenced-done"), runId("fenced-free")]
            const token = yield* journal.begin([started(open, scope)])
            const last = yield* journal.begin([started(done, scope), ...stamped(done, 1, [ended("Release")])])
            const theirs = yield* journal.begin([started(free, other)])
            yield* fence(scope)
            expect(yield* tagOf(journal.commit(open, token, stamped(open, 1, cycle), []))).toBe("StaleWriter")
            yield* journal.commit(done, last, [], [])
            yield* journal.commit(free, theirs, stamped(free, 1, cycle), [])
            yield* journal.begin([started(runId("fenced-free-2"), other)])
            const begin = (id: string) => journal.begin([started(runId(id), scope)])
            expect(yield* tagOf(begin("fenced-late"))).toBe("StaleWriter")
            const revision = { embedding: "hashed", dimensions: 8, indexedAt: 1 }
            yield* corpus.setRevision(scope, { ...revision, revision: CorpusRevision.make("r2") })
            expect(yield* tagOf(begin("fenced-late"))).toBe("StaleWriter")
            yield* corpus.setRevision(scope, { ...revision, revision: CorpusRevision.make("r1") })
            yield* begin("fenced-late")
            yield* fence(scope)
            yield* begin("fenced-later")
            // who takes an open run over writes it
            const again = yield* journal.takeOver(open)
            yield* journal.commit(open, again, stamped(open, 1, cycle), [])
          })
        )

        it.effect("scrubbing changes nothing that is there, and finds no fault", () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const { bytes, faults, scrub } = yield* Housekeeping
            const scope = scopeKey("scrubbed")
            const id = runId("scrubbed")
            yield* journal.begin([started(id, scope), ...stamped(id, 1, cycle)])
            const before = yield* journal.events(scope, id)
            yield* scrub
            expect(yield* journal.events(scope, id)).toEqual(before)
            expect(yield* faults(scope)).toEqual([])
            expect(yield* bytes).toBeGreaterThanOrEqual(0)
          })
        )
      })
    })
  })
}
