/** C16, C17, C35: what follows a completed cycle. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { actions, budgetKinds, overrun, type Spending, selectAction, unaffordable } from "../../src/domain/Action.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { noUsage } from "../../src/domain/Usage.ts"

describe("C16 the action table", () => {
  it("is complete, and says what the contract says", () => {
    expect(actions).toEqual({
      Pass: { cyclesLeft: "Release", lastCycle: "Release" },
      Fail: { cyclesLeft: "Revise", lastCycle: "Fallback" }
    })
  })

  it("Pass releases; Fail revises until T_max, and falls back there", () => {
    for (let maxCycles = 1; maxCycles <= 6; maxCycles++)
      for (let completed = 1; completed <= maxCycles; completed++) {
        expect(selectAction("Pass", completed, maxCycles)).toBe("Release")
        expect(selectAction("Fail", completed, maxCycles)).toBe(completed < maxCycles ? "Revise" : "Fallback")
      }
  })
})

describe("C17 every run ends", () => {
  it("after at most T_max cycles, whatever the verdicts", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 9 }),
        FastCheck.array(FastCheck.boolean(), { minLength: 9, maxLength: 9 }),
        (maxCycles, verdicts) => {
          let completed = 0
          let action = "Revise"
          while (action === "Revise") {
            const passed = verdicts[completed] ?? false
            completed++
            action = selectAction(passed ? "Pass" : "Fail", completed, maxCycles)
          }
          expect(completed).toBeLessThanOrEqual(maxCycles)
          expect(action).toBe(verdicts[completed - 1] ? "Release" : "Fallback")
        }
      ),
      { numRuns: 500, seed: 41 }
    )
  })
})

const amount = FastCheck.nat({ max: 50 })
const costs = FastCheck.record({ tokens: amount, calls: amount, money: amount, timeMs: amount })
const spendings: FastCheck.Arbitrary<Spending> = FastCheck.record({
  usage: FastCheck.record({ prompt: amount, completion: amount, calls: amount, money: FastCheck.option(amount) }).map(
    ({ calls, completion, money, prompt }) => ({
      ...noUsage,
      promptTokens: prompt,
      completionTokens: completion,
      calls,
      money
    })
  ),
  elapsedMs: amount,
  dearestCycle: costs,
  readerShare: costs
})
const limit = FastCheck.option(FastCheck.integer({ min: 1, max: 200 }), { freq: 2 })
const policies: FastCheck.Arbitrary<Policy> = FastCheck.record({
  tokens: limit,
  calls: limit,
  money: limit,
  time: limit
}).map((budget) => ({ ...defaultPolicy, budget }))

describe("C35 budgets", () => {
  it("what is left, the reader's share set aside, must pay another cycle as dear as the dearest", () => {
    const seen = { affordable: 0, unaffordable: 0, overrun: 0 }
    FastCheck.assert(
      FastCheck.property(policies, spendings, (policy, spending) => {
        const { dearestCycle, elapsedMs, readerShare, usage } = spending
        const gone = {
          tokens: usage.promptTokens + usage.completionTokens,
          calls: usage.calls,
          money: usage.money ?? 0,
          time: elapsedMs
        }
        const ahead = {
          tokens: dearestCycle.tokens + readerShare.tokens,
          calls: dearestCycle.calls + readerShare.calls,
          money: dearestCycle.money + readerShare.money,
          time: dearestCycle.timeMs + readerShare.timeMs
        }
        const short = budgetKinds.filter((kind) => gone[kind] + ahead[kind] > (policy.budget[kind] ?? Infinity))
        const struck = budgetKinds.filter((kind) => gone[kind] > (policy.budget[kind] ?? Infinity))
        seen[short.length > 0 ? "unaffordable" : "affordable"]++
        if (struck.length > 0) seen.overrun++
        expect(unaffordable(policy, spending)).toBe(short[0])
        expect(overrun(policy, spending)).toBe(struck[0])
        // what is overrun can pay no cycle either
        expect(struck.every((kind) => short.includes(kind))).toBe(true)
      }),
      { numRuns: 1_000, seed: 42 }
    )
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(100)
  })

  it("without a limit nothing is ever struck", () => {
    FastCheck.assert(
      FastCheck.property(spendings, (spending) => {
        expect(unaffordable(defaultPolicy, spending)).toBeUndefined()
        expect(overrun(defaultPolicy, spending)).toBeUndefined()
      }),
      { numRuns: 100, seed: 43 }
    )
  })

  it("a budget exactly met is not overrun, and pays a cycle that costs exactly what is left", () => {
    const policy: Policy = { ...defaultPolicy, budget: { tokens: 30, calls: null, money: null, time: null } }
    const free = { tokens: 0, calls: 0, money: 0, timeMs: 0 }
    const spent = (tokens: number, next: number, share: number): Spending => ({
      usage: { ...noUsage, promptTokens: tokens },
      elapsedMs: 0,
      dearestCycle: { ...free, tokens: next },
      readerShare: { ...free, tokens: share }
    })
    expect(overrun(policy, spent(30, 0, 0))).toBeUndefined()
    expect(overrun(policy, spent(31, 0, 0))).toBe("tokens")
    expect(unaffordable(policy, spent(10, 15, 5))).toBeUndefined()
    expect(unaffordable(policy, spent(10, 15, 6))).toBe("tokens")
  })
})
