/** What every SharedMemoryPool promises: who sees what, and for how long. Artifacts get there through the journal. */
import { describe, expect, layer as provide } from "@effect/vitest"
import { Effect, Either, FastCheck, type Layer, Runtime } from "effect"
import { Actor, type Artifact, type Claim, MemoryScope, Operation, permissions } from "../../src/domain/Artifact.ts"
import { ArtifactId, DocumentId, type RunId, type ScopeKey } from "../../src/domain/Ids.ts"
import { roles } from "../../src/domain/State.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { artifact, bridge, document, failed, hash, nasty, runId, scopeKey, started, surface } from "../support/Runs.ts"

export type Stores = Journal | SharedMemoryPool | CorpusStore

const claim = (actor: Actor, scope: ScopeKey, run: RunId, exposed: ReadonlyArray<Artifact> = []): Claim => ({
  actor,
  operation: "read",
  scopeKey: scope,
  run,
  exposed: exposed.map((one) => one.id)
})
const persist = Effect.fnUntraced(function* (scope: ScopeKey, run: RunId, artifacts: ReadonlyArray<Artifact>) {
  const journal = yield* Journal
  const token = yield* journal.begin([started(run, scope)])
  yield* journal.commit(run, token, [], artifacts)
})
const ids = (artifacts: ReadonlyArray<Artifact>) => artifacts.map((one) => one.id)

