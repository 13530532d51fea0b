/**
 * A run as the fold of its events (C30, L2). The live controller, replay and the tests all call {@link advance}.
 *
 *     Opened ─▶ Initialized ─┬─(BypassMatched)────────────────────────────────────▶ Selecting ─▶ Selected ─▶ Admitted ─▶ Answered ─▶ Ended
 *                            └─▶ Ready ─▶ Staging 0..4 ─▶ ActionSelected ─┬─Revise─▶ Ready
 *                                                                         └─Release, Fallback─▶ Selecting
 *
 * `RunResumed` leads from an end, or from where a run was cut off, to where it last stood outside of a cycle. An open cycle is invisible:
 * {@link RunView.state} changes only when an action is selected; what is staged meanwhile stands beside it.
 */
import { Either, Option, Schema } from "effect"
import type { Action, Branch } from "./Action.ts"
import type { Reading } from "./Answer.ts"
import type { IncompleteCause } from "./Errors.ts"
import type { Event, Fact } from "./Event.ts"
import type { Evidence } from "./Evidence.ts"
import type { CorpusRevision, NodeId, RunId, ScopeKey } from "./Ids.ts"
import { type Phase, phasesOf } from "./Phases.ts"
import type { Plan } from "./Plan.ts"
import type { Policy } from "./Policy.ts"
import { commit, type Field, type Fields, initial, type State, stage, stages } from "./State.ts"
import type { Path } from "./Tam.ts"
import { metered, noUsage, type Usage } from "./Usage.ts"
import type { Verification } from "./Verification.ts"

export { type Phase, phasesOf }

/** A cycle whose four proposals were committed and whose action was selected. */
export interface CompletedCycle {
  readonly number: number
  readonly plan: Plan
  readonly path: Path
  readonly evidence: Evidence
  readonly verification: Verification
  readonly action: Action
}

export interface RunView {
  readonly run: RunId
  readonly question: string
  readonly scope: ScopeKey
  readonly policy: Policy
  readonly policyHash: string
  readonly corpusRevision: CorpusRevision
  readonly startedAt: number
  readonly endedAt: Option.Option<number>
  /** How many events have been folded: the sequence of the next. */
  readonly sequence: number
  readonly phase: Phase
  /** Where the run stood outside of any cycle when it was refused or ended: from there it is gone on with. */
  readonly resting: Phase
  /** s^t, after the last completed cycle. */
  readonly state: State
  /** s^{t,i} of the open cycle. */
  readonly staged: Option.Option<State>
  /** How many stages of the open cycle are committed. */
  readonly stage: number
  readonly initial: Evidence
  readonly cycles: ReadonlyArray<CompletedCycle>
  readonly bypass: Evidence
  readonly branch: Option.Option<Branch>
  readonly selected: Option.Option<Evidence>
  readonly reading: Option.Option<Reading>
  readonly outcome: Option.Option<Branch | "Incomplete" | "Interrupted">
  readonly reason: Option.Option<{ readonly stage: string; readonly cause: IncompleteCause }>
  readonly usage: Usage
}

/** The events do not follow from one another; `sequence` says where. */
export class MalformedJournal extends Schema.TaggedError<MalformedJournal>()("MalformedJournal", {
  run: Schema.String,
  sequence: Schema.Number,
  reason: Schema.String
}) {
  override get message(): string {
    return `the journal of run ${this.run} is malformed at event ${this.sequence}: ${this.reason}. Other runs are not affected; \`staterag prune\` removes this one.`
  }
}

/** The view of a run that has just started. */
export const open = (event: Extract<Event, { readonly tag: "RunStarted" }>): RunView => ({
  run: event.run,
  question: event.question,
  scope: event.scope,
  policy: event.policy,
  policyHash: event.policyHash,
  corpusRevision: event.corpusRevision,
  startedAt: event.at,
  endedAt: Option.none(),
  sequence: 1,
  phase: "Opened",
  resting: "Opened",
  state: initial(Object.freeze([]), Object.freeze([])),
  staged: Option.none(),
  stage: 0,
  initial: [],
  cycles: [],
  bypass: [],
  branch: Option.none(),
  selected: Option.none(),
  reading: Option.none(),
  outcome: Option.none(),
  reason: Option.none(),
  usage: noUsage
})

