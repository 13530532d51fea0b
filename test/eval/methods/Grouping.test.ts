/** Communities and principal components, as experiments ask for them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { generator } from "../../../src/domain/Statistics.ts"
import { layer } from "../../../src/layers/grouping/GroupingVendors.ts"
import { Grouping } from "../../../src/services/Grouping.ts"

/** Two cliques of five with one edge between them. */
const cliques = [0, 5].flatMap((from) =>
  [0, 1, 2, 3, 4].flatMap((i) => [0, 1, 2, 3, 4].filter((j) => j > i).map((j) => [from + i, from + j, 1] as const))
)
const graph = { nodes: 11, edges: [...cliques, [4, 5, 1] as const] }

describe("grouping", () => {
  it.effect("two cliques are two communities, a node without edges is its own; order of edges says nothing", () =>
    Effect.gen(function* () {
      const { communities } = yield* Grouping
      const found = yield* communities(graph, 1)
      expect(new Set(found.slice(0, 5)).size).toBe(1)
      expect(new Set(found.slice(5, 10)).size).toBe(1)
      expect(new Set(found).size).toBe(3)
      const turned = graph.edges.map(([a, b, weight]) => [b, a, weight] as const).reverse()
      expect(yield* communities({ nodes: 11, edges: turned }, 1)).toEqual(found)
      expect(yield* communities({ nodes: 3, edges: [] }, 1)).toEqual([0, 1, 2])
      expect(yield* communities({ nodes: 0, edges: [] }, 1)).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("vectors on a plane need two axes, and keep their distances", () =>
    Effect.gen(function* () {
      const { reduce } = yield* Grouping
      const at = (x: number, y: number) => [x + y, x - y, 2 * x, 1]
      const distance = (a: ArrayLike<number> = [], b: ArrayLike<number> = []) =>
        Math.hypot(...Array.from(a, (part, i) => part - (b[i] ?? 0)))
      const points = Array.from({ length: 9 }, (_, i) => at(i % 3, Math.floor(i / 3)))
      // more points than dimensions, and fewer
      for (const some of [points, points.slice(0, 4).map((point) => [...point, 0, 0, 0])]) {
        const found = yield* reduce(some, 3)
        expect(found.every((row) => row.length === 2)).toBe(true)
        for (const i of [1, 2, 3]) expect(distance(found[0], found[i])).toBeCloseTo(distance(some[0], some[i]), 9)
      }
      expect(yield* reduce([[1, 2]], 5)).toEqual([new Float64Array(0)])
      expect(yield* reduce([], 5)).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("of many long vectors the axes of greatest variance are found", () =>
    Effect.gen(function* () {
      const { reduce } = yield* Grouping
      const { word } = generator(3)
      const noise = () => word() / 4294967296 - 0.5
      // two directions of 100 carry far more than the rest
      const points = Array.from({ length: 300 }, () => {
        const [x, y] = [40 * noise(), 20 * noise()]
        return Array.from({ length: 100 }, (_, i) => noise() + (i < 50 ? x : y))
      })
      const found = yield* reduce(points, 2)
      const variance = (values: ReadonlyArray<number>) => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length
        return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
      }
      const block = (from: number) =>
        variance(
          points.map((point) => point.slice(from, from + 50).reduce((sum, part) => sum + part, 0) / Math.sqrt(50))
        )
      const [first, second] = [0, 1].map((axis) => variance(found.map((row) => row[axis] ?? 0)))
      expect(first).toBeCloseTo(block(0), -1)
      expect(second).toBeCloseTo(block(50), -1)
      expect(found).toEqual(yield* reduce(points, 2))
    }).pipe(Effect.provide(layer))
  )
})
