/**
 * The index files of one kind of vectors in one scope:
 *
 *     <kind>.json                  what the others must be: {@link Sidecar}
 *     <kind>-<revision>.vectors    8-bit matrix, or USearch's file
 *     <kind>-<revision>.ids        a JSON array of ids, by place
 *     <kind>-<revision>.change     what has come and gone since these two were written: {@link Change}
 *
 * They are written beside, synced and renamed, the sidecar last. What does not agree with its sidecar byte for byte does not exist: a
 * damaged file would end the process inside USearch. After a change of the corpus only the change is written, together with those before it,
 * until it is a sixteenth of the whole.
 */
import { createHash } from "node:crypto"
import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Clock, Effect, Option, Schema } from "effect"
import type { UnknownException } from "effect/Cause"

const File = Schema.Struct({ name: Schema.String, bytes: Schema.NonNegativeInt, sha256: Schema.String })

export const Sidecar = Schema.Struct({
  version: Schema.Literal(2),
  revision: Schema.String,
  /** With what has changed since the matrix was written. */
  count: Schema.NonNegativeInt,
  dimensions: Schema.NonNegativeInt,
  metric: Schema.Literal("cos"),
  /** `i8` is a bare matrix, `f16` a graph of USearch. */
  scalar: Schema.Literal("i8", "f16"),
  vectors: File,
  ids: File,
  change: Schema.NullOr(File)
})
export type Sidecar = typeof Sidecar.Type
const SidecarJson = Schema.parseJson(Sidecar)
const decodeSidecar = Schema.decodeOption(SidecarJson)
const encodeSidecar = Schema.encodeSync(SidecarJson)
const decodeIds = Schema.decodeOption(Schema.parseJson(Schema.Array(Schema.String)))

/** Vectors that are no longer there, and vectors that are new or others than before: ids, and an 8-bit row for each. */
export const Change = Schema.Struct({
  gone: Schema.Array(Schema.String),
  ids: Schema.Array(Schema.String),
  rows: Schema.Uint8ArrayFromBase64
})
export type Change = typeof Change.Type
const ChangeJson = Schema.parseJson(Change)
const decodeChange = Schema.decodeOption(ChangeJson)
const encodeChange = Schema.encodeSync(ChangeJson)
const unchanged: Change = { gone: [], ids: [], rows: new Uint8Array() }

/** A change is kept beside the matrix up to this many vectors, or this share of them. */
const mostBeside = { vectors: 64, share: 1 / 16 }

interface Rows {
  readonly ids: ReadonlyArray<string>
  readonly rows: Uint8Array
}

/** Rows of `dimensions` bytes without those of `dead`, followed by others. */
const joined = (all: Rows, dead: ReadonlySet<string>, more: Rows, dimensions: number): Rows => {
  const ids: Array<string> = []
  const rows = new Uint8Array((all.ids.length + more.ids.length) * dimensions)
  let from = 0
  const keep = (to: number) => {
    rows.set(all.rows.subarray(from * dimensions, to * dimensions), ids.length * dimensions)
    for (let place = from; place < to; place++) ids.push(all.ids[place] ?? "")
    from = to + 1
  }
  all.ids.forEach((id, place) => {
    if (dead.has(id)) keep(place)
  })
  keep(all.ids.length)
  rows.set(more.rows, ids.length * dimensions)
  const whole = [...ids, ...more.ids]
  return { ids: whole, rows: rows.subarray(0, whole.length * dimensions) }
}

/** One change after the other, as one. */
const after = (first: Change, then: Change, dimensions: number): Change => {
  const dead = new Set([...then.gone, ...then.ids])
  const { ids, rows } = joined(first, dead, then, dimensions)
  const here = new Set(ids)
  return { gone: [...new Set([...first.gone, ...then.gone])].filter((id) => !here.has(id)).sort(), ids, rows }
}

/** What a whole and fitting set of files holds, changes included. */
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
  /**
   * Makes files of the revision `since` those of another, by writing the change alone. False, with nothing changed, where that cannot be:
   * there are no such files, they are a graph, or so much has changed that writing all is better.
   */
  readonly amend: (
    scope: string,
    kind: string,
    since: string,
    about: Pick<Sidecar, "revision" | "count" | "dimensions">,
    change: Change
  ) => Effect.Effect<boolean, PlatformError | UnknownException>
}

