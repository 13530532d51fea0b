/** What one named path comes to: a file, the files below a folder, or the files that a glob matches. */
import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Either, Option } from "effect"
import type { Format } from "../../domain/Corpus.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { type Found, type Selection, type Skipped, SourceError } from "../../services/SourceFiles.ts"
import { explain, mebibytes, modifiedAt, notRegular } from "./Files.ts"
import { type Glob, glob, globBase } from "./Globs.ts"
import { type Ignores, isIgnored, rulesAbove, withRulesOf } from "./Ignores.ts"

/** Found and skipped below one named path. */
export interface Place {
  readonly found: ReadonlyArray<Found>
  readonly skipped: ReadonlyArray<Skipped>
  /** The folders that were read, absolute. */
  readonly folders: ReadonlyArray<string>
  /** Whether an absolute path lies where this looked. */
  readonly covers: (absolute: string) => boolean
}

type FormatOf = (path: string) => Format | undefined

/** Which files below a folder are wanted. */
interface Wanted {
  readonly selection: Selection
  readonly include: ReadonlyArray<Glob>
  readonly exclude: ReadonlyArray<Glob>
  readonly formatOf: FormatOf
}

const isMeant = ({ formatOf, include, selection }: Wanted, path: string): boolean => {
  const matching = include.filter((pattern) => pattern.matches(path))
  if (include.length > 0 && matching.length === 0) return false
  return (
    selection.format !== undefined || formatOf(path) !== undefined || matching.some((pattern) => pattern.namesExtension)
  )
}

/** Hidden, or a package manager's: nobody means it by naming a folder above it. */
export const isLeftOut = (name: string): boolean => name.startsWith(".") || name === "node_modules"

const tooLarge = (bytes: number, selection: Selection): string | undefined =>
  bytes > selection.maxBytes
    ? `is ${mebibytes(bytes)}, more than the ${mebibytes(selection.maxBytes)} that a file may have: split it, or raise the limit (--max-size)`
    : undefined

/** Walks the folders below `root`, depth first. Each folder is visited once: links are never walked through. */
const walk = Effect.fnUntraced(function* (root: string, wanted: Wanted) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found: Array<Found> = []
  const skipped: Array<Skipped> = []
  const relative = (folder: string, file: string) => path.relative(folder, file).replaceAll("\\", "/")
  const skip = (at: string, reason: string) => skipped.push({ path: at, reason })
  const rootReal = yield* fs.realPath(root)

  /** A link to what lies in the root is left out in silence: that is found under its own name. */
  const link = Effect.fnUntraced(function* (file: string, at: string, target: string) {
    const real = yield* Effect.option(fs.realPath(file))
    if (Option.isNone(real)) {
      if (isMeant(wanted, at)) skip(at, `is a link to ${target}, which is not there`)
      return
    }
    const away = path.relative(rootReal, real.value)
    if (away === "" || (away !== ".." && !away.startsWith(`..${path.sep}`) && !path.isAbsolute(away))) return
    const info = yield* Effect.option(fs.stat(real.value))
    if (Option.exists(info, ({ type }) => type === "Directory") || isMeant(wanted, at)) {
      skip(at, `is a link that leads out of ${root}: name ${real.value} itself to index it`)
    }
  })

  const entry = Effect.fnUntraced(function* (file: string, at: string, ignores: Ignores) {
    const target = yield* Effect.option(fs.readLink(file))
    if (Option.isSome(target)) {
      if (!isIgnored(ignores, relative, file, false)) yield* link(file, at, target.value)
      return Option.none<string>()
    }
    const info = yield* fs.stat(file)
    if (isIgnored(ignores, relative, file, info.type === "Directory")) return Option.none()
    if (info.type === "Directory") return Option.some(file)
    if (!isMeant(wanted, at)) return Option.none()
    const bytes = Number(info.size)
    const reason = info.type === "File" ? tooLarge(bytes, wanted.selection) : notRegular(info.type)
    if (reason === undefined) found.push({ path: at, root, bytes, modifiedAt: modifiedAt(info) })
    else skip(at, reason)
    return Option.none()
  })

  const folders: Array<string> = []
  const ahead: Array<{ readonly folder: string; readonly outer: Ignores }> = [
    { folder: root, outer: yield* rulesAround(root, relative) }
  ]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const { folder, outer } = next
    folders.push(folder)
    const here = relative(root, folder)
    const names = yield* Effect.either(fs.readDirectory(folder))
    if (Either.isLeft(names)) {
      skip(here === "" ? root : here, explain(names.left))
      continue
    }
    const ignores = yield* withRulesOf(folder, outer).pipe(
      Effect.catchAll((error) => {
        skip(here === "" ? ".gitignore" : `${here}/.gitignore`, `${explain(error)}; its rules were not applied`)
        return Effect.succeed(outer)
      })
    )
    const below = yield* Effect.forEach(
      names.right.filter((name) => !isLeftOut(name)).sort(),
      (name) => {
        const at = here === "" ? name : `${here}/${name}`
        if (wanted.exclude.some((pattern) => pattern.matches(at))) return Effect.succeedNone
        return entry(path.join(folder, name), at, ignores).pipe(
          Effect.catchAll((error) => {
            if (isMeant(wanted, at)) skip(at, explain(error))
            return Effect.succeedNone
          })
        )
      },
      { concurrency: 8 }
    )
    for (const deeper of below) if (Option.isSome(deeper)) ahead.push({ folder: deeper.value, outer: ignores })
  }
  return { found, skipped, folders }
})