const committed = <F extends Field>(view: RunView, field: F, value: Fields[F]): Partial<RunView> | string => {
  const expected = stages[view.stage]
  if (Option.isNone(view.staged) || expected?.field !== field) return `${field} was committed at stage ${view.stage}`
  return { staged: Option.some(commit(view.staged.value, field, value)), stage: view.stage + 1 }
}

const completed = (view: RunView, action: Action): Partial<RunView> | string => {
  const staged = Option.getOrUndefined(view.staged)
  if (staged === undefined || view.stage !== stages.length)
    return "an action was selected before the cycle was complete"
  if (Option.isNone(staged.plan) || Option.isNone(staged.path)) return "a complete cycle has a plan and a path"
  const { evidence, verification } = staged
  const number = view.cycles.length + 1
  // a Fail may end the run before T_max, where a budget has lowered it (C35); nothing else departs from the table
  const follows =
    verification.verdict === "Pass"
      ? action === "Release"
      : action === "Fallback" || (action === "Revise" && number < view.policy.maxCycles)
  if (!follows) return `${action} does not follow from ${verification.verdict} in cycle ${number}`
  const cycle = {
    number,
    plan: staged.plan.value,
    path: staged.path.value,
    evidence,
    verification,
    action
  }
  return {
    state: staged,
    staged: Option.none(),
    stage: 0,
    cycles: [...view.cycles, cycle],
    phase: action === "Revise" ? "Ready" : "Selecting",
    branch: action === "Revise" ? Option.none() : Option.some(action)
  }
}

const change = (view: RunView, event: Fact & { readonly at: number }): Partial<RunView> | string => {
  switch (event.tag) {
    case "RunStarted":
      return "a run starts once"
    case "RunResumed":
      return isResumable(view)
        ? { ...reopened, phase: view.phase === "Ended" ? view.resting : view.phase }
        : "an ended run is not gone on with"
    case "ArtifactsExposed":
      return { state: { ...view.state, artifacts: event.ids } }
    case "EvidenceInitialized":
      return { phase: "Initialized", initial: event.evidence, state: { ...view.state, evidence: event.evidence } }
    case "BypassMatched":
      return { phase: "Selecting", branch: Option.some("Bypass"), bypass: event.evidence }
    case "BypassDeclined":
      return { phase: "Ready" }
    case "CycleStarted":
      return { phase: "Staging", stage: 0, staged: Option.some(stage(view.state)) }
    case "PlanCommitted":
      return committed(view, "plan", event.plan)
    case "PathCommitted":
      return committed(view, "path", event.path)
    case "EvidenceCommitted":
      return committed(view, "evidence", event.evidence)
    case "VerificationCommitted":
      return committed(view, "verification", event.verification)
    case "ProposalRefused":
      return stages[view.stage]?.role === event.role
        ? { phase: "Refused", resting: restingOf(view) }
        : `the ${event.role} was refused at stage ${view.stage}`
    case "StageFailed":
      return { phase: "Refused", resting: restingOf(view) }
    case "ModelCalled":
      return { usage: metered(view.usage, event.call) }
    case "ActionSelected":
      return completed(view, event.action)
    case "AnswerDelta":
      return "deltas are streamed, never stored"
    case "ArtifactsPersisted":
      return {}
    case "EvidenceSelected":
      return Option.contains(view.branch, event.branch)
        ? { phase: "Selected", selected: Option.some(event.evidence) }
        : `evidence was selected for ${event.branch}, which is not the branch of the run`
    case "ReaderAdmitted":
      return { phase: "Admitted" }
    case "AnswerRead":
      // nothing selected, nothing read: then, and only then, there is an (empty) reading without an admission
      return view.phase === "Selected" && !Option.exists(view.selected, (evidence) => evidence.length === 0)
        ? "the reader was not admitted"
        : { phase: "Answered", reading: Option.some(event.reading) }
    case "RunEnded":
      return (
        endsWrongly(view, event) ?? {
          phase: "Ended",
          resting: view.phase === "Refused" ? view.resting : view.phase,
          staged: Option.none(),
          stage: 0,
          endedAt: Option.some(event.at),
          outcome: Option.some(event.outcome),
          reason: Option.fromNullable(event.reason)
        }
      )
  }
}

