/** `index --watch`: every change is indexed, none is lost, and whatever ends it leaves a whole index. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, Queue, TestClock } from "effect"
import { beforeAll } from "vitest"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Testing from "../../src/layers/Testing.ts"
import type { IndexReport } from "../../src/programs/IndexCorpus.ts"
import { type Round, watchCorpus } from "../../src/programs/WatchCorpus.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { SourceFiles } from "../../src/services/SourceFiles.ts"
import { StoreError } from "../../src/services/StoreError.ts"
import { Transaction } from "../../src/services/Transaction.ts"
import { build, command } from "../support/Command.ts"
import { folder, index, portrait, scope, write } from "../support/Living.ts"

const two = { "a.md": "# Alpha\n\nAlpha is old.\n", "b.md": "# Beta\n\nBeta is old.\n" }

/** Follows `root`; changes are told by `change`, and rounds come out of `next`. */
const following = (root: string) =>
  Effect.gen(function* () {
    const files = yield* SourceFiles
    const changes = yield* Queue.unbounded<void>()
    const rounds = yield* Queue.unbounded<Round>()
    const fiber = yield* watchCorpus({ scope, paths: [root] }, (round) => rounds.offer(round)).pipe(
      Effect.provideService(SourceFiles, { ...files, watch: () => Effect.succeed(changes.take) }),
      Effect.fork
    )
    const next = Effect.map(
      rounds.take,
      Either.map(({ documents: { added, changed, removed, skipped } }: IndexReport) => ({
        added,
        changed,
        removed,
        skipped: skipped.map(({ path }) => path)
      }))
    )
    return { fiber, next, rounds, change: changes.offer(undefined) }
  })

/** Time passes until something is told. */
const until = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, Effect.forever(Effect.zipRight(TestClock.adjust("100 millis"), Effect.yieldNow())))

