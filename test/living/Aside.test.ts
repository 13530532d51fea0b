/** C34, C24: asking while another process holds the database: answered at once, kept when the other has ended, and kept as if it had waited. */
import { spawn } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { beforeAll } from "vitest"
import type { RunId } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import { ask } from "../../src/programs/Ask.ts"
import { forget } from "../../src/programs/Forget.ts"
import { Housekeeping } from "../../src/services/Housekeeping.ts"
import { Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { SideJournal } from "../../src/services/SideJournal.ts"
import { build, command } from "../support/Command.ts"
import { folder, index, scope, write } from "../support/Living.ts"

const note = (i: number): string =>
  `# Note ${i}\n\nNote ${i} is about the bridge of Town ${i}. The bridge of Town ${i} was built in ${1700 + i} by Keeper ${i}.\n`
const notes = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}.md`, note(i)]))
/** Settled at once; with what no note says, in three cycles. */
const questions = ["When was the bridge of Town 3 built?", "Which school did Keeper 5 of Town 5 go to in Vienna?"]

const over = <A, E>(directory: string, effect: Effect.Effect<A, E, Embedded.Services | SideJournal>) =>
  Effect.provide(effect, Embedded.layer({ directory }))
/** The write lock of a folder, until `within` has ended; another connection has it. */
const holding = <A, E, R>(directory: string, within: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* Effect.acquireUseRelease(
      sql.unsafe("BEGIN IMMEDIATE"),
      () => within,
      () => Effect.orDie(sql.unsafe("ROLLBACK"))
    )
  }).pipe(Effect.provide(Client.layer({ filename: join(directory, "staterag.db"), create: false })))

/** Everything that a run leaves, without its own name and hour, and without the names of artifacts, which hold that. */
const leftBy = (run: RunId) =>
  Effect.gen(function* () {
    const events = yield* (yield* Journal).events(scope, run)
    const artifacts = (yield* (yield* Housekeeping).artifacts(scope)).map((artifact) => ({
      ...artifact,
      said: JSON.stringify(artifact.payload)
    }))
    artifacts.sort((a, b) => (a.said < b.said ? -1 : 1))
    const left = JSON.stringify({ events, artifacts }).replace(/"(at|createdAt|expiresAt)":[\d.]+/g, "")
    return artifacts.reduce((text, { id, said }) => text.replaceAll(id, said), left.replaceAll(run, "run"))
  })
const runs = Effect.flatMap(Journal, (journal) => journal.runs(scope, { limit: 9 }))
const kept = Effect.map(runs, (all) => all.map(({ run }) => run))

const indexed = Effect.gen(function* () {
  const directory = join(folder(), "state")
  yield* over(directory, index(write(folder(), notes)))
  return directory
})

describe("a question beside another process that writes", () => {
  it.live("is answered as it stands, and kept as if there were no other", () =>
    Effect.gen(function* () {
      const [alone, beside] = [yield* indexed, join(folder(), "state")]
      cpSync(alone, beside, { recursive: true })
      let cycles = 0
      let made = 0
      for (const question of questions) {
        const plain = yield* over(
          alone,
          Effect.gen(function* () {
            const answer = yield* ask(question, { scope })
            made += (yield* (yield* Housekeeping).artifacts(scope)).length
            return { answer, left: yield* leftBy(answer.run) }
          })
        )
        cycles += plain.answer.cycles
        yield* over(
          beside,
          Effect.gen(function* () {
            const side = yield* SideJournal
            const before = yield* kept
            expect(yield* side.isHeld).toBe(false)
            const { exit, keep } = yield* holding(
              beside,
              Effect.gen(function* () {
                expect(yield* side.isHeld).toBe(true)
                return yield* side.beside(scope, ask(question, { scope }))
              })
            )
            const answer = yield* exit
            const { elapsedMs: _, run: __, ...same } = plain.answer
            expect(answer).toMatchObject(same)
            expect(yield* kept).toEqual(before)
            yield* keep
            expect(yield* kept).toEqual([answer.run, ...before])
            expect((yield* leftBy(answer.run)) === plain.left).toBe(true)
          })
        )
      }
      yield* over(
        beside,
        Effect.gen(function* () {
          const count = Effect.flatMap(SharedMemoryPool, (pool) => pool.count(scope))
          const { exit } = yield* (yield* SideJournal).beside(scope, count)
          expect(exit).toEqual(Exit.succeed(yield* count))
        })
      )
      expect(cycles).toBeGreaterThan(2)
      expect(made).toBeGreaterThan(0)
    })
  )

  it.live("is not kept where something was forgotten meanwhile (C34)", () =>
    Effect.gen(function* () {
      const directory = yield* indexed
      yield* over(
        directory,
        Effect.gen(function* () {
          const { exit, keep } = yield* (yield* SideJournal).beside(scope, ask(questions[0] ?? "", { scope }))
          expect(Exit.isSuccess(exit)).toBe(true)
          yield* forget({ scope, paths: ["n3.md"] })
          expect((yield* Effect.flip(keep))._tag).toBe("StaleWriter")
          expect(yield* kept).toEqual([])
        })
      )
    })
  )

  it.live("says that it failed, and keeps what it has written until then", () =>
    Effect.gen(function* () {
      const directory = yield* indexed
      yield* over(
        directory,
        Effect.gen(function* () {
          const asked = Effect.zipRight(ask(questions[0] ?? "", { scope }), Effect.fail("afterwards"))
          const { exit, keep } = yield* (yield* SideJournal).beside(scope, asked)
          expect(exit).toEqual(Exit.fail("afterwards"))
          yield* keep
          expect(yield* kept).toHaveLength(1)
        })
      )
    })
  )
})

describe("staterag ask beside another process that writes", () => {
  beforeAll(build, 120_000)

  it.live(
    "prints its answer before the other has ended, and ends when its run is kept",
    () =>
      Effect.gen(function* () {
        const directory = yield* indexed
        const child = yield* holding(
          directory,
          Effect.async<{ readonly output: string; readonly ended: Promise<number | null> }>((resume) => {
            const args = [command, "ask", questions[1] ?? "", "--json", "--dir", directory]
            const asking = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
            const ended = new Promise<number | null>((resolve) => asking.once("close", resolve))
            asking.stdout.once("data", (output: Buffer) =>
              resume(
                Effect.delay(Effect.succeed({ output: output.toString(), ended }), "500 millis").pipe(
                  Effect.tap(() => Effect.sync(() => expect(asking.exitCode).toBe(null)))
                )
              )
            )
          })
        )
        expect(yield* Effect.promise(() => child.ended)).toBe(0)
        const { run } = JSON.parse(child.output)
        const newest = yield* over(
          directory,
          Effect.flatMap(Journal, (journal) => journal.latest(scope))
        )
        expect(newest).toEqual(Option.some(run))
      }),
    60_000
  )
})
