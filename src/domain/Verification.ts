/** z = ⟨ν, δ⟩, the assessment of the committed evidence (C15). Only the Verifier writes it; the controller alone writes ⟨Pending, ε⟩. */
import { Schema } from "effect"
import { Span } from "./Corpus.ts"
import { PassageId, SlotName } from "./Ids.ts"

export const Verdict = Schema.Literal("Pending", "Pass", "Fail")
export type Verdict = typeof Verdict.Type

const Bears = { slot: SlotName, passage: PassageId }
/** What fills a slot: a passage of the evidence and, where the Verifier quotes it, what that says at `span`, character for character. */
export const Support = Schema.Union(
  Schema.Struct({ ...Bears, span: Span, text: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(4096)) }),
  Schema.Struct(Bears)
)
export type Support = typeof Support.Type

/** δ: what is missing, what was found, and why. On Revise the next Planner reads it (C11). */
export const Justification = Schema.Struct({
  text: Schema.String.pipe(Schema.maxLength(4096)),
  missing: Schema.Array(SlotName).pipe(Schema.maxItems(32)),
  supported: Schema.Array(Support).pipe(Schema.maxItems(64))
})
export type Justification = typeof Justification.Type

export const Verification = Schema.Struct({ verdict: Verdict, justification: Justification })
export type Verification = typeof Verification.Type

/** ε, the empty justification. */
export const noJustification: Justification = Object.freeze({
  text: "",
  missing: Object.freeze([]),
  supported: Object.freeze([])
})
/** ⟨Pending, ε⟩. */
export const pending: Verification = Object.freeze({ verdict: "Pending", justification: noJustification })
