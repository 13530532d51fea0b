/** L2, C10, C16, C17, C30: a run is the fold of its events. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Equal, FastCheck, Option, Schema } from "effect"
import { Event } from "../../src/domain/Event.ts"
import { RunId } from "../../src/domain/Ids.ts"
import {
  advance,
  currentCycle,
  fold,
  MalformedJournal,
  phasesOf,
  type RunView,
  resume,
  terminals
} from "../../src/domain/Run.ts"
import { State, stages } from "../../src/domain/State.ts"
import { type Ending, endings, type Journal, journal, oneOfEach, restamped } from "../support/Journals.ts"

const journals: FastCheck.Arbitrary<Journal> = FastCheck.integer({ min: 0, max: 4_999 }).map(journal)
const cut = FastCheck.tuple(journals, FastCheck.nat({ max: 999 }))
const runs = (numRuns: number) => ({ numRuns, seed: 5 })
const isState = Schema.is(Schema.typeSchema(State), { onExcessProperty: "error" })
const folded = (events: ReadonlyArray<Event>): RunView => Either.getOrThrow(fold(events))
const refusal = (result: Either.Either<RunView, MalformedJournal>): string =>
  Either.isLeft(result) ? result.left.reason : "accepted"

describe("L2 the fold of every prefix", () => {
  it("is a valid state: what the completed cycles committed, and nothing of an open one (C30)", () => {
    const seen = Object.fromEntries(endings.map((ending) => [ending, 0])) as Record<Ending, number>
    let open = 0
    FastCheck.assert(
      FastCheck.property(journals, ({ completed, ending, events, states }) => {
        seen[ending]++
        for (let n = 1; n <= events.length; n++) {
          const view = folded(events.slice(0, n))
          expect(view.state).toEqual(states[n - 1])
          expect(view.cycles).toHaveLength(completed[n - 1] ?? -1)
          expect(view.sequence).toBe(n)
          expect(isState(view.state)).toBe(true)
          if (Option.isSome(view.staged)) {
            open++
            expect(isState(view.staged.value)).toBe(true)
            expect(view.staged.value.artifacts).toEqual(view.state.artifacts) // C4
            expect(currentCycle(view)).toBe(view.cycles.length + 1)
          }
        }
      }),
      runs(600)
    )
    for (const ending of endings) expect(seen[ending], ending).toBeGreaterThan(40)
    expect(open).toBeGreaterThan(1_000)
  })

  it("fold(a ++ b) = resume(fold(a), b)", () => {
    FastCheck.assert(
      FastCheck.property(cut, ([{ events }, at]) => {
        const n = 1 + (at % events.length)
        expect(resume(folded(events.slice(0, n)), events.slice(n))).toEqual(fold(events))
      }),
      runs(600)
    )
  })

  it("fold(decode(encode(j))) is fold(j), through JSON text", () => {
    const encode = Schema.encodeSync(Schema.Array(Event))
    const decode = Schema.decodeUnknownSync(Schema.Array(Event), { onExcessProperty: "error" })
    FastCheck.assert(
      FastCheck.property(journals, ({ events }) => {
        const back = decode(JSON.parse(JSON.stringify(encode(events))))
        expect(fold(back)).toEqual(fold(events))
      }),
      runs(300)
    )
  })

  it("a view is not changed by what is folded after it", () => {
    FastCheck.assert(
      FastCheck.property(cut, ([{ events }, at]) => {
        const n = 1 + (at % events.length)
        const view = folded(events.slice(0, n))
        const before = JSON.stringify(view)
        resume(view, events.slice(n))
        return JSON.stringify(view) === before
      }),
      runs(200)
    )
  })
})

describe("C9, C30 a cycle commits one field a stage, in order, and shows when its action is selected", () => {
  it("each event of a cycle", () => {
    let commits = 0
    FastCheck.assert(
      FastCheck.property(journals, ({ events }) => {
        let view = folded(events.slice(0, 1))
        for (const event of events.slice(1)) {
          const next = Either.getOrThrow(advance(view, event))
          const before = Option.getOrUndefined(view.staged)
          const after = Option.getOrUndefined(next.staged)
          if (before !== undefined && after !== undefined && next.stage === view.stage + 1) {
            commits++
            const own = stages[view.stage]?.field
            for (const name of Object.keys(before) as Array<keyof State>)
              if (name !== own) expect(after[name]).toEqual(before[name])
          }
          if (event.tag === "CycleStarted") {
            expect(after?.verification).toEqual({
              verdict: "Pending",
              justification: { text: "", missing: [], supported: [] }
            })
            expect({ ...after, verification: 0 }).toEqual({ ...view.state, verification: 0 })
          }
          if (event.tag === "ActionSelected") expect(next.state).toEqual(before)
          view = next
        }
        expect(terminals(view)).toEqual(view.cycles.map(({ path }) => path[path.length - 1]))
      }),
      runs(200)
    )
    expect(commits).toBeGreaterThan(500)
  })
})

describe("C10 a run that ends in ⊥", () => {
  it("has the state of its last completed cycle, no branch of the open one, and admits no reader", () => {
    let met = 0
    const each = oneOfEach()
    for (let seed = 0; seed < 1_000; seed++) {
      const { ending, events } = journal(seed)
      if (ending !== "Refused" && ending !== "RequiredUpdateFailure") continue
      const failure = events.findIndex(({ tag }) => tag === "ProposalRefused" || tag === "StageFailed")
      if (failure < 0) continue
      met++
      const started = events.map(({ tag }) => tag).lastIndexOf("CycleStarted")
      const before = folded(events.slice(0, started))
      const failed = folded(events.slice(0, failure + 1))
      const ended = folded(events)
      for (const view of [failed, ended]) {
        expect(view.state).toEqual(before.state)
        expect(view.cycles).toEqual(before.cycles)
        expect(view.branch).toEqual(Option.none())
      }
      expect(ended.outcome).toEqual(Option.some("Incomplete"))
      expect(Option.isSome(ended.reason)).toBe(true)
      for (const tag of [
        "ActionSelected",
        "EvidenceSelected",
        "ReaderAdmitted",
        "AnswerRead",
        "CycleStarted"
      ] as const) {
        const event = each.get(tag)
        if (event !== undefined)
          expect(Either.isLeft(advance(failed, { ...event, sequence: failed.sequence }))).toBe(true)
      }
    }
    expect(met).toBeGreaterThan(150)
  })

  it("says why, and is not answered; an answered run ends in the branch that it took", () => {
    const complete = [...Array(400).keys()].map(journal).filter(({ ending }) => ending === "Release")
    expect(complete.length).toBeGreaterThan(20)
    for (const { events } of complete) {
      const answered = folded(events.slice(0, -1))
      const end = (outcome: "Bypass" | "Release" | "Fallback" | "Incomplete") =>
        refusal(advance(answered, { ...lastOf(events), tag: "RunEnded", outcome, reason: null }))
      expect(end("Release")).toBe("accepted")
      expect(end("Bypass")).toContain("not its branch")
      expect(end("Fallback")).toContain("not its branch")
      expect(end("Incomplete")).toContain("not incomplete")
      const early = folded(events.slice(0, 2))
      const reasonless = {
        ...lastOf(events),
        sequence: 2,
        tag: "RunEnded",
        outcome: "Incomplete",
        reason: null
      } as const
      expect(refusal(advance(early, reasonless))).toContain("says why")
    }
  })
})
const lastOf = (events: ReadonlyArray<Event>): Event => {
  const last = events[events.length - 1]
  if (last === undefined) throw new Error("a journal is never empty")
  return last
}

describe("C16, C17 the action follows from the verdict", () => {
  it("any other action is malformed", () => {
    const seen = { accepted: 0, refused: 0 }
    for (let seed = 0; seed < 600; seed++) {
      const { events } = journal(seed)
      events.forEach((event, n) => {
        if (event.tag !== "ActionSelected") return
        const before = folded(events.slice(0, n))
        const verdict = Option.getOrThrow(before.staged).verification.verdict
        const number = before.cycles.length + 1
        for (const action of ["Release", "Revise", "Fallback"] as const) {
          const allowed =
            verdict === "Pass"
              ? action === "Release"
              : action === "Fallback" || (action === "Revise" && number < before.policy.maxCycles)
          const result = advance(before, { ...event, action })
          expect(Either.isRight(result), `${verdict}, ${action}, cycle ${number}`).toBe(allowed)
          seen[allowed ? "accepted" : "refused"]++
        }
      })
    }
    expect(seen.accepted).toBeGreaterThan(300)
    expect(seen.refused).toBeGreaterThan(300)
  })
})

describe("L2 a journal whose events do not follow from one another is malformed, and never breaks the fold", () => {
  it("every event in every phase: the table says which may stand there", () => {
    const seen = new Map<string, number>()
    const each = [...oneOfEach()]
    expect(each.map(([tag]) => tag).sort()).toEqual([...Object.keys(phasesOf), "RunStarted"].sort())
    for (let seed = 0; seed < 250; seed++) {
      const { events } = journal(seed)
      for (let n = 1; n <= events.length; n++) {
        const view = folded(events.slice(0, n))
        for (const [tag, event] of each) {
          const result = advance(view, { ...event, sequence: view.sequence })
          const placed = tag !== "RunStarted" && phasesOf[tag].includes(view.phase)
          if (placed) continue
          seen.set(`${view.phase} ${tag}`, 1)
          if (Either.isRight(result)) throw new Error(`${tag} was folded while ${view.phase}`)
          expect(result.left).toBeInstanceOf(MalformedJournal)
          expect(result.left.sequence).toBe(view.sequence)
        }
      }
    }
    expect(seen.size).toBeGreaterThan(120)
  })

  it("what the table must never allow", () => {
    const each = oneOfEach()
    const tags = Object.keys(phasesOf) as Array<keyof typeof phasesOf>
    for (const tag of tags.filter((name) => name !== "RunResumed")) expect(phasesOf[tag]).not.toContain("Ended")
    expect(phasesOf.AnswerDelta).toEqual([])
    expect(phasesOf.ReaderAdmitted).toEqual(["Selected"]) // C21: after E*, once
    expect(phasesOf.EvidenceSelected).toEqual(["Selecting"])
    expect(phasesOf.ArtifactsExposed).not.toContain("Staging") // C4
    expect(phasesOf.BypassMatched).toEqual(["Initialized"]) // C19: before MARS
    for (const { role } of stages) expect(role).toBeDefined()
    for (const tag of tags.filter((name) => name !== "RunEnded")) {
      expect(phasesOf[tag]).not.toContain("Refused")
      expect(each.has(tag)).toBe(true)
    }
  })

  it("commits out of their order", () => {
    const tags = [
      "PlanCommitted",
      "PathCommitted",
      "EvidenceCommitted",
      "VerificationCommitted",
      "ActionSelected"
    ] as const
    const each = oneOfEach()
    let met = 0
    for (let seed = 0; seed < 100; seed++) {
      const { events } = journal(seed)
      for (let n = 1; n <= events.length; n++) {
        const view = folded(events.slice(0, n))
        if (view.phase !== "Staging") continue
        tags.forEach((tag, at) => {
          const event = each.get(tag)
          if (event === undefined || at === view.stage) return
          met++
          expect(Either.isLeft(advance(view, { ...event, sequence: view.sequence })), `${tag} at ${view.stage}`).toBe(
            true
          )
        })
      }
    }
    expect(met).toBeGreaterThan(500)
  })

  it("a refusal of another role than the one whose turn it is", () => {
    const refused = [...Array(300).keys()].map(journal).filter(({ ending }) => ending === "Refused")
    let met = 0
    for (const { events } of refused) {
      const n = events.findIndex(({ tag }) => tag === "ProposalRefused")
      const event = events[n]
      if (event?.tag !== "ProposalRefused") continue
      met++
      const role = event.role === "Planner" ? "Verifier" : "Planner"
      expect(Either.isLeft(advance(folded(events.slice(0, n)), { ...event, role }))).toBe(true)
    }
    expect(met).toBeGreaterThan(10)
  })

  const structural: ReadonlySet<Event["tag"]> = new Set([
    "EvidenceInitialized",
    "BypassMatched",
    "BypassDeclined",
    "CycleStarted",
    "PlanCommitted",
    "PathCommitted",
    "EvidenceCommitted",
    "VerificationCommitted",
    "ActionSelected",
    "EvidenceSelected",
    "ReaderAdmitted",
    "AnswerRead"
  ])
  const answered = (ending: Ending) => ending === "Bypass" || ending === "Release" || ending === "Fallback"

  it("an event removed, doubled, moved or of another run is found", () => {
    const met = { removed: 0, forged: 0, doubled: 0, moved: 0, foreign: 0 }
    FastCheck.assert(
      FastCheck.property(cut, ([{ ending, events }, at]) => {
        const n = at % events.length
        const event = events[n]
        if (event === undefined) return
        const without = events.filter((_, i) => i !== n)
        if (n < events.length - 1) {
          met.removed++
          expect(Either.isLeft(fold(without))).toBe(true)
          const next = events[n + 1]
          if (next !== undefined) {
            met.moved++
            expect(Either.isLeft(fold([...events.slice(0, n), next, event, ...events.slice(n + 2)]))).toBe(true)
          }
          // with the numbers made good, the phases still tell
          if (structural.has(event.tag) && answered(ending)) {
            met.forged++
            expect(Either.isLeft(fold(restamped(without))), event.tag).toBe(true)
            const twice = restamped([...events.slice(0, n), event, ...events.slice(n)])
            expect(Either.isLeft(fold(twice)), event.tag).toBe(true)
          }
        }
        met.doubled++
        expect(Either.isLeft(fold([...events.slice(0, n + 1), event, ...events.slice(n + 1)]))).toBe(true)
        if (n > 0) {
          met.foreign++
          const foreign = events.map((other, i) => (i === n ? { ...other, run: RunId.make("another") } : other))
          expect(refusal(fold(foreign))).toContain("another")
        }
      }),
      runs(1_500)
    )
    for (const [way, count] of Object.entries(met)) expect(count, way).toBeGreaterThan(200)
  })

  it("no journal, and one that does not start with its start", () => {
    expect(refusal(fold([]))).toContain("starts with RunStarted")
    const { events } = journal(1)
    expect(refusal(fold(events.slice(1)))).toContain("starts with RunStarted")
    const [started] = events
    if (started !== undefined) expect(Either.isLeft(fold([{ ...started, sequence: 1 }]))).toBe(true)
  })

  it("evidence for another branch, and a reading that nobody admitted", () => {
    let met = 0
    for (let seed = 0; seed < 300; seed++) {
      const { events } = journal(seed)
      events.forEach((event, n) => {
        if (event.tag !== "EvidenceSelected") return
        met++
        const view = folded(events.slice(0, n))
        for (const branch of ["Bypass", "Release", "Fallback"] as const)
          expect(Either.isRight(advance(view, { ...event, branch }))).toBe(branch === event.branch)
        const selected = folded(events.slice(0, n + 1))
        const unread = {
          ...event,
          sequence: n + 1,
          tag: "AnswerRead",
          reading: { text: "x", citations: [] },
          unsupported: 0
        }
        expect(Either.isRight(advance(selected, unread as Event))).toBe(event.evidence.length === 0)
      })
    }
    expect(met).toBeGreaterThan(100)
  })

  it("equal journals fold to equal views", () => {
    const a = folded(journal(12).events)
    const b = folded(structuredCloneOf(journal(12).events))
    expect(a).toEqual(b)
    expect(Equal.equals(a.branch, b.branch)).toBe(true)
  })
})
const structuredCloneOf = (events: ReadonlyArray<Event>): ReadonlyArray<Event> => events.map((event) => ({ ...event }))
