/**
 * How proposals become state: the typed contract by default. It is a service so that an experiment can carry state in another way (C31)
 * without a second controller.
 */
import { Context, type Either, type Option } from "effect"
import type { Event } from "../domain/Event.ts"
import { check, decode, type Grounds, type Refusal } from "../domain/Rules.ts"
import { advance, type MalformedJournal, type RunView } from "../domain/Run.ts"
import type { Field, Fields, State } from "../domain/State.ts"

export interface CarrierShape {
  readonly decode: <F extends Field>(field: F, proposal: unknown) => Either.Either<Fields[F], Refusal>
  readonly check: <F extends Field>(
    field: F,
    value: Fields[F],
    staged: State,
    ground: Grounds[F]
  ) => Option.Option<Refusal>
  readonly advance: (view: RunView, event: Event) => Either.Either<RunView, MalformedJournal>
}

export class Carrier extends Context.Reference<Carrier>()("staterag/services/Carrier", {
  defaultValue: (): CarrierShape => ({ decode, check, advance })
}) {}
