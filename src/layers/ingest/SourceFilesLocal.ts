/**
 * {@link SourceFiles} of this machine.
 *
 * Hidden files and folders, `node_modules` and what `.gitignore` names are left out without a word, and so are files of a kind that nobody
 * asked for. What was meant to be read and cannot be is skipped with a reason that says what to do. Nothing but regular files is opened.
 */
import { FileSystem, Path } from "@effect/platform"
import { Clock, Effect, Either, Layer, Option, Stream } from "effect"
import { Digest } from "../../services/Digest.ts"
import { DocumentParser } from "../../services/DocumentParser.ts"
import { type Found, type Listing, type Skipped, SourceError, SourceFiles } from "../../services/SourceFiles.ts"
import { decode } from "./Decode.ts"
import * as DocumentParserLocal from "./DocumentParserLocal.ts"
import { explain, modifiedAt, notRegular } from "./Files.ts"
import { glob, globBase } from "./Globs.ts"
import { look } from "./Looking.ts"
import { watchFolders } from "./Watching.ts"

/** Two writes within so many milliseconds may leave a file one time of change. */
const tick = 20

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A file that was named twice, by two roots, is kept under the outer one. */
const distinct = (found: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const seen = new Set<string>()
  return [...found]
    .sort((a, b) => compare(a.root, b.root) || compare(a.path, b.path))
    .filter(({ path, root }) => {
      const absolute = `${root}/${path}`
      if (seen.has(absolute)) return false
      seen.add(absolute)
      return true
    })
}

const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const parser = yield* DocumentParser
  const digest = yield* Digest
  const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

  const textOf = Effect.fnUntraced(function* (file: string) {
    const bytes = yield* fs.readFile(file).pipe(Effect.mapError(explain))
    return yield* decode(bytes)
  })

  const readOne = Effect.fnUntraced(function* (found: Found) {
    const file = path.join(found.root, found.path)
    const info = yield* fs.stat(file).pipe(Effect.mapError(explain))
    // it was a regular file when it was found; opening a pipe would wait for ever
    if (info.type !== "File") return yield* Effect.fail(notRegular(info.type))
    const text = yield* textOf(file)
    const at = modifiedAt(info)
    const age = (yield* Clock.currentTimeMillis) - at
    // written just now, it may be written again without its time being another: then it is no time that the file has, and is read again
    const isRacy = age < tick && age > -tick
    const source = {
      path: found.path,
      root: found.root,
      bytes: Number(info.size),
      modifiedAt: isRacy && at > 0 ? at - 1 : at
    }
    return { source: { ...source, hash: digest.hash("source", text) }, text }
  })

  return SourceFiles.of({
    find: Effect.fn("SourceFiles.find")(function* (selection) {
      const places = yield* Effect.forEach(selection.paths, (named) => look(named, selection, parser.formatOf)).pipe(
        Effect.provide(services)
      )
      const skipped = new Map(places.flatMap((place) => place.skipped).map((item) => [item.path, item]))
      const listing: Listing = {
        found: distinct(places.flatMap((place) => place.found)),
        skipped: [...skipped.values()].sort((a, b) => compare(a.path, b.path)),
        covers: (file) => places.some((place) => place.covers(path.join(file.root, file.path)))
      }
      return listing
    }),

    watch: Effect.fnUntraced(function* (selection) {
      const places = yield* Effect.forEach(selection.paths, (named) =>
        look(named, selection, parser.formatOf).pipe(
          Effect.map(({ folders }) => folders),
          // what is not there now may come
          Effect.orElseSucceed((): ReadonlyArray<string> => [path.resolve(named)])
        )
      ).pipe(Effect.provide(services))
      return yield* watchFolders([...new Set(places.flat())])
    }),

    read: (found, format) =>
      Stream.fromIterable(found).pipe(
        Stream.mapEffect(
          (file) =>
            readOne(file).pipe(
              Effect.map((read) => ({ ...read, format: format ?? parser.formatOf(file.path) ?? ("text" as const) })),
              Effect.catchAll((reason) => Effect.succeed<Skipped>({ path: file.path, reason }))
            ),
          { concurrency: 2 }
        )
      ),

    named: Effect.fnUntraced(function* (name) {
      const bare = name.replace(/^(\.\/)+/, "").replace(/\/+$/, "")
      if (bare === "") return yield* new SourceError({ path: name, detail: "an empty name stands for nothing" })
      const place = path.resolve(name)
      const here = path.resolve(".")
      const isAt = (file: string, at: string) => file === at || file.startsWith(`${at}/`)
      const pattern = globBase(bare) === undefined ? Either.right(undefined) : glob(bare, true)
      if (Either.isLeft(pattern)) return yield* new SourceError({ path: name, detail: pattern.left })
      const matches = pattern.right?.matches ?? (() => false)
      return (file) => {
        const absolute = path.join(file.root, file.path)
        const isPlace = file.root !== "" && isAt(absolute, place)
        return isAt(file.path, bare) || isPlace || matches(file.path) || matches(path.relative(here, absolute))
      }
    }),

    stale: Effect.fn("SourceFiles.stale")(function* (sources) {
      const changed = yield* Effect.filter(
        sources,
        Effect.fnUntraced(function* (source) {
          const file = path.join(source.root, source.path)
          const info = yield* Effect.option(fs.stat(file))
          if (Option.isNone(info) || info.value.type !== "File" || Number(info.value.size) !== source.bytes) return true
          if (modifiedAt(info.value) === source.modifiedAt) return false
          const text = yield* Effect.option(textOf(file))
          return Option.isNone(text) || digest.hash("source", text.value) !== source.hash
        }),
        { concurrency: 8 }
      )
      return changed.map((source) => source.path).sort(compare)
    })
  })
})

/** Finds the extensions that the parser in the context reads. */
export const layerWithParser: Layer.Layer<
  SourceFiles,
  never,
  FileSystem.FileSystem | Path.Path | Digest | DocumentParser
> = Layer.effect(SourceFiles, make)

/** Finds the extensions that {@link DocumentParserLocal} reads. */
export const layer: Layer.Layer<SourceFiles, never, FileSystem.FileSystem | Path.Path | Digest> = Layer.provide(
  layerWithParser,
  DocumentParserLocal.layer
)
