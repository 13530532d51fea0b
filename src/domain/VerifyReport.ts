/** What a check of the stored state has found. The JSON of `verify --json`. */
import { Schema } from "effect"
import { CorpusRevision, ScopeKey } from "./Ids.ts"

const Count = Schema.NonNegativeInt

/**
 * What is made again from something else that is kept, and so can be mended: a table that is gone empty, for what can be made to be put in. A
 * text is not made again but taken out, so that indexing its file brings it back.
 */
export const Derived = Schema.Literal(
  "Tables",
  "Texts",
  "Passages",
  "Words",
  "Vectors",
  "Graph",
  "Revision",
  "VectorFiles",
  "Artifacts"
)
export type Derived = typeof Derived.Type

export const Finding = Schema.Struct({
  /** The clause of the contract that does not hold. */
  clause: Schema.String,
  /** Where: a document, passage, node, run or artifact; empty where it is the whole. */
  subject: Schema.String,
  /** What is wrong, and what it means. */
  message: Schema.String,
  /** What is to be made again; null where nothing else that is kept says what should be there. */
  derived: Schema.NullOr(Derived),
  repaired: Schema.Boolean
})
export type Finding = typeof Finding.Type

export const VerifyReport = Schema.Struct({
  scope: ScopeKey,
  corpusRevision: CorpusRevision,
  /** How much was looked at. */
  checked: Schema.Struct({
    documents: Count,
    passages: Count,
    nodes: Count,
    edges: Count,
    vectors: Count,
    runs: Count,
    artifacts: Count
  }),
  findings: Schema.Array(Finding),
  /** Whether nothing is wrong, or all of it was repaired. */
  sound: Schema.Boolean,
  elapsedMs: Schema.Number
})
export type VerifyReport = typeof VerifyReport.Type

export const finding = (clause: string, subject: string, message: string, derived: Derived | null = null): Finding => ({
  clause,
  subject,
  message,
  derived,
  repaired: false
})
