/** What a run that is gone on with has spent before, as its events tell: budgets go on from there (C35). */
import { type Cost, dearer, noCost } from "./Action.ts"
import type { Event } from "./Event.ts"
import { metered, noUsage, type Usage } from "./Usage.ts"

export interface Past {
  readonly dearestCycle: Cost
  /** The time that was worked on it: not that between an interruption and its end. */
  readonly workedMs: number
}
export const noPast: Past = { dearestCycle: noCost, workedMs: 0 }

export const pastOf = (events: ReadonlyArray<Event>): Past => {
  let { dearestCycle, workedMs } = noPast
  const usages = new Map<number, Usage>()
  let begun = 0
  let last = events[0]?.at ?? 0
  for (const event of events) {
    if (event.tag !== "RunResumed") workedMs += Math.max(0, event.at - last)
    last = event.at
    const usage = usages.get(event.cycle) ?? noUsage
    if (event.tag === "CycleStarted") begun = workedMs
    else if (event.tag === "ModelCalled") usages.set(event.cycle, metered(usage, event.call))
    else if (event.tag === "ActionSelected")
      dearestCycle = dearer(dearestCycle, {
        tokens: usage.promptTokens + usage.completionTokens,
        calls: usage.calls,
        money: usage.money ?? 0,
        timeMs: workedMs - begun
      })
  }
  return { dearestCycle, workedMs }
}
