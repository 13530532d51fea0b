/** The phases of a run, and in which of them each event may stand. */
import type { EventTag } from "./Event.ts"

export type Phase =
  | "Opened"
  | "Initialized"
  | "Ready"
  | "Staging"
  | "Refused"
  | "Selecting"
  | "Selected"
  | "Admitted"
  | "Answered"
  | "Ended"

/** In which phases an event may stand. Total: the one place that says so. */
export const phasesOf: { readonly [T in Exclude<EventTag, "RunStarted">]: ReadonlyArray<Phase> } = {
  // an open cycle is never durable, so that none can be gone on with
  RunResumed: ["Opened", "Initialized", "Ready", "Selecting", "Selected", "Admitted", "Answered", "Ended"],
  ArtifactsExposed: ["Opened", "Ready"],
  EvidenceInitialized: ["Opened"],
  BypassMatched: ["Initialized"],
  BypassDeclined: ["Initialized"],
  CycleStarted: ["Ready"],
  PlanCommitted: ["Staging"],
  PathCommitted: ["Staging"],
  EvidenceCommitted: ["Staging"],
  VerificationCommitted: ["Staging"],
  ProposalRefused: ["Staging"],
  StageFailed: ["Opened", "Initialized", "Ready", "Staging", "Selecting", "Admitted"],
  ModelCalled: ["Opened", "Initialized", "Ready", "Staging", "Selecting", "Admitted"],
  ActionSelected: ["Staging"],
  ArtifactsPersisted: ["Ready", "Selecting"],
  EvidenceSelected: ["Selecting"],
  ReaderAdmitted: ["Selected"],
  AnswerDelta: [],
  AnswerRead: ["Selected", "Admitted"],
  RunEnded: ["Opened", "Initialized", "Ready", "Staging", "Refused", "Selecting", "Selected", "Admitted", "Answered"]
}
