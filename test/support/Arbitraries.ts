/** What the laws are tried on: arbitraries derived from the schemas, any JSON at all, and {@link world}s by their seed. */
import { Arbitrary, Either, FastCheck, Option, Schema } from "effect"
import { Evidence } from "../../src/domain/Evidence.ts"
import { Plan } from "../../src/domain/Plan.ts"
import { check, decode, type Grounds, type Refusal } from "../../src/domain/Rules.ts"
import { type Field, type Fields, State } from "../../src/domain/State.ts"
import { Path } from "../../src/domain/Tam.ts"
import { Verification } from "../../src/domain/Verification.ts"
import { type World, world } from "./Worlds.ts"

export const fieldSchemas: { readonly [F in Field]: Schema.Schema<Fields[F]> } = {
  plan: Schema.typeSchema(Plan),
  path: Schema.typeSchema(Path),
  evidence: Schema.typeSchema(Evidence),
  verification: Schema.typeSchema(Verification)
}
export const fields: ReadonlyArray<Field> = ["plan", "path", "evidence", "verification"]

export const states: FastCheck.Arbitrary<State> = Arbitrary.make(State)
export const values: { readonly [F in Field]: FastCheck.Arbitrary<Fields[F]> } = {
  plan: Arbitrary.make(fieldSchemas.plan),
  path: Arbitrary.make(fieldSchemas.path),
  evidence: Arbitrary.make(fieldSchemas.evidence),
  verification: Arbitrary.make(fieldSchemas.verification)
}
export const seeds = FastCheck.integer({ min: 0, max: 1_999 })
export const worlds: FastCheck.Arbitrary<World> = seeds.map(world)
export const json: FastCheck.Arbitrary<unknown> = FastCheck.jsonValue({ maxDepth: 4 })

/** What the controller does with whatever a role said: decode, then the rules. */
export const judge = <F extends Field>(
  field: F,
  proposal: unknown,
  staged: State,
  ground: Grounds[F]
): Either.Either<Fields[F], Refusal> =>
  Either.flatMap(decode(field, proposal), (value) =>
    Option.match(check(field, value, staged, ground), {
      onNone: () => Either.right(value),
      onSome: (refusal) => Either.left(refusal)
    })
  )

/** {@link judge} at the stage of a world that writes `field`. */
export const judgeIn = <F extends Field>(at: World, field: F, proposal: unknown): Either.Either<Fields[F], Refusal> =>
  judge(field, proposal, at.staged[field], at.grounds[field])
