/** Pain 21, C33: what is pruned has gone for good, what is of use stays, and the space comes back. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { RunId } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import { openForMs, PruneReport, prune } from "../../src/programs/Prune.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { Housekeeping } from "../../src/services/Housekeeping.ts"
import { Journal } from "../../src/services/Journal.ts"
import { folder, index, kinds, scope, write } from "../support/Living.ts"
import { artifact, bridge, failed, hash, runId, stamped, started } from "../support/Runs.ts"

const day = 86_400_000
/** The clock of a test stands at 0: ages are times before that. */
const ago = (days: number): number => -days * day

/** Ends a run wherever it stands. */
const interrupted = { tag: "RunEnded", outcome: "Interrupted", reason: null } as const

const begin = Effect.fnUntraced(function* (name: string, at: number, over = true) {
  const run = runId(name)
  const token = yield* (yield* Journal).begin([
    started(run, scope, name, at),
    ...stamped(run, 1, over ? [interrupted] : [])
  ])
  return { run, token }
})
const names = Effect.gen(function* () {
  return (yield* (yield* Journal).runs(scope, { limit: 99 })).map(({ run }) => run)
})
const one = { "a.md": "# Alpha\n\nAlpha is here.\n" }
const ids = (...runs: ReadonlyArray<string>) => runs.map((run): RunId => runId(run))

describe.each(kinds)("C33 pruning, %s", (_, layer) => {
  it.effect("by age and by number; an open run is left alone for a day", () =>
    Effect.gen(function* () {
      yield* index(write(folder(), one))
      yield* begin("r40", ago(40))
      yield* begin("r20", ago(20))
      yield* begin("r10", ago(10))
      yield* begin("open10", ago(10) - 1, false)
      const { run, token } = yield* begin("open", -openForMs / 2, false)
      const dry = yield* prune({ scope, olderThanMs: 30 * day, keep: 0, dryRun: true })
      expect(dry).toMatchObject({ dryRun: true, runs: { removed: 4, kept: 1 }, freedBytes: null })
      expect((yield* names).length).toBe(5)
      const old = yield* prune({ scope, olderThanMs: 30 * day })
      expect(Schema.is(PruneReport)(old)).toBe(true)
      expect(old.runs).toEqual({ removed: 1, kept: 4, unreadable: 0 })
      expect(yield* names).toEqual(ids("open", "r10", "open10", "r20"))
      yield* prune({ scope, keep: 2 })
      expect(yield* names).toEqual(ids("open", "r10"))
      yield* prune({ scope, keep: 0 })
      expect(yield* names).toEqual(ids("open"))
      yield* (yield* Journal).commit(run, token, stamped(run, 1, [interrupted]), [])
      yield* prune({ scope, keep: 0 })
      expect(yield* Effect.flip((yield* Journal).commit(run, token, stamped(run, 2, [interrupted]), []))).toMatchObject(
        {
          _tag: "StaleWriter"
        }
      )
      expect(yield* names).toEqual([])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("artifacts that cannot be used go in any case; age and number take the rest", () =>
    Effect.gen(function* () {
      yield* index(write(folder(), one))
      const [document] = yield* (yield* CorpusStore).documents(scope)
      if (document === undefined) throw new Error("one document was indexed")
      const { run, token } = yield* begin("r", 0)
      const made = (name: string, more: Partial<Parameters<typeof artifact>[0]> = {}) =>
        artifact({ scopeKey: scope, run, payload: bridge(name, "x"), restsOn: [document.hash], createdAt: 0, ...more })
      const standing = [made("one", { createdAt: ago(3) }), made("two", { createdAt: ago(2) }), made("three")]
      const task = made("task", { payload: failed("t"), scope: "Task", producer: "Planner" })
      yield* (yield* Journal).commit(
        run,
        token,
        [],
        [...standing, task, made("outdated", { restsOn: [document.hash, hash("gone")] })]
      )
      // the journal drops what has had its days when it is written; so this one has them still
      const { run: later, token: laterToken } = yield* begin("later", ago(1))
      const short = artifact({
        scopeKey: scope,
        run: later,
        payload: bridge("short", "x"),
        createdAt: ago(1),
        expiresAt: 0
      })
      yield* (yield* Journal).commit(later, laterToken, [], [short])
      const held = Effect.map(
        Effect.flatMap(Housekeeping, (h) => h.artifacts(scope)),
        (all) => all.map(({ id }) => id).sort()
      )
      const report = yield* prune({ scope })
      expect(report.artifacts).toMatchObject({ removed: 2, kept: 4, expired: 1, outdated: 1, old: 0, surplus: 0 })
      expect(yield* held).toEqual([...standing, task].map(({ id }) => id).sort())
      expect((yield* prune({ scope, keepArtifacts: 2 })).artifacts).toMatchObject({ removed: 1, surplus: 1 })
      expect(yield* held).toEqual([...standing.slice(1), task].map(({ id }) => id).sort())
      expect((yield* prune({ scope, olderThanMs: day })).artifacts).toMatchObject({ removed: 1, old: 1 })
      expect((yield* prune({ scope, keep: 0 })).artifacts).toMatchObject({ removed: 1, orphaned: 1, kept: 1 })
      expect(yield* held).toEqual([standing[2]?.id])
    }).pipe(Effect.provide(layer()))
  )
})

describe("C33 pruning, on disk", () => {
  it.effect("runs that cannot be read go, and the file shrinks", () =>
    Effect.gen(function* () {
      const directory = folder()
      const filename = join(directory, "staterag.db")
      const open = Embedded.layer({ directory })
      yield* Effect.gen(function* () {
        yield* index(write(folder(), one))
        const long = "x".repeat(200_000)
        for (let i = 0; i < 10; i++) {
          const run = runId(`long-${i}`)
          yield* (yield* Journal).begin([
            started(run, scope, "?", ago(50)),
            ...stamped(run, 1, [{ tag: "BypassDeclined", reason: long }])
          ])
        }
        yield* begin("broken", 0)
        yield* begin("whole", 0)
      }).pipe(Effect.provide(open))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE staterag_event SET payload = '{' WHERE run = 'broken' AND sequence = 1`
      }).pipe(Effect.provide(Client.layer({ filename, create: false })))
      const before = statSync(filename).size
      const report = yield* Effect.provide(prune({ scope, olderThanMs: 30 * day }), open)
      expect(report.runs).toEqual({ removed: 11, kept: 1, unreadable: 1 })
      expect(report.freedBytes).toBeGreaterThan(1_900_000)
      expect(before - statSync(filename).size).toBeGreaterThan(1_900_000)
      expect(yield* Effect.provide(names, open)).toEqual(ids("whole"))
    })
  )
})
