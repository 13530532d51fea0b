/** C28: reader-equivalent tokens. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, FastCheck, Schema } from "effect"
import { type ModelCall, metered, noUsage, Usage } from "../../src/domain/Usage.ts"

const calls: FastCheck.Arbitrary<ReadonlyArray<ModelCall>> = FastCheck.array(
  FastCheck.record({
    role: FastCheck.constantFrom("Planner", "Verifier", "Reader", "constructor", "__proto__", "toString", ""),
    model: FastCheck.string(),
    promptTokens: FastCheck.nat({ max: 5_000 }),
    completionTokens: FastCheck.nat({ max: 500 }),
    // exact in binary, so that sums do not depend on their order
    sizeRatio: FastCheck.constantFrom(0, 0.25, 0.5, 1, 4),
    money: FastCheck.option(FastCheck.constantFrom(0, 0.25, 1.5)),
    cached: FastCheck.boolean(),
    estimated: FastCheck.boolean()
  }),
  { maxLength: 12 }
)
const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)
const total = (list: ReadonlyArray<ModelCall>) => list.reduce(metered, noUsage)

describe("C28 RET is the sum of (prompt + completion) times the size ratio", () => {
  it("over all calls and by role, cached ones too; money counts only what was paid", () => {
    let paid = 0
    FastCheck.assert(
      FastCheck.property(calls, (list) => {
        const usage = total(list)
        const ret = (some: ReadonlyArray<ModelCall>) =>
          sum(some.map((call) => (call.promptTokens + call.completionTokens) * call.sizeRatio))
        expect(usage.calls).toBe(list.length)
        expect(usage.promptTokens).toBe(sum(list.map((call) => call.promptTokens)))
        expect(usage.completionTokens).toBe(sum(list.map((call) => call.completionTokens)))
        expect(usage.readerEquivalentTokens).toBe(ret(list))
        expect(usage.estimated).toBe(list.some((call) => call.estimated))
        const priced = list.filter((call) => !call.cached && call.money !== null)
        expect(usage.money).toBe(priced.length === 0 ? null : sum(priced.map((call) => call.money ?? 0)))
        if (priced.length > 0) paid++
        const roles = [...new Set(list.map((call) => call.role))]
        expect(Object.keys(usage.byRole).sort()).toEqual(roles.sort())
        for (const [role, sums] of Object.entries(usage.byRole)) {
          const own = list.filter((call) => call.role === role)
          expect(sums).toEqual({
            calls: own.length,
            promptTokens: sum(own.map((call) => call.promptTokens)),
            completionTokens: sum(own.map((call) => call.completionTokens)),
            readerEquivalentTokens: ret(own)
          })
        }
      }),
      { numRuns: 500, seed: 3 }
    )
    expect(paid).toBeGreaterThan(100)
  })

  it("does not depend on the order of the calls, nor on whether they were replayed", () => {
    FastCheck.assert(
      FastCheck.property(calls, (list) => {
        const usage = total(list)
        const { byRole: _, money: __, ...sums } = usage
        expect(total([...list].reverse())).toMatchObject(sums)
        expect(total(list.map((call) => ({ ...call, cached: true })))).toEqual({ ...usage, money: null })
      }),
      { numRuns: 300, seed: 4 }
    )
  })

  it("encodes and decodes", () => {
    const encode = Schema.encodeSync(Usage)
    const decode = Schema.decodeUnknownSync(Usage)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Usage), (usage) => {
        expect(decode(JSON.parse(JSON.stringify(encode(usage))))).toEqual(usage)
      }),
      { numRuns: 200, seed: 5 }
    )
  })
})
