/** Checks what runs have left: every journal folds to states that encode and decode (C1, C30), and quotes the corpus that it read (C14). */
import { Effect, Either, Option, Schema } from "effect"
import { supportedCitations } from "../domain/Answer.ts"
import { quotesOf } from "../domain/Artifact.ts"
import { type Span, spanKey } from "../domain/Corpus.ts"
import type { Event } from "../domain/Event.ts"
import type { CorpusRevision, ScopeKey } from "../domain/Ids.ts"
import { statesOf } from "../domain/Report.ts"
import { fold } from "../domain/Run.ts"
import { State } from "../domain/State.ts"
import { isForgotten } from "../domain/Tombstone.ts"
import { type Finding, finding } from "../domain/VerifyReport.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Housekeeping } from "../services/Housekeeping.ts"
import { Journal } from "../services/Journal.ts"
import { Progress } from "../services/Progress.ts"
import { allRuns } from "./ForgetRuns.ts"

const encodeState = Schema.encodeEither(State)
const decodeState = Schema.decodeUnknownEither(State)
const removes = "`staterag prune` removes the run"

/** Whether JSON loses nothing of a state (C1). */
const survives = (state: State): boolean => {
  const once = Either.map(encodeState(state), (json) => JSON.stringify(json))
  const twice = once.pipe(
    Either.flatMap((json) => decodeState(JSON.parse(json))),
    Either.flatMap(encodeState),
    Either.map((json) => JSON.stringify(json))
  )
  return Either.isRight(once) && Either.isRight(twice) && once.right === twice.right
}

interface Said extends Span {
  readonly text: string
}

/** What the events say that the corpus says. */
const saidIn = (events: ReadonlyArray<Event>): ReadonlyArray<Said> =>
  events.flatMap((event): ReadonlyArray<Said> => {
    switch (event.tag) {
      case "EvidenceInitialized":
      case "EvidenceCommitted":
      case "EvidenceSelected":
      case "BypassMatched":
        return event.evidence.filter((item) => !isForgotten(item))
      case "PlanCommitted":
        return event.plan.known.filter(({ span }) => !isForgotten(span)).map(({ span, text }) => ({ ...span, text }))
      case "AnswerRead":
        return event.reading.citations.filter((citation) => !isForgotten(citation))
      default:
        return []
    }
  })

const misquoted = Effect.fnUntraced(function* (scope: ScopeKey, said: ReadonlyArray<Said>) {
  const slices = yield* (yield* CorpusStore).slices(scope, said)
  return said.filter((one) => slices.get(spanKey(one)) !== one.text)
})

/** Every run of the scope. Quotations are compared where the corpus is still the one that was read. */
export const journals = Effect.fnUntraced(function* (scope: ScopeKey, current: CorpusRevision) {
  const journal = yield* Journal
  const progress = yield* Progress
  const runs = yield* allRuns(scope)
  const found: Array<Finding> = []
  for (const [done, { run }] of runs.entries()) {
    yield* progress.report({ label: "checking journals", done: done + 1, total: runs.length })
    const events = yield* Effect.either(journal.events(scope, run))
    if (Either.isLeft(events)) {
      if (events.left._tag === "UnknownRun") continue
      if (events.left.reason !== "Unreadable") return yield* events.left
      found.push(finding("C30", run, `its journal cannot be read (${events.left.detail}): ${removes}`))
      continue
    }
    const view = fold(events.right)
    const states = statesOf(events.right)
    if (Either.isLeft(view) || Either.isLeft(states)) {
      found.push(finding("C30", run, `its events do not follow from one another: ${removes}`))
      continue
    }
    if (!states.right.every(({ state }) => survives(state)))
      found.push(finding("C1", run, `a state of it does not survive JSON: ${removes}`))
    const { corpusRevision, reading, selected } = view.right
    const evidence = Option.getOrElse(selected, () => []).filter((item) => !isForgotten(item))
    const citations = Option.match(reading, {
      onNone: () => [],
      onSome: (read) => read.citations.filter((citation) => !isForgotten(citation))
    })
    if (supportedCitations({ text: null, citations }, evidence).unsupported.length > 0)
      found.push(finding("C20", run, `it cites what its evidence does not say: ${removes}`))
    if (corpusRevision !== current) continue
    const [wrong] = yield* misquoted(scope, saidIn(events.right))
    if (wrong !== undefined)
      found.push(
        finding(
          "C14",
          run,
          `it quotes ${wrong.document} (${wrong.start}-${wrong.end}) otherwise than it says: ${removes}`
        )
      )
  }
  return { looked: runs.length, findings: found }
})

/** Every artifact that stands quotes what the corpus says. */
export const artifacts = Effect.fnUntraced(function* (scope: ScopeKey) {
  const held = yield* (yield* Housekeeping).artifacts(scope)
  const hashes = new Set<string>((yield* (yield* CorpusStore).documents(scope)).map(({ hash }) => hash))
  const found: Array<Finding> = []
  for (const { id, payload, restsOn } of held) {
    const quotes = quotesOf(payload).map(({ span, text }) => ({ ...span, text }))
    if (quotes.length === 0 || !restsOn.every((hash) => hashes.has(hash))) continue
    if ((yield* misquoted(scope, quotes)).length > 0)
      found.push(
        finding("C24", id, "it quotes what the corpus does not say: it is no hint, and is removed", "Artifacts")
      )
  }
  return { looked: held.length, findings: found }
})
