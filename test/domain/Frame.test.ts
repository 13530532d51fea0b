/** L1, C2, C9: for every staged state, stage and proposal, at most the stage's own field changes. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck, Option } from "effect"
import { propose } from "../../src/domain/Proposal.ts"
import { commit, type Field, type State } from "../../src/domain/State.ts"
import { fields, json, judge, judgeIn, seeds, states, values, worlds } from "../support/Arbitraries.ts"
import { mutations, spoil } from "../support/Mutations.ts"
import { random } from "../support/Random.ts"
import { type World, world } from "../support/Worlds.ts"

/** What the controller forms from a proposal: s^{t,i}, where α = 1; the staged state itself where α = 0. */
const step = <F extends Field>(at: World, field: F, staged: State, proposal: unknown) =>
  Either.match(judge(field, proposal, staged, at.grounds[field]), {
    onLeft: () => ({ alpha: 0 as const, next: staged }),
    onRight: (value) => ({ alpha: 1 as const, next: commit(staged, field, value) })
  })

/** Anything that may arrive: for this field or another, from a schema, spoiled, forged, or any JSON at all. */
const proposals = (at: World, seed: number): FastCheck.Arbitrary<unknown> => {
  const r = random(seed)
  const field = FastCheck.constantFrom<string>(...fields, "artifacts", "state", "__proto__", "")
  return FastCheck.oneof(
    { arbitrary: FastCheck.constantFrom(...fields).map((own) => propose(own, at.valid[own])), weight: 6 },
    {
      arbitrary: FastCheck.constantFrom(...fields).map(
        (own) => spoil(own, r.pick(Object.keys(mutations[own])), at, r)?.proposal
      ),
      weight: 3
    },
    { arbitrary: FastCheck.record({ field, value: FastCheck.oneof(...fields.map((own) => values[own])) }), weight: 1 },
    { arbitrary: FastCheck.record({ field, value: json }), weight: 1 },
    { arbitrary: json, weight: 1 }
  )
}

describe("L1 frame", () => {
  it.each(fields)("%s: only this field, or nothing", (field) => {
    const seen = { committed: 0, refused: 0 }
    const cases = seeds.chain((seed) =>
      FastCheck.tuple(
        FastCheck.constant(world(seed)),
        proposals(world(seed), seed),
        states,
        FastCheck.constantFrom(true, true, false)
      )
    )
    FastCheck.assert(
      FastCheck.property(cases, ([at, proposal, anyState, own]) => {
        const staged = own ? at.staged[field] : anyState
        const before = JSON.stringify(staged)
        const { alpha, next } = step(at, field, staged, proposal)
        seen[alpha === 1 ? "committed" : "refused"]++
        expect(JSON.stringify(staged)).toBe(before)
        if (alpha === 0) return next === staged
        for (const name of Object.keys(staged) as Array<keyof State>)
          if (name !== field) expect(next[name]).toBe(staged[name])
        return Object.keys(next).length === Object.keys(staged).length
      }),
      { numRuns: 1_500, seed: 31 }
    )
    expect(seen.committed).toBeGreaterThan(100)
    expect(seen.refused).toBeGreaterThan(500)
  })
})

describe("C2 a proposal for another field is refused by ownership, whatever it holds", () => {
  it("each role, each other field", () => {
    let met = 0
    FastCheck.assert(
      FastCheck.property(worlds, (at) => {
        for (const own of fields)
          for (const other of fields) {
            if (own === other) continue
            met++
            const verdict = judgeIn(at, own, propose(other, at.valid[other]))
            expect(Either.isLeft(verdict) && verdict.left.rule).toBe("OwnsField")
          }
      }),
      { numRuns: 100, seed: 32 }
    )
    expect(met).toBe(1_200)
  })
})

describe("C9 a stage is judged against what the stages before it committed", () => {
  it("a verification that fits the plan of another cycle does not fit this one", () => {
    const seen = { stale: 0, fresh: 0 }
    for (let seed = 0; seed < 600; seed++) {
      const at = world(seed)
      const { justification } = at.valid.verification
      if (justification.supported.length === 0) continue
      const proposal = propose("verification", at.valid.verification)
      // the same verdict before the evidence of this cycle was committed
      const early = judge("verification", proposal, at.staged.evidence, at.grounds.verification)
      const before = at.staged.evidence.evidence
      const fits = justification.supported.every((support) =>
        before.some(
          ({ end, passage, start }) =>
            passage === support.passage &&
            (!("span" in support) || (start <= support.span.start && support.span.end <= end))
        )
      )
      expect(Either.isRight(early)).toBe(fits)
      seen[fits ? "fresh" : "stale"]++
      // and before the plan that names its slots
      const unplanned = { ...at.staged.verification, plan: Option.none() }
      const rule = Either.match(judge("verification", proposal, unplanned, {}), {
        onLeft: (refusal) => refusal.rule,
        onRight: () => "accepted"
      })
      expect(rule).toBe("LacksAreSlots")
    }
    expect(seen.stale).toBeGreaterThan(50)
    expect(seen.fresh).toBeGreaterThan(20)
  })
})
