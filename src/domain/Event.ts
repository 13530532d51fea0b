/**
 * What happens in a run, as facts in the past tense. The journal stores them, `--stream` prints them, {@link import("./Run.ts").advance}
 * folds them. One vocabulary for all three.
 */
import { Schema } from "effect"
import { Action, Branch } from "./Action.ts"
import { Reading } from "./Answer.ts"
import { IncompleteCause } from "./Errors.ts"
import { Evidence } from "./Evidence.ts"
import { ArtifactId, CorpusRevision, DocumentId, RunId, ScopeKey } from "./Ids.ts"
import { Plan } from "./Plan.ts"
import { Policy } from "./Policy.ts"
import { Role } from "./State.ts"
import { Path } from "./Tam.ts"
import { ModelCall } from "./Usage.ts"
import { Verification } from "./Verification.ts"

/** The version of this vocabulary; older journals decode. */
export const eventVersion = 1

const stamp = {
  run: RunId,
  /** From 0, without gaps. */
  sequence: Schema.NonNegativeInt,
  /** Milliseconds since the epoch. */
  at: Schema.Number,
  version: Schema.Int,
  /** The open or last cycle; 0 before the first. */
  cycle: Schema.NonNegativeInt
}
const event = <T extends string, F extends Schema.Struct.Fields>(tag: T, fields: F) =>
  Schema.Struct({ ...stamp, tag: Schema.Literal(tag), ...fields })

export const RunStarted = event("RunStarted", {
  question: Schema.String,
  scope: ScopeKey,
  policy: Policy,
  policyHash: Schema.String,
  corpusRevision: CorpusRevision,
  versions: Schema.Record({ key: Schema.String, value: Schema.String }),
  /** Only these documents; all where it is left out. */
  within: Schema.optionalWith(Schema.Array(DocumentId), { exact: true })
})
/** A run that was killed or interrupted, or whose model failed, is gone on with: what its open cycle had staged is dropped (C30). */
export const RunResumed = event("RunResumed", {})
export const ArtifactsExposed = event("ArtifactsExposed", { ids: Schema.Array(ArtifactId) })
export const EvidenceInitialized = event("EvidenceInitialized", { evidence: Evidence })
export const BypassMatched = event("BypassMatched", { reason: Schema.String, evidence: Evidence })
export const BypassDeclined = event("BypassDeclined", { reason: Schema.String })
export const CycleStarted = event("CycleStarted", {})
export const PlanCommitted = event("PlanCommitted", { plan: Plan })
export const PathCommitted = event("PathCommitted", {
  path: Path,
  /** λ and the beginning of a(v), node by node: what `explain` draws without the graph. */
  trace: Schema.Array(Schema.Struct({ type: Schema.String, abstraction: Schema.String }))
})
export const EvidenceCommitted = event("EvidenceCommitted", { evidence: Evidence })
export const VerificationCommitted = event("VerificationCommitted", { verification: Verification })
export const ProposalRefused = event("ProposalRefused", {
  role: Role,
  rule: Schema.String,
  reason: Schema.String,
  /** The refused proposal, as JSON, cut at 2,000 characters. */
  context: Schema.String
})
export const StageFailed = event("StageFailed", { stage: Schema.String, cause: IncompleteCause })
export const ModelCalled = event("ModelCalled", {
  call: ModelCall,
  /** Under which key its answer was made durable, with run and cycle (C30); left out where it was only metered. */
  place: Schema.optionalWith(Schema.Struct({ stage: Schema.String, attempt: Schema.NonNegativeInt }), { exact: true })
})
export const ActionSelected = event("ActionSelected", { action: Action, reason: Schema.String })
export const ArtifactsPersisted = event("ArtifactsPersisted", { ids: Schema.Array(ArtifactId) })
export const EvidenceSelected = event("EvidenceSelected", { branch: Branch, evidence: Evidence })
export const ReaderAdmitted = event("ReaderAdmitted", { items: Schema.NonNegativeInt })
/**
 * A part of what the reader's model writes; streamed to callers, never stored. An answer that cannot be used is asked for again: `attempt` (from
 * 0) grows, and what comes then stands in place of all before it. `AnswerRead` has the answer itself.
 */
export const AnswerDelta = event("AnswerDelta", { text: Schema.String, attempt: Schema.NonNegativeInt })
export const AnswerRead = event("AnswerRead", {
  reading: Reading,
  /** Citations that the evidence did not bear out; they were removed. */
  unsupported: Schema.NonNegativeInt
})
export const RunEnded = event("RunEnded", {
  outcome: Schema.Literal(...Branch.literals, "Incomplete", "Interrupted"),
  reason: Schema.NullOr(Schema.Struct({ stage: Schema.String, cause: IncompleteCause }))
})

export const Event = Schema.Union(
  RunStarted,
  RunResumed,
  ArtifactsExposed,
  EvidenceInitialized,
  BypassMatched,
  BypassDeclined,
  CycleStarted,
  PlanCommitted,
  PathCommitted,
  EvidenceCommitted,
  VerificationCommitted,
  ProposalRefused,
  StageFailed,
  ModelCalled,
  ActionSelected,
  ArtifactsPersisted,
  EvidenceSelected,
  ReaderAdmitted,
  AnswerDelta,
  AnswerRead,
  RunEnded
)
export type Event = typeof Event.Type
export type EventTag = Event["tag"]
/** An event before it is stamped. */
export type Fact = { readonly [T in EventTag]: Omit<Extract<Event, { readonly tag: T }>, keyof typeof stamp> }[EventTag]
