/** The entry of a run: E⁰, and the compact evidence that may end it there (C18, C19). What is said there is checked before it is recorded. */
import { Effect, Either, Option } from "effect"
import { RoleFailed } from "../domain/Errors.ts"
import { type Evidence, itemOf } from "../domain/Evidence.ts"
import { propose } from "../domain/Proposal.ts"
import type { Grounds } from "../domain/Rules.ts"
import { lent, type State } from "../domain/State.ts"
import type { CarrierShape } from "../services/Carrier.ts"
import type {
  CompactEvidence,
  CompactEvidenceCheck,
  Initializer,
  Inquiry,
  Ranked,
  Reranker
} from "../services/Roles.ts"

/** Passages that E⁰ holds. */
const initialItems = 20

/** E⁰ as evidence of cycle 0. */
const asEvidence = (ranked: ReadonlyArray<Ranked>): Evidence =>
  ranked.map(({ passage, score }) => itemOf(passage, score, 0))

const held = (
  carrier: CarrierShape,
  role: "Initializer" | "CompactEvidenceCheck",
  evidence: Evidence
): Either.Either<Evidence, RoleFailed> =>
  Either.mapLeft(
    carrier.decode("evidence", propose("evidence", evidence)),
    ({ reason }) => new RoleFailed({ role, reason: "Failed", detail: reason })
  )

/** E⁰: ranked, reranked, and fit for a state. */
export const initialEvidence = (
  carrier: CarrierShape,
  initializer: typeof Initializer.Service,
  reranker: typeof Reranker.Service,
  inquiry: Inquiry
): Effect.Effect<Evidence, RoleFailed> =>
  Effect.flatMap(initializer.rank(inquiry, initialItems), (ranked) =>
    held(carrier, "Initializer", asEvidence(reranker.rerank(inquiry.question, ranked)))
  )

/** What the check says; a match holds evidence that is fit for a state. */
export const compactEvidence = (
  carrier: CarrierShape,
  check: typeof CompactEvidenceCheck.Service,
  inquiry: Inquiry,
  state: State
): Effect.Effect<CompactEvidence, RoleFailed> =>
  Effect.flatMap(check.check(inquiry, lent(state)), (said): Either.Either<CompactEvidence, RoleFailed> => {
    const reason = String(said.reason)
    return said.matched
      ? Either.map(held(carrier, "CompactEvidenceCheck", said.evidence), (evidence) => ({
          matched: true,
          reason,
          evidence
        }))
      : Either.right({ matched: false, reason })
  })

/** Why `evidence` is no E_bp, if it is not: it has to be in E⁰, and the corpus' own words (L3). */
export const noBypass = (
  carrier: CarrierShape,
  evidence: Evidence,
  state: State,
  ground: Grounds["evidence"]
): Option.Option<RoleFailed> => {
  const initial = new Set(state.evidence.map((item) => JSON.stringify(item)))
  const said = evidence.every((item) => initial.has(JSON.stringify(item)))
    ? Option.map(carrier.check("evidence", evidence, state, ground), ({ reason }) => reason)
    : Option.some("it selected evidence that is not in E⁰")
  return Option.map(said, (detail) => new RoleFailed({ role: "CompactEvidenceCheck", reason: "Failed", detail }))
}
