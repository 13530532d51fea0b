/** Self-RAG's judgement of an answer from one passage, and the score that it is chosen by. */
import { Schema } from "effect"

export const Support = Schema.Literal("full", "partial", "none")
export const Utility = Schema.Literal(1, 2, 3, 4, 5)

export interface Critique {
  readonly relevant: boolean
  readonly support: typeof Support.Type
  readonly utility: typeof Utility.Type
}

const supports: { readonly [S in Critique["support"]]: number } = { full: 1, partial: 0.5, none: 0 }
/** Of utility 1 to 5. */
const utilities: { readonly [U in Critique["utility"]]: number } = { 1: -1, 2: -0.5, 3: 0, 4: 0.5, 5: 1 }

/** w_rel·relevant + w_sup·support + w_use·utility, all weights 1 as in the published scripts; in [−1, 3]. */
export const critiqueScore = ({ relevant, support, utility }: Critique): number =>
  (relevant ? 1 : 0) + supports[support] + utilities[utility]