export const contract = (name: string, stores: Layer.Layer<Stores, unknown>): void => {
  describe(`SharedMemoryPool ${name}`, () => {
    describe("C24, C25 what is exposed", () => {
      provide(stores)((it) => {
        it.effect("pain 30: what a commit persisted is there at once, and reads as it was written", () =>
          Effect.gen(function* () {
            const pool = yield* SharedMemoryPool
            const scope = scopeKey("written")
            const run = runId("written")
            const made = [
              artifact({
                scopeKey: scope,
                run,
                payload: bridge("Ada Lovelace", "Analytical Engine"),
                expiresAt: 5_000
              }),
              artifact({
                scopeKey: scope,
                run,
                payload: surface("AE", "node-1"),
                scope: "Task",
                producer: "Retriever"
              }),
              artifact({ scopeKey: scope, run, payload: failed("plan"), scope: "Task", producer: "Planner" }),
              ...nasty.map((text) => artifact({ scopeKey: scope, run, payload: bridge(text, "x"), restsOn: [] }))
            ]
            yield* persist(scope, run, made)
            expect(yield* pool.read(claim("Navigator", scope, run, made), ids(made))).toEqual(made)
            expect(yield* pool.read(claim("Navigator", scope, run, made), ids([...made].reverse()))).toEqual(
              made.reverse()
            )
            expect(yield* pool.count(scope)).toEqual({ Global: 1 + nasty.length, Task: 2, Private: 0 })
          })
        )

        it.effect(
          "most shared keys first, then by id, at most so many; repeated and unknown terms count for nothing",
          () =>
            Effect.gen(function* () {
              const pool = yield* SharedMemoryPool
              const scope = scopeKey("ranking")
              const run = runId("ranking")
              const of = (from: string, to: string) => artifact({ scopeKey: scope, run, payload: bridge(from, to) })
              const [three, two, two2, one] = [
                of("red green", "pink"),
                of("red", "green"),
                of("green", "pink"),
                of("pink", "grey")
              ]
              const region = artifact({ scopeKey: scope, run, payload: failed("signature"), scope: "Task" })
              yield* persist(scope, run, [one, two, three, two2, region])
              const expose = (terms: ReadonlyArray<string>, limit: number) => pool.expose(scope, run, terms, limit, 0)
              const expected = [three.id, ...[two.id, two2.id].sort(), one.id]
              expect(yield* expose(["green", "red", "pink"], 1)).toEqual([three.id])
              expect(yield* expose(["red", "green", "pink", "pink", "pink", "nothing"], 9)).toEqual([
                three.id,
                ...[two.id, two2.id].sort(),
                one.id
              ])
              expect(yield* expose(["red", "green", "pink"], 3)).toEqual(expected.slice(0, 3))
              expect(yield* expose(["grey"], 9)).toEqual([one.id])
              expect(yield* expose([hash("signature")], 9)).toEqual([region.id])
              for (const terms of [[], ["nothing"], [""], nasty]) expect(yield* expose(terms, 9)).toEqual([])
              expect(yield* expose(["red"], 0)).toEqual([])
            })
        )

        it.effect("C22 global artifacts of the scope key and task artifacts of the run; never private ones", () =>
          Effect.gen(function* () {
            const pool = yield* SharedMemoryPool
            const [scope, other] = [scopeKey("scopes"), scopeKey("scopes-other")]
            const [run, another, foreign] = [runId("scopes-1"), runId("scopes-2"), runId("scopes-3")]
            const all = (key: ScopeKey, id: RunId) =>
              MemoryScope.literals.map((memory) =>
                artifact({ scopeKey: key, run: id, scope: memory, payload: bridge("word", id) })
              )
            yield* persist(scope, run, all(scope, run))
            yield* persist(scope, another, all(scope, another))
            yield* persist(other, foreign, all(other, foreign))
            const visible = [...all(scope, run), ...all(scope, another)].filter(
              (one) => one.scope === "Global" || (one.scope === "Task" && one.run === run)
            )
            expect(yield* pool.expose(scope, run, ["word"], 9, 0)).toEqual(ids(visible).sort())
            expect(yield* pool.expose(scope, runId("scopes-new"), ["word"], 9, 0)).toEqual(
              ids(visible.filter((one) => one.scope === "Global")).sort()
            )
            expect(yield* pool.expose(scopeKey("nowhere"), run, ["word"], 9, 0)).toEqual([])
          })
        )

        it.effect(
          "C24 an artifact is left out once what it rests on has changed or gone, and when its days are over",
          () =>
            Effect.gen(function* () {
              const pool = yield* SharedMemoryPool
              const corpus = yield* CorpusStore
              const [scope, other] = [scopeKey("resting"), scopeKey("resting-other")]
              const run = runId("resting")
              const [a, b] = [document("a", "old"), document("b", "old")]
              yield* corpus.put(
                scope,
                [a, b].map((one) => ({ document: one, passages: [] }))
              )
              const both = artifact({
                scopeKey: scope,
                run,
                payload: bridge("word", "both"),
                restsOn: [a.hash, b.hash]
              })
              const first = artifact({ scopeKey: scope, run, payload: bridge("word", "first"), restsOn: [a.hash] })
              const brief = artifact({ scopeKey: scope, run, payload: bridge("word", "brief"), expiresAt: 2_000 })
              const free = artifact({ scopeKey: scope, run, payload: bridge("word", "free") })
              yield* persist(scope, run, [both, first, brief, free])
              const exposed = (now: number) =>
                Effect.map(pool.expose(scope, run, ["word"], 9, now), (found) => new Set(found))
              expect(yield* exposed(1_999)).toEqual(new Set(ids([both, first, brief, free])))
              expect(yield* exposed(2_000)).toEqual(new Set(ids([both, first, free])))
              yield* corpus.put(scope, [{ document: document("b", "new"), passages: [] }])
              // the same content under another scope key holds nothing up here
              yield* corpus.put(other, [{ document: b, passages: [] }])
              expect(yield* exposed(2_000)).toEqual(new Set(ids([first, free])))
              yield* corpus.remove(scope, [DocumentId.make("a")])
              expect(yield* exposed(2_000)).toEqual(new Set(ids([free])))
              yield* corpus.put(
                scope,
                [a, b].map((one) => ({ document: one, passages: [] }))
              )
              expect(yield* exposed(2_000)).toEqual(new Set(ids([both, first, free])))
            })
        )
      })
    })

    describe("C23 who may read", () => {
      provide(stores)((it) => {
        it.effect("every actor, memory scope, owner and exposure gives what the table says", () =>
          Effect.gen(function* () {
            const pool = yield* SharedMemoryPool
            const scope = scopeKey("table")
            const [run, another] = [runId("table-1"), runId("table-2")]
            const held = [run, another].flatMap((id) =>
              roles.flatMap((producer) =>
                MemoryScope.literals
                  .filter((memory) => permissions[producer].write[memory])
                  .map((memory) =>
                    artifact({ scopeKey: scope, run: id, producer, scope: memory, payload: bridge(id, producer) })
                  )
              )
            )
            for (const id of [run, another])
              yield* persist(
                scope,
                id,
                held.filter((one) => one.run === id)
              )
            const seen = { allowed: 0, denied: 0 }
            for (const actor of Actor.literals)
              for (const one of held)
                for (const exposed of [[], [one]])
                  for (const operation of Operation.literals) {
                    const asked = { ...claim(actor, scope, run, exposed), operation }
                    const allowed =
                      actor !== "Controller" &&
                      (one.scope === "Private"
                        ? one.run === run && one.producer === actor
                        : exposed.length > 0 && (one.scope === "Global" || one.run === run))
                    seen[allowed ? "allowed" : "denied"]++
                    const got = yield* Effect.either(pool.read(asked, [one.id]))
                    if (allowed) expect(got).toEqual(Either.right([one]))
                    else
                      expect(Either.flip(got)).toMatchObject({
                        right: { _tag: "PermissionDenied", actor, scope: one.scope }
                      })
                  }
            expect(seen.allowed).toBeGreaterThan(50)
            expect(seen.denied).toBeGreaterThan(50)
          })
        )

        it.effect("one denied artifact refuses the whole read; unknown ids are left out; nothing changes", () =>
          Effect.gen(function* () {
            const pool = yield* SharedMemoryPool
            const scope = scopeKey("whole")
            const run = runId("whole")
            const open = artifact({ scopeKey: scope, run, payload: bridge("a", "b") })
            const secret = artifact({
              scopeKey: scope,
              run,
              payload: bridge("a", "b"),
              scope: "Private",
              producer: "Planner"
            })
            yield* persist(scope, run, [open, secret])
            const nobody = ArtifactId.make("' OR 1=1 --")
            const reader = claim("Verifier", scope, run, [open, secret])
            expect(yield* pool.read(reader, [open.id, nobody])).toEqual([open])
            expect(yield* pool.read(reader, [])).toEqual([])
            for (const asked of [
              [open.id, secret.id],
              [secret.id, open.id],
              [nobody, secret.id]
            ])
              expect(yield* Effect.flip(pool.read(reader, asked))).toMatchObject({
                _tag: "PermissionDenied",
                constraint: "Ownership",
                scope: "Private"
              })
            expect(yield* pool.count(scope)).toEqual({ Global: 1, Task: 0, Private: 1 })
            expect(yield* pool.read({ ...reader, actor: "Planner" }, [open.id, secret.id])).toEqual([open, secret])
          })
        )

        it.effect("C27 private memory is its role's in its run: nobody else's own, and the Controller has none", () =>
          Effect.gen(function* () {
            const pool = yield* SharedMemoryPool
            const scope = scopeKey("private")
            const [run, another] = [runId("private-1"), runId("private-2")]
            const notes = (id: RunId) =>
              roles.map((producer) =>
                artifact({ scopeKey: scope, run: id, producer, scope: "Private", payload: surface(producer, id) })
              )
            for (const id of [run, another])
              yield* persist(scope, id, [...notes(id), artifact({ scopeKey: scope, run: id, payload: surface(id) })])
            for (const role of roles) {
              expect(yield* pool.own(claim(role, scope, run))).toEqual(
                notes(run).filter((one) => one.producer === role)
              )
              expect(yield* pool.own(claim(role, scope, runId("private-3")))).toEqual([])
              expect(yield* pool.own(claim(role, scopeKey("private-other"), run))).toEqual([])
            }
            expect(yield* Effect.flip(pool.own(claim("Controller", scope, run)))).toMatchObject({
              _tag: "PermissionDenied",
              actor: "Controller",
              constraint: "Table"
            })
          })
        )
      })
    })

    describe("C27, L5 and pain 28: two tenants", () => {
      provide(stores)((it) => {
        it.effect("whatever another scope key holds, the same ids included, changes nothing of what one sees", () =>
          Effect.gen(function* () {
            const runtime = yield* Effect.runtime<Stores>()
            const pool = yield* SharedMemoryPool
            const words = ["red", "green", "pink", "grey"] as const
            const some = FastCheck.array(
              FastCheck.record({
                from: FastCheck.constantFrom(...words),
                to: FastCheck.constantFrom(...words),
                scope: FastCheck.constantFrom(...MemoryScope.literals),
                copied: FastCheck.boolean()
              }),
              { maxLength: 8 }
            )
            let number = 0
            const compare = (
              mine: ReadonlyArray<{ readonly from: string; readonly to: string; readonly scope: MemoryScope }>,
              theirs: ReadonlyArray<{
                readonly from: string
                readonly to: string
                readonly scope: MemoryScope
                readonly copied: boolean
              }>
            ) =>
              Effect.gen(function* () {
                const n = number++
                const [alone, shared, other] = [scopeKey(`alone-${n}`), scopeKey(`shared-${n}`), scopeKey(`other-${n}`)]
                // ids are made without the scope key here, as a careless caller would
                const of = (key: ScopeKey, run: RunId) => (one: (typeof mine)[number]) => ({
                  ...artifact({
                    scopeKey: scopeKey("x"),
                    run: runId("x"),
                    scope: one.scope,
                    payload: bridge(one.from, one.to)
                  }),
                  scopeKey: key,
                  run
                })
                // first, while nobody holds these ids
                yield* persist(alone, runId(`a-${n}`), mine.map(of(alone, runId(`a-${n}`))))
                yield* persist(other, runId(`o-${n}`), [
                  ...theirs.filter((one) => one.copied).map(of(other, runId(`o-${n}`))),
                  ...mine.map(of(other, runId(`o-${n}`)))
                ])
                yield* persist(shared, runId(`s-${n}`), mine.map(of(shared, runId(`s-${n}`))))
                yield* (yield* Journal).begin([started(runId(`o2-${n}`), other)])
                for (const terms of [["red"], ["green", "pink"], words]) {
                  const a = yield* pool.expose(alone, runId(`a-${n}`), terms, 3, 0)
                  const s = yield* pool.expose(shared, runId(`s-${n}`), terms, 3, 0)
                  expect(s).toEqual(a)
                  const asked = { ...claim("Planner", shared, runId(`s-${n}`)), exposed: s }
                  for (const one of yield* pool.read(asked, s)) expect(one.scopeKey).toBe(shared)
                  // an id of U under the wrong scope key is an id that is not there
                  const lost = yield* pool.read({ ...asked, scopeKey: scopeKey(`empty-${n}`) }, s)
                  expect(lost).toEqual([])
                }
                expect(yield* pool.count(shared)).toEqual(yield* pool.count(alone))
              })
            yield* Effect.promise(() =>
              FastCheck.assert(
                FastCheck.asyncProperty(some, some, (mine, theirs) =>
                  Runtime.runPromise(runtime)(compare(mine, theirs))
                ),
                { numRuns: 40, seed: 28 }
              )
            )
          })
        )
      })
    })
  })
}