/** Where a run that is refused stood outside of any cycle: an open one would be begun again from {@link RunView.state}. */
const restingOf = ({ phase }: RunView): Phase => (phase === "Staging" ? "Ready" : phase)

const reopened = {
  staged: Option.none(),
  stage: 0,
  endedAt: Option.none(),
  outcome: Option.none(),
  reason: Option.none()
} as const satisfies Partial<RunView>

/**
 * Whether a run can be gone on with: one that has not ended, was interrupted, or is incomplete for no other reason than that a model did
 * not answer. What a rule refused stays refused (C10).
 */
export const isResumable = ({ outcome, reason, resting }: RunView): boolean =>
  Option.match(outcome, {
    onNone: () => true,
    onSome: (ended) =>
      // who interrupts a run drops its open cycle before
      (ended === "Interrupted" && resting !== "Staging") ||
      (ended === "Incomplete" &&
        Option.exists(reason, ({ cause }) => cause._tag === "RoleFailed" && cause.fault !== undefined))
  })

/** A run ends in the branch that it took, with an answer; or in ⊥ for a reason, without one; or it is interrupted anywhere. */
const endsWrongly = (
  { branch, phase }: RunView,
  { outcome, reason }: Extract<Fact, { readonly tag: "RunEnded" }>
): string | undefined => {
  switch (outcome) {
    case "Interrupted":
      return undefined
    case "Incomplete":
      if (phase === "Answered") return "an answered run is not incomplete"
      return reason === null ? "an incomplete run says why" : undefined
    default:
      if (phase !== "Answered") return `the run ended in ${outcome} without an answer`
      return Option.contains(branch, outcome) ? undefined : `the run ended in ${outcome}, which is not its branch`
  }
}

/** Folds one more event in; total: what does not follow is a {@link MalformedJournal}, and the view stays what it was. */
export const advance = (view: RunView, event: Event): Either.Either<RunView, MalformedJournal> => {
  const fail = (reason: string) =>
    Either.left(new MalformedJournal({ run: view.run, sequence: event.sequence, reason }))
  if (event.run !== view.run) return fail(`the event belongs to run ${event.run}`)
  if (event.sequence !== view.sequence) return fail(`event ${view.sequence} is missing`)
  if (event.tag === "RunStarted" || !phasesOf[event.tag].includes(view.phase))
    return fail(`${event.tag} cannot follow while ${view.phase}`)
  const changed = change(view, event)
  return typeof changed === "string"
    ? fail(changed)
    : Either.right({ ...view, ...changed, sequence: view.sequence + 1 })
}

/** fold(view, b) for the events that follow `view`: fold(a ++ b) = resume(fold(a), b) (L2). */
export const resume = (view: RunView, events: ReadonlyArray<Event>): Either.Either<RunView, MalformedJournal> => {
  let at = view
  for (const event of events) {
    const next = advance(at, event)
    if (Either.isLeft(next)) return Either.left(next.left)
    at = next.right
  }
  return Either.right(at)
}

/** The fold of a journal, or of any prefix of one that holds at least its first event. */
export const fold = (events: ReadonlyArray<Event>): Either.Either<RunView, MalformedJournal> => {
  const [first, ...rest] = events
  return first?.tag === "RunStarted" && first.sequence === 0
    ? resume(open(first), rest)
    : Either.left(
        new MalformedJournal({
          run: first?.run ?? "",
          sequence: first?.sequence ?? 0,
          reason: "a journal starts with RunStarted"
        })
      )
}

/** The number of the cycle that is open, or of the last one. */
export const currentCycle = (view: RunView): number => view.cycles.length + (Option.isSome(view.staged) ? 1 : 0)

/** Where earlier cycles of the run ended: the last node of each committed path. */
export const terminals = (view: RunView): ReadonlyArray<NodeId> =>
  view.cycles.flatMap((cycle) => cycle.path[cycle.path.length - 1] ?? [])
