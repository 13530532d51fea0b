/** Small maps say what a Map says, whatever is put in and dropped. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Few from "../../src/programs/tam/Few.ts"

const key = FastCheck.integer({ min: 0, max: 40 }).map(String)
const step = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.record({ put: key, value: FastCheck.integer() }) },
  { weight: 1, arbitrary: FastCheck.record({ drop: key }) }
)

describe("small maps", () => {
  it("hold what a Map holds, in its order", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { maxLength: 120, size: "max" }), (steps) => {
        const map = new Map<string, number>()
        let few: Few.Items<number> = Few.none
        for (const one of steps) {
          if ("put" in one) {
            map.set(one.put, one.value)
            few = Few.put(few, one.put, one.value)
          } else {
            map.delete(one.drop)
            few = Few.drop(few, one.drop)
          }
          const look = (items: Few.Items<number>) => [
            items.size,
            ...items,
            ...items.keys(),
            ...items.values(),
            ...Array.from({ length: 41 }, (_, n) => [items.has(String(n)), items.get(String(n))])
          ]
          if (JSON.stringify(look(few)) !== JSON.stringify(look(map))) expect(look(few)).toEqual(look(map))
        }
        expect([...Few.of(map)]).toEqual([...map])
        expect(Few.none.size).toBe(0)
      }),
      { numRuns: 100 }
    )
  })
})
