/** Journal and shared memory pool on both kinds of store, and what only SQLite can get wrong. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { describe, expect, it, layer as provide } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { DocumentId, PassageId, type RunId, type ScopeKey } from "../../src/domain/Ids.ts"
import * as CorpusStoreMemory from "../../src/layers/memory/CorpusStoreMemory.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as RunStoresMemory from "../../src/layers/memory/RunStores.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as CorpusStoreSql from "../../src/layers/sql/CorpusStoreSql.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import * as ModelCacheSql from "../../src/layers/sql/ModelCacheSql.ts"
import * as RunStoresSql from "../../src/layers/sql/RunStores.ts"
import * as TransactionSql from "../../src/layers/sql/TransactionSql.ts"
import { Housekeeping } from "../../src/services/Housekeeping.ts"
import { Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import * as HousekeepingContract from "../contracts/Housekeeping.contract.ts"
import * as JournalContract from "../contracts/Journal.contract.ts"
import * as CacheContract from "../contracts/ModelCache.contract.ts"
import * as PoolContract from "../contracts/SharedMemoryPool.contract.ts"
import { artifact, bridge, cycle, ended, hash, runId, scopeKey, stamped, started } from "../support/Runs.ts"

const memory = RunStoresMemory.layerWithCache.pipe(
  Layer.provideMerge(CorpusStoreMemory.layer),
  Layer.provideMerge(Memory.transaction),
  Layer.provideMerge(Memory.layer)
)
const stores = Layer.mergeAll(RunStoresSql.layer, CorpusStoreSql.layer, ModelCacheSql.layer).pipe(
  Layer.provideMerge(Migrations.layer)
)
const database = (filename: string) => stores.pipe(Layer.provideMerge(Client.layer({ filename, create: true })))
/** An application's own database: foreign keys off, column names rewritten. */
const application = stores.pipe(
  Layer.provideMerge(Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA foreign_keys = OFF`))),
  Layer.provideMerge(TransactionSql.layer),
  Layer.provideMerge(SqliteClient.layer({ filename: ":memory:", transformResultNames: (name) => name.toUpperCase() }))
)

const folder = mkdtempSync(join(tmpdir(), "staterag-runs-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const file = (name: string): string => join(folder, `${name}.db`)

let opened = 0
for (const contract of [
  JournalContract.contract,
  PoolContract.contract,
  HousekeepingContract.contract,
  CacheContract.contract
]) {
  contract("in memory", memory)
  contract("in SQLite", database(":memory:"))
  contract(
    "in a file",
    Layer.suspend(() => database(file(`contract-${++opened}`)))
  )
  contract("in an application's database", application)
}
/** All rows of the run side, so that "nothing was written" can be said of every table. */
const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = ["run", "event", "evidence", "model_call", "artifact", "artifact_key", "artifact_rest"]
  return yield* Effect.forEach(tables, (table) => sql`SELECT * FROM ${sql(`staterag_${table}`)}`)
})
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

describe("C24 all or nothing: a statement that fails in the middle of a commit leaves every table as it was", () => {
  provide(database(":memory:"))((it) => {
    for (const [table, column] of [
      ["staterag_event", "sequence = 2"],
      ["staterag_artifact", "kind = 'Bridge'"],
      ["staterag_artifact_key", "key = 'south'"],
      ["staterag_artifact_rest", `hash = '${hash("b")}'`]
    ] as const)
      it.effect(`at ${table}`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const journal = yield* Journal
          const [scope, run] = [scopeKey("middle"), runId(`middle-${table}`)]
          const token = yield* journal.begin([started(run, scope)])
          const before = yield* everything
          const made = artifact({
            scopeKey: scope,
            run,
            payload: bridge("north", "south"),
            restsOn: [hash("a"), hash("b")]
          })
          const commit = journal.commit(run, token, stamped(run, 1, cycle), [made])
          yield* sql.unsafe(
            `CREATE TEMP TRIGGER broken BEFORE INSERT ON ${table} WHEN NEW.${column} BEGIN SELECT RAISE(ABORT, 'disk on fire'); END`
          )
          const error = yield* Effect.flip(commit)
          yield* sql`DROP TRIGGER broken`
          expect(error).toMatchObject({ _tag: "StoreError", method: "Journal.commit" })
          expect(textOf(error)).toContain("disk on fire")
          expect(yield* everything).toEqual(before)
          yield* commit
          expect((yield* journal.events(scope, run)).length).toBe(3)
          yield* sql`DELETE FROM staterag_artifact`
        })
      )

    it.effect("keys and hashes go with their artifact", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM staterag_artifact`
        expect(yield* sql`SELECT * FROM staterag_artifact_key`).toEqual([])
        expect(yield* sql`SELECT * FROM staterag_artifact_rest`).toEqual([])
      })
    )
  })
})

