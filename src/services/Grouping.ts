/** What lies together: communities of a graph, and vectors in fewer dimensions, in which clusters can be found. */
import { Context, type Effect } from "effect"

/** An undirected graph of the nodes 0 to `nodes` − 1; an edge that is named twice has both weights. */
export interface Graph {
  readonly nodes: number
  readonly edges: ReadonlyArray<readonly [from: number, to: number, weight: number]>
}

export class Grouping extends Context.Tag("staterag/services/Grouping")<
  Grouping,
  {
    /** The community of each node, by modularity; the same for the same graph, whatever the order of its edges, and the same seed. */
    readonly communities: (graph: Graph, seed: number) => Effect.Effect<ReadonlyArray<number>>
    /**
     * Vectors of one length on their principal axes, centred: at most `dimensions` of them, fewer where the vectors span fewer. The sign of an
     * axis says nothing.
     */
    readonly reduce: (
      vectors: ReadonlyArray<ArrayLike<number>>,
      dimensions: number
    ) => Effect.Effect<ReadonlyArray<Float64Array>>
  }
>() {}