/** The rules from above a root, unless they leave out the root itself: whoever names it wants it. */
const rulesAround = (root: string, relative: (folder: string, file: string) => string) =>
  Effect.map(rulesAbove(root), (ignores) => (isIgnored(ignores, relative, root, true) ? [] : ignores))

const globs = (patterns: ReadonlyArray<string>, byName: boolean): Effect.Effect<ReadonlyArray<Glob>, SourceError> =>
  Effect.forEach(patterns, (pattern) =>
    Effect.mapError(glob(pattern, byName), (detail) => new SourceError({ path: pattern, detail }))
  )

const below = (path: Path.Path, folder: string) => {
  const prefix = folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`
  return (absolute: string): boolean => absolute.startsWith(prefix)
}

const folder = Effect.fnUntraced(function* (root: string, wanted: Wanted) {
  const covers = below(yield* Path.Path, root)
  return { ...(yield* walk(root, wanted)), covers }
})

const file = Effect.fnUntraced(function* (absolute: string, info: FileSystem.File.Info, selection: Selection) {
  const path = yield* Path.Path
  const name = path.basename(absolute)
  const bytes = Number(info.size)
  const reason = info.type === "File" ? tooLarge(bytes, selection) : notRegular(info.type)
  const covers = (other: string) => other === absolute
  const folders = [path.dirname(absolute)]
  if (reason !== undefined) return { found: [], skipped: [{ path: name, reason }], folders, covers }
  const found = [{ path: name, root: path.dirname(absolute), bytes, modifiedAt: modifiedAt(info) }]
  return { found, skipped: [], folders, covers }
})

/** The files that a glob matches; `--include` narrows them further. */
const matching = Effect.fnUntraced(function* (named: string, base: string, pattern: string, wanted: Wanted) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const root = path.resolve(base)
  if (!(yield* fs.exists(root))) return yield* new SourceError({ path: named, detail: `there is no folder ${base}` })
  const [own] = yield* globs([pattern], false)
  if (own === undefined) return yield* new SourceError({ path: named, detail: "a glob may not be empty" })
  const narrowed = {
    ...own,
    matches: (at: string) => own.matches(at) && wanted.include.every((also) => also.matches(at))
  }
  const place = yield* walk(root, { ...wanted, include: [narrowed] })
  if (place.found.length === 0 && place.skipped.length === 0) {
    return yield* new SourceError({ path: named, detail: "matches no file that can be indexed" })
  }
  const isBelow = below(path, root)
  const covers = (absolute: string) =>
    isBelow(absolute) && own.matches(path.relative(root, absolute).replaceAll("\\", "/"))
  return { ...place, covers }
})

/** A name that stands for nothing: what is near it, and what to do. */
const missing = Effect.fnUntraced(function* (named: string, absolute: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const siblings = yield* Effect.orElseSucceed(fs.readDirectory(path.dirname(absolute)), (): Array<string> => [])
  const near = didYouMean(path.basename(absolute), siblings.sort())
  return new SourceError({
    path: named,
    detail: `there is no such file or folder.${near} If it was indexed and is to go, use \`staterag forget\`.`
  })
})

const isNotFound = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "NotFound"

/** What `named` comes to, seen from the working folder. */
export const look = (
  named: string,
  selection: Selection,
  formatOf: FormatOf
): Effect.Effect<Place, SourceError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const absolute = path.resolve(named)
    const include = yield* globs(selection.include, true)
    const exclude = yield* globs(selection.exclude, true)
    const wanted: Wanted = { selection, include, exclude, formatOf }
    const info = yield* Effect.either(fs.stat(absolute))
    if (Either.isRight(info)) {
      return info.right.type === "Directory"
        ? yield* folder(absolute, wanted)
        : yield* file(absolute, info.right, selection)
    }
    const pattern = globBase(named)
    if (isNotFound(info.left) && pattern !== undefined) {
      return yield* matching(named, pattern.base, pattern.pattern, wanted)
    }
    if (isNotFound(info.left)) return yield* yield* missing(named, absolute)
    return yield* new SourceError({ path: named, detail: explain(info.left) })
  }).pipe(
    Effect.catchTags({
      SystemError: (error) => Effect.fail(new SourceError({ path: named, detail: explain(error) })),
      BadArgument: (error) => Effect.fail(new SourceError({ path: named, detail: explain(error) }))
    })
  )
