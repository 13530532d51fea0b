/** What only a database in a file can get wrong: opening, other writers, damage, traces of what was forgotten. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Logger, Option, TestClock, Tracer } from "effect"
import type { ScopeKey } from "../../src/domain/Ids.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as CorpusStores from "../../src/layers/sql/CorpusStores.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { StoreError } from "../../src/services/StoreError.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { Transaction } from "../../src/services/Transaction.ts"
import { VectorStore } from "../../src/services/VectorStore.ts"
import {
  document,
  documentId,
  newScope,
  nodeId,
  passage,
  passageId,
  revision,
  single,
  smallTam,
  source
} from "../support/Corpora.ts"

const folder = mkdtempSync(join(tmpdir(), "staterag-sqlite-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
let made = 0
const fresh = (): string => join(folder, `${++made}.db`)

const open = (filename: string, create = true) =>
  CorpusStores.layer.pipe(Layer.provideMerge(Client.layer({ filename, create })))

/** The `StoreError` that `effect` fails with; anything else, a defect above all, fails the test. */
const storeError = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<StoreError, never, R> =>
  Effect.map(Effect.exit(effect), (exit) => {
    const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
    if (Option.isSome(failure) && failure.value instanceof StoreError) return failure.value
    throw new Error(`no StoreError but ${JSON.stringify(exit)}`)
  })

/** A whole small corpus under `scope`. */
const fill = (scope: ScopeKey, text: string) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    yield* corpus.put(scope, [single("a", text), single("b", `${text} too`)])
    yield* corpus.putSources(scope, [source("a.txt")])
    yield* (yield* LexicalIndex).put(
      scope,
      "Passage",
      ["a", "b"].map((id) => ({ id: `p-${id}`, title: id, body: text, document: documentId(id) }))
    )
    yield* (yield* VectorStore).put(scope, "Passage", [{ id: "p-a", vector: Float32Array.of(1, 0) }])
    yield* (yield* TamStore).replace(scope, smallTam)
    yield* corpus.setRevision(scope, revision("r"))
  })

/** Reads by every way there is. */
const walk = (scope: ScopeKey) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    yield* corpus.revision(scope)
    yield* corpus.documents(scope)
    yield* corpus.sources(scope)
    yield* corpus.document(scope, documentId("a"))
    const passages = yield* corpus.page(scope, Option.none(), 10)
    yield* corpus.passages(
      scope,
      passages.map(({ id }) => id)
    )
    const hits = yield* (yield* LexicalIndex).search(scope, "Passage", ["text", "a"], 10)
    yield* (yield* VectorStore).page(scope, "Passage", Option.none(), 10)
    const graph = yield* (yield* TamStore).load(scope)
    yield* (yield* TamStore).region(scope, nodeId("e1"))
    return { passages: passages.length, hits: hits.length, nodes: graph.nodes.size }
  })

describe("opening", () => {
  it.effect("makes folder and file for the owner alone, the side files too", () =>
    Effect.gen(function* () {
      const filename = join(folder, "deep", "deeper", "staterag.db")
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* fill(newScope(), "text")
          expect(statSync(join(folder, "deep", "deeper")).mode & 0o777).toBe(0o700)
          for (const file of [filename, `${filename}-wal`, `${filename}-shm`]) {
            expect(statSync(file).mode & 0o777).toBe(0o600)
          }
        }),
        open(filename)
      )
    })
  )

  it.effect("a file that is missing, no database, a folder, or below a file is a typed error with a reason", () =>
    Effect.gen(function* () {
      const missing = yield* storeError(Effect.provide(Effect.void, open(fresh(), false)))
      expect(missing).toMatchObject({ reason: "Unreachable", method: "Database.open" })
      expect(missing.detail).toContain("there is no database at")

      const garbage = fresh()
      writeFileSync(garbage, "this is a letter, not a database. ".repeat(500))
      const unreadable = yield* storeError(Effect.provide(Effect.void, open(garbage)))
      expect(unreadable.reason).toBe("Unreadable")
      expect(unreadable.detail).toContain(garbage)
      expect(readFileSync(garbage, "utf8")).toContain("this is a letter")

      const directory = fresh()
      mkdirSync(directory)
      for (const create of [true, false]) {
        expect((yield* storeError(Effect.provide(Effect.void, open(directory, create)))).reason).toBe("Unreachable")
        expect((yield* storeError(Effect.provide(Effect.void, open(join(garbage, "x.db"), create)))).reason).toBe(
          "Unreachable"
        )
      }
    })
  )

  it.effect("what was written is there after opening again", () =>
    Effect.gen(function* () {
      const filename = fresh()
      const scope = newScope()
      yield* Effect.provide(fill(scope, "text"), open(filename))
      const seen = yield* Effect.provide(walk(scope), open(filename, false))
      expect(seen).toEqual({ passages: 2, hits: 2, nodes: 7 })
    })
  )
})

