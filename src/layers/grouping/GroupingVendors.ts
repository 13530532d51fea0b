/**
 * Louvain's communities by graphology, principal components by ml-pca. Both are loaded when they are first needed: nothing but experiments
 * asks for them.
 */
import { Effect, Layer } from "effect"
import type { UndirectedGraph } from "graphology"
import type { LouvainOptions } from "graphology-communities-louvain"
import { generator } from "../../domain/Statistics.ts"
import { type Graph, Grouping } from "../../services/Grouping.ts"

type Louvain = (graph: UndirectedGraph, options: LouvainOptions) => Readonly<Record<string, number>>
/** The package is CommonJS: its function is what `import` calls the default, and its types say otherwise. */
const isLouvain = (value: unknown): value is Louvain => typeof value === "function"

const communities = (graph: Graph, seed: number) =>
  Effect.promise(async () => {
    const { UndirectedGraph } = await import("graphology")
    const louvain: unknown = (await import("graphology-communities-louvain")).default
    if (!isLouvain(louvain)) throw new TypeError("graphology-communities-louvain exports no function")
    const weights = new Map<number, number>()
    for (const [from, to, weight] of graph.edges) {
      const key = Math.min(from, to) * graph.nodes + Math.max(from, to)
      weights.set(key, (weights.get(key) ?? 0) + weight)
    }
    const own = new UndirectedGraph()
    for (let node = 0; node < graph.nodes; node++) own.addNode(node)
    for (const [key, weight] of [...weights].sort(([x], [y]) => x - y))
      own.addEdge(Math.floor(key / graph.nodes), key % graph.nodes, { weight })
    // without an edge there is no modularity to speak of
    if (own.size === 0) return Array.from({ length: graph.nodes }, (_, node) => node)
    const { word } = generator(seed)
    const found = louvain(own, { rng: () => word() / 4294967296 })
    return Array.from({ length: graph.nodes }, (_, node) => found[node] ?? node)
  })

type Rows = ReadonlyArray<Float64Array>

/** Sums of products of all pairs of rows. */
const products = (rows: Rows): Array<Array<number>> => {
  const found = rows.map(() => new Array<number>(rows.length).fill(0))
  rows.forEach((x, i) => {
    for (let j = i; j < rows.length; j++) {
      const sum = dot(x, rows[j] ?? x)
      for (const [a, b] of [
        [i, j],
        [j, i]
      ] as const)
        (found[a] ?? [])[b] = sum
    }
  })
  return found
}

const dot = (x: Float64Array, y: Float64Array): number => {
  let sum = 0
  for (let at = 0; at < x.length; at++) sum += (x[at] ?? 0) * (y[at] ?? 0)
  return sum
}
const add = (to: Float64Array, from: Float64Array, times: number) => {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) + times * (from[at] ?? 0)
}
const turned = (rows: Rows): Rows =>
  Array.from({ length: rows[0]?.length ?? 0 }, (_, at) => Float64Array.from(rows, (row) => row[at] ?? 0))

/** Up to this size a matrix is decomposed whole: its price is the cube of that. */
const small = 64
/** Axes that are looked for beyond those that are wanted, and rounds, each of which brings the wanted ones further out. */
const spare = 6
const rounds = 3

/**
 * Rows on some `width` orthonormal axes that hold nearly all of their longest ones: subspace iteration from seeded directions (Halko,
 * Martinsson, Tropp 2011).
 */
const narrowed = (rows: Rows, width: number): Rows => {
  const length = rows[0]?.length ?? 0
  const { word } = generator(width)
  let axes = Array.from({ length: width }, () => Float64Array.from({ length }, () => word() / 2147483648 - 1))
  for (let round = 0; round < rounds; round++) {
    const next = axes.map((axis) => {
      const sum = new Float64Array(length)
      for (const row of rows) add(sum, row, dot(row, axis))
      return sum
    })
    axes = []
    for (const axis of next) {
      // twice: once leaves rounding errors
      for (const before of [...axes, ...axes]) add(axis, before, -dot(axis, before))
      const size = Math.sqrt(dot(axis, axis))
      if (size > 1e-12) axes.push(axis.map((part) => part / size))
    }
  }
  return rows.map((row) => Float64Array.from(axes, (axis) => dot(row, axis)))
}

const reduce = (vectors: ReadonlyArray<ArrayLike<number>>, dimensions: number) =>
  Effect.promise(async () => {
    const length = vectors[0]?.length ?? 0
    const count = vectors.length
    if (count === 0 || length === 0) return vectors.map(() => new Float64Array(0))
    const { PCA } = await import("ml-pca")
    const mean = new Float64Array(length)
    for (const vector of vectors) for (let at = 0; at < length; at++) mean[at] = (mean[at] ?? 0) + (vector[at] ?? 0)
    const centred = vectors.map((vector) => Float64Array.from(mean, (sum, at) => (vector[at] ?? 0) - sum / count))
    const rows = Math.min(count, length) > small ? narrowed(centred, dimensions + spare) : centred
    // of fewer vectors than dimensions the products of the vectors say the same, and there are fewer of them
    const isWide = count < (rows[0]?.length ?? 0)
    const pca = new PCA(products(isWide ? rows : turned(rows)), { isCovarianceMatrix: true })
    const axes = pca.getEigenvectors()
    const values = pca.getEigenvalues()
    const least = 1e-9 * Math.max(values[0] ?? 0, Number.MIN_VALUE)
    const kept = values.slice(0, dimensions).filter((value) => value > least)
    const kernel = kept.map((_, n) => Float64Array.from(axes.getColumn(n)))
    return isWide
      ? rows.map((_, at) => Float64Array.from(kept, (value, n) => (kernel[n]?.[at] ?? 0) * Math.sqrt(value)))
      : rows.map((row) => Float64Array.from(kernel, (axis) => dot(row, axis)))
  })

export const layer: Layer.Layer<Grouping> = Layer.succeed(Grouping, { communities, reduce })