describe("following files", () => {
  it.effect("tells the first run, and each that changed something; what changes nothing is not told", () =>
    Effect.gen(function* () {
      const root = write(folder(), two)
      const { change, fiber, next, rounds } = yield* following(root)
      expect(yield* until(next)).toEqual(Either.right({ added: 2, changed: 0, removed: 0, skipped: [] }))
      yield* change
      write(root, { "b.md": "# Beta\n\nBeta is new.\n", "c/d.md": "# Delta\n\nDelta came.\n" })
      fs.rmSync(join(root, "a.md"))
      yield* change
      expect(yield* until(next)).toEqual(Either.right({ added: 1, changed: 1, removed: 1, skipped: [] }))
      write(root, { "blank.md": " \n" })
      yield* change
      const skipped = yield* until(next)
      expect(skipped.pipe(Either.map((round) => round.skipped))).toEqual(Either.right(["blank.md"]))
      yield* change
      yield* change
      yield* TestClock.adjust("10 seconds")
      expect(yield* rounds.size).toBe(0)
      yield* Fiber.interrupt(fiber)
      expect(yield* portrait).toEqual(
        yield* Effect.provide(Effect.zipRight(index(root), portrait), Layer.fresh(Testing.layer))
      )
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("looks again every minute where nothing is told", () =>
    Effect.gen(function* () {
      const root = write(folder(), two)
      const { fiber, next, rounds } = yield* following(root)
      yield* until(next)
      write(root, { "c.md": "# Gamma\n\nGamma came.\n" })
      yield* TestClock.adjust("30 seconds")
      expect(yield* rounds.size).toBe(0)
      expect(yield* until(next)).toEqual(Either.right({ added: 1, changed: 0, removed: 0, skipped: [] }))
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("what passes is told once and tried again; the folder may go and come", () =>
    Effect.gen(function* () {
      const root = write(folder(), two)
      const { change, fiber, next, rounds } = yield* following(root)
      yield* until(next)
      fs.renameSync(root, `${root}-away`)
      for (let i = 0; i < 3; i++) yield* change
      expect(
        (yield* until(next)).pipe(
          Either.flip,
          Either.map(({ _tag }) => _tag)
        )
      ).toEqual(Either.right("SourceError"))
      yield* TestClock.adjust("2 seconds")
      expect(yield* rounds.size).toBe(0)
      expect(yield* (yield* CorpusStore).counts(scope)).toMatchObject({ documents: 2 })
      fs.renameSync(`${root}-away`, root)
      write(root, { "a.md": "# Alpha\n\nAlpha is new.\n" })
      yield* change
      expect(yield* until(next)).toEqual(Either.right({ added: 0, changed: 1, removed: 0, skipped: [] }))
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Testing.layer))
  )

  it.effect("ends with what waiting does not mend, and with any failure of the first run", () =>
    Effect.gen(function* () {
      const root = write(folder(), two)
      const nowhere = yield* Effect.flip(watchCorpus({ scope, paths: [join(root, "no")] }, () => Effect.void))
      expect(nowhere._tag).toBe("SourceError")
      const transaction = yield* Transaction
      let runs = 0
      const damaged = new StoreError({ reason: "Unreadable", method: "test", detail: "", cause: undefined })
      const error = yield* until(
        Effect.flip(
          watchCorpus({ scope, paths: [root] }, () => Effect.void).pipe(
            Effect.provideService(Transaction, {
              atomically: (effect) => (runs++ === 0 ? transaction.atomically(effect) : damaged)
            })
          )
        )
      )
      expect([error._tag, error.message, runs]).toEqual(["StoreError", damaged.message, 2])
    }).pipe(Effect.provide(Testing.layer))
  )
})

describe("watching folders", () => {
  const selection = (...paths: ReadonlyArray<string>) => ({
    paths,
    include: [],
    exclude: [],
    format: undefined,
    maxBytes: 1000
  })
  const changes: ReadonlyArray<readonly [name: string, change: (root: string) => void]> = [
    ["a file written over", (root) => fs.writeFileSync(join(root, "a.md"), "new")],
    ["a file below", (root) => fs.appendFileSync(join(root, "deep/er/c.md"), "more")],
    ["a new folder", (root) => fs.mkdirSync(join(root, "deep/new"))],
    ["a file removed", (root) => fs.rmSync(join(root, "b.md"))],
    ["a file put in the place of another", (root) => fs.renameSync(join(root, "b.md"), join(root, "a.md"))],
    ["the rules of what to ignore", (root) => fs.writeFileSync(join(root, "deep/.gitignore"), "*.md")]
  ]
  for (const [name, change] of changes) {
    it.live(`tells of ${name}, also when it came before anybody waited`, () =>
      Effect.gen(function* () {
        const files = yield* SourceFiles
        const root = write(folder(), { ...two, "deep/er/c.md": "text" })
        const changed = yield* files.watch(selection(root))
        expect(yield* Effect.timeoutOption(changed, "30 millis")).toMatchObject({ _tag: "None" })
        change(root)
        yield* Effect.sleep("20 millis")
        yield* Effect.timeout(changed, "5 seconds")
      }).pipe(Effect.scoped, Effect.provide(Testing.layer))
    )
  }

  it.live("not of hidden folders: the state may lie in one", () =>
    Effect.gen(function* () {
      const files = yield* SourceFiles
      const root = write(folder(), { ...two, ".staterag/staterag.db": "x", "node_modules/x/y.md": "x" })
      const changed = yield* files.watch(selection(root))
      fs.writeFileSync(join(root, ".staterag/staterag.db"), "y")
      fs.writeFileSync(join(root, ".staterag/new"), "y")
      fs.writeFileSync(join(root, "node_modules/x/z.md"), "y")
      expect(yield* Effect.timeoutOption(changed, "300 millis")).toMatchObject({ _tag: "None" })
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.live("a file named alone, one that is not there yet, and a pattern", () =>
    Effect.gen(function* () {
      const files = yield* SourceFiles
      const root = write(folder(), two)
      for (const named of ["a.md", "*.md"]) {
        const changed = yield* files.watch(selection(join(root, named)))
        fs.appendFileSync(join(root, "a.md"), "more")
        yield* Effect.timeout(changed, "5 seconds")
      }
      // it cannot be watched, so time passes for a change
      yield* Effect.timeout(yield* files.watch(selection(join(root, "not/yet"))), "10 seconds")
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("index --watch", () => {
  beforeAll(build, 300_000)

  it("indexes each change with a line, and Ctrl-C ends it with 130 and a whole index", async () => {
    const root = write(folder(), two)
    const directory = join(folder(), "state")
    const child = spawn(process.execPath, [command, "index", root, "--watch", "--json", "--dir", directory])
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString()
    })
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString()
    })
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    const lines = async (n: number) => {
      for (let i = 0; i < 600 && out.split("\n").length <= n; i++) await new Promise((done) => setTimeout(done, 50))
      expect(err + out).toContain("following changes")
      return out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).documents)
    }
    expect((await lines(1))[0]).toMatchObject({ added: 2 })
    write(root, { "new/c.md": "# Gamma\n\nGamma came.\n" })
    expect((await lines(2))[1]).toMatchObject({ added: 1, changed: 0, removed: 0 })
    write(root, { "new/c.md": "# Gamma\n\nGamma changed.\n" })
    expect((await lines(3))[2]).toMatchObject({ added: 0, changed: 1, removed: 0 })
    fs.rmSync(join(root, "a.md"))
    expect((await lines(4))[3]).toMatchObject({ added: 0, changed: 0, removed: 1 })
    child.kill("SIGINT")
    expect(await ended).toBe(130)
    const over = <A, E>(state: string, effect: Effect.Effect<A, E, Embedded.Services>) =>
      Effect.runPromise(Effect.provide(effect, Embedded.layer({ directory: state })))
    expect(await over(directory, portrait)).toEqual(await over(folder(), Effect.zipRight(index(root), portrait)))
  }, 120_000)
})
