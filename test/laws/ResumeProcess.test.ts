/** C24, C30 in earnest: processes of their own over one database file; one is killed with SIGKILL, two go on with one run. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, Either, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fold } from "../../src/domain/Run.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import * as RunStores from "../../src/layers/sql/RunStores.ts"
import { Journal } from "../../src/services/Journal.ts"
import { bundle } from "../support/Bundle.ts"
import { scope } from "../support/WorldRun.ts"

const folder = mkdtempSync(join(tmpdir(), "staterag-resume-"))
let program = ""
beforeAll(async () => {
  program = await bundle("asker.ts")
}, 120_000)
const children: Array<ChildProcess> = []
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

interface End {
  readonly run?: string
  readonly failed?: string
  readonly usage?: { readonly calls: number; readonly money: number }
  readonly reading?: unknown
  readonly calls: number
}

/** A process whose model answers call after call, until `stopAt`; there it waits. */
const started = (args: ReadonlyArray<string>, stopAt = Number.POSITIVE_INFINITY) => {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] })
  children.push(child)
  const go = () => child.stdin?.write("go\n")
  let arrive: () => void = () => undefined
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  let end: End | undefined
  let free = false
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => {
      const call = /^call (\d+)$/.exec(line)
      if (call === null) end = JSON.parse(line)
      else if (free || Number(call[1]) < stopAt) go()
      else arrive()
    })
  const ended = new Promise<End | undefined>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", () => resolve(end))
  })
  const letGo = () => {
    free = true
    go()
  }
  return { child, arrived, ended, letGo }
}

const left = (filename: string) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const journal = yield* Journal
      const [summary] = yield* journal.runs(scope, { limit: 1 })
      if (summary === undefined) return yield* Effect.dieMessage("a run leaves a journal")
      const events = yield* journal.events(scope, summary.run)
      return { summary, events, calls: yield* journal.calls(scope, summary.run) }
    }).pipe(
      Effect.provide(
        RunStores.layer.pipe(Layer.provide(Migrations.layer), Layer.provide(Client.layer({ filename, create: false })))
      )
    )
  )

describe("C30 a process that is killed in the middle of a model call", () => {
  it("is gone on with by another: the same answer and bill, for one call more", async () => {
    const whole = await started(["ask", join(folder, "whole.db")]).ended
    expect(whole?.usage?.calls).toBe(whole?.calls)
    for (const stopAt of [2, 9, whole?.calls ?? 0]) {
      const filename = join(folder, `killed-${stopAt}.db`)
      const first = started(["ask", filename], stopAt)
      await first.arrived
      first.child.kill("SIGKILL")
      expect(await first.ended).toBeUndefined()
      const { calls, summary } = await left(filename)
      expect([summary.outcome, calls.length]).toEqual([null, stopAt - 1])
      const end = await started(["resume", filename, summary.run]).ended
      expect({ ...end, run: "", calls: 0 }).toEqual({ ...whole, run: "", calls: 0 })
      expect(stopAt + (end?.calls ?? 0)).toBe((whole?.calls ?? 0) + 1)
      const after = await left(filename)
      expect(after.summary.outcome).toBe("Release")
      expect(Either.isRight(fold(after.events))).toBe(true)
      expect(after.calls.length).toBe(whole?.calls)
    }
  }, 120_000)
})

describe("C24, C30, pain 17 two processes at one run", () => {
  const wholeEnd = async (filename: string, end: End | undefined) => {
    const after = await left(filename)
    expect(after.summary.outcome).toBe("Release")
    expect(after.events.filter(({ tag }) => tag === "RunEnded").length).toBe(1)
    expect(after.events.filter(({ tag }) => tag === "ReaderAdmitted").length).toBe(1)
    expect(end?.usage?.calls).toBe(after.calls.length)
    return after
  }

  it("a run that another process still asks is left to it: nothing is asked and nothing is paid for twice", async () => {
    const filename = join(folder, "alive.db")
    const first = started(["ask", filename], 9)
    await first.arrived
    const { summary } = await left(filename)
    const resume = ["resume", filename, summary.run]
    expect(await started(resume).ended).toEqual({ failed: "StaleWriter", calls: 0 })
    first.letGo()
    const end = await first.ended
    const after = await wholeEnd(filename, end)
    expect(end?.calls).toBe(after.calls.length)
    // of what has ended, whoever asked it is no matter
    expect((await started(resume).ended)?.usage).toEqual(end?.usage)
  }, 120_000)

  it("two that go on with one run: one ends it, the other is a StaleWriter; there is one end and one bill", async () => {
    const filename = join(folder, "two.db")
    const first = started(["ask", filename], 9)
    await first.arrived
    first.child.kill("SIGKILL")
    await first.ended
    const { calls, summary } = await left(filename)
    const resume = ["resume", filename, summary.run]
    const both = [started(resume, 1), started(resume, 1)]
    // one is in a model call; the other ends meanwhile
    await Promise.race(both.map(({ arrived }) => arrived))
    await Promise.race(both.map(({ ended }) => ended))
    for (const { letGo } of both) letGo()
    const ends = await Promise.all(both.map(({ ended }) => ended))
    expect(ends.map((end) => end?.failed ?? "ended").sort()).toEqual(["StaleWriter", "ended"])
    const after = await wholeEnd(
      filename,
      ends.find((end) => end?.failed === undefined)
    )
    expect(ends.reduce((sum, end) => sum + (end?.calls ?? 0), calls.length)).toBe(after.calls.length)
  }, 120_000)
})
