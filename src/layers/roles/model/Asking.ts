/** How a role asks its model, and mends its proposal before it makes it (C10). */
import { Effect, Option } from "effect"
import type { RoleFailed } from "../../../domain/Errors.ts"
import type { ProposalOf } from "../../../domain/Proposal.ts"
import { type Bounds, usual } from "../../../domain/prompts/Bounds.ts"
import { again, type Manner, manner, type Prompt } from "../../../domain/prompts/Prompt.ts"
import type { Role } from "../../../domain/State.ts"
import type { Digest } from "../../../services/Digest.ts"
import type { LanguageModelShape } from "../../../services/LanguageModel.ts"
import type { Turn } from "../../../services/Roles.ts"
import { failing } from "../embedded/Failing.ts"

/** How a role's model is asked. */
export interface Options extends Partial<Manner> {
  /** How much it may write; {@link usual} by default. */
  readonly bounds?: Bounds | undefined
}
export const boundsOf = ({ bounds }: Options): Bounds => bounds ?? usual
export const mannerOf = ({ maxTokens, seed, temperature }: Options): Manner => ({
  maxTokens: maxTokens ?? manner.maxTokens,
  temperature: temperature ?? manner.temperature,
  seed: seed ?? manner.seed
})

/** What an answer comes to: the proposal that would be made of it, and what the role itself has against it. */
export interface Considered<R extends Role> {
  readonly proposal: ProposalOf<R>
  readonly objection?: string | undefined
}

/**
 * Asks `prompt`, and asks again, with the refusal shown, while the controller would refuse the proposal and the policy's `repairAttempts` last.
 * The last proposal is made as it is: the controller refuses it by its rule.
 */
export const asking = Effect.fnUntraced(function* <R extends Role, In, A, I>(
  role: R,
  turn: Turn<R>,
  {
    digest,
    model,
    options
  }: { readonly digest: typeof Digest.Service; readonly model: LanguageModelShape; readonly options: Options },
  prompt: Prompt<In, A, I>,
  input: In,
  consider: (said: A) => Effect.Effect<Considered<R>, RoleFailed>
): Effect.fn.Return<ProposalOf<R>, RoleFailed> {
  let request = prompt.request(digest.hash, input, mannerOf(options))
  for (let left = turn.policy.repairAttempts; ; left--) {
    const said = yield* failing(role)(model.value(request, prompt.schema))
    const { objection, proposal } = yield* consider(said)
    if (left === 0) return proposal
    const refusal = yield* turn.judge(proposal)
    const wrong = Option.match(refusal, { onNone: () => objection, onSome: ({ reason, rule }) => `${rule}: ${reason}` })
    if (wrong === undefined) return proposal
    request = again(digest.hash, request, JSON.stringify(said), wrong)
  }
})
