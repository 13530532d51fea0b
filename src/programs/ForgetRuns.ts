/** The journals of a scope, read for what they hold of documents, and rewritten without them (C34). One run is in memory at a time. */
import { Effect, Option } from "effect"
import type { Event } from "../domain/Event.ts"
import type { DocumentId, PassageId, RunId, ScopeKey } from "../domain/Ids.ts"
import { bury, type Forgotten, isForgotten } from "../domain/Tombstone.ts"
import { Housekeeping } from "../services/Housekeeping.ts"
import { Journal } from "../services/Journal.ts"
import { Progress } from "../services/Progress.ts"

const everyRun = 2 ** 31 - 1

/** A stretch of a document that an event holds. */
interface Held {
  readonly document: DocumentId
  readonly passage: PassageId | undefined
  readonly texts: ReadonlyArray<string>
}

const heldIn = (event: Event): ReadonlyArray<Held> => {
  switch (event.tag) {
    case "RunStarted":
      return (event.within ?? []).map((document) => ({ document, passage: undefined, texts: [] }))
    case "EvidenceInitialized":
    case "EvidenceCommitted":
    case "EvidenceSelected":
    case "BypassMatched":
      return event.evidence.map(({ document, passage, text, title }) => ({ document, passage, texts: [title, text] }))
    case "PlanCommitted":
      return event.plan.known.map(({ span, text }) => ({ document: span.document, passage: undefined, texts: [text] }))
    case "AnswerRead":
      return event.reading.citations.map(({ document, text }) => ({ document, passage: undefined, texts: [text] }))
    default:
      return []
  }
}

/** Every run of the scope, newest first. */
export const allRuns = (scope: ScopeKey) =>
  Effect.flatMap(Journal, (journal) => journal.runs(scope, { limit: everyRun }))

/** The events of a run; none where they cannot be read. */
const eventsOf = (scope: ScopeKey, run: RunId) =>
  Effect.flatMap(Journal, (journal) => journal.events(scope, run)).pipe(
    Effect.asSome,
    Effect.catchTag("UnknownRun", () => Effect.succeedNone),
    Effect.catchIf(
      (error) => error.reason === "Unreadable",
      () => Effect.succeedNone
    )
  )

/** Which documents each run holds something of; and the runs that nobody can read, so that nobody can say what they hold. */
export const survey = Effect.fnUntraced(function* (scope: ScopeKey) {
  const progress = yield* Progress
  const held = new Map<RunId, ReadonlySet<DocumentId>>()
  const unreadable: Array<RunId> = []
  const runs = yield* allRuns(scope)
  for (const [done, { run }] of runs.entries()) {
    const events = yield* eventsOf(scope, run)
    if (Option.isNone(events)) unreadable.push(run)
    else {
      const parts = events.value.flatMap(heldIn).filter((part) => !isForgotten(part))
      held.set(run, new Set(parts.map(({ document }) => document)))
    }
    yield* progress.report({ label: "reading journals", done: done + 1, total: runs.length })
  }
  return { held, unreadable }
})

/** What the runs hold of the documents: texts, also of versions that the corpus has no more, and passages. */
export const heldOf = Effect.fnUntraced(function* (
  scope: ScopeKey,
  runs: ReadonlyArray<RunId>,
  documents: ReadonlySet<DocumentId>
) {
  const texts = new Set<string>()
  const passages = new Set<PassageId>()
  for (const run of runs) {
    const events = Option.getOrElse(yield* eventsOf(scope, run), () => [])
    for (const part of events.flatMap(heldIn)) {
      if (!documents.has(part.document)) continue
      for (const text of part.texts) texts.add(text)
      if (part.passage !== undefined) passages.add(part.passage)
    }
  }
  return { texts, passages }
})

/** Puts tombstones in the runs; gives how many runs and events there were to change. */
export const buryIn = Effect.fnUntraced(function* (scope: ScopeKey, runs: ReadonlyArray<RunId>, forgotten: Forgotten) {
  const housekeeping = yield* Housekeeping
  const progress = yield* Progress
  const changed = { runs: 0, events: 0 }
  for (const [done, run] of runs.entries()) {
    const before = Option.getOrElse(yield* eventsOf(scope, run), () => [])
    const after = bury(before, forgotten).filter((event, i) => event !== before[i])
    if (after.length > 0) {
      yield* housekeeping.rewrite(scope, run, after)
      changed.runs++
      changed.events += after.length
    }
    yield* progress.report({ label: "clearing journals", done: done + 1, total: runs.length })
  }
  return changed
})
