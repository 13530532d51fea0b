/** C31, C29: faulty roles go wrong by the seed alone; what each fault does to the contract and to a carrier without it; how endings are counted. */
import { describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { roles } from "../../src/domain/State.ts"
import { defaultSampling, statistics } from "../../src/domain/Statistics.ts"
import { inIsolation } from "../../src/programs/baselines/OneQuestion.ts"
import * as Controller from "../../src/programs/Controller.ts"
import { type CarrierName, carriers, carrying } from "../../src/programs/experiments/Carriers.ts"
import { curves, type Ending, endingOf, forgetful, pointOf } from "../../src/programs/experiments/FaultCurves.ts"
import {
  altered,
  type FaultKind,
  faultKinds,
  faultOf,
  faults,
  isHarmed,
  visible
} from "../../src/programs/experiments/Faults.ts"
import { library, scope, shelf } from "../support/Shelf.ts"

// a test is a score of whole runs
vi.setConfig({ testTimeout: 120_000 })

const question = "In which city was the drummer on the album Counterparts born?"
const asked = [
  question,
  "What is the seat of the county where Van Hook Township is located?",
  "Where was the director of Aas Ka Panchhi born?"
]
const rates = [0.05, 0.1, 0.2, 0.3, 0.9]

describe("which turns go wrong", () => {
  const turns = asked.flatMap((text) => [1, 2, 3].flatMap((cycle) => roles.map((role) => ({ text, cycle, role }))))
  it("is drawn by seed, question, cycle and role; the same goes wrong, in the same way, at every higher rate", () => {
    for (const { cycle, role, text } of turns) {
      let before: FaultKind | undefined
      for (const rate of rates) {
        const fault = faultOf({ seed: 3, rate, kinds: visible }, text, cycle, role)?.kind
        if (before !== undefined) expect(fault).toBe(before)
        before = fault
      }
    }
  })
  it("as often as the rate says, in every way that the role can go wrong", () => {
    const many = Array.from({ length: 4000 }, (_, i) =>
      faultOf({ seed: 1, rate: 0.2, kinds: visible }, `q${i}`, 1, "Retriever")
    )
    const kinds = many.flatMap((fault) => (fault === undefined ? [] : [fault.kind]))
    expect(kinds.length / many.length).toBeGreaterThan(0.18)
    expect(kinds.length / many.length).toBeLessThan(0.22)
    expect([...new Set(kinds)].sort()).toEqual(["alteredText", "foreignPassage", "misshapen", "silence", "wrongField"])
    for (const kind of new Set(kinds))
      expect(kinds.filter((one) => one === kind).length / kinds.length).toBeGreaterThan(0.15)
  })
  it("another seed, another draw; no rate, no fault", () => {
    const drawn = (seed: number) =>
      turns.map(({ cycle, role, text }) => faultOf({ seed, rate: 0.3, kinds: visible }, text, cycle, role)?.kind)
    expect(drawn(1)).toEqual(drawn(1))
    expect(drawn(1)).not.toEqual(drawn(2))
    expect(isHarmed({ seed: 1, rate: 0, kinds: visible }, question, 3)).toBe(false)
    expect(isHarmed({ seed: 1, rate: 1, kinds: visible }, question, 1)).toBe(true)
  })
  it("a text is altered where it says something, not where it stands or what was asked for", () => {
    const text = "Neil Peart (born September 12, 1952 in Hamilton) plays on Counterparts."
    const other = altered(text, question)
    expect(other).toHaveLength(text.length)
    expect(other).toContain("Counterparts")
    expect(other).not.toMatch(/Hamilton|Peart|1952/)
  })
})

/** A narrow region, so that there is a passage outside of it. */
const policy: Policy = { ...forgetful(defaultPolicy), regionWidth: 2, maxCycles: 1 }
const always = (kind: FaultKind) => ({ seed: 1, rate: 1, kinds: [kind] })
const ran = (carrier: CarrierName, kind: FaultKind) =>
  Effect.gen(function* () {
    const bend = yield* faults(always(kind))
    const view = yield* Effect.flatMap(Controller.make, (controller) =>
      controller.run({ question, scope, policy })
    ).pipe(
      Effect.provide(carrying(carriers[carrier], bend)),
      inIsolation,
      Effect.catchTag("Incomplete", ({ cause, stage }) =>
        Effect.succeed(`${stage}: ${cause._tag === "ProposalRefused" ? cause.rule : cause._tag}`)
      )
    )
    return view
  }).pipe(Effect.provide(shelf(library)))

describe("C31 what the contract says to each fault", () => {
  const refusals: { readonly [K in FaultKind]?: string } = {
    wrongField: "Planner: OwnsField",
    stalePath: "Navigator: StepsAreEdges",
    alteredText: "Retriever: IsVerbatim",
    foreignPassage: "Retriever: WithinRegion",
    misshapen: "Planner: FitsSchema",
    silence: "Planner: OwnsField"
  }
  for (const kind of faultKinds)
    it.effect(kind, () =>
      Effect.gen(function* () {
        const whole = yield* ran("contract", kind)
        const none = yield* ran("carrier-free-shared-unvalidated", kind)
        if (typeof none === "string") throw new Error(`a carrier without a contract refused: ${none}`)
        if (kind !== "prematurePass") return expect(whole).toBe(refusals[kind])
        // its form is right: no rule sees it
        if (typeof whole === "string") throw new Error(whole)
        expect(whole.cycles[0]?.verification.verdict).toBe("Pass")
        expect(whole.cycles).toEqual(none.cycles)
      })
    )
})

describe("C29 how endings are counted", () => {
  const { interval } = statistics(defaultSampling)
  const ending = (end: Ending["end"], unsupported = false): Ending => ({ end, unsupported, cycles: 1 })
  const before = [ending("right"), ending("right"), ending("wrong"), ending("notFound")]
  const after = [ending("wrong", true), ending("right", true), ending("incomplete"), ending("wrong")]

  it("the four ends add up to all; what is unsupported may be right", () => {
    const point = pointOf(after, before, { interval, permutation: () => 1 })
    expect(point).toMatchObject({ n: 4, right: 25, wrong: 50, notFound: 0, incomplete: 25, unsupported: 50 })
    expect(point.right + point.wrong + point.notFound + point.incomplete).toBe(100)
    expect(point.more.wrong).toBe(25)
    expect(point.more.interval[0]).toBeLessThan(25)
    expect(point.interval.wrong[0]).toBeLessThanOrEqual(50)
  })

  it.effect("an answer, a wrong one, none, and ⊥", () =>
    Effect.gen(function* () {
      const of = (answers: ReadonlyArray<string>, carrier: CarrierName, kind: FaultKind, rate: number) =>
        endingOf({ question, answers }, scope, defaultPolicy, carrier, { kinds: [kind], rate, seed: 1 })
      expect(yield* of(["Hamilton"], "contract", "silence", 0)).toMatchObject({ end: "right", unsupported: false })
      expect(yield* of(["Nowhere"], "contract", "silence", 0)).toMatchObject({ end: "wrong", unsupported: false })
      expect(yield* of(["Hamilton"], "contract", "silence", 1)).toMatchObject({ end: "incomplete", unsupported: false })
      expect(yield* of(["Hamilton"], "contract", "alteredText", 1)).toMatchObject({
        end: "incomplete",
        unsupported: false
      })
      expect(yield* of(["Hamilton"], "carrier-unvalidated", "alteredText", 1)).toMatchObject({
        end: "wrong",
        unsupported: true
      })
    }).pipe(Effect.provide(shelf(library)))
  )
})

describe("the experiment", () => {
  const questions = asked.map((text, i) => ({
    id: String(i),
    line: i + 1,
    question: text,
    answers: [["Hamilton"], ["Stanley"], []][i] ?? [],
    gold: [],
    type: null,
    hops: null,
    steps: []
  }))
  const of = (names: ReadonlyArray<CarrierName>) =>
    curves({
      questions,
      scope,
      policy: defaultPolicy,
      carriers: names,
      rates: [0.3, 1],
      kinds: visible,
      alone: ["prematurePass"],
      seed: 2,
      statistics: statistics(defaultSampling)
    }).pipe(Effect.provide(shelf(library)))

  it.effect("same seed, same curves, whatever the order of carriers; questions without answers are left out", () =>
    Effect.gen(function* () {
      const one = yield* of(["contract", "carrier-free-shared-unvalidated"])
      const other = yield* of(["carrier-free-shared-unvalidated", "contract"])
      expect(other).toEqual(one)
      expect(Object.keys(one.contract?.mixed ?? {})).toEqual(["0", "30", "100"])
      expect(one.contract?.mixed[0]).toMatchObject({ n: 2, notFound: 0, incomplete: 0 })
      expect(one.contract?.mixed[0]).toEqual(one["carrier-free-shared-unvalidated"]?.mixed[0])
      expect(one.contract?.mixed[100]).toMatchObject({ n: 2, incomplete: 100, wrong: 0 })
      expect(one["carrier-free-shared-unvalidated"]?.mixed[100]?.incomplete).toBe(0)
      expect(one.contract?.alone.prematurePass?.incomplete).toBe(0)
      // what is not asked again would have ended as it did
      const faulty = { kinds: visible, rate: 0.3, seed: 2 }
      const ended = yield* Effect.forEach(questions.slice(0, 2), (each) =>
        endingOf(each, scope, defaultPolicy, "contract", faulty)
      ).pipe(Effect.provide(shelf(library)))
      const share = (end: Ending["end"]) => 50 * ended.filter((ending) => ending.end === end).length
      expect(one.contract?.mixed[30]).toMatchObject({ right: share("right"), incomplete: share("incomplete") })
    })
  )
})
