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

/** Sums of products of all pairs of rows. */
const products = (rows: ReadonlyArray<Float64Array>): Array<Array<number>> => {
  const found = rows.map(() => new Array<number>(rows.length).fill(0))
  rows.forEach((x, i) => {
    for (let j = i; j < rows.length; j++) {
      const y = rows[j] ?? x
      let sum = 0
      for (let at = 0; at < x.length; at++) sum += (x[at] ?? 0) * (y[at] ?? 0)
      for (const [a, b] of [
        [i, j],
        [j, i]
      ] as const)
        (found[a] ?? [])[b] = sum
    }
  })
  return found
}

const turned = (rows: ReadonlyArray<Float64Array>): ReadonlyArray<Float64Array> =>
  Array.from({ length: rows[0]?.length ?? 0 }, (_, at) => Float64Array.from(rows, (row) => row[at] ?? 0))

const reduce = (vectors: ReadonlyArray<ArrayLike<number>>, dimensions: number) =>
  Effect.promise(async () => {
    const length = vectors[0]?.length ?? 0
    const count = vectors.length
    if (count === 0 || length === 0) return vectors.map(() => new Float64Array(0))
    const { PCA } = await import("ml-pca")
    const mean = new Float64Array(length)
    for (const vector of vectors) for (let at = 0; at < length; at++) mean[at] = (mean[at] ?? 0) + (vector[at] ?? 0)
    const rows = vectors.map((vector) => Float64Array.from(mean, (sum, at) => (vector[at] ?? 0) - sum / count))
    // of fewer vectors than dimensions the products of the vectors say the same, and there are fewer of them
    const isWide = count < length
    const columns = isWide ? [] : turned(rows)
    const pca = new PCA(products(isWide ? rows : columns), { isCovarianceMatrix: true })
    const axes = pca.getEigenvectors()
    const values = pca.getEigenvalues()
    const least = 1e-9 * Math.max(values[0] ?? 0, Number.MIN_VALUE)
    const kept = values.slice(0, dimensions).filter((value) => value > least).length
    const axis = (n: number) => Float64Array.from(axes.getColumn(n))
    if (isWide) {
      const scaled = Array.from({ length: kept }, (_, n) => axis(n).map((part) => part * Math.sqrt(values[n] ?? 0)))
      return rows.map((_, at) => Float64Array.from(scaled, (column) => column[at] ?? 0))
    }
    const kernel = Array.from({ length: kept }, (_, n) => axis(n))
    return rows.map((row) =>
      Float64Array.from(kernel, (column) => {
        let sum = 0
        for (let at = 0; at < length; at++) sum += (row[at] ?? 0) * (column[at] ?? 0)
        return sum
      })
    )
  })

export const layer: Layer.Layer<Grouping> = Layer.succeed(Grouping, { communities, reduce })
