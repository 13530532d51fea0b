/**
 * Indexes, and again after every change, until it is interrupted.
 *
 *     watch ─▶ index ─▶ tell ─▶ a change, or a minute ─▶ quiet ─┐
 *       ▲                                                       │
 *       └───────────────────────────────────────────────────────┘
 *
 * Watching begins before the files are looked at: what changes while they are read is seen, and read by the next run. Each run is one
 * transaction, so whatever ends this leaves a whole index.
 */
import { Effect, Either } from "effect"
import { SourceFiles } from "../services/SourceFiles.ts"
import {
  type IndexError,
  type IndexOptions,
  type IndexReport,
  type IndexServices,
  indexCorpus,
  selectionOf
} from "./IndexCorpus.ts"

/** Files that are saved together are indexed together. */
const quiet = "300 millis"
/** How long a change can go unseen where no system tells of it: a network drive, a link's target. */
const rescanEvery = "1 minute"

/** One run: what it did, or why it did nothing. */
export type Round = Either.Either<IndexReport, IndexError>

/** Whether the next change may mend it. */
const passes = (error: IndexError): boolean =>
  error._tag === "StoreError"
    ? error.reason === "Busy" || error.reason === "Full" || error.reason === "Unreachable"
    : true

/** What a run has to say, to compare with the last; empty where nothing changed. */
const news = (round: Round): string =>
  Either.match(round, {
    onLeft: (error) => error.message,
    onRight: ({ documents: { added, changed, removed, skipped } }) =>
      added + changed + removed > 0 ? "changed" : JSON.stringify(skipped)
  })

/**
 * Follows what is named. The first run is told, and each that changed something, skipped something else than before, or failed otherwise than
 * before. Ends by interruption, or by a failure: any of the first run, later those that waiting does not mend.
 */
export const watchCorpus = <E, R>(
  options: IndexOptions,
  tell: (round: Round, isFirst: boolean) => Effect.Effect<void, E, R>
): Effect.Effect<never, IndexError | E, IndexServices | R> =>
  Effect.gen(function* () {
    const files = yield* SourceFiles
    let last = ""
    let isFirst = true
    const round = Effect.gen(function* () {
      const change = yield* files.watch(selectionOf(options))
      const done = yield* Effect.either(indexCorpus(options))
      if (Either.isLeft(done) && (isFirst || !passes(done.left))) return yield* done.left
      const now = news(done)
      if (isFirst || now === "changed" || now !== last) yield* tell(done, isFirst)
      last = now === "changed" && Either.isRight(done) ? JSON.stringify(done.right.documents.skipped) : now
      isFirst = false
      yield* Effect.race(change, Effect.sleep(rescanEvery))
    })
    return yield* Effect.forever(Effect.zipRight(Effect.scoped(round), Effect.sleep(quiet)))
  })