describe("migrations", () => {
  it.effect("a database of a newer version is refused", () =>
    Effect.gen(function* () {
      const filename = fresh()
      yield* Effect.provide(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`INSERT INTO staterag_migrations (id, name) VALUES (999, 'later')`
        ),
        open(filename)
      )
      const error = yield* storeError(Effect.provide(Effect.void, open(filename)))
      expect(error).toMatchObject({ reason: "Newer", method: "Database.migrate" })
      expect(error.detail).toContain("999")
    })
  )

  it.effect("cost two statements where there is nothing to do", () =>
    Effect.gen(function* () {
      const client = Client.layer({ filename: fresh(), create: true })
      const statements: Array<string> = []
      const tracer = Tracer.make({
        span: (name, parent, context, links, startTime, kind) => {
          if (name === "sql.execute") statements.push(name)
          return {
            _tag: "Span",
            name,
            spanId: "1",
            traceId: "1",
            parent,
            context,
            status: { _tag: "Started", startTime },
            attributes: new Map(),
            links,
            sampled: true,
            kind,
            end: () => undefined,
            attribute: () => undefined,
            event: () => undefined,
            addLinks: () => undefined
          }
        },
        context: (f) => f()
      })
      yield* Effect.gen(function* () {
        yield* Migrations.run
        statements.length = 0
        yield* Migrations.run
      }).pipe(Effect.withTracer(tracer), Effect.provide(client))
      expect(statements).toHaveLength(2)
    })
  )

  it.effect("one that fails half-way leaves nothing behind", () =>
    Effect.gen(function* () {
      const filename = fresh()
      yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE staterag_vector (theirs)`),
        Client.layer({ filename, create: true })
      )
      yield* storeError(Effect.provide(Effect.void, open(filename)))
      const tables = yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT name FROM sqlite_master WHERE type = 'table'`),
        Client.layer({ filename, create: false })
      )
      expect(tables).toEqual([{ name: "staterag_vector" }])
    })
  )
})

