/**
 * The carrier of the state as three switches, each alone (C31). The product has none of them: this is a {@link Carrier} for one question,
 * which an experiment provides.
 *
 *     typed      a value fits its field's schema       | free-form: whoever reads it makes out what can be made out
 *     owned      a role writes its own field           | shared: a proposal lands in the field that it names, and the role's own stays
 *     validated  the rules V_f are asked, silence is ⊥ | nobody asks: silence, or what cannot be read, leaves the field as it was
 *
 * With all three it is the product's own carrier. What is committed in a shared carrier's foreign field no event tells: such a run cannot
 * be replayed from its journal, so that an experiment keeps none.
 */
import { Effect, Either, Layer, Option } from "effect"
import { RequiredUpdateFailure, RoleFailed } from "../../domain/Errors.ts"
import type { ProposalOf } from "../../domain/Proposal.ts"
import { check, decode, type Grounds, type Refusal } from "../../domain/Rules.ts"
import { advance, type RunView, terminals } from "../../domain/Run.ts"
import { commit, type Field, type Fields, fieldOf, type Role, type State } from "../../domain/State.ts"
import { rootId } from "../../domain/Tam.ts"
import { Carrier, type CarrierShape } from "../../services/Carrier.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import type { Navigator, Planner, Retriever, Turn, Verifier } from "../../services/Roles.ts"
import { TamStore } from "../../services/TamStore.ts"
import { evidenceGround, openRegion, planGround } from "../Lookups.ts"
import { type Bend, bent, sent } from "./Bent.ts"
import { blankPlan, read } from "./FreeForm.ts"

export interface Switches {
  readonly typed: boolean
  readonly owned: boolean
  readonly validated: boolean
}

/** Every combination by its name: what is switched off. */
export const carriers = {
  contract: { typed: true, owned: true, validated: true },
  "carrier-free": { typed: false, owned: true, validated: true },
  "carrier-shared": { typed: true, owned: false, validated: true },
  "carrier-unvalidated": { typed: true, owned: true, validated: false },
  "carrier-free-shared": { typed: false, owned: false, validated: true },
  "carrier-free-unvalidated": { typed: false, owned: true, validated: false },
  "carrier-shared-unvalidated": { typed: true, owned: false, validated: false },
  "carrier-free-shared-unvalidated": { typed: false, owned: false, validated: false }
} as const satisfies Readonly<Record<string, Switches>>
export type CarrierName = keyof typeof carriers
export const carrierNames: ReadonlyArray<CarrierName> = Object.keys(carriers).filter(
  (name): name is CarrierName => name in carriers
)

const isField = (name: unknown): name is Field =>
  name === "plan" || name === "path" || name === "evidence" || name === "verification"

/** A value for another's field, with what its rules want to know. */
interface Foreign {
  readonly objection: (staged: State) => Option.Option<Refusal>
  readonly land: (staged: State) => State
}
const foreign = <F extends Field>(field: F, value: Fields[F], ground: Grounds[F]): Foreign => ({
  objection: (staged) => check(field, value, staged, ground),
  land: (staged) => commit(staged, field, value)
})

/** A carrier for one question, and the roles that it carries for. */
export interface Carriage {
  readonly carrier: CarrierShape
  /** To be put around the roles: what the rules want to know of a value for another's field has to be looked up before it is judged. */
  readonly bend: Bend
}

