/** What many model calls have cost together: by role, model, day and scope (C28). */
import { Schema } from "effect"
import type { ModelCall } from "./Usage.ts"

const Count = Schema.NonNegativeInt

export const Sums = Schema.Struct({
  calls: Count,
  /** Those of them that failed, and those that were answered from the cache. */
  failed: Count,
  cached: Count,
  promptTokens: Count,
  completionTokens: Count,
  readerEquivalentTokens: Schema.Finite,
  /** In the configuration's currency, of the calls whose price is known; null where none is. */
  money: Schema.NullOr(Schema.Finite),
  /** Calls that were paid at a price that is not known. */
  unpriced: Count,
  /** Whether any of the tokens were counted here, and not by the provider. */
  estimated: Schema.Boolean
})
export type Sums = typeof Sums.Type

const By = Schema.Record({ key: Schema.String, value: Sums })

/** The JSON of `usage --json`. Days are `2026-01-31` (UTC). */
export const Bill = Schema.Struct({
  /** Milliseconds since the epoch; null where all is counted that is kept. */
  since: Schema.NullOr(Schema.Number),
  total: Sums,
  byRole: By,
  byModel: By,
  byDay: By,
  byScope: By
})
export type Bill = typeof Bill.Type

const nothing: Sums = {
  calls: 0,
  failed: 0,
  cached: 0,
  promptTokens: 0,
  completionTokens: 0,
  readerEquivalentTokens: 0,
  money: null,
  unpriced: 0,
  estimated: false
}

const plus = (sums: Sums, call: ModelCall): Sums => {
  const tokens = call.promptTokens + call.completionTokens
  return {
    calls: sums.calls + 1,
    failed: sums.failed + (call.fault === undefined ? 0 : 1),
    cached: sums.cached + (call.cached ? 1 : 0),
    promptTokens: sums.promptTokens + call.promptTokens,
    completionTokens: sums.completionTokens + call.completionTokens,
    readerEquivalentTokens: sums.readerEquivalentTokens + tokens * call.sizeRatio,
    money: call.cached || call.money === null ? sums.money : (sums.money ?? 0) + call.money,
    unpriced: sums.unpriced + (!call.cached && call.money === null && tokens > 0 ? 1 : 0),
    estimated: sums.estimated || call.estimated
  }
}

export interface Item {
  readonly scope: string
  readonly at: number
  readonly call: ModelCall
}

const grouped = (items: ReadonlyArray<Item>, key: (item: Item) => string): Bill["byRole"] => {
  const groups = new Map<string, Sums>()
  for (const item of items) groups.set(key(item), plus(groups.get(key(item)) ?? nothing, item.call))
  return Object.fromEntries([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The day of a time, in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export const billOf = (items: ReadonlyArray<Item>, since: number | null): Bill => ({
  since,
  total: items.reduce((sums, { call }) => plus(sums, call), nothing),
  byRole: grouped(items, ({ call }) => call.role),
  byModel: grouped(items, ({ call }) => call.model),
  byDay: grouped(items, ({ at }) => dayOf(at)),
  byScope: grouped(items, ({ scope }) => scope)
})