describe("pain 37: other writers", () => {
  it.live(
    "four connections, each reading and then writing, lose no update",
    () =>
      Effect.gen(function* () {
        const filename = fresh()
        const scope = newScope()
        yield* Effect.provide(fill(scope, "text"), open(filename))
        const start = (yield* Effect.provide(
          Effect.flatMap(CorpusStore, (corpus) => corpus.revision(scope)),
          open(filename)
        )).indexedAt
        const writer = Effect.gen(function* () {
          const corpus = yield* CorpusStore
          const { atomically } = yield* Transaction
          for (let i = 0; i < 50; i++) {
            yield* atomically(
              Effect.gen(function* () {
                const before = yield* corpus.revision(scope)
                yield* Effect.sleep("1 millis")
                yield* corpus.setRevision(scope, { ...before, indexedAt: before.indexedAt + 1 })
              })
            )
          }
        })
        yield* Effect.forEach([1, 2, 3, 4], () => Effect.provide(writer, Layer.fresh(open(filename))), {
          concurrency: "unbounded",
          discard: true
        })
        const end = yield* Effect.provide(
          Effect.flatMap(CorpusStore, (corpus) => corpus.revision(scope)),
          open(filename)
        )
        expect(end.indexedAt - start).toBe(200)
      }),
    60_000
  )

  /** Runs `body` while another connection holds the write lock until `release` is done. */
  const whileLocked = <A, E, R>(filename: string, body: (release: Effect.Effect<void>) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const held = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const holder = yield* Effect.fork(
        Effect.flatMap(Transaction, ({ atomically }) =>
          atomically(Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(done)))
        ).pipe(Effect.provide(Layer.fresh(Client.layer({ filename, create: true }))))
      )
      yield* Deferred.await(held)
      const result = yield* body(Effect.asVoid(Deferred.succeed(done, undefined)))
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(holder)
      return result
    })

  it.live("a lock that is given up in time is waited for without stopping the process; reads go on", () =>
    Effect.gen(function* () {
      const filename = fresh()
      const scope = newScope()
      yield* Effect.gen(function* () {
        yield* fill(scope, "text")
        yield* whileLocked(filename, (release) =>
          Effect.gen(function* () {
            const writer = yield* Effect.fork(fill(scope, "other"))
            let ticks = 0
            for (let i = 0; i < 20; i++) {
              yield* Effect.sleep("10 millis")
              expect((yield* (yield* CorpusStore).passages(scope, [passageId("p-a")]))[0]?.text).toBe("text")
              ticks++
            }
            expect(ticks).toBe(20)
            yield* release
            yield* Fiber.join(writer)
            expect((yield* (yield* CorpusStore).passages(scope, [passageId("p-a")]))[0]?.text).toBe("other")
          })
        )
      }).pipe(Effect.provide(open(filename)))
    })
  )

  it.effect("a lock that is held for long is waited for, and that is told after five seconds, once", () =>
    Effect.gen(function* () {
      const filename = fresh()
      const scope = newScope()
      const told: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void told.push(String(message)))
      )
      yield* Effect.gen(function* () {
        yield* fill(scope, "text")
        yield* whileLocked(filename, (release) =>
          Effect.gen(function* () {
            const writer = yield* Effect.fork(fill(scope, "other"))
            for (let i = 0; i < 45; i++) yield* TestClock.adjust("100 millis")
            expect(told).toEqual([])
            for (let i = 0; i < 10; i++) yield* TestClock.adjust("100 millis")
            expect(told.join()).toMatch(/another process is writing.*waiting/)
            yield* release
            for (let i = 0; i < 50 && !(yield* Fiber.poll(writer)).pipe(Option.isSome); i++)
              yield* TestClock.adjust("100 millis")
            yield* Fiber.join(writer)
            expect(told.length).toBe(1)
          })
        )
        yield* fill(scope, "other")
        expect((yield* (yield* CorpusStore).passages(scope, [passageId("p-a")]))[0]?.text).toBe("other")
      }).pipe(Effect.provide(Layer.merge(open(filename), logger)))
    })
  )

  it.live("a transaction of one's own makes no reader wait: each sees what was committed last", () =>
    Effect.gen(function* () {
      const scope = newScope()
      const corpus = yield* CorpusStore
      const lexical = yield* LexicalIndex
      const { atomically } = yield* Transaction
      yield* fill(scope, "text")
      const written = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const writer = yield* Effect.fork(
        atomically(
          Effect.gen(function* () {
            yield* fill(scope, "other")
            // inside, what was written is there
            expect((yield* corpus.passages(scope, [passageId("p-a")]))[0]?.text).toBe("other")
            yield* Deferred.succeed(written, undefined)
            yield* Deferred.await(done)
          })
        )
      )
      yield* Deferred.await(written)
      const seen = yield* Effect.timeout(walk(scope), "5 seconds")
      expect(seen.passages).toBe(2)
      expect((yield* corpus.passages(scope, [passageId("p-a")]))[0]?.text).toBe("text")
      expect((yield* lexical.search(scope, "Passage", ["text"], 10)).length).toBe(2)
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(writer)
      expect((yield* corpus.passages(scope, [passageId("p-a")]))[0]?.text).toBe("other")
      expect((yield* lexical.search(scope, "Passage", ["text"], 10)).length).toBe(0)
    }).pipe(Effect.provide(open(fresh())))
  )

  it.live("waiting can be interrupted", () =>
    Effect.gen(function* () {
      const filename = fresh()
      const scope = newScope()
      yield* Effect.gen(function* () {
        yield* fill(scope, "text")
        yield* whileLocked(filename, () =>
          Effect.gen(function* () {
            const writer = yield* Effect.fork(fill(scope, "other"))
            yield* Effect.sleep("100 millis")
            yield* Fiber.interrupt(writer)
          })
        )
        yield* fill(scope, "third")
        expect((yield* (yield* CorpusStore).passages(scope, [passageId("p-a")]))[0]?.text).toBe("third")
      }).pipe(Effect.provide(open(filename)))
    })
  )
})