describe("pain 21 what evidence says stands once", () => {
  const item = (text: string, score: number) => ({
    passage: PassageId.make("p"),
    document: DocumentId.make("d"),
    title: "t",
    start: 0,
    end: text.length,
    line: 1,
    text,
    score,
    cycle: 0
  })
  const run = (name: string, scope: ScopeKey, ...texts: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const id = runId(name)
      const evidence = texts.map((text, n) => item(text, n))
      const [initial, , selected] = stamped(id, 1, [
        { tag: "EvidenceInitialized", evidence },
        { tag: "BypassMatched", reason: "r", evidence },
        { tag: "EvidenceSelected", branch: "Bypass", evidence }
      ])
      const first = started(id, scope)
      if (initial === undefined || selected === undefined) return yield* Effect.dieMessage("there are three")
      const token = yield* journal.begin([first, initial])
      const then = { ...selected, sequence: 2 }
      yield* journal.commit(id, token, [then], [])
      return [first, initial, then]
    })
  const held = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ scope: string; item: string }>`SELECT scope, item FROM staterag_evidence`
    return rows.map(({ item, scope }) => `${scope} ${JSON.parse(item)[6]}`).sort()
  })

  provide(database(":memory:"))((it) => {
    it.effect("in a scope, for as long as a run of it quotes it (C27)", () =>
      Effect.gen(function* () {
        const [ours, theirs] = [scopeKey("ours"), scopeKey("theirs")]
        const journal = yield* Journal
        const housekeeping = yield* Housekeeping
        yield* run("one", ours, "alpha", "beta")
        const two = yield* run("two", ours, "beta", "gamma")
        const three = yield* run("three", theirs, "beta")
        expect(yield* held).toEqual(["ours alpha", "ours beta", "ours gamma", "theirs beta"])
        yield* housekeeping.removeRuns(ours, [runId("one"), runId("three")])
        expect(yield* held).toEqual(["ours beta", "ours gamma", "theirs beta"])
        expect(yield* journal.events(ours, runId("two"))).toEqual(two)
        expect(yield* journal.events(theirs, runId("three"))).toEqual(three)
        const buried = two.flatMap((event) => ("evidence" in event ? [{ ...event, evidence: [item("gone", 0)] }] : []))
        yield* housekeeping.rewrite(ours, runId("two"), buried)
        expect((yield* journal.events(ours, runId("two"))).slice(1)).toEqual(buried)
        yield* housekeeping.fence(ours)
        expect(yield* held).toEqual(["ours gone", "theirs beta"])
        yield* housekeeping.removeRuns(ours, [runId("two")])
        yield* housekeeping.removeRuns(theirs, [runId("three")])
        expect(yield* held).toEqual([])
      })
    )

    it.effect("a run that is damaged keeps nobody from sweeping", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const scope = scopeKey("torn")
        const journal = yield* Journal
        yield* run("torn", scope, "alpha")
        const whole = yield* run("whole", scope, "beta")
        yield* sql`UPDATE staterag_event SET payload = '{' WHERE run = 'torn'`
        yield* (yield* Housekeeping).fence(scope)
        expect(yield* held).toEqual(["torn beta"])
        expect(yield* journal.events(scope, runId("whole"))).toEqual(whole)
        expect((yield* Effect.flip(journal.events(scope, runId("torn"))))._tag).toBe("StoreError")
      })
    )
  })
})

