/** Mixtures: clusters that lie apart are found, in the same way for the same seed; BIC does not split what is one. */
import { describe, expect, it } from "@effect/vitest"
import { gaussians, members, mixture } from "../../src/domain/Mixture.ts"
import { generator } from "../../src/domain/Statistics.ts"

/** Points about centres, nearly normal: sums of twelve uniform numbers. */
const blobs = (centres: ReadonlyArray<ReadonlyArray<number>>, each: number, seed = 7) => {
  const { word } = generator(seed)
  const normal = () => Array.from({ length: 12 }, () => word() / 4294967296).reduce((sum, part) => sum + part, -6)
  return centres.flatMap((centre) => Array.from({ length: each }, () => centre.map((part) => part + normal())))
}

const two = blobs([Array.from({ length: 10 }, () => 0), Array.from({ length: 10 }, () => 8)], 40)

describe("mixture", () => {
  it("finds two clusters that lie apart, whole", () => {
    const found = mixture(two, 50, 224)
    expect(found.clusters).toBe(2)
    const sets = members(found, 0.1).map((own) => own.join(" "))
    const [low, high] = [0, 40].map((from) => Array.from({ length: 40 }, (_, i) => from + i).join(" "))
    expect(new Set(sets)).toEqual(new Set([low, high]))
  })

  it("leaves one cluster whole", () => {
    expect(mixture(blobs([Array.from({ length: 10 }, () => 0)], 80), 50, 224).clusters).toBe(1)
  })

  it("gives shares that sum to 1, and a point between two clusters belongs to both", () => {
    const line = [...blobs([[0], [6]], 60), [3]]
    const found = gaussians(line, 2, 1)
    for (const own of found.shares) expect(own.reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 12)
    const holders = members(found, 0.1).filter((own) => own.includes(120))
    expect(holders.length).toBe(2)
  })

  it("is named by its seed", () => {
    expect(gaussians(two, 5, 1)).toEqual(gaussians(two, 5, 1))
    expect(gaussians(two, 5, 2)).not.toEqual(gaussians(two, 5, 1))
  })

  it("takes equal points, one point and none", () => {
    const equal = Array.from({ length: 20 }, () => [1, 2, 3])
    expect(members(mixture(equal, 50, 1), 0.1).flat().length).toBeGreaterThanOrEqual(20)
    expect(members(mixture([[1, 2]], 50, 1), 0.1)).toEqual([[0]])
    expect(members(mixture([], 50, 1), 0.1)).toEqual([])
    expect(Number.isFinite(mixture(equal, 50, 1).bic)).toBe(true)
  })
})