describe("a database that cannot be written", () => {
  it.effect("says so, and nothing was changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = newScope()
      yield* fill(scope, "text")
      const before = yield* walk(scope)
      yield* sql`PRAGMA query_only = ON`
      expect((yield* storeError(fill(scope, "other"))).reason).toBe("ReadOnly")
      expect((yield* storeError((yield* VectorStore).clear(scope, "Passage"))).reason).toBe("ReadOnly")
      yield* sql`PRAGMA query_only = OFF`
      expect(yield* walk(scope)).toEqual(before)
    }).pipe(Effect.provide(open(":memory:")))
  )

  it.effect("a full disk is Full, and nothing was changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const corpus = yield* CorpusStore
      const scope = newScope()
      yield* fill(scope, "text")
      const before = yield* walk(scope)
      const pages = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
      yield* sql.unsafe(`PRAGMA max_page_count = ${(pages[0]?.page_count ?? 0) + 4}`)
      const big = document("big", "x".repeat(400_000))
      const error = yield* storeError(corpus.put(scope, [{ document: big, passages: [passage("p-big", big, 0, 9)] }]))
      expect(error).toMatchObject({ reason: "Full", method: "CorpusStore.put" })
      expect(yield* walk(scope)).toEqual(before)
      yield* sql`PRAGMA max_page_count = 1000000`
      yield* corpus.put(scope, [{ document: big, passages: [] }])
    }).pipe(Effect.provide(open(fresh())))
  )
})

describe("damage", () => {
  const cases: ReadonlyArray<readonly [damage: string, table: string, id: string]> = [
    ["UPDATE staterag_passage SET tokens = 'many' WHERE id = 'p-a'", "staterag_passage", "p-a"],
    ["UPDATE staterag_passage SET headings = '[1' WHERE id = 'p-b'", "staterag_passage", "p-b"],
    ["UPDATE staterag_passage SET finish = 9999 WHERE id = 'p-b'", "staterag_passage", "p-b"],
    ["UPDATE staterag_text SET text = '' WHERE start = 0", "staterag_document", "a"],
    ["DELETE FROM staterag_text", "staterag_document", "a"],
    ["UPDATE staterag_document SET format = 'pdf' WHERE id = 'a'", "staterag_document", "a"],
    ["UPDATE staterag_document SET hash = 'x' WHERE id = 'a'", "staterag_document", "a"],
    ["UPDATE staterag_source SET bytes = -1", "staterag_source", "a.txt"],
    ["UPDATE staterag_scope SET dimensions = 'x'", "staterag_scope", "r"],
    ["UPDATE staterag_vector SET vector = x'0000'", "staterag_vector", "p-a"],
    ["UPDATE staterag_vector SET vector = 'text'", "staterag_vector", "p-a"],
    ["UPDATE staterag_node SET type = 'Leaf' WHERE id = 't1'", "staterag_node", "t1"],
    ["UPDATE staterag_node SET id = '' WHERE id = 't1'", "staterag_node", ""],
    ["UPDATE staterag_region SET anchors = '{}'", "staterag_region", "e1"],
    ["UPDATE staterag_entry SET id = x'00' WHERE id = 'p-a'", "staterag_entry", "row of 1"]
  ]
  for (const [damage, table, id] of cases) {
    it.effect(damage, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const scope = newScope()
        yield* fill(scope, "text")
        // what stands in a row of the word index is kept from one reading to the next
        if (table !== "staterag_entry") yield* walk(scope)
        yield* sql.unsafe(damage)
        const error = yield* storeError(walk(scope))
        expect(error.reason).toBe("Unreadable")
        expect(error.detail).toContain(table)
        expect(error.detail).toContain(id)
      }).pipe(Effect.provide(open(":memory:")))
    )
  }

  it.effect("a missing table is Unreadable", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = newScope()
      yield* fill(scope, "text")
      yield* sql`DROP TABLE staterag_vector`
      expect((yield* storeError((yield* VectorStore).count(scope, "Passage"))).reason).toBe("Unreadable")
    }).pipe(Effect.provide(open(":memory:")))
  )

  it.effect(
    "flipped bytes anywhere in the file are a typed error or do no harm, never a defect",
    () =>
      Effect.gen(function* () {
        const filename = fresh()
        const scope = newScope()
        yield* Effect.provide(
          Effect.zipRight(
            fill(scope, "text"),
            Effect.flatMap(SqlClient.SqlClient, (sql) => sql`PRAGMA wal_checkpoint(TRUNCATE)`)
          ),
          open(filename)
        )
        const whole = readFileSync(filename)
        const seen = { sound: 0, damaged: 0 }
        for (let i = 0; i < 60; i++) {
          const damaged = Buffer.from(whole)
          const at = Math.floor((whole.length / 60) * i)
          for (let k = 0; k < 200 && at + k < whole.length; k++) damaged[at + k] = (damaged[at + k] ?? 0) ^ 0xa5
          const copy = fresh()
          writeFileSync(copy, i % 10 === 9 ? whole.subarray(0, at) : damaged)
          const exit = yield* Effect.exit(Effect.provide(walk(scope), open(copy)))
          if (Exit.isSuccess(exit)) seen.sound++
          else {
            const failure = Cause.failureOption(exit.cause)
            expect(Option.isSome(failure)).toBe(true)
            seen.damaged++
          }
        }
        expect(seen.damaged).toBeGreaterThan(5)
        expect(seen.sound).toBeGreaterThan(5)
      }),
    60_000
  )
})

