/**
 * Removes what nobody will read again: old runs of the journal, and artifacts that are old, out of days, or about documents that have
 * changed; then gives their space back (C33, pain 21).
 */
import { Clock, Effect, Either, Schema } from "effect"
import type { Artifact } from "../domain/Artifact.ts"
import type { RunId, ScopeKey } from "../domain/Ids.ts"
import { fold } from "../domain/Run.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Housekeeping } from "../services/Housekeeping.ts"
import { Journal, type RunSummary } from "../services/Journal.ts"
import type { StoreError, UnknownScope } from "../services/StoreError.ts"
import { Transaction } from "../services/Transaction.ts"
import { allRuns } from "./ForgetRuns.ts"

/** A run that is still open is left alone for so long: somebody may be writing it, or want to go on with it. */
export const openForMs = 86_400_000
const Count = Schema.NonNegativeInt

export interface PruneOptions {
  readonly scope: ScopeKey
  /** Runs that started, artifacts that were made, and what is cached and was last used longer ago than this; in milliseconds. */
  readonly olderThanMs?: number | undefined
  /** Keeps so many of the newest runs. */
  readonly keep?: number | undefined
  /** Keeps so many of the newest global artifacts. */
  readonly keepArtifacts?: number | undefined
  /** Keeps so many of the cached answers of models, those that were used last. */
  readonly keepCached?: number | undefined
  /** Says what would go; removes nothing. */
  readonly dryRun?: boolean | undefined
}

/** The JSON of `prune --json`. */
export const PruneReport = Schema.Struct({
  dryRun: Schema.Boolean,
  runs: Schema.Struct({ removed: Count, kept: Count, unreadable: Count }),
  /** `outdated` rest on documents that have changed or gone; `orphaned` belonged to one run that is no longer there. */
  artifacts: Schema.Struct({
    removed: Count,
    kept: Count,
    expired: Count,
    outdated: Count,
    orphaned: Count,
    old: Count,
    surplus: Count
  }),
  /** Cached answers and vectors of models. */
  cached: Schema.Struct({ removed: Count, kept: Count }),
  /** Of the database, in all scopes; null on a dry run. */
  freedBytes: Schema.NullOr(Schema.Number)
})
export type PruneReport = typeof PruneReport.Type

export type PruneServices = CorpusStore | Housekeeping | Journal | Transaction

/** Runs by whether age or number lets them go; `runs` are newest first. */
const outlived = (
  runs: ReadonlyArray<RunSummary>,
  { keep, olderThanMs }: PruneOptions,
  now: number
): ReadonlyArray<RunId> =>
  runs
    .filter(({ outcome, startedAt }, place) => {
      if (outcome === null && now - startedAt < openForMs) return false
      return (olderThanMs !== undefined && now - startedAt > olderThanMs) || (keep !== undefined && place >= keep)
    })
    .map(({ run }) => run)

/** Runs whose journal does not decode or does not fold; nothing can be said of them any more. */
const unreadable = Effect.fnUntraced(function* (scope: ScopeKey, runs: ReadonlyArray<RunId>) {
  const journal = yield* Journal
  return yield* Effect.filter(runs, (run) =>
    journal.events(scope, run).pipe(
      Effect.map((events) => Either.isLeft(fold(events))),
      Effect.catchTag("UnknownRun", () => Effect.succeed(false)),
      Effect.catchIf(
        (error) => error.reason === "Unreadable",
        () => Effect.succeed(true)
      )
    )
  )
})

type Why = "expired" | "outdated" | "orphaned" | "old" | "surplus"

/** Why each artifact goes, if it goes: the first reason that holds. */
const reasons = (
  artifacts: ReadonlyArray<Artifact>,
  { keepArtifacts, olderThanMs }: PruneOptions,
  standing: { readonly runs: ReadonlySet<string>; readonly hashes: ReadonlySet<string>; readonly now: number }
): ReadonlyMap<Artifact, Why> => {
  const { hashes, now, runs } = standing
  const found = new Map<Artifact, Why>()
  for (const artifact of artifacts) {
    if (artifact.expiresAt !== null && artifact.expiresAt <= now) found.set(artifact, "expired")
    else if (artifact.restsOn.some((hash) => !hashes.has(hash))) found.set(artifact, "outdated")
    else if (artifact.scope !== "Global" && !runs.has(artifact.run)) found.set(artifact, "orphaned")
    else if (olderThanMs !== undefined && now - artifact.createdAt > olderThanMs) found.set(artifact, "old")
  }
  if (keepArtifacts === undefined) return found
  artifacts
    .filter((artifact) => artifact.scope === "Global" && !found.has(artifact))
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .slice(keepArtifacts)
    .forEach((artifact) => {
      found.set(artifact, "surplus")
    })
  return found
}

const pruneAll = Effect.fnUntraced(function* (options: PruneOptions) {
  const { dryRun = false, scope } = options
  const corpus = yield* CorpusStore
  const housekeeping = yield* Housekeeping
  const now = yield* Clock.currentTimeMillis
  yield* corpus.revision(scope)
  const runs = yield* allRuns(scope)
  const old = new Set(outlived(runs, options, now))
  const left = runs.map(({ run }) => run).filter((run) => !old.has(run))
  const broken = yield* unreadable(scope, left)
  const gone = new Set([...old, ...broken])
  const standing = {
    runs: new Set<string>(left.filter((run) => !gone.has(run))),
    hashes: new Set<string>((yield* corpus.documents(scope)).map(({ hash }) => hash)),
    now
  }
  const artifacts = yield* housekeeping.artifacts(scope)
  const why = reasons(artifacts, options, standing)
  const usedBefore = options.olderThanMs === undefined ? undefined : now - options.olderThanMs
  const cached = yield* housekeeping.removeCached(scope, { usedBefore, keep: options.keepCached, dryRun })
  if (!dryRun) {
    yield* housekeeping.removeArtifacts(
      scope,
      [...why.keys()].map(({ id }) => id)
    )
    yield* housekeeping.removeRuns(scope, [...gone])
  }
  const because = (reason: Why) => [...why.values()].filter((one) => one === reason).length
  return {
    cached,
    runs: { removed: gone.size, kept: runs.length - gone.size, unreadable: broken.length },
    artifacts: {
      removed: why.size,
      kept: artifacts.length - why.size,
      expired: because("expired"),
      outdated: because("outdated"),
      orphaned: because("orphaned"),
      old: because("old"),
      surplus: because("surplus")
    }
  }
})

/**
 * Prunes a scope, and says what went. Without `olderThanMs` and the numbers to keep, only that goes which cannot be used any more. A run
 * that has gone stays gone: whoever still writes it is stale.
 */
export const prune: (options: PruneOptions) => Effect.Effect<PruneReport, StoreError | UnknownScope, PruneServices> =
  Effect.fn("prune")(function* (options: PruneOptions) {
    const housekeeping = yield* Housekeeping
    const dryRun = options.dryRun === true
    const before = yield* housekeeping.bytes
    const gone = yield* (yield* Transaction).atomically(pruneAll(options))
    if (!dryRun) yield* housekeeping.scrub
    const report: PruneReport = { dryRun, ...gone, freedBytes: dryRun ? null : before - (yield* housekeeping.bytes) }
    return report
  })
