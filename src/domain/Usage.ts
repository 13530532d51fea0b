/** What a run cost: model calls, tokens, reader-equivalent tokens, money (C28). */
import { Schema } from "effect"
import { ModelFault } from "./ModelError.ts"

const Count = Schema.NonNegativeInt

/** One metered model call. A cached or replayed call counts its recorded tokens in RET and nothing in money. */
export const ModelCall = Schema.Struct({
  role: Schema.String,
  model: Schema.String,
  promptTokens: Count,
  completionTokens: Count,
  /** Size of the model called divided by the size of the reader's. */
  sizeRatio: Schema.Finite.pipe(Schema.nonNegative()),
  money: Schema.NullOr(Schema.Finite),
  cached: Schema.Boolean,
  estimated: Schema.Boolean,
  /** The version of the prompt that asked. */
  promptVersion: Schema.optionalWith(Schema.String, { exact: true }),
  /** Why it failed; left out where it was answered. */
  fault: Schema.optionalWith(ModelFault, { exact: true })
})
export type ModelCall = typeof ModelCall.Type

const Sums = Schema.Struct({
  calls: Count,
  promptTokens: Count,
  completionTokens: Count,
  readerEquivalentTokens: Schema.Finite
})

export const Usage = Schema.Struct({
  ...Sums.fields,
  /** In the configuration's currency; null where no price is known. */
  money: Schema.NullOr(Schema.Finite),
  estimated: Schema.Boolean,
  byRole: Schema.Record({ key: Schema.String, value: Sums })
})
export type Usage = typeof Usage.Type

const nothing = { calls: 0, promptTokens: 0, completionTokens: 0, readerEquivalentTokens: 0 }
export const noUsage: Usage = { ...nothing, money: null, estimated: false, byRole: {} }

const plus = (sums: typeof Sums.Type, call: ModelCall): typeof Sums.Type => ({
  calls: sums.calls + 1,
  promptTokens: sums.promptTokens + call.promptTokens,
  completionTokens: sums.completionTokens + call.completionTokens,
  readerEquivalentTokens: sums.readerEquivalentTokens + (call.promptTokens + call.completionTokens) * call.sizeRatio
})

const ofRole = (usage: Usage, role: string): typeof Sums.Type =>
  (Object.hasOwn(usage.byRole, role) ? usage.byRole[role] : undefined) ?? nothing

/** Adds one call. RET = Σ (prompt + completion) × size ratio. */
export const metered = (usage: Usage, call: ModelCall): Usage => ({
  ...plus(usage, call),
  money: call.cached || call.money === null ? usage.money : (usage.money ?? 0) + call.money,
  estimated: usage.estimated || call.estimated,
  byRole: { ...usage.byRole, [call.role]: plus(ofRole(usage, call.role), call) }
})
