/**
 * What an index run has to do, from what was found and what is stored. Pure.
 *
 *     stored, found, same size and time      keep
 *     found, new or touched                  read
 *     stored, looked for, not found          gone
 *
 * A file that is stored keeps the name that it has there, however it is reached this time. Two files of one name are no two documents: the
 * one that is stored stays, else the first in order, and the other is skipped.
 */
import type { Format } from "../domain/Corpus.ts"
import type { DocumentInfo, Source } from "../services/CorpusStore.ts"
import type { Found, Listing, Skipped } from "../services/SourceFiles.ts"

/** Stands for the time of a file of which something was skipped: it is read again by the next run, and told again. */
export const unsettled = 0

export interface Plan {
  /** Files whose documents stand as they are. */
  readonly keep: ReadonlyArray<Source>
  /** In the order of their paths. */
  readonly read: ReadonlyArray<Found>
  readonly gone: ReadonlyArray<Source>
  readonly skipped: ReadonlyArray<Skipped>
}

export interface Stored {
  readonly sources: ReadonlyArray<Source>
  readonly documents: ReadonlyArray<DocumentInfo>
}

const absolute = ({ path, root }: Pick<Source, "root" | "path">): string =>
  root.endsWith("/") ? `${root}${path}` : `${root}/${path}`

/** Documents by the file that they came from. */
export const bySource = (documents: ReadonlyArray<DocumentInfo>): ReadonlyMap<string, ReadonlyArray<DocumentInfo>> => {
  const found = new Map<string, Array<DocumentInfo>>()
  for (const document of documents) {
    const own = found.get(document.source)
    if (own === undefined) found.set(document.source, [document])
    else own.push(document)
  }
  return found
}

/** Stored files elsewhere that have the name of a file which was found: whether they are still there decides who may have it. */
export const rivals = (listing: Pick<Listing, "found" | "covers">, stored: Stored): ReadonlyArray<Source> => {
  const roots = new Map(listing.found.map((file) => [absolute(file), file]))
  const names = new Set(listing.found.map((file) => file.path))
  return stored.sources.filter(
    (source) => names.has(source.path) && !roots.has(absolute(source)) && !listing.covers(source)
  )
}

/**
 * The plan. `lost` are the {@link rivals} whose file is no longer there; with `all`, every file is read, whatever its time.
 */
export const plan = (
  listing: Listing,
  stored: Stored,
  lost: ReadonlyArray<Source>,
  formatOf: (path: string) => Format,
  all: boolean
): Plan => {
  const foundByPlace = new Map(listing.found.map((file) => [absolute(file), file]))
  const isLost = new Set(lost.map(absolute))
  const isGone = (source: Source) =>
    isLost.has(absolute(source)) || (listing.covers(source) && !foundByPlace.has(absolute(source)))
  const gone = stored.sources.filter(isGone)
  const kept = stored.sources.filter((source) => !isGone(source))
  const storedByPlace = new Map(kept.map((source) => [absolute(source), source]))
  const holders = new Map(kept.map((source) => [source.path, absolute(source)]))
  const documents = bySource(stored.documents)

  const isSettled = (source: Source, file: Found): boolean => {
    const own = documents.get(source.path) ?? []
    const isSame =
      source.bytes === file.bytes && source.modifiedAt === file.modifiedAt && source.modifiedAt !== unsettled
    return isSame && own.length > 0 && own.every((document) => document.format === formatOf(source.path))
  }

  const keep: Array<Source> = []
  const read: Array<Found> = []
  const skipped: Array<Skipped> = [...listing.skipped]
  for (const file of listing.found) {
    const place = absolute(file)
    const known = storedByPlace.get(place)
    if (known !== undefined) {
      if (!all && isSettled(known, file)) keep.push(known)
      else read.push({ ...file, root: known.root, path: known.path })
      continue
    }
    const holder = holders.get(file.path)
    if (holder === undefined) {
      holders.set(file.path, place)
      read.push(file)
    } else {
      const reason = `${place} would have the same name as ${holder}: index a folder above both, or use another --scope`
      skipped.push({ path: file.path, reason })
    }
  }
  read.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return { keep, read, gone, skipped }
}
