/** The view of a run as a caller's {@link Answer}, and the states that it went through. */
import { Either, Option } from "effect"
import type { Answer, Reason } from "./Answer.ts"
import { adviceFor } from "./Errors.ts"
import type { Event } from "./Event.ts"
import { advance, fold, type MalformedJournal, type RunView } from "./Run.ts"
import type { State } from "./State.ts"

const reasonOf = (view: RunView): Reason | null =>
  Option.match(view.reason, {
    onNone: () => null,
    onSome: ({ cause, stage }) => ({ stage, tag: cause._tag, message: cause.message, advice: adviceFor(cause) })
  })

/**
 * Where a question was not answered: the Verifier's last justification, or what was looked at instead of one. A Pass says what is there,
 * so that nothing in it is missing.
 */
const missingOf = (view: RunView): string => {
  const last = view.cycles[view.cycles.length - 1]?.verification
  if (last?.verdict === "Pass")
    return "what was found speaks of what is asked, and no sentence of it answers the question"
  const justification = last?.justification.text.trim()
  if (justification !== undefined && justification !== "") return justification
  return Option.exists(view.selected, (evidence) => evidence.length > 0)
    ? "the evidence that was found does not answer the question"
    : "no evidence was found for the question"
}

/** What a run has come to. A run that was interrupted, or is still open, is reported as incomplete. */
export const answerOf = (view: RunView): Answer => {
  const reading = Option.getOrElse(view.reading, () => ({ text: null, citations: [] }))
  const outcome = Option.getOrElse(view.outcome, () => "Incomplete" as const)
  const incomplete = outcome === "Incomplete" || outcome === "Interrupted"
  const answer = incomplete ? null : reading.text
  return {
    run: view.run,
    question: view.question,
    policy: view.policyHash,
    corpusRevision: view.corpusRevision,
    answer,
    answered: answer !== null,
    missing: answer === null && !incomplete ? missingOf(view) : null,
    outcome: incomplete ? "Incomplete" : outcome,
    reason: outcome === "Interrupted" || Option.isNone(view.outcome) ? interrupted : reasonOf(view),
    cycles: view.cycles.length,
    citations: incomplete ? [] : reading.citations,
    evidence: incomplete ? [] : Option.getOrElse(view.selected, () => []),
    usage: view.usage,
    elapsedMs: Option.getOrElse(view.endedAt, () => view.startedAt) - view.startedAt
  }
}

const interrupted: Reason = {
  stage: "Action",
  tag: "Interrupted",
  message: "the run did not come to its end",
  advice: "`staterag resume` goes on with it; what models have answered already is not asked again"
}

/** A five-field state as it was after the event with this sequence. */
export interface StateAfter {
  readonly sequence: number
  readonly state: State
}

const commits: ReadonlySet<Event["tag"]> = new Set([
  "EvidenceInitialized",
  "CycleStarted",
  "PlanCommitted",
  "PathCommitted",
  "EvidenceCommitted",
  "VerificationCommitted",
  "ActionSelected"
])

/** The state after each commit, by folding the journal step by step; the staged one while a cycle is open. */
export const statesOf = (events: ReadonlyArray<Event>): Either.Either<ReadonlyArray<StateAfter>, MalformedJournal> =>
  Either.gen(function* () {
    const found: Array<StateAfter> = []
    let view = yield* fold(events.slice(0, 1))
    for (const event of events.slice(1)) {
      view = yield* advance(view, event)
      if (commits.has(event.tag))
        found.push({ sequence: event.sequence, state: Option.getOrElse(view.staged, () => view.state) })
    }
    return found
  })
