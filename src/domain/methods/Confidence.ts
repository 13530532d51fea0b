/** CRAG's judgement of what a search has found, and what is done about it. */
import { Schema } from "effect"

export const Relevance = Schema.Literal("yes", "perhaps", "no")
export type Relevance = typeof Relevance.Type

/** The thresholds of the published evaluator on PubQA, on its scale of −1 to 1. */
export const upper = 0.5
export const lower = -0.915

const scores: { readonly [R in Relevance]: number } = { yes: 1, perhaps: 0, no: -1 }
export const confidenceOf = (relevance: Relevance): number => scores[relevance]

export type Verdict = "Correct" | "Incorrect" | "Ambiguous"

/** Correct where any passage reaches `upper`, Incorrect where all stay below `lower`. */
export const verdictOf = (confidences: ReadonlyArray<number>): Verdict =>
  confidences.some((confidence) => confidence >= upper)
    ? "Correct"
    : confidences.every((confidence) => confidence < lower)
      ? "Incorrect"
      : "Ambiguous"
