/**
 * The four writers, and who stands at entry and exit.
 *
 * A role reads the staged state and can say nothing but a value for its own field: its proposal's type names that field (C2). Whatever it
 * says is decoded and checked by the controller before it is committed.
 *
 * A role is replaced by providing its tag: `Layer.succeed(Planner, { propose: (turn) => … })`.
 */
import { Context, type Effect, type Option } from "effect"
import type { Reading } from "../domain/Answer.ts"
import type { Artifact, Draft } from "../domain/Artifact.ts"
import type { Passage } from "../domain/Corpus.ts"
import type { PermissionDenied, RequiredUpdateFailure, RoleFailed } from "../domain/Errors.ts"
import type { Evidence } from "../domain/Evidence.ts"
import type { ArtifactId, CorpusRevision, DocumentId, RunId, ScopeKey } from "../domain/Ids.ts"
import type { Policy } from "../domain/Policy.ts"
import type { ProposalOf } from "../domain/Proposal.ts"
import type { Refusal } from "../domain/Rules.ts"
import type { Role, State } from "../domain/State.ts"
import type { ModelCall } from "../domain/Usage.ts"
import type { Justification } from "../domain/Verification.ts"

/** A role's door to the shared memory pool: it acts as that role, in that run, and cannot act as another (C23). */
export interface RoleMemory {
  readonly read: (
    ids: ReadonlyArray<ArtifactId>
  ) => Effect.Effect<ReadonlyArray<Artifact>, RoleFailed | PermissionDenied>
  /** The role's own private artifacts of this run. */
  readonly own: Effect.Effect<ReadonlyArray<Artifact>, RoleFailed | PermissionDenied>
  /** Hands over an artifact; it is persisted with the cycle's action, or not at all. */
  readonly write: (draft: Draft) => Effect.Effect<void, RoleFailed | PermissionDenied>
}

/** What a run asks, and of what. */
export interface Inquiry {
  readonly run: RunId
  readonly question: string
  readonly scope: ScopeKey
  readonly policy: Policy
  readonly revision: CorpusRevision
  /** Only these documents; all of the scope where undefined. */
  readonly within: ReadonlyArray<DocumentId> | undefined
}

/** A role's turn in a cycle. */
export interface Turn<R extends Role> extends Inquiry {
  /** The open cycle, from 1. */
  readonly cycle: number
  /** s^{t,i-1}: the latest staged state. */
  readonly state: State
  /** δ of the failed cycle, after Revise (C11). */
  readonly feedback: Option.Option<Justification>
  readonly memory: RoleMemory
  /** Meters a model call. */
  readonly meter: (call: ModelCall) => Effect.Effect<void>
  /** What the controller would say to a proposal: for mending one's own before it is made (C10). */
  readonly judge: (proposal: ProposalOf<R>) => Effect.Effect<Option.Option<Refusal>, RoleFailed>
}

/** p ← the plan (C11). */
export class Planner extends Context.Tag("staterag/services/Planner")<
  Planner,
  { readonly propose: (turn: Turn<"Planner">) => Effect.Effect<ProposalOf<"Planner">, RoleFailed> }
>() {}

/** π ← the completed trace with the highest g (C12); `RequiredUpdateFailure` where there is none. */
export class Navigator extends Context.Tag("staterag/services/Navigator")<
  Navigator,
  {
    readonly propose: (
      turn: Turn<"Navigator">
    ) => Effect.Effect<ProposalOf<"Navigator">, RequiredUpdateFailure | RoleFailed>
  }
>() {}

/** E ← evidence from R = ρ(last π) only (C14); the controller opens R and hands it over. */
export class Retriever extends Context.Tag("staterag/services/Retriever")<
  Retriever,
  {
    readonly propose: (
      turn: Turn<"Retriever"> & { readonly region: ReadonlyArray<Passage> }
    ) => Effect.Effect<ProposalOf<"Retriever">, RoleFailed>
  }
>() {}

/** z ← ⟨ν, δ⟩ on the committed evidence (C15). */
export class Verifier extends Context.Tag("staterag/services/Verifier")<
  Verifier,
  { readonly propose: (turn: Turn<"Verifier">) => Effect.Effect<ProposalOf<"Verifier">, RoleFailed> }
>() {}

/** A passage as the first retrieval ranks it, and where its score comes from. */
export interface Ranked {
  readonly passage: Passage
  readonly score: number
  readonly parts: { readonly lexical: number; readonly dense: number; readonly links: number }
}

/** E⁰ (C18): the first retrieval over the whole corpus. */
export class Initializer extends Context.Tag("staterag/services/Initializer")<
  Initializer,
  {
    /** Distinct passages, best first, at most `limit`. */
    readonly rank: (
      inquiry: Pick<Inquiry, "question" | "scope" | "policy" | "within">,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Ranked>, RoleFailed>
  }
>() {}

/** What the compact-evidence check says. */
export type CompactEvidence =
  | { readonly matched: true; readonly reason: string; readonly evidence: Evidence }
  | { readonly matched: false; readonly reason: string }

/** The check that runs once, before the cycles, on query, initial state and TAM metadata (C19). */
export class CompactEvidenceCheck extends Context.Tag("staterag/services/CompactEvidenceCheck")<
  CompactEvidenceCheck,
  { readonly check: (inquiry: Inquiry, state: State) => Effect.Effect<CompactEvidence, RoleFailed> }
>() {}

/** y = G(q, E*): the one reader, given the question and the terminal evidence and nothing else (C3, C21). */
export class Reader extends Context.Tag("staterag/services/Reader")<
  Reader,
  { readonly read: (question: string, evidence: Evidence) => Effect.Effect<Reading, RoleFailed> }
>() {}

/** Reorders what the first retrieval found; the identity by default. */
export class Reranker extends Context.Reference<Reranker>()("staterag/services/Reranker", {
  defaultValue: (): {
    readonly rerank: (question: string, ranked: ReadonlyArray<Ranked>) => ReadonlyArray<Ranked>
  } => ({
    rerank: (_, ranked) => ranked
  })
}) {}