/** Keeps nothing. */
export const none: VectorFiles = {
  read: () => Effect.succeedNone,
  write: () => Effect.void,
  amend: () => Effect.succeed(false)
}

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

  const readSidecar = (folder: string, kind: string, revision: string) =>
    Effect.option(fs.readFileString(path.join(folder, `${kind}.json`))).pipe(
      Effect.map((text) =>
        text.pipe(
          Option.flatMap((json) => decodeSidecar(json)),
          Option.filter((found) => found.revision === revision),
          Option.filter(({ change, ids, vectors }) =>
            [ids, vectors, change].every((file) => file === null || path.basename(file.name) === file.name)
          )
        )
      )
    )
  const readChange = (folder: string, { change, dimensions }: Sidecar) =>
    change === null
      ? Effect.succeedSome(unchanged)
      : Effect.map(readWhole(folder, change), (bytes) =>
          bytes.pipe(
            Option.flatMap((own) => decodeChange(new TextDecoder().decode(own))),
            Option.filter(({ ids, rows }) => rows.length === ids.length * dimensions)
          )
        )

  const read: VectorFiles["read"] = Effect.fnUntraced(function* (scope, kind, revision) {
    const folder = folderOf(scope)
    const found = yield* readSidecar(folder, kind, revision)
    if (Option.isNone(found)) return Option.none()
    const sidecar = found.value
    const { count, dimensions, scalar } = sidecar
    const vectors = yield* readWhole(folder, sidecar.vectors)
    const ids = Option.flatMap(yield* readWhole(folder, sidecar.ids), (bytes) =>
      decodeIds(new TextDecoder().decode(bytes))
    )
    const change = yield* readChange(folder, sidecar)
    if (Option.isNone(vectors) || Option.isNone(ids) || Option.isNone(change)) return Option.none()
    let whole: Rows = { ids: ids.value, rows: vectors.value }
    if (scalar === "i8") {
      if (whole.rows.length !== whole.ids.length * dimensions) return Option.none()
      const { ids: come, gone } = change.value
      if (sidecar.change !== null) whole = joined(whole, new Set([...gone, ...come]), change.value, dimensions)
    }
    if (whole.ids.length !== count) return Option.none()
    const stored: Stored = {
      sidecar,
      ids: whole.ids,
      vectors: whole.rows,
      path: path.join(folder, sidecar.vectors.name)
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

  const encoder = new TextEncoder()
  /** Writes files with `body`, then the sidecar that it gives, then removes what that one does not name. */
  const renew = Effect.fnUntraced(function* <E>(
    scope: string,
    kind: string,
    body: (file: (suffix: string, content: Content) => ReturnType<typeof put>) => Effect.Effect<Sidecar, E>,
    revision: string
  ) {
    const folder = folderOf(scope)
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    const beside = yield* fs.makeTempDirectoryScoped({ directory: folder, prefix: drafts })
    const sidecar = yield* body((suffix, content) =>
      put(beside, folder, `${kind}-${shown(revision)}.${suffix}`, content)
    )
    yield* put(beside, folder, `${kind}.json`, encoder.encode(encodeSidecar(sidecar)))
    const { change, ids, vectors } = sidecar
    yield* tidy(folder, kind, [vectors.name, ids.name, ...(change === null ? [] : [change.name])])
  }, Effect.scoped)

  const write: VectorFiles["write"] = (scope, kind, about, ids, vectors) =>
    renew(
      scope,
      kind,
      (file) =>
        Effect.gen(function* () {
          const matrix = yield* file("vectors", vectors)
          const names = yield* file("ids", encoder.encode(JSON.stringify(ids)))
          return { version: 2, metric: "cos", ...about, vectors: matrix, ids: names, change: null } as const
        }),
      about.revision
    )

  const amend: VectorFiles["amend"] = Effect.fnUntraced(function* (scope, kind, since, about, change) {
    const folder = folderOf(scope)
    const found = yield* readSidecar(folder, kind, since)
    if (Option.isNone(found)) return false
    const sidecar = found.value
    const { dimensions, ids, scalar, vectors } = sidecar
    if (scalar !== "i8" || dimensions !== about.dimensions) return false
    // whether they are what they were, who reads them looks
    for (const { bytes, name } of [vectors, ids]) {
      const seen = yield* Effect.option(fs.stat(path.join(folder, name)))
      if (Option.isNone(seen) || Number(seen.value.size) !== bytes) return false
    }
    const last = yield* readChange(folder, sidecar)
    if (Option.isNone(last)) return false
    const all = after(last.value, change, dimensions)
    const size = all.ids.length + all.gone.length
    if (size > Math.max(mostBeside.vectors, (vectors.bytes / dimensions) * mostBeside.share)) return false
    yield* renew(
      scope,
      kind,
      (file) =>
        Effect.map(
          file("change", encoder.encode(encodeChange(all))),
          (own): Sidecar => ({ ...sidecar, ...about, change: own })
        ),
      about.revision
    )
    return true
  })

  const files: VectorFiles = { read, write, amend }
  return files
})
