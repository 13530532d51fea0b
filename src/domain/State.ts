/**
 * The live state of a query and its staging (C1, C9).
 *
 *     s^t ──stage──▶ s^{t,0} ──plan──▶ s^{t,1} ──path──▶ s^{t,2} ──evidence──▶ s^{t,3} ──verification──▶ s^{t,4} ──action──▶ s^{t+1}
 *           z ← ⟨Pending, ε⟩   Planner          Navigator          Retriever              Verifier
 *
 * Each arrow changes one field. {@link commit} is the only function that does it, for the live controller, for replay and for tests.
 */
import { Option, Schema } from "effect"
import { Evidence } from "./Evidence.ts"
import { ArtifactId } from "./Ids.ts"
import { Plan } from "./Plan.ts"
import { Path } from "./Tam.ts"
import { pending, Verification } from "./Verification.ts"

export const State = Schema.Struct({
  plan: Schema.OptionFromNullOr(Plan),
  path: Schema.OptionFromNullOr(Path),
  evidence: Evidence,
  verification: Verification,
  /** U: ids only; payloads stay in the shared memory pool. */
  artifacts: Schema.Array(ArtifactId)
})
export type State = typeof State.Type

export const Role = Schema.Literal("Planner", "Navigator", "Retriever", "Verifier")
export type Role = typeof Role.Type
export const roles = Role.literals

/** What the writer of each field proposes. */
export interface Fields {
  readonly plan: Plan
  readonly path: Path
  readonly evidence: Evidence
  readonly verification: Verification
}
export type Field = keyof Fields

/** The stages of a cycle in their order: one role, one field each. */
export const stages = [
  { role: "Planner", field: "plan" },
  { role: "Navigator", field: "path" },
  { role: "Retriever", field: "evidence" },
  { role: "Verifier", field: "verification" }
] as const satisfies ReadonlyArray<{ readonly role: Role; readonly field: Field }>
export type Stage = (typeof stages)[number]

export const fieldOf: { readonly [R in Role]: Extract<Stage, { readonly role: R }>["field"] } = {
  Planner: "plan",
  Navigator: "path",
  Retriever: "evidence",
  Verifier: "verification"
}

/** Before the first commit: no plan, no path, E⁰, ⟨Pending, ε⟩, and U as the pool exposes it. */
export const initial = (evidence: Evidence, artifacts: ReadonlyArray<ArtifactId>): State => ({
  plan: Option.none(),
  path: Option.none(),
  evidence,
  verification: pending,
  artifacts
})

/** s^{t,0} = s^t[z ← ⟨Pending, ε⟩]. */
export const stage = (state: State): State => ({ ...state, verification: pending })

const again = <A>(held: Option.Option<A>): Option.Option<A> =>
  Option.isSome(held) ? Option.some(held.value) : Option.none()

/** The state as it is lent to a role: what is written into it is written into a copy. The values of its fields are frozen where they are committed. */
export const lent = ({ artifacts, evidence, path, plan, verification }: State): State => ({
  plan: again(plan),
  path: again(path),
  evidence,
  verification,
  artifacts
})

/** s[f ← v]: exactly that field. */
export const commit = <F extends Field>(state: State, field: F, value: Fields[F]): State =>
  field === "plan" || field === "path" ? { ...state, [field]: Option.some(value) } : { ...state, [field]: value }