describe("C30 old journals decode", () => {
  /** Written by version 1; the last has a property that this version does not know. */
  const versionOne = [
    `{"run":"old","sequence":0,"at":1,"version":1,"cycle":0,"tag":"RunStarted","question":"Who?","scope":"old","policy":{"maxCycles":2},"policyHash":"p","corpusRevision":"r","versions":{"staterag":"0.1.0"}}`,
    `{"run":"old","sequence":1,"at":2,"version":1,"cycle":0,"tag":"EvidenceInitialized","evidence":[{"passage":"p","document":"d","title":"t","start":0,"end":1,"line":1,"text":"x","score":1,"cycle":0}]}`,
    `{"run":"old","sequence":2,"at":3,"version":1,"cycle":0,"tag":"BypassDeclined","reason":"no entity"}`,
    `{"run":"old","sequence":3,"at":4,"version":1,"cycle":1,"tag":"CycleStarted"}`,
    `{"run":"old","sequence":4,"at":5,"version":1,"cycle":1,"tag":"StageFailed","stage":"Navigator","cause":{"_tag":"RequiredUpdateFailure","reason":"no trace"}}`,
    `{"run":"old","sequence":5,"at":6,"version":1,"cycle":1,"tag":"RunEnded","outcome":"Incomplete","reason":{"stage":"Navigator","cause":{"_tag":"RequiredUpdateFailure","reason":"no trace"}},"mood":"blue"}`
  ]
  const store = (lines: ReadonlyArray<string>, run: RunId, scope: ScopeKey) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO staterag_run (run, scope, question, started_at, token, events) VALUES (${run}, ${scope}, 'Who?', 1, 1, ${lines.length})`
      for (const [sequence, payload] of lines.entries())
        yield* sql`INSERT INTO staterag_event (run, sequence, tag, at, payload) VALUES (${run}, ${sequence}, '', 0, ${payload})`
    })

  provide(database(":memory:"))((it) => {
    it.effect("unknown properties are ignored, absent policies take their default", () =>
      Effect.gen(function* () {
        yield* store(versionOne, runId("old"), scopeKey("old"))
        const events = yield* (yield* Journal).events(scopeKey("old"), runId("old"))
        expect(events.map((event) => event.tag)).toEqual([
          "RunStarted",
          "EvidenceInitialized",
          "BypassDeclined",
          "CycleStarted",
          "StageFailed",
          "RunEnded"
        ])
        expect(events[0]).toMatchObject({ policy: { maxCycles: 2, evidenceTokens: 2048 } })
        expect(events[5]).not.toHaveProperty("mood")
      })
    )

    it.effect("a row that does not decode, is missing or out of place is Unreadable and named", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const sql = yield* SqlClient.SqlClient
        const damaged: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
          ["cut", versionOne.map((line, i) => (i === 3 ? line.slice(0, 40) : line)), /run cut, event 3/],
          ["tag", versionOne.map((line) => line.replace("CycleStarted", "CycleDreamt")), /run tag, event 3/],
          ["gap", versionOne.map((line) => line.replace(`"sequence":4`, `"sequence":9`)), /run gap: event 9/]
        ]
        for (const [name, lines, named] of damaged) {
          yield* store(
            lines.map((line) => line.replace(`"old"`, `"${name}"`)),
            runId(name),
            scopeKey("damaged")
          )
          const error = yield* Effect.flip(journal.events(scopeKey("damaged"), runId(name)))
          expect(error).toMatchObject({ _tag: "StoreError", reason: "Unreadable" })
          expect(textOf(error)).toMatch(named)
        }
        yield* sql`DELETE FROM staterag_event WHERE run = 'old' AND sequence = 5`
        expect(textOf(yield* Effect.flip(journal.events(scopeKey("old"), runId("old"))))).toMatch(
          /6 events were written, 5/
        )
      })
    )

    it.effect("an artifact that does not decode is Unreadable and named", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [scope, run] = [scopeKey("worn"), runId("worn")]
        const journal = yield* Journal
        const made = artifact({ scopeKey: scope, run, payload: bridge("a", "b") })
        yield* journal.commit(run, yield* journal.begin([started(run, scope)]), [], [made])
        yield* sql`UPDATE staterag_artifact SET payload = '{"kind":"Answer","text":"42"}'`
        const claim = { actor: "Planner", operation: "read", scopeKey: scope, run, exposed: [made.id] } as const
        const error = yield* Effect.flip((yield* SharedMemoryPool).read(claim, [made.id]))
        expect(error).toMatchObject({ _tag: "StoreError", reason: "Unreadable" })
        expect(textOf(error)).toContain(made.id)
      })
    )
  })
})

describe("C30 and pain 17, 37: two connections on one file", () => {
  const pair = (filename: string) =>
    Effect.map(
      Effect.all([Layer.build(database(filename)), Layer.build(database(filename))]),
      ([a, b]) => [Context.get(a, Journal), Context.get(b, Journal)] as const
    )

  it.scoped("the one that takes over makes the other stale, whichever writes first", () =>
    Effect.gen(function* () {
      const [a, b] = yield* pair(file("fencing"))
      const [scope, run] = [scopeKey("two"), runId("two")]
      const first = yield* a.begin([started(run, scope)])
      yield* a.commit(run, first, stamped(run, 1, cycle), [])
      const second = yield* b.takeOver(run)
      const made = artifact({ scopeKey: scope, run, payload: bridge("a", "b") })
      expect(yield* Effect.flip(a.commit(run, first, stamped(run, 3, cycle), [made]))).toMatchObject({
        _tag: "StaleWriter"
      })
      yield* b.commit(run, second, stamped(run, 3, cycle), [])
      const third = yield* a.takeOver(run)
      expect(yield* Effect.flip(b.commit(run, second, stamped(run, 5, cycle), []))).toMatchObject({
        _tag: "StaleWriter"
      })
      yield* a.commit(run, third, stamped(run, 5, [ended("Release")]), [])
      expect((yield* b.events(scope, run)).map((event) => event.sequence)).toEqual([0, 1, 2, 3, 4, 5])
    })
  )

  it.scopedLive("writers at once: no commit is lost, none fails because the other was writing", () =>
    Effect.gen(function* () {
      const journals = yield* pair(file("crowd"))
      const scope = scopeKey("crowd")
      yield* Effect.forEach(
        Array.from({ length: 8 }, (_, writer) => writer),
        (writer) =>
          Effect.gen(function* () {
            const journal = journals[writer % 2 === 0 ? 0 : 1]
            const run = runId(`crowd-${writer}`)
            const token = yield* journal.begin([started(run, scope)])
            for (let i = 0; i < 25; i++) {
              yield* journal.commit(run, token, stamped(run, 1 + 2 * i, cycle), [])
              yield* Effect.yieldNow()
            }
          }),
        { concurrency: "unbounded" }
      )
      const runs = yield* journals[0].runs(scope, { limit: 99 })
      expect(runs.map((run) => run.cycles)).toEqual(Array.from({ length: 8 }, () => 25))
    })
  )

  it.scopedLive("writers of one run at once: each commit has one winner, and the journal has no fork", () =>
    Effect.gen(function* () {
      const journals = yield* pair(file("race"))
      const [scope, run] = [scopeKey("race"), runId("race")]
      yield* journals[0].begin([started(run, scope)])
      const won = yield* Effect.forEach(
        [0, 1, 2, 3],
        (writer) =>
          Effect.gen(function* () {
            const journal = journals[writer % 2 === 0 ? 0 : 1]
            let count = 0
            for (let i = 0; i < 20; i++) {
              const token = yield* journal.takeOver(run)
              const held = yield* journal.events(scope, run)
              yield* Effect.yieldNow()
              const events = stamped(run, held.length, [{ tag: "BypassDeclined", reason: `${writer} ${i}` }])
              count += yield* Effect.match(journal.commit(run, token, events, []), {
                onSuccess: () => 1,
                onFailure: (error) => {
                  expect(error._tag).toBe("StaleWriter")
                  return 0
                }
              })
            }
            return count
          }),
        { concurrency: "unbounded" }
      )
      const events = yield* journals[1].events(scope, run)
      expect(events.length).toBe(1 + won.reduce((sum, count) => sum + count, 0))
      expect(events.map((event) => event.sequence)).toEqual(events.map((_, i) => i))
    })
  )
})

describe("pain 21: many runs", () => {
  provide(Layer.suspend(() => database(file("many"))))((it) => {
    it.effect("500 runs leave the heap flat", () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const pool = yield* SharedMemoryPool
        const scope = scopeKey("many")
        setFlagsFromString("--expose-gc")
        const collect = runInNewContext("gc") as () => void
        const one = Effect.fnUntraced(function* (i: number) {
          const run = runId(`many-${i}`)
          const token = yield* journal.begin([started(run, scope, "x".repeat(2_000))])
          const made = artifact({ scopeKey: scope, run, payload: bridge(`from ${i}`, `to ${i}`) })
          yield* journal.commit(run, token, stamped(run, 1, [...cycle, ended("Incomplete")]), [made])
          yield* pool.expose(scope, run, ["from"], 16, 0)
          yield* journal.events(scope, run)
        })
        const heap = () => {
          collect()
          return process.memoryUsage().heapUsed
        }
        for (let i = 0; i < 150; i++) yield* one(i)
        const before = heap()
        for (let i = 150; i < 650; i++) yield* one(i)
        expect(heap() - before).toBeLessThan(3_000_000)
      })
    )
  })
})
