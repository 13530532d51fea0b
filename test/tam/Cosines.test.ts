/** Cosines by WebAssembly are to the last bit what the same sum in JavaScript is. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { cosines } from "../../src/domain/tam/Cosines.ts"
import { random } from "../support/Random.ts"

const plain = (a: Float32Array, b: Float32Array): number => {
  const sums = [0, 0, 0, 0]
  a.forEach((part, i) => {
    sums[i % 4] = (sums[i % 4] ?? 0) + part * (b[i] ?? 0)
  })
  const [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = sums
  return s0 + s1 + (s2 + s3)
}

describe("cosines", () => {
  it("are those of JavaScript, of any length, however many are kept", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer(),
        FastCheck.constantFrom(1, 3, 4, 64, 510, 512),
        FastCheck.constantFrom(1, 5, 300),
        (seed, length, count) => {
          const r = random(seed)
          const vectors = Array.from({ length: count }, () => Float32Array.from({ length }, () => r.next() - 0.5))
          const { keep, of } = cosines()
          const places = vectors.map(keep)
          for (const one of vectors.slice(0, 5)) {
            const near = of(one)
            expect(places.map(near)).toEqual(vectors.map((other) => plain(one, other)))
          }
        }
      ),
      { numRuns: 60 }
    )
  })

  it("take a query before anything is kept, and no vector that is longer than the first", () => {
    const { keep, of } = cosines()
    const near = of(Float32Array.of(1, 2, 3, 4))
    expect(near(keep(Float32Array.of(5, 6, 7, 8)))).toBe(70)
    expect(() => keep(Float32Array.of(1, 2, 3, 4, 5))).toThrow(RangeError)
    expect(near(keep(Float32Array.of(0, 0, 1, 0)))).toBe(3)
  })
})
