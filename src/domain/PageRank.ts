/**
 * Personalised PageRank over an undirected, weighted graph: where a walk is found that starts anew, with probability 1 − damping, at a node
 * drawn from `start`, and else follows an edge by its weight.
 *
 *     r = (1 − d)·start + d·Wᵀr
 */

/** Neighbours of node i and the weights of the edges to them: those from `first[i]` to before `first[i + 1]`. */
export interface Adjacency {
  readonly first: Uint32Array
  readonly neighbours: Uint32Array
  readonly weights: Float64Array
}

/** Both directions of each edge; edges that are named twice add up. Weights are positive. */
export const adjacency = (
  nodes: number,
  edges: ReadonlyArray<readonly [a: number, b: number, weight: number]>
): Adjacency => {
  const first = new Uint32Array(nodes + 1)
  for (const [a, b] of edges) {
    first[a + 1] = (first[a + 1] ?? 0) + 1
    first[b + 1] = (first[b + 1] ?? 0) + 1
  }
  for (let i = 0; i < nodes; i++) first[i + 1] = (first[i + 1] ?? 0) + (first[i] ?? 0)
  const next = first.slice()
  const neighbours = new Uint32Array(2 * edges.length)
  const weights = new Float64Array(2 * edges.length)
  const put = (from: number, to: number, weight: number) => {
    const at = next[from] ?? 0
    next[from] = at + 1
    neighbours[at] = to
    weights[at] = weight
  }
  for (const [a, b, weight] of edges) {
    put(a, b, weight)
    put(b, a, weight)
  }
  return { first, neighbours, weights }
}

const mostRounds = 200
const tolerance = 1e-10

/**
 * The rank of each node, summing to 1. `start` holds no negative number and is normalised; where it is nothing but zeros, so are the ranks.
 * A walk that stands on a node without edges starts anew.
 */
export const pageRank = (
  { first, neighbours, weights }: Adjacency,
  start: Float64Array,
  damping: number
): Float64Array => {
  const nodes = start.length
  const all = start.reduce((sum, part) => sum + part, 0)
  if (!(all > 0)) return new Float64Array(nodes)
  const origin = start.map((part) => part / all)
  const degrees = new Float64Array(nodes)
  for (let i = 0; i < nodes; i++)
    for (let at = first[i] ?? 0; at < (first[i + 1] ?? 0); at++) degrees[i] = (degrees[i] ?? 0) + (weights[at] ?? 0)
  let rank = origin
  for (let round = 0; round < mostRounds; round++) {
    const next = new Float64Array(nodes)
    let lost = 0
    for (let i = 0; i < nodes; i++) {
      const own = rank[i] ?? 0
      const degree = degrees[i] ?? 0
      if (own === 0) continue
      if (degree === 0) {
        lost += own
        continue
      }
      for (let at = first[i] ?? 0; at < (first[i + 1] ?? 0); at++) {
        const to = neighbours[at] ?? 0
        next[to] = (next[to] ?? 0) + (own * (weights[at] ?? 0)) / degree
      }
    }
    let change = 0
    for (let i = 0; i < nodes; i++) {
      const value = (1 - damping + damping * lost) * (origin[i] ?? 0) + damping * (next[i] ?? 0)
      change += Math.abs(value - (rank[i] ?? 0))
      next[i] = value
    }
    rank = next
    if (change < tolerance) break
  }
  return rank
}
