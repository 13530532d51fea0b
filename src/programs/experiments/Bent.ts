/** The four roles of the context, with something done to what each of them says. */
import { Effect, Layer } from "effect"
import type { RoleFailed } from "../../domain/Errors.ts"
import type { ProposalOf } from "../../domain/Proposal.ts"
import type { Role } from "../../domain/State.ts"
import { Navigator, Planner, Retriever, type Turn, Verifier } from "../../services/Roles.ts"

/** What becomes of what a role says in its turn. */
export type Bend = <R extends Role, E>(
  role: R,
  turn: Turn<R>,
  said: Effect.Effect<ProposalOf<R>, E>
) => Effect.Effect<ProposalOf<R>, E | RoleFailed>

/** What a role sends over a wire, taken for what it should be: the controller has to find out. */
export const sent = <A>(said: unknown): A => JSON.parse(JSON.stringify(said))

type Four = Planner | Navigator | Retriever | Verifier

export const bent = (bend: Bend): Layer.Layer<Four, never, Four> =>
  Layer.mergeAll(
    Layer.effect(
      Planner,
      Effect.map(Planner, ({ propose }) => ({ propose: (turn) => bend("Planner", turn, propose(turn)) }))
    ),
    Layer.effect(
      Navigator,
      Effect.map(Navigator, ({ propose }) => ({ propose: (turn) => bend("Navigator", turn, propose(turn)) }))
    ),
    Layer.effect(
      Retriever,
      Effect.map(Retriever, ({ propose }) => ({ propose: (turn) => bend("Retriever", turn, propose(turn)) }))
    ),
    Layer.effect(
      Verifier,
      Effect.map(Verifier, ({ propose }) => ({ propose: (turn) => bend("Verifier", turn, propose(turn)) }))
    )
  )
