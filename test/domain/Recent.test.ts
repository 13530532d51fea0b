/** What is kept of what was worked out last: nothing else than was put in, of bounded size, and what is asked for again outlives the rest. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { Recent } from "../../src/domain/Recent.ts"

describe("recent values", () => {
  it("are those that were put last, or none", () => {
    const steps = FastCheck.array(FastCheck.tuple(FastCheck.integer({ min: 0, max: 30 }), FastCheck.boolean()), {
      maxLength: 200,
      size: "max"
    })
    FastCheck.assert(
      FastCheck.property(steps, FastCheck.integer({ min: 1, max: 8 }), (all, most) => {
        const recent = new Recent<number>(most)
        const put = new Map<string, number>()
        for (const [at, [n, isPut]] of all.entries()) {
          const key = String(n)
          if (isPut) {
            recent.set(key, at)
            put.set(key, at)
            expect(recent.get(key)).toBe(at)
          } else expect([put.get(key), undefined]).toContain(recent.get(key))
        }
      })
    )
  })

  it("stay while they are asked for, and go when they are not", () => {
    const recent = new Recent<number>(4)
    recent.set("common", 1)
    recent.set("rare", 2)
    for (let n = 0; n < 100; n++) {
      recent.set(`other ${n}`, n)
      expect(recent.get("common")).toBe(1)
    }
    expect(recent.get("rare")).toBeUndefined()
    expect(
      Array.from({ length: 100 }, (_, n) => recent.get(`other ${n}`)).filter((n) => n !== undefined).length
    ).toBeLessThan(9)
    recent.clear()
    expect(recent.get("common")).toBeUndefined()
  })
})
