/** What a role says: a value for its own field, and nothing else (C2). */
import type { Field, Fields, Role, Stage } from "./State.ts"

export interface Proposal<F extends Field> {
  readonly field: F
  readonly value: Fields[F]
}

/** The proposal that a role may make. */
export type ProposalOf<R extends Role> = Proposal<Extract<Stage, { readonly role: R }>["field"]>

/** @example
 * ```ts
 * import { propose } from "staterag/domain/Proposal"
 * import { pending } from "staterag/domain/Verification"
 * const proposal = propose("verification", pending) // typed Proposal<"verification">; the controller will refuse it (C15)
 * ```
 */
export const propose = <F extends Field>(field: F, value: Fields[F]): Proposal<F> => ({ field, value })
