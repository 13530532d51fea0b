/**
 * The index files of one kind of vectors in one scope:
 *
 *     <kind>.json                  what the other two must be: {@link Sidecar}
 *     <kind>-<revision>.vectors    8-bit matrix, or USearch's file
 *     <kind>-<revision>.ids        a JSON array of ids, by place
 *
 * They are written beside, synced and renamed, the sidecar last. What does not agree with its sidecar byte for byte does not exist: a
 * damaged file would end the process inside USearch.
 */
import { createHash } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Clock, Effect, Option, Schema } from "effect"
import type { UnknownException } from "effect/Cause"

const File = Schema.Struct({ name: Schema.String, bytes: Schema.NonNegativeInt, sha256: Schema.String })

export const Sidecar = Schema.Struct({
  version: Schema.Literal(1),
  revision: Schema.String,
  count: Schema.NonNegativeInt,
  dimensions: Schema.NonNegativeInt,
  metric: Schema.Literal("cos"),
  /** `i8` is a bare matrix, `f16` a graph of USearch. */
  scalar: Schema.Literal("i8", "f16"),
  vectors: File,
  ids: File
})
export type Sidecar = typeof Sidecar.Type
const SidecarJson = Schema.parseJson(Sidecar)
const decodeSidecar = Schema.decodeOption(SidecarJson)
const encodeSidecar = Schema.encodeSync(SidecarJson)
const decodeIds = Schema.decodeOption(Schema.parseJson(Schema.Array(Schema.String)))

/** What a whole and fitting set of files holds. */
export interface Stored {
  readonly sidecar: Sidecar
  readonly ids: ReadonlyArray<string>
  readonly vectors: Uint8Array
  /** Where the vectors lie, for those that must be loaded by path. */
  readonly path: string
}

const drafts = "draft-"
const abandonedAfterMs = 3_600_000

const shown = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 24)
const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** What is to be written: bytes, or something that writes itself to a path. */
export type Content = Uint8Array | ((path: string) => void)

export interface VectorFiles {
  /** The files of a scope and kind, if they are whole and of `revision`. */
  readonly read: (scope: string, kind: string, revision: string) => Effect.Effect<Option.Option<Stored>>
  /** Writes the files of a scope and kind in the place of the old ones. */
  readonly write: (
    scope: string,
    kind: string,
    about: Pick<Sidecar, "revision" | "count" | "dimensions" | "scalar">,
    ids: ReadonlyArray<string>,
    vectors: Content
  ) => Effect.Effect<void, PlatformError | UnknownException>
}

/** Keeps nothing. */
export const none: VectorFiles = { read: () => Effect.succeedNone, write: () => Effect.void }

/** Files under `directory`, in one folder a scope. */
export const make = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  // a scope's key may hold anything that a folder's name may not
  const folderOf = (scope: string) => path.join(directory, shown(scope))
  const readWhole = (folder: string, file: typeof File.Type) =>
    fs
      .readFile(path.join(folder, file.name))
      .pipe(
        Effect.option,
        Effect.map(Option.filter((bytes) => bytes.length === file.bytes && digestOf(bytes) === file.sha256))
      )

  const read: VectorFiles["read"] = Effect.fnUntraced(function* (scope, kind, revision) {
    const folder = folderOf(scope)
    const text = yield* Effect.option(fs.readFileString(path.join(folder, `${kind}.json`)))
    const sidecar = text.pipe(
      Option.flatMap((json) => decodeSidecar(json)),
      Option.filter((found) => found.revision === revision),
      Option.filter(({ ids, vectors }) => [ids, vectors].every(({ name }) => path.basename(name) === name))
    )
    if (Option.isNone(sidecar)) return Option.none()
    const { count, dimensions, scalar } = sidecar.value
    const vectors = yield* readWhole(folder, sidecar.value.vectors)
    const ids = Option.flatMap(yield* readWhole(folder, sidecar.value.ids), (bytes) =>
      decodeIds(new TextDecoder().decode(bytes))
    )
    if (Option.isNone(vectors) || Option.isNone(ids) || ids.value.length !== count) return Option.none()
    if (scalar === "i8" && vectors.value.length !== count * dimensions) return Option.none()
    const stored: Stored = {
      sidecar: sidecar.value,
      ids: ids.value,
      vectors: vectors.value,
      path: path.join(folder, sidecar.value.vectors.name)
    }
    return Option.some(stored)
  })

  /** Writes in `beside`, syncs, moves to `folder`; gives what the sidecar must say of it. */
  const put = Effect.fnUntraced(function* (beside: string, folder: string, name: string, content: Content) {
    const draft = path.join(beside, name)
    if (typeof content === "function") yield* Effect.try(() => content(draft))
    else yield* fs.writeFile(draft, content)
    yield* fs.chmod(draft, 0o600)
    yield* Effect.scoped(Effect.flatMap(fs.open(draft, { flag: "r+" }), (file) => file.sync))
    const bytes = typeof content === "function" ? yield* fs.readFile(draft) : content
    yield* fs.rename(draft, path.join(folder, name))
    return { name, bytes: bytes.length, sha256: digestOf(bytes) }
  })

  /** Removes files of `kind` that no sidecar speaks of, and what a killed process left. */
  const tidy = Effect.fnUntraced(function* (folder: string, kind: string, kept: ReadonlyArray<string>) {
    const now = yield* Clock.currentTimeMillis
    for (const name of yield* fs.readDirectory(folder)) {
      const file = path.join(folder, name)
      if (name.startsWith(`${kind}-`) && !kept.includes(name)) yield* fs.remove(file, { force: true })
      if (!name.startsWith(drafts)) continue
      const changed = Option.getOrUndefined((yield* fs.stat(file)).mtime)
      if (changed !== undefined && now - changed.getTime() > abandonedAfterMs)
        yield* fs.remove(file, { force: true, recursive: true })
    }
  })

  const write: VectorFiles["write"] = Effect.fnUntraced(function* (scope, kind, about, ids, vectors) {
    const folder = folderOf(scope)
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    const beside = yield* fs.makeTempDirectoryScoped({ directory: folder, prefix: drafts })
    const stem = `${kind}-${shown(about.revision)}`
    const encoder = new TextEncoder()
    const sidecar: Sidecar = {
      version: 1,
      metric: "cos",
      ...about,
      vectors: yield* put(beside, folder, `${stem}.vectors`, vectors),
      ids: yield* put(beside, folder, `${stem}.ids`, encoder.encode(JSON.stringify(ids)))
    }
    yield* put(beside, folder, `${kind}.json`, encoder.encode(encodeSidecar(sidecar)))
    yield* tidy(folder, kind, [sidecar.vectors.name, sidecar.ids.name])
  }, Effect.scoped)

  const files: VectorFiles = { read, write }
  return files
})
