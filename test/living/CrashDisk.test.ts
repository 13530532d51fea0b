/** A disk that is full: nothing is changed, it is said what to do, and with room the next run ends well. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Embedded from "../../src/layers/Embedded.ts"
import { verify } from "../../src/programs/Verify.ts"
import { folder, index, portrait, scope, write } from "../support/Living.ts"

const does = (command: string, ...args: ReadonlyArray<string>): boolean => spawnSync(command, args).status === 0

/** A small disk in memory, where this machine lets us have one (Linux, as root); elsewhere a page limit stands for it in the stores' tests. */
const small = (use: (disk: string) => Effect.Effect<void, unknown>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const disk = folder()
      return does("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk) ? disk : undefined
    }),
    (disk) => (disk === undefined ? Effect.void : use(disk)),
    (disk) =>
      Effect.sync(() => {
        if (disk !== undefined) does("umount", disk)
      })
  )

const sentence = (i: number, k: number): string =>
  `The bridge of Town ${i * k} was built in ${1700 + k} by Keeper ${i} of the quay ${k * 7}. It stands near River ${k * i + 1}.\n\n`
const note = (i: number): string => `# Note ${i}\n\n${Array.from({ length: 100 }, (_, k) => sentence(i, k)).join("")}`

describe("a full disk", () => {
  it.live(
    "fails an index run as Full, and leaves the index as it was",
    () =>
      small((disk) =>
        Effect.gen(function* () {
          const over = <A, E>(state: string, effect: Effect.Effect<A, E, Embedded.Services>) =>
            Effect.provide(effect, Embedded.layer({ directory: state }))
          const directory = join(disk, "state")
          const root = write(folder(), { "a.md": "# Alpha\n\nAlpha is old.\n" })
          yield* over(directory, index(root))
          const before = yield* over(directory, portrait)
          write(root, Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`n${i}.md`, note(i)])))
          const error = yield* Effect.flip(over(directory, index(root)))
          expect(error).toMatchObject({ _tag: "StoreError", reason: "Full" })
          expect(yield* over(directory, portrait)).toEqual(before)
          expect((yield* over(directory, verify({ scope }))).findings).toEqual([])
          expect(does("mount", "-o", "remount,size=64m", disk)).toBe(true)
          yield* over(directory, index(root))
          expect(yield* over(directory, portrait)).toEqual(
            yield* over(folder(), Effect.zipRight(index(root), portrait))
          )
        })
      ),
    180_000
  )
})
