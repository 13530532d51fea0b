/** Files on disk for a test: a temporary folder that goes with the scope. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { FileSystem } from "@effect/platform"
import { Effect } from "effect"

export interface Tree {
  readonly root: string
  readonly at: (path: string) => string
  readonly write: (path: string, content: string | Uint8Array) => void
}

/** A new folder with these files. */
export const tree = (files: { readonly [path: string]: string | Uint8Array } = {}) =>
  Effect.gen(function* () {
    const root = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "staterag-" })
    const at = (path: string) => join(root, path)
    const write = (path: string, content: string | Uint8Array) => {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), content)
    }
    for (const [path, content] of Object.entries(files)) write(path, content)
    const made: Tree = { root, at, write }
    return made
  })
