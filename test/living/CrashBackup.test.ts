/** A backup as `docs/operations.md` makes it: one file, made while the folder is in use. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Embedded from "../../src/layers/Embedded.ts"
import { ask } from "../../src/programs/Ask.ts"
import { verify } from "../../src/programs/Verify.ts"
import { folder, index, portrait, scope, write } from "../support/Living.ts"
import { Driver } from "../support/Steps.ts"

const notes = Object.fromEntries(
  Array.from({ length: 8 }, (_, i) => [
    `n${i}.md`,
    `# Note ${i}\n\nThe bridge of Town ${i} was built by Keeper ${i}.\n`
  ])
)
const asked = Effect.map(ask("Who built the bridge of Town 3?", { scope }), ({ answer, citations }) => ({
  answer,
  citations
}))

describe("a backup", () => {
  it.effect("is whole without logs and vector files, and verify says so", () =>
    Effect.gen(function* () {
      const directory = folder()
      const backup = folder()
      const [before, said] = yield* Effect.gen(function* () {
        yield* index(write(folder(), notes))
        const answer = yield* asked
        const database = new Driver(join(directory, "staterag.db"))
        database.exec(`VACUUM INTO '${join(backup, "staterag.db")}'`)
        database.close()
        return [yield* portrait, answer] as const
      }).pipe(Effect.provide(Embedded.layer({ directory })))
      yield* Effect.gen(function* () {
        const told = yield* verify({ scope })
        expect(told.findings.map(({ derived }) => derived)).toEqual(["VectorFiles"])
        expect(yield* portrait).toEqual(before)
        expect(yield* asked).toEqual(said)
        expect((yield* verify({ scope })).findings).toEqual([])
      }).pipe(Effect.provide(Embedded.layer({ directory: backup })))
    })
  )
})
