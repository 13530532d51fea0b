/** C34, pain 37: processes that write, index and ask on one state folder at once. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Embedded from "../../src/layers/Embedded.ts"
import { ask } from "../../src/programs/Ask.ts"
import { verify } from "../../src/programs/Verify.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { bundle, start } from "../support/Bundle.ts"
import { folder, index, portrait, scope, write } from "../support/Living.ts"

const program = Effect.promise(() => bundle("neighbour.ts"))
const run = (file: string, ...args: ReadonlyArray<string>) => Effect.promise(() => start(file, args))
const over = <A, E>(directory: string, effect: Effect.Effect<A, E, Embedded.Services>) =>
  Effect.provide(effect, Embedded.layer({ directory }))

const note = (i: number, year: number): string =>
  `# Note ${i}\n\nNote ${i} is about the bridge of Town ${i}. The bridge of Town ${i} was built in ${year + i} by Keeper ${i}.\n`
const notes = (year: number) => Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}.md`, note(i, year)]))

describe("pain 37: processes that write at once", () => {
  it.live(
    "four of 200 commits each lose none, and none is told that the database is busy",
    () =>
      Effect.gen(function* () {
        const file = yield* program
        const directory = folder()
        yield* over(directory, index(write(folder(), notes(1700))))
        const at = over(
          directory,
          Effect.flatMap(CorpusStore, (corpus) => corpus.revision(scope))
        )
        const { indexedAt } = yield* at
        const ended = yield* Effect.all(
          [1, 2, 3, 4].map(() => run(file, "count", directory, "200")),
          { concurrency: "unbounded" }
        )
        expect(ended).toEqual(ended.map(() => ({ code: 0, output: "" })))
        expect((yield* at).indexedAt - indexedAt).toBe(800)
      }),
    180_000
  )

  it.live(
    "two that index different files at once both end well, and all of it is there",
    () =>
      Effect.gen(function* () {
        const file = yield* program
        const directory = folder()
        const roots = [1700, 1800].map((year, i) => {
          const root = folder()
          write(
            join(root, "odd"),
            Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`${i}-${n}.md`, note(n, year)]))
          )
          return root
        })
        const ended = yield* Effect.all(
          roots.map((root) => run(file, "index", directory, root, "1")),
          { concurrency: "unbounded" }
        )
        expect(ended.map(({ code }) => code)).toEqual([0, 0])
        const docs = roots.map((root) => join(root, "docs"))
        const both = yield* over(directory, portrait)
        expect(yield* over(folder(), Effect.zipRight(index(...docs), portrait))).toEqual(both)
        expect((yield* over(directory, verify({ scope }))).findings.filter((f) => f.derived !== "VectorFiles")).toEqual(
          []
        )
      }),
    180_000
  )
})

describe("C34 one that indexes while another asks", () => {
  it.live(
    "each question reads one whole revision, or says that the corpus has changed",
    () =>
      Effect.gen(function* () {
        const file = yield* program
        const root = folder()
        write(join(root, "odd"), notes(1700))
        write(join(root, "even"), notes(1800))
        const directory = folder()
        const questions = [3, 7].map((i) => `When was the bridge of Town ${i} built?`)
        const asked = (question: string) =>
          ask(question, { scope }).pipe(
            Effect.map(({ answer, corpusRevision, evidence }) => ({
              answer,
              corpusRevision,
              texts: evidence.map(({ text }) => text)
            }))
          )
        const said = (version: string) =>
          over(folder(), Effect.zipRight(index(join(root, version)), Effect.forEach(questions, asked)))
        const expected = [yield* said("odd"), yield* said("even")]
        expect(expected[0]).not.toEqual(expected[1])
        yield* run(file, "index", directory, root, "1")
        const other = yield* Effect.fork(run(file, "index", directory, root, "8"))
        const seen = { answers: 0, changed: 0, revisions: new Set<string>() }
        yield* over(
          directory,
          Effect.gen(function* () {
            for (let i = 0; (yield* Fiber.status(other))._tag !== "Done"; i++) {
              const place = i % questions.length
              const result = yield* Effect.either(asked(questions[place] ?? ""))
              if (result._tag === "Left") {
                expect(result.left).toMatchObject({ _tag: "Incomplete", cause: { _tag: "CorpusChanged" } })
                seen.changed++
              } else {
                expect(expected.map((answers) => answers[place])).toContainEqual(result.right)
                seen.revisions.add(result.right.corpusRevision)
                seen.answers++
              }
              yield* Effect.sleep("1 millis")
            }
          })
        )
        expect(yield* Fiber.join(other)).toEqual({ code: 0, output: "" })
        expect(seen.revisions.size).toBe(2)
        expect(seen.answers).toBeGreaterThan(5)
      }),
    180_000
  )
})