/** A carrier for one question, with the switches as given. */
export const carriage = (
  switches: Switches,
  corpus: typeof CorpusStore.Service,
  tam: typeof TamStore.Service
): Carriage => {
  const { owned, typed, validated } = switches
  let view: RunView | undefined
  /** What the role that was asked last has for another's field. */
  let pending: Foreign | undefined

  const targetOf = <F extends Field>(own: F, proposal: unknown): Field => {
    const named: unknown =
      typeof proposal === "object" && proposal !== null ? Reflect.get(proposal, "field") : undefined
    return !owned && isField(named) ? named : own
  }
  const valueOf = (proposal: unknown): unknown =>
    typeof proposal === "object" && proposal !== null && "value" in proposal ? proposal.value : proposal

  const reading = <F extends Field>(field: F, proposal: unknown): Either.Either<Fields[F], Refusal> =>
    typed
      ? decode(field, proposal)
      : Either.fromOption(read(field, valueOf(proposal)), () => ({
          rule: "FitsSchema",
          reason: `nothing in it can be read as ${field}`
        }))

  /** The field as it was; where nobody has written it yet, what says least. */
  const stays: { readonly [F in Field]: (staged: State) => Fields[F] } = {
    plan: ({ plan }) => Option.getOrElse(plan, () => blankPlan(view?.question ?? "?")),
    path: ({ path }) => Option.getOrElse(path, () => [rootId] as const),
    evidence: ({ evidence }) => evidence,
    verification: ({ verification }) => verification
  }
  const asItWas = <F extends Field>(field: F): Either.Either<Fields[F], Refusal> => {
    const staged = view === undefined ? undefined : Option.getOrElse(view.staged, () => view?.state)
    return staged === undefined
      ? Either.left({ rule: "OwnsField", reason: "no run has begun" })
      : Either.right(stays[field](staged))
  }

  const noted = Effect.fnUntraced(function* <R extends Role>(role: R, turn: Turn<R>, proposal: unknown) {
    pending = undefined
    const own = fieldOf[role]
    const target = targetOf(own, proposal)
    if (target === own) return
    const { cycle, state } = turn
    const at = <F extends Field>(
      field: F,
      groundOf: (value: Fields[F]) => Effect.Effect<Grounds[F], { readonly message: string }>
    ) =>
      Either.match(reading(field, proposal), {
        onLeft: () => Effect.void,
        onRight: (value) =>
          Effect.map(groundOf(value), (ground) => {
            pending = foreign(field, value, ground)
          })
      })
    const looked = {
      plan: () => at("plan", (value) => planGround(corpus, turn, value, view === undefined ? [] : terminals(view))),
      path: () => at("path", (value) => tam.ground(turn.scope, value)),
      evidence: () =>
        at("evidence", () =>
          Effect.map(
            Option.match(state.path, {
              onNone: () => Effect.succeed([]),
              onSome: (path) => openRegion(corpus, tam, turn, path, view?.initial ?? [])
            }),
            (region) => evidenceGround(region, cycle)
          )
        ),
      verification: () => at("verification", () => Effect.succeed({}))
    }
    yield* Effect.mapError(
      looked[target](),
      ({ message }) => new RoleFailed({ role, reason: "Failed", detail: message })
    )
  })

  return {
    bend: (role, turn, said) => {
      const heard = validated ? said : silentWhereStuck(said)
      return owned ? heard : Effect.tap(heard, (proposal) => noted(role, turn, proposal))
    },
    carrier: {
      decode: (field, proposal) => {
        if (!validated && proposal === null) return asItWas(field)
        const target = targetOf(field, proposal)
        if (target !== field) return Either.flatMap(reading(target, proposal), () => asItWas(field))
        const own = reading(field, proposal)
        return Either.isLeft(own) && !typed && !validated ? asItWas(field) : own
      },
      check: (field, value, staged, ground) => {
        if (!validated) return Option.none()
        return pending === undefined ? check(field, value, staged, ground) : pending.objection(staged)
      },
      advance: (before, event) =>
        Either.map(advance(before, event), (after) => {
          const landing = committing.has(event.tag) ? pending : undefined
          if (landing !== undefined) pending = undefined
          view = landing === undefined ? after : { ...after, staged: Option.map(after.staged, landing.land) }
          return view
        })
    }
  }
}

/** Where nobody asks for a required update, a role that has none is silent. */
const silentWhereStuck = <R extends Role, E>(said: Effect.Effect<ProposalOf<R>, E>): Effect.Effect<ProposalOf<R>, E> =>
  Effect.catchIf(
    said,
    (error) => error instanceof RequiredUpdateFailure,
    () => Effect.succeed(sent<ProposalOf<R>>(null))
  )

const committing: ReadonlySet<string> = new Set([
  "PlanCommitted",
  "PathCommitted",
  "EvidenceCommitted",
  "VerificationCommitted"
])

/** The carrier of one question, and the roles of the context on it, each bent by `how` before. */
export const carrying = (
  switches: Switches,
  how?: Bend
): Layer.Layer<
  Planner | Navigator | Retriever | Verifier,
  never,
  Planner | Navigator | Retriever | Verifier | CorpusStore | TamStore
> =>
  Layer.unwrapEffect(
    Effect.map(Effect.all([CorpusStore, TamStore]), ([corpus, tam]) => {
      const { bend, carrier } = carriage(switches, corpus, tam)
      const roles = how === undefined ? bent(bend) : Layer.provide(bent(bend), bent(how))
      return Layer.merge(roles, Layer.succeed(Carrier, carrier))
    })
  )
