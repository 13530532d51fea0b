/** The policy in force: the product's defaults, unless a Layer, the configuration or the caller says otherwise. */
import { Context } from "effect"
import { defaultPolicy, type Policy } from "../domain/Policy.ts"

export class CurrentPolicy extends Context.Reference<CurrentPolicy>()("staterag/services/CurrentPolicy", {
  defaultValue: (): Policy => defaultPolicy
}) {}
