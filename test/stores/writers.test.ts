/** C24, C30 which process asks a run: told from every other, and not taken over while it is there. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { hostname } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as WritersNode from "../../src/layers/platform/WritersNode.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import * as RunStores from "../../src/layers/sql/RunStores.ts"
import { Journal } from "../../src/services/Journal.ts"
import { Writers } from "../../src/services/Writers.ts"
import { ended, runId, scopeKey, stamped, started } from "../support/Runs.ts"

const seenBy = (own: string, there: ReadonlyArray<string>) =>
  Layer.succeed(Writers, { own, isThere: (writer) => Effect.succeed(there.includes(writer)) })

describe("a run that another process asks", () => {
  const database = Layer.provideMerge(Migrations.layer, Client.layer({ filename: ":memory:", create: true }))
  const journalOf = (own: string, there: ReadonlyArray<string>) =>
    Effect.provide(Journal, Layer.provide(RunStores.layer, seenBy(own, there)))
  const scope = scopeKey("default")

  it.effect("is not taken over while that is there, but by itself, or where it has ended, was left, or is gone", () =>
    Effect.gen(function* () {
      const one = yield* journalOf("m 1 1", [])
      const other = yield* journalOf("m 2 1", ["m 1 1"])
      const third = yield* journalOf("m 3 1", ["m 2 1"])
      const run = runId("run")
      const first = yield* one.begin([started(run, scope)])
      const refused = yield* Effect.flip(other.takeOver(run))
      expect(refused).toMatchObject({ _tag: "StaleWriter", run, token: first, writer: "m 1 1" })
      expect(refused.message).toContain("process 1 of m")
      // nothing was written: its writer goes on
      yield* one.commit(run, first, stamped(run, 1, [{ tag: "BypassDeclined", reason: "no" }]), [])
      const again = yield* one.takeOver(run)
      // a stale token leaves nothing
      yield* one.leave(run, first)
      expect(yield* Effect.flip(other.takeOver(run))).toMatchObject({ token: again })
      yield* one.leave(run, again)
      const taken = yield* other.takeOver(run)
      expect(yield* Effect.flip(third.takeOver(run))).toMatchObject({ writer: "m 2 1" })
      // of the process that is gone
      const last = yield* one.takeOver(run)
      expect(last).toBeGreaterThan(taken)
      yield* one.commit(run, last, stamped(run, 2, [ended("Incomplete")]), [])
      expect(yield* other.takeOver(run)).toBeGreaterThan(last)
    }).pipe(Effect.provide(database))
  )
})

describe("a process", () => {
  const sleeper = (): ChildProcess =>
    spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "inherit"] })
  const isThere = (writer: string) => Effect.flatMap(Writers, (writers) => writers.isThere(writer))
  const fields = Effect.map(Writers, ({ own }) => own.split(" "))

  it.live("is there until it is killed; a later one of its id, and another machine's, are others", () =>
    Effect.gen(function* () {
      const child = sleeper()
      yield* Effect.promise(() => once(child, "spawn"))
      const start = yield* Effect.promise(async () => {
        const { readFile } = await import("node:fs/promises")
        const stat = await readFile(`/proc/${child.pid}/stat`, "latin1").catch(() => "")
        return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
      })
      const writer = `${hostname()} ${child.pid} ${start}`
      expect(yield* isThere(writer)).toBe(true)
      expect(yield* isThere(`${hostname()} ${child.pid} 1`)).toBe(false)
      expect(yield* isThere(`elsewhere ${child.pid} ${start}`)).toBe(false)
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "exit"))
      expect(yield* isThere(writer)).toBe(false)
    }).pipe(Effect.provide(WritersNode.layer))
  )

  it.effect("is no other than itself, and no text that is no writer is there", () =>
    Effect.gen(function* () {
      const [machine, pid] = yield* fields
      expect([machine, pid]).toEqual([hostname(), String(process.pid)])
      for (const writer of [(yield* Writers).own, "", "a", `${hostname()} 0 `, `${hostname()} -1 `])
        expect(yield* isThere(writer), writer).toBe(false)
    }).pipe(Effect.provide(WritersNode.layer))
  )
})