describe("pain 31: what is forgotten", () => {
  it.effect("leaves no byte in the file: not in a table, not in the word index, not in a free page", () =>
    Effect.gen(function* () {
      const filename = fresh()
      const scope = newScope()
      const secret = "xyzzyqqq"
      const holds = () => [filename, `${filename}-wal`].some((file) => readFileSync(file).includes(secret))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const corpus = yield* CorpusStore
        const lexical = yield* LexicalIndex
        const keep = Array.from({ length: 200 }, (_, i) => single(`keep${i}`, `ordinary words number ${i}`))
        const forget = Array.from({ length: 50 }, (_, i) =>
          single(`${secret}${i}`, `the ${secret} of ${i} ${"pad ".repeat(i * 10)}`)
        )
        const all = [...keep, ...forget]
        yield* corpus.put(scope, all)
        yield* corpus.putSources(
          scope,
          all.map(({ document: { id } }) => source(id))
        )
        const entries = all.map(({ document: { id, text, title }, passages }) => ({
          id: passages[0]?.id ?? "",
          title,
          body: text,
          document: id
        }))
        for (let i = 0; i < entries.length; i += 20) yield* lexical.put(scope, "Passage", entries.slice(i, i + 20))
        yield* (yield* VectorStore).put(
          scope,
          "Passage",
          entries.map(({ id }) => ({ id, vector: Float32Array.of(1) }))
        )
        yield* (yield* TamStore).replace(scope, {
          ...smallTam,
          nodes: smallTam.nodes.map((node) => (node.id === "e1" ? { ...node, abstraction: `about ${secret}` } : node)),
          links: all.map(({ passages }) => ({
            from: passageId("p-a"),
            to: passages[0]?.id ?? passageId("p-a"),
            weight: 1
          }))
        })
        yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
        expect(holds()).toBe(true)

        const ids = forget.map(({ document: { id } }) => id)
        const gone = yield* corpus.remove(scope, ids)
        yield* corpus.removeSources(scope, ids)
        yield* lexical.remove(scope, "Passage", gone)
        yield* lexical.compact(scope)
        yield* (yield* VectorStore).remove(scope, "Passage", gone)
        yield* (yield* TamStore).replace(scope, smallTam)
        yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
        expect(holds()).toBe(false)
        expect(yield* corpus.counts(scope)).toEqual({ documents: 200, passages: 200 })
        expect((yield* lexical.frequencies(scope, [secret, "ordinary"])).passages).toBe(200)
      }).pipe(Effect.provide(open(filename)))
    })
  )
})
