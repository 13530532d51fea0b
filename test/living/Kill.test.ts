/** C24, C30, pain 10: killed at any step, the state is the one before or the one after, and what comes next works. */
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as Embedded from "../../src/layers/Embedded.ts"
import { ask } from "../../src/programs/Ask.ts"
import { forget } from "../../src/programs/Forget.ts"
import { prune } from "../../src/programs/Prune.ts"
import { verify } from "../../src/programs/Verify.ts"
import { folder, found, index, portrait, scope, write } from "../support/Living.ts"
import { killPoints, type Left, layer, tables } from "../support/Steps.ts"

const towns = ["Ashe", "Brill", "Corran", "Dale", "Elm", "Fenn", "Garth", "Holm", "Ivel", "Jarrow"]
const note = (i: number, year = 1900 + i): string =>
  `# Note ${i}\n\nNote ${i} is about the bridge of ${towns[i % 10]}. It was built in ${year} by Keeper ${i}.\n\nSee Note ${(i + 7) % 30}.\n`
const files: { readonly [path: string]: string } = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [`n${i}.md`, note(i)])
)
/** What only one of the notes says. */
const secret = "Vexlumbra"
const questions = ["Who built the bridge of Note 3?", "When was the bridge of Note 11 built?"]

const answers = Effect.forEach(questions, (question) =>
  Effect.either(Effect.map(ask(question, { scope }), (answer) => ({ ...answer, run: "", elapsedMs: 0 })))
)

/** A state folder with all of `root` in it, and two questions. */
const indexed = (root: string) =>
  Effect.gen(function* () {
    const directory = folder()
    yield* Effect.provide(Effect.zipRight(index(root), answers), Embedded.layer({ directory }))
    return directory
  })

/** What a folder's database holds, but for what is empty and what is only ours. */
const held = (directory: string): string => {
  const own = new Set(["staterag_migrations", "staterag_owed"])
  return JSON.stringify([...tables(directory)].filter(([name, rows]) => !own.has(name) && rows !== "[]"))
}
const copyOf = (directory: string): string => {
  const copy = folder()
  cpSync(directory, copy, { recursive: true })
  return copy
}

const fresh = (root: string) =>
  Effect.provide(
    Effect.zipRight(index(root), Effect.all([portrait, answers] as const)),
    Embedded.layer({ directory: folder() })
  )

interface Killed {
  readonly steps: number
  readonly left: ReadonlyArray<Left>
  readonly directory: string
  readonly before: string
}

/** Every kill point of `effect` over a copy of `start`. */
const killed = <A, E>(start: string, effect: Effect.Effect<A, E, Embedded.Services>) =>
  Effect.gen(function* () {
    const directory = copyOf(start)
    const before = held(copyOf(start))
    const { left, steps } = yield* killPoints(directory, Effect.provide(effect, layer(directory)))
    const done: Killed = { steps, left, directory, before }
    return done
  })

/** Each state is the one before or the one after; nothing is wrong with it; a question gets the answer of one or the other. */
const checkAll = (
  { before, directory, left }: Killed,
  expected: ReadonlyArray<ReadonlyArray<unknown>>,
  next: (left: Left) => Effect.Effect<void, unknown, Embedded.Services>
) =>
  Effect.gen(function* () {
    const after = held(copyOf(directory))
    const seen = { before: 0, after: 0 }
    let last = ""
    for (const one of left) {
      const state = held(copyOf(one.directory))
      const isNew = state !== last
      last = state
      expect([before, after].includes(state), one.step).toBe(true)
      seen[state === after ? "after" : "before"]++
      yield* Effect.gen(function* () {
        if (isNew) {
          const report = yield* Effect.either(verify({ scope }))
          // what is only a cache may be of the revision before
          const findings = Either.isRight(report)
            ? report.right.findings.filter((f) => f.derived !== "VectorFiles")
            : []
          expect(findings, one.step).toEqual([])
        }
        expect(expected, one.step).toContainEqual(yield* answers)
        yield* next(one)
        expect((yield* verify({ scope })).findings, one.step).toEqual([])
      }).pipe(Effect.provide(Embedded.layer({ directory: one.directory })))
    }
    return seen
  })

const nothing = questions.map(() => expect.objectContaining({ _tag: "Left" }))

describe("C24, C30 killed at every step", () => {
  it.live(
    "of a first index of 30 files",
    () =>
      Effect.gen(function* () {
        const root = write(folder(), files)
        const [whole, said] = yield* fresh(root)
        const run = yield* killed(folder(), index(root))
        const seen = yield* checkAll(run, [nothing, said], () =>
          Effect.gen(function* () {
            yield* index(root)
            expect(yield* portrait).toEqual(whole)
          })
        )
        expect(run.steps).toBeGreaterThan(200)
        expect(seen.before).toBeGreaterThan(0)
        expect(seen.after).toBeGreaterThan(10)
      }),
    300_000
  )
  it.live(
    "of an index run over changed, new and removed files",
    () =>
      Effect.gen(function* () {
        const root = write(folder(), files)
        const start = yield* indexed(root)
        const [, old] = yield* fresh(root)
        for (let i = 0; i < 5; i++) rmSync(join(root, `n${i * 6}.md`))
        write(root, { "n3.md": note(3, 1750), "n11.md": note(11, 1760), "new.md": note(31) })
        const [whole, said] = yield* fresh(root)
        expect(said).not.toEqual(old)
        const run = yield* killed(start, index(root))
        const seen = yield* checkAll(run, [old, said], () =>
          Effect.gen(function* () {
            yield* index(root)
            expect(yield* portrait).toEqual(whole)
          })
        )
        expect(seen.before).toBeGreaterThan(0)
        expect(seen.after).toBeGreaterThan(10)
      }),
    300_000
  )

  it.live(
    "of forgetting: what was forgotten by then leaves no trace once the folder is opened again (pain 31)",
    () =>
      Effect.gen(function* () {
        const rest = write(folder(), files)
        const [whole, said] = yield* fresh(rest)
        const root = write(folder(), { ...files, "secret.md": `# Secret\n\n${secret} built the bridge of Note 3.\n` })
        const [, old] = yield* fresh(root)
        const start = yield* indexed(root)
        expect(found(start, [secret]).length).toBeGreaterThan(0)
        const run = yield* killed(start, forget({ scope, paths: ["secret.md"] }))
        const seen = yield* checkAll(run, [old, said], (left) =>
          Effect.gen(function* () {
            const state = yield* portrait
            if (state.documents.length === 30) {
              expect(found(left.directory, [secret]), left.step).toEqual([])
              expect(state).toEqual(whole)
            } else {
              yield* forget({ scope, paths: ["secret.md"] })
              expect(found(left.directory, [secret]), left.step).toEqual([])
              expect(yield* portrait).toEqual(whole)
            }
          })
        )
        expect(seen.before).toBeGreaterThan(0)
        expect(seen.after).toBeGreaterThan(10)
      }),
    300_000
  )

  it.live(
    "of pruning",
    () =>
      Effect.gen(function* () {
        const root = write(folder(), files)
        const [whole, said] = yield* fresh(root)
        const start = yield* indexed(root)
        const run = yield* killed(start, prune({ scope, keep: 0 }))
        const seen = yield* checkAll(run, [said], () =>
          Effect.gen(function* () {
            yield* prune({ scope, keep: 0 })
            expect(yield* portrait).toEqual(whole)
          })
        )
        expect(seen.before).toBeGreaterThan(0)
        expect(seen.after).toBeGreaterThan(1)
      }),
    300_000
  )
})
