/** Intervals and tests: right on known cases, at their nominal rate in a simulation, the same for one seed. */
import { describe, expect, it } from "@effect/vitest"
import { defaultSampling, generator, holm, quantile, statistics } from "../../src/domain/Statistics.ts"
import { random } from "../support/Random.ts"

const few = { ...defaultSampling, times: 400 }

describe("C29 how sure a mean is", () => {
  it("a generator is named by its seed, and is even", () => {
    const draw = (seed: number) => {
      const { int } = generator(seed)
      return Array.from({ length: 20_000 }, () => int(10))
    }
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
    const counts = new Array<number>(10).fill(0)
    for (const n of draw(7)) counts[n] = (counts[n] ?? 0) + 1
    // 2,000 each, standard deviation 42
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(210)
  })
  it("quantiles interpolate", () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5)
    expect(quantile([1, 2, 3, 4], 0)).toBe(1)
    expect(quantile([1, 2, 3, 4], 1)).toBe(4)
    expect(quantile([], 0.5)).toBe(0)
  })
  it("an interval holds the mean, shrinks with n, and is none where nothing varies", () => {
    const { interval } = statistics(few)
    const values = Array.from({ length: 100 }, (_, i) => (i % 4 === 0 ? 1 : 0))
    const [low, high] = interval(values)
    expect(low).toBeLessThan(0.25)
    expect(high).toBeGreaterThan(0.25)
    const [lower, higher] = interval([...values, ...values, ...values, ...values])
    expect(higher - lower).toBeLessThan(0.7 * (high - low))
    expect(interval([0.5, 0.5, 0.5])).toEqual([0.5, 0.5])
    expect(interval([])).toEqual([0, 0])
  })
  it("one seed gives one interval, another seed another", () => {
    const values = Array.from({ length: 50 }, (_, i) => (i * 7) % 11)
    expect(statistics(few).interval(values)).toEqual(statistics(few).interval(values))
    expect(statistics({ ...few, seed: 2 }).interval(values)).not.toEqual(statistics(few).interval(values))
  })
  it("95 % intervals hold the truth in about 95 of 100 simulated evaluations", { timeout: 60_000 }, () => {
    const { interval } = statistics(few)
    const draw = random(11)
    const trials = 1000
    let held = 0
    for (let trial = 0; trial < trials; trial++) {
      // recall of two gold documents: 0, .5 or 1, with mean .65
      const values = Array.from({ length: 120 }, () => (draw.chance(0.65) ? 0.5 : 0) + (draw.chance(0.65) ? 0.5 : 0))
      const [low, high] = interval(values)
      if (low <= 0.65 && 0.65 <= high) held++
    }
    // a right rate of 95 % strays by less than 2.8 points in all but one of 10,000 such simulations
    expect(held / trials).toBeGreaterThan(0.922)
    expect(held / trials).toBeLessThan(0.978)
  })
})

describe("C29 whether a difference is chance", () => {
  it("agrees with the exact test on few pairs", () => {
    // all six differences on one side: 2 of 64 sign patterns are as far out
    const { permutation } = statistics({ ...defaultSampling, times: 20_000 })
    expect(permutation([1, 1, 1, 1, 1, 1])).toBeCloseTo(2 / 64, 2)
    // 3 against 3: every pattern is as far out as 0
    expect(permutation([1, 1, 1, -1, -1, -1])).toBe(1)
    // sum 4 of 1, 1, 1, 1, 1, −1: 14 of 64 patterns reach 4 or −4
    expect(permutation([1, 1, 1, 1, 1, -1])).toBeCloseTo(14 / 64, 1)
  })
  it("equal pairs say nothing", () => {
    const { permutation } = statistics(few)
    expect(permutation([0, 0, 0])).toBe(1)
    expect(permutation([])).toBe(1)
    expect(permutation([0, 1, 0, 1, 1])).toBe(permutation([1, 1, 1]))
  })
  it("rejects at 5 % what is true in about 5 of 100 simulations", { timeout: 60_000 }, () => {
    const { permutation } = statistics({ ...few, times: 200 })
    const draw = random(3)
    const trials = 600
    let rejected = 0
    for (let trial = 0; trial < trials; trial++) {
      const values = Array.from({ length: 60 }, () => draw.next() - draw.next())
      if (permutation(values) <= 0.05) rejected++
    }
    expect(rejected / trials).toBeGreaterThan(0.02)
    expect(rejected / trials).toBeLessThan(0.085)
  })
  it("finds a difference that is there", () => {
    const draw = random(5)
    const values = Array.from({ length: 200 }, () => draw.next() - draw.next() + 0.2)
    expect(statistics(few).permutation(values)).toBeLessThan(0.01)
    const [low] = statistics(few).interval(values)
    expect(low).toBeGreaterThan(0)
  })
})

describe("C29 several p values at once, by Holm", () => {
  it("gives what R's p.adjust gives, in the order that was given", () => {
    const adjusted = holm([0.01, 0.04, 0.03, 0.005])
    for (const [i, p] of [0.03, 0.06, 0.06, 0.02].entries()) expect(adjusted[i]).toBeCloseTo(p, 12)
  })
  it("never exceeds 1, never makes one smaller, keeps their order", () => {
    expect(holm([])).toEqual([])
    expect(holm([0.6, 0.7])).toEqual([1, 1])
    const { next } = random(3)
    const ps = Array.from({ length: 50 }, next)
    const adjusted = holm(ps)
    ps.forEach((p, i) => {
      expect(adjusted[i]).toBeGreaterThanOrEqual(p)
      expect(adjusted[i]).toBeLessThanOrEqual(1)
      ps.forEach((q, j) => {
        if (p < q) expect(adjusted[i] ?? 1).toBeLessThanOrEqual(adjusted[j] ?? 0)
      })
    })
  })
})
