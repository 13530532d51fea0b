/**
 * Every step that the product takes on its state folder: each statement of its database and each call of its vector files, before and after.
 *
 * A process that is killed leaves the bytes that lie in the folder, and no lock. So one run whose folder is copied at every step has every
 * kill point in it; {@link import("./RandomKills.ts")} kills in earnest.
 */
import { createHash } from "node:crypto"
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { NodeFileSystem, NodePath } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as VectorIndexUsearch from "../../src/layers/index/VectorIndexUsearch.ts"
import { folder } from "./Living.ts"

interface Statement {
  readonly source: string
  readonly all: () => ReadonlyArray<unknown>
}
type Method = (this: Statement, ...args: Array<unknown>) => unknown
interface Driver {
  new (
    path: string
  ): {
    readonly prepare: (sql: string) => Statement
    readonly close: () => void
    readonly exec: (sql: string) => void
  }
}

/** The driver itself, to look at a database from beside the product. */
export const Driver: Driver = createRequire(import.meta.url)("better-sqlite3")

let current: (name: string) => void = () => undefined

/** Puts a step before and after every statement of every database of this process, once and for good. */
const watchDriver = (): void => {
  const sample = new Driver(":memory:")
  const prototype: Record<string, Method> = Object.getPrototypeOf(sample.prepare("SELECT 1"))
  for (const name of ["all", "run"]) {
    const original = prototype[name]
    if (original === undefined) throw new Error(`the driver has no ${name}`)
    prototype[name] = function (...args) {
      current(`before ${this.source}`)
      const result = original.apply(this, args)
      current(`after ${this.source}`)
      return result
    }
  }
  sample.close()
}
watchDriver()

const stepping = (fs: FileSystem.FileSystem): FileSystem.FileSystem =>
  new Proxy(fs, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return (...args: ReadonlyArray<unknown>) => {
        const made: unknown = Reflect.apply(value, target, args)
        if (!Effect.isEffect(made)) return made
        const said = (when: string) => Effect.sync(() => current(`${when} ${String(name)} ${String(args[0])}`))
        return Effect.zipRight(
          said("before"),
          Effect.tap(made, () => said("after"))
        )
      }
    }
  })

/** The product over a state folder, whose vector files take steps too. */
export const layer = (directory: string): Layer.Layer<Embedded.Services, unknown> =>
  VectorIndexUsearch.layer({ directory }).pipe(
    Layer.provide(NodePath.layer),
    Layer.provide(Layer.effect(FileSystem.FileSystem, Effect.map(FileSystem.FileSystem, stepping))),
    Layer.provide(NodeFileSystem.layer),
    Layer.provideMerge(Embedded.layer({ directory }))
  )

/** Runs `effect`, and tells `step` of every step until it has ended. */
export const watched = <A, E, R>(step: (name: string) => void, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      current = step
    }),
    () => effect,
    () =>
      Effect.sync(() => {
        current = () => undefined
      })
  )

/** A state folder as a kill would have left it. */
export interface Left {
  readonly step: string
  readonly directory: string
}

const bytesIn = (directory: string): string => {
  const sum = createHash("sha256")
  if (!existsSync(directory)) return ""
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    sum.update(join(entry.parentPath, entry.name))
    // what the log's index says of readers and locks dies with the process
    if (entry.isFile() && !entry.name.endsWith("-shm")) sum.update(readFileSync(join(entry.parentPath, entry.name)))
  }
  return sum.digest("hex")
}

/** Runs `effect` over `directory`; gives how many steps it took, and a copy of the folder for each that left other bytes. */
export const killPoints = <A, E, R>(directory: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const left: Array<Left> = []
    const seen = new Set<string>()
    let steps = 0
    yield* watched((step) => {
      steps++
      const bytes = bytesIn(directory)
      if (seen.has(bytes)) return
      seen.add(bytes)
      const copy = folder()
      if (existsSync(directory)) cpSync(directory, copy, { recursive: true })
      left.push({ step: step.slice(0, 120), directory: copy })
    }, effect)
    return { steps, left }
  })

const shadows = /_(data|idx|docsize|config|content)$/

/** Every row of every table, as text; tables of an index's own making left out. */
export const tables = (directory: string): ReadonlyMap<string, string> => {
  const db = new Driver(join(directory, "staterag.db"))
  const all = (sql: string) => db.prepare(sql).all()
  const found = new Map(
    all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .map((row) => String(Object.values(Object(row))[0]))
      .filter((name) => !shadows.test(name))
      .map((name) => [name, JSON.stringify(all(`SELECT * FROM ${name}`))] as const)
  )
  db.close()
  return found
}
