/** What `.gitignore` files leave out: the rules of every folder from the repository's root down, the deepest verdict first. */
import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Option } from "effect"
import ignore, { type Ignore } from "ignore"

/** The rules of one folder. */
interface Rules {
  readonly folder: string
  readonly rules: Ignore
}
/** The rules in force in a folder, outermost first. */
export type Ignores = ReadonlyArray<Rules>

/** `path` below `folder`, with forward slashes. */
export type Relative = (folder: string, path: string) => string

/** Whether the rules leave out a path. */
export const isIgnored = (ignores: Ignores, relative: Relative, path: string, isFolder: boolean): boolean => {
  for (let i = ignores.length - 1; i >= 0; i--) {
    const own = ignores[i]
    if (own === undefined) continue
    const verdict = own.rules.test(`${relative(own.folder, path)}${isFolder ? "/" : ""}`)
    if (verdict.ignored) return true
    if (verdict.unignored) return false
  }
  return false
}

/** `outer` and the rules of `folder`'s own `.gitignore`, if it has one. */
export const withRulesOf = (
  folder: string,
  outer: Ignores
): Effect.Effect<Ignores, PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = (yield* Path.Path).join(folder, ".gitignore")
    const text = yield* fs.readFileString(file).pipe(
      Effect.asSome,
      Effect.catchIf(
        (error) => error._tag === "SystemError" && error.reason === "NotFound",
        () => Effect.succeedNone
      )
    )
    return Option.match(text, {
      onNone: () => outer,
      onSome: (rules) => [...outer, { folder, rules: ignore().add(rules.replace(/^\ufeff/, "")) }]
    })
  })

/** The rules that hold in a root because of the folders above it, up to the repository that it lies in; none where it lies in no repository. */
export const rulesAbove = (root: string): Effect.Effect<Ignores, PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const above: Array<string> = []
    for (let folder = root; !(yield* fs.exists(path.join(folder, ".git"))); ) {
      const parent = path.dirname(folder)
      if (parent === folder) return []
      above.unshift(parent)
      folder = parent
    }
    let ignores: Ignores = []
    for (const folder of above) ignores = yield* withRulesOf(folder, ignores)
    return ignores
  })
