/** Personalised PageRank against a case that is solved by hand, and what holds of any graph. */
import { describe, expect, it } from "@effect/vitest"
import { adjacency, pageRank } from "../../src/domain/PageRank.ts"

describe("personalised PageRank", () => {
  // r_a = ½ + ½·r_b/2, r_b = ½·(r_a + r_c), r_c = ½·r_b/2
  it("a path of three nodes from its end: 7/12, 1/3, 1/12", () => {
    const path = adjacency(3, [
      [0, 1, 1],
      [1, 2, 1]
    ])
    const [a, b, c] = pageRank(path, Float64Array.of(3, 0, 0), 0.5)
    expect(a).toBeCloseTo(7 / 12, 8)
    expect(b).toBeCloseTo(1 / 3, 8)
    expect(c).toBeCloseTo(1 / 12, 8)
  })

  // r_a = ½ + ½·r_b·¾, r_b = ½·(r_a + r_c), r_c = ½·r_b·¼
  it("follows an edge by its weight; edges that are named twice add up", () => {
    const path = adjacency(3, [
      [1, 0, 1],
      [0, 1, 2],
      [1, 2, 1]
    ])
    const [a, b, c] = pageRank(path, Float64Array.of(1, 0, 0), 0.5)
    expect(b).toBeCloseTo(1 / 3, 8)
    expect(a).toBeCloseTo(0.5 + (0.5 * 3) / 12, 8)
    expect(c).toBeCloseTo(0.5 / 12, 8)
  })

  it("sums to 1, also where a walk ends on a node without edges", () => {
    const graph = adjacency(4, [[0, 1, 1]])
    const rank = pageRank(graph, Float64Array.of(0.2, 0, 0.8, 0), 0.5)
    expect(rank.reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 8)
    expect(rank[3]).toBe(0)
    expect(rank[2]).toBeGreaterThan(0.5)
  })

  it("without a start there is no rank", () => {
    expect([...pageRank(adjacency(2, [[0, 1, 1]]), new Float64Array(2), 0.5)]).toEqual([0, 0])
    expect(pageRank(adjacency(0, []), new Float64Array(0), 0.5)).toHaveLength(0)
  })
})
