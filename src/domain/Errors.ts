/** Why a run ends in ⊥ (C10): typed reasons that encode by Schema, so that they cross the journal, the command line and the log. */
import { Schema } from "effect"
import { PermissionDenied } from "./Artifact.ts"
import { RunId } from "./Ids.ts"
import { ModelFault, modelAdvice } from "./ModelError.ts"
import { Role } from "./State.ts"

/** No completed trace was left to propose (Q_L = ∅, C12): nothing is committed, no region is opened. */
export class RequiredUpdateFailure extends Schema.TaggedError<RequiredUpdateFailure>()("RequiredUpdateFailure", {
  reason: Schema.String
}) {
  override get message(): string {
    return `the Navigator found no completed trace: ${this.reason}`
  }
}

/** A role broke, or gave no proposal. */
export class RoleFailed extends Schema.TaggedError<RoleFailed>()("RoleFailed", {
  role: Schema.Literal(...Role.literals, "Initializer", "CompactEvidenceCheck", "Reader"),
  reason: Schema.Literal("Failed", "Died", "TimedOut", "Denied"),
  detail: Schema.String,
  /** What its model failed of, where it was that. */
  fault: Schema.optionalWith(ModelFault, { exact: true })
}) {
  override get message(): string {
    return `${this.role} ${{ Failed: "failed", Died: "died of a defect", TimedOut: "did not answer in time", Denied: "was denied" }[this.reason]}: ${this.detail}`
  }
}

/** A proposal was refused by a rule. */
export class ProposalRefused extends Schema.TaggedError<ProposalRefused>()("ProposalRefused", {
  role: Role,
  rule: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `the proposal of the ${this.role} was refused by ${this.rule}: ${this.reason}`
  }
}

/** A limit was struck inside a cycle (C35). */
export class BudgetExhausted extends Schema.TaggedError<BudgetExhausted>()("BudgetExhausted", {
  budget: Schema.Literal("tokens", "calls", "money", "time"),
  limit: Schema.Number
}) {
  override get message(): string {
    return `the ${this.budget} budget (${this.limit}) was used up inside a cycle`
  }
}

/** The corpus revision that the run reads is gone (C34). */
export class CorpusChanged extends Schema.TaggedError<CorpusChanged>()("CorpusChanged", {
  expected: Schema.String,
  found: Schema.String
}) {
  override get message(): string {
    return `the corpus changed while the question was being answered (revision ${this.expected.slice(0, 12)} became ${this.found.slice(0, 12)})`
  }
}

export const IncompleteCause = Schema.Union(
  RequiredUpdateFailure,
  RoleFailed,
  ProposalRefused,
  BudgetExhausted,
  CorpusChanged
)
export type IncompleteCause = typeof IncompleteCause.Type

const advices: { readonly [T in IncompleteCause["_tag"]]: string } = {
  RequiredUpdateFailure:
    "check with `staterag status` that the corpus holds what you ask about; another wording may find an entry",
  RoleFailed:
    "see `staterag explain` for what the role was given, and `staterag verify` for damage in what is stored; if it is a role of your own, run the contract suites on it",
  ProposalRefused:
    "see `staterag explain`; a role proposed what the contract does not allow, and nothing was committed",
  BudgetExhausted: "raise the budget (`--set budget.…`, `--timeout`) or lower maxCycles",
  CorpusChanged: "ask again: the next run reads the new revision"
}

/** What to do next about a reason. */
export const adviceFor = (cause: IncompleteCause): string =>
  cause._tag === "RoleFailed" && cause.fault !== undefined ? modelAdvice(cause.fault) : advices[cause._tag]

/** ⊥: no next-cycle state was formed and the reader was not called. */
export class Incomplete extends Schema.TaggedError<Incomplete>()("Incomplete", {
  run: RunId,
  /** The stage, by its role; `Initializer`, `CompactEvidenceCheck` and `Reader` stand outside the cycle. */
  stage: Schema.Literal(...Role.literals, "Initializer", "CompactEvidenceCheck", "Action", "Reader"),
  cause: IncompleteCause
}) {
  override get message(): string {
    return `run ${this.run} is incomplete at ${this.stage}: ${this.cause.message}`
  }
  /** What to do next. */
  get advice(): string {
    return adviceFor(this.cause)
  }
}

export { PermissionDenied }
