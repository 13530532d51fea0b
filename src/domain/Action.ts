/** What follows a completed cycle (C16, C17, C35): a table, and the one number that a budget may change in it. */
import { Schema } from "effect"
import type { Policy } from "./Policy.ts"
import type { Usage } from "./Usage.ts"
import type { Verdict } from "./Verification.ts"

export const Action = Schema.Literal("Release", "Revise", "Fallback")
export type Action = typeof Action.Type

/** How a run ends, and which evidence the reader gets (equation 7). */
export const Branch = Schema.Literal("Bypass", "Release", "Fallback")
export type Branch = typeof Branch.Type

/** By verdict, then by whether another cycle is allowed. Pending never completes a cycle, so it has no row. */
export const actions: {
  readonly [V in Exclude<Verdict, "Pending">]: { readonly cyclesLeft: Action; readonly lastCycle: Action }
} = {
  Pass: { cyclesLeft: "Release", lastCycle: "Release" },
  Fail: { cyclesLeft: "Revise", lastCycle: "Fallback" }
}

/** The action after `completed` cycles (t+1) under `maxCycles` (T_max). */
export const selectAction = (verdict: Exclude<Verdict, "Pending">, completed: number, maxCycles: number): Action =>
  actions[verdict][completed < maxCycles ? "cyclesLeft" : "lastCycle"]

export interface Cost {
  readonly tokens: number
  readonly calls: number
  readonly money: number
  readonly timeMs: number
}
export const noCost: Cost = { tokens: 0, calls: 0, money: 0, timeMs: 0 }

/** The larger of both, each kind for itself. */
export const dearer = (a: Cost, b: Cost): Cost => ({
  tokens: Math.max(a.tokens, b.tokens),
  calls: Math.max(a.calls, b.calls),
  money: Math.max(a.money, b.money),
  timeMs: Math.max(a.timeMs, b.timeMs)
})

/** What has been spent, and the dearest cycle so far, which is what the next is expected to cost. */
export interface Spending {
  readonly usage: Usage
  readonly elapsedMs: number
  readonly dearestCycle: Cost
  /** Set aside for the reader. */
  readonly readerShare: Cost
}

export const budgetKinds = ["tokens", "calls", "money", "time"] as const
export type BudgetKind = (typeof budgetKinds)[number]

const spent = ({ elapsedMs, usage }: Spending): { readonly [K in BudgetKind]: number } => ({
  tokens: usage.promptTokens + usage.completionTokens,
  calls: usage.calls,
  money: usage.money ?? 0,
  time: elapsedMs
})

/** The budget that what is left cannot pay another cycle from, the reader's share set aside; undefined where all can. */
export const unaffordable = (policy: Policy, spending: Spending): BudgetKind | undefined => {
  const gone = spent(spending)
  const next = { ...spending.dearestCycle, time: spending.dearestCycle.timeMs }
  const share = { ...spending.readerShare, time: spending.readerShare.timeMs }
  return budgetKinds.find((kind) => {
    const limit = policy.budget[kind]
    return limit !== null && gone[kind] + next[kind] + share[kind] > limit
  })
}

/** The budget that has been overrun, if one has: inside a cycle this is ⊥ `BudgetExhausted`. */
export const overrun = (policy: Policy, spending: Spending): BudgetKind | undefined => {
  const gone = spent(spending)
  return budgetKinds.find((kind) => {
    const limit = policy.budget[kind]
    return limit !== null && gone[kind] > limit
  })
}
