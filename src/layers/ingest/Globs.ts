/** Globs over paths relative to a root. */
import { Either } from "effect"
import picomatch from "picomatch"

export interface Glob {
  readonly matches: (path: string) => boolean
  /** The pattern says which extension it wants (`*.py`), so files with it are meant to be read, whatever it is. */
  readonly namesExtension: boolean
}

const named = /\.[\p{L}\p{N}_{},-]+$/u

/** The glob, or what is wrong with it. With `byName`, one without a slash is matched against names, so `*.md` means any depth. */
export const glob = (pattern: string, byName: boolean): Either.Either<Glob, string> => {
  const bare = pattern.replace(/^\.\//, "").replace(/\/+$/, "")
  if (bare === "") return Either.left("a glob may not be empty")
  return Either.try({
    try: () => {
      const matcher = picomatch(bare, { dot: true, basename: byName && !bare.includes("/") })
      return { matches: (path) => matcher(path), namesExtension: named.test(bare) }
    },
    catch: (cause) => `is no glob: ${cause instanceof Error ? cause.message : String(cause)}`
  })
}

/** Where a named path that does not exist is a glob: the folder that it starts from, and the rest. */
export const globBase = (named: string): { readonly base: string; readonly pattern: string } | undefined => {
  const scanned = picomatch.scan(named)
  return scanned.isGlob && scanned.glob !== ""
    ? { base: scanned.base === "" ? "." : scanned.base, pattern: scanned.glob }
    : undefined
}
