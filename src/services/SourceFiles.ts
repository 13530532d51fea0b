/** Where documents come from: files, folders and globs of the machine that indexes. */
import { Context, type Effect, Schema, type Scope, type Stream } from "effect"
import type { Format } from "../domain/Corpus.ts"
import type { Source } from "./CorpusStore.ts"

/** What to index. Globs are matched against paths relative to the folder that was named. */
export interface Selection {
  readonly paths: ReadonlyArray<string>
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  /** Reads every selected file as this format, whatever its extension. */
  readonly format: Format | undefined
  /** Files above this size are skipped. */
  readonly maxBytes: number
}

/** A file that was found, not yet read. */
export interface Found {
  readonly path: string
  readonly root: string
  readonly bytes: number
  readonly modifiedAt: number
}

/** What a selection comes to. */
export interface Listing {
  /** In canonical order: by root, then path. A file that was named twice is here once. */
  readonly found: ReadonlyArray<Found>
  /** Left out for a reason worth telling, in order. */
  readonly skipped: ReadonlyArray<Skipped>
  /** Whether a file lies where this selection looked, so that it has gone if it was not found. */
  readonly covers: (file: Pick<Source, "root" | "path">) => boolean
}

/** A file's text, without its byte order mark. */
export interface SourceFile {
  readonly source: Source
  readonly format: Format
  readonly text: string
}

/** A file that was looked at and left out. */
export const Skipped = Schema.Struct({ path: Schema.String, reason: Schema.String })
export type Skipped = typeof Skipped.Type

/** Nothing can be indexed from what was named. */
export class SourceError extends Schema.TaggedError<SourceError>()("SourceError", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.detail}`
  }
}

export class SourceFiles extends Context.Tag("staterag/services/SourceFiles")<
  SourceFiles,
  {
    /** The files of a selection. `.gitignore` is respected; links are not followed out of the root. */
    readonly find: (selection: Selection) => Effect.Effect<Listing, SourceError>
    /** Reads files one by one; a file that vanished, cannot be read or is binary comes out as skipped. */
    readonly read: (found: ReadonlyArray<Found>, format: Format | undefined) => Stream.Stream<SourceFile | Skipped>
    /**
     * Watches what a selection looks at, from now until the scope closes. What it gives ends when something there may have changed since:
     * at once if it has already, later where the system does not tell. Changes that nobody can have meant may end it too.
     */
    readonly watch: (selection: Selection) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /**
     * Which stored files a name stands for: one by its stored path or by where it lies, those below a folder, or those that a glob matches
     * (by stored path, or as seen from the working folder).
     */
    readonly named: (name: string) => Effect.Effect<(file: Pick<Source, "root" | "path">) => boolean, SourceError>
    /** Those of `sources` whose file has changed or gone since, by path. */
    readonly stale: (sources: ReadonlyArray<Source>) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}
