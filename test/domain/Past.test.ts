/** C35 what a run has spent before it is gone on with, from its events. */
import { describe, expect, it } from "@effect/vitest"
import type { Fact } from "../../src/domain/Event.ts"
import { noPast, pastOf } from "../../src/domain/Past.ts"
import { keptCall, runId, scopeKey, stamped, started } from "../support/Runs.ts"

const run = runId("past")
const call = (promptTokens: number, money: number | null): Fact => ({
  tag: "ModelCalled",
  call: { ...keptCall({}).call, promptTokens, completionTokens: 0, money }
})
const acted: Fact = { tag: "ActionSelected", action: "Revise", reason: "" }

/** Facts with the time and the cycle of each. */
const events = (facts: ReadonlyArray<readonly [at: number, cycle: number, fact: Fact]>) => [
  started(run, scopeKey("past"), "who?", 100),
  ...stamped(
    run,
    1,
    facts.map(([, , fact]) => fact)
  ).map((event, i) => ({ ...event, at: facts[i]?.[0] ?? 0, cycle: facts[i]?.[1] ?? 0 }))
]

describe("C35 the past of a run", () => {
  it("of a run that has only begun, or of none, is nothing", () => {
    expect(pastOf([])).toEqual(noPast)
    expect(pastOf(events([]))).toEqual(noPast)
  })

  it("is the dearest completed cycle, each kind for itself, and the time that was worked", () => {
    const { dearestCycle, workedMs } = pastOf(
      events([
        [110, 0, call(5000, 9)],
        [200, 1, { tag: "CycleStarted" }],
        [210, 1, call(10, 0.5)],
        [220, 1, call(20, null)],
        [300, 1, acted],
        [310, 2, { tag: "CycleStarted" }],
        [320, 2, call(100, 0.25)],
        [350, 2, acted],
        [360, 3, { tag: "CycleStarted" }],
        [370, 3, call(9000, 70)]
      ])
    )
    expect(dearestCycle).toEqual({ tokens: 100, calls: 2, money: 0.5, timeMs: 100 })
    expect(workedMs).toBe(270)
  })

  it("does not count the time in which nobody worked on it; a cycle that was begun again costs all that it cost", () => {
    const { dearestCycle, workedMs } = pastOf(
      events([
        [200, 0, { tag: "BypassDeclined", reason: "" }],
        [260, 1, call(10, 1)],
        [260, 0, { tag: "RunEnded", outcome: "Interrupted", reason: null }],
        [90_000, 0, { tag: "RunResumed" }],
        [90_010, 1, { tag: "CycleStarted" }],
        [90_020, 1, call(5, 1)],
        [90_050, 1, acted]
      ])
    )
    expect(workedMs).toBe(160 + 50)
    expect(dearestCycle).toEqual({ tokens: 15, calls: 2, money: 2, timeMs: 40 })
  })
})
