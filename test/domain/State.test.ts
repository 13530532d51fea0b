/** C1, C4: the live state is one immutable value that survives its JSON. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck, Option, Schema } from "effect"
import { commit, fieldOf, initial, roles, State, stage, stages } from "../../src/domain/State.ts"
import { pending } from "../../src/domain/Verification.ts"
import { fields, states, values, worlds } from "../support/Arbitraries.ts"

const encode = Schema.encodeSync(State)
const decode = Schema.decodeUnknownSync(State, { onExcessProperty: "error" })
const same = Schema.equivalence(State)

describe("C1 the state encodes to JSON and decodes to an equal value", () => {
  it("arbitrary states", () => {
    const seen = { planned: 0, unplanned: 0, routed: 0 }
    FastCheck.assert(
      FastCheck.property(states, (state) => {
        seen[Option.isSome(state.plan) ? "planned" : "unplanned"]++
        if (Option.isSome(state.path)) seen.routed++
        const back = decode(JSON.parse(JSON.stringify(encode(state))))
        expect(back).toEqual(state)
        return same(back, state)
      }),
      { numRuns: 500, seed: 21 }
    )
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(50)
  })

  it("states of a run in progress, with awkward text", () => {
    FastCheck.assert(
      FastCheck.property(worlds, FastCheck.constantFrom(...fields), ({ staged }, field) =>
        same(decode(JSON.parse(JSON.stringify(encode(staged[field])))), staged[field])
      ),
      { numRuns: 500, seed: 22 }
    )
  })

  it("before the first commit there is no plan and no path, and nothing is verified", () => {
    FastCheck.assert(
      FastCheck.property(states, ({ artifacts, evidence }) => {
        const state = initial(evidence, artifacts)
        expect(encode(state)).toEqual({ plan: null, path: null, evidence, verification: pending, artifacts })
      }),
      { numRuns: 100, seed: 23 }
    )
    expect(pending).toEqual({ verdict: "Pending", justification: { text: "", missing: [], supported: [] } })
  })
})

describe("C4 staging and committing leave U as it was", () => {
  it("and what they were given unchanged", () => {
    const all = FastCheck.tuple(states, values.plan, values.path, values.evidence, values.verification)
    FastCheck.assert(
      FastCheck.property(all, ([state, plan, path, evidence, verification]) => {
        const before = JSON.stringify(encode(state))
        const s0 = stage(state)
        expect(s0).toEqual({ ...state, verification: pending })
        const s1 = commit(s0, "plan", plan)
        const s2 = commit(s1, "path", path)
        const s3 = commit(s2, "evidence", evidence)
        const s4 = commit(s3, "verification", verification)
        for (const later of [s0, s1, s2, s3, s4]) expect(later.artifacts).toBe(state.artifacts)
        expect(s4).toEqual({
          plan: Option.some(plan),
          path: Option.some(path),
          evidence,
          verification,
          artifacts: state.artifacts
        })
        return JSON.stringify(encode(state)) === before
      }),
      { numRuns: 300, seed: 24 }
    )
  })
})

describe("C2 one role, one field, one stage", () => {
  it("the table is a bijection in the order p, π, E, z", () => {
    expect(stages.map(({ role }) => role)).toEqual([...roles])
    expect(stages.map(({ field }) => field)).toEqual(["plan", "path", "evidence", "verification"])
    for (const { field, role } of stages) expect(fieldOf[role]).toBe(field)
  })
})
