/**
 * Communities of entities of at most ten, as GraphRAG cuts them: within the largest connected component, and what is larger once more by
 * itself.
 */
import { Effect } from "effect"
import { Grouping } from "../../services/Grouping.ts"

export interface Link {
  readonly ends: readonly [number, number]
  readonly weight: number
}

export const mostMembers = 10

/** The nodes of the largest connected component, ascending; of two, the one with the lowest node. */
export const largestComponent = (nodes: number, links: ReadonlyArray<Link>): ReadonlyArray<number> => {
  const parent = Uint32Array.from({ length: nodes }, (_, node) => node)
  const rootOf = (node: number): number => {
    let root = node
    while (parent[root] !== root) root = parent[root] ?? root
    for (let at = node; at !== root; ) {
      const next = parent[at] ?? root
      parent[at] = root
      at = next
    }
    return root
  }
  for (const { ends } of links) {
    const [a, b] = [rootOf(ends[0]), rootOf(ends[1])]
    parent[Math.max(a, b)] = Math.min(a, b)
  }
  const sizes = new Map<number, number>()
  for (let node = 0; node < nodes; node++) sizes.set(rootOf(node), (sizes.get(rootOf(node)) ?? 0) + 1)
  const [largest] = [...sizes].sort(([x, a], [y, b]) => b - a || x - y)
  return Array.from({ length: nodes }, (_, node) => node).filter((node) => rootOf(node) === largest?.[0])
}

/** Each ascending, in the order of their first members; those of one member are left out. */
export const communitiesOf = (
  nodes: number,
  links: ReadonlyArray<Link>,
  seed: number
): Effect.Effect<ReadonlyArray<ReadonlyArray<number>>, never, Grouping> =>
  Effect.gen(function* () {
    const { communities } = yield* Grouping
    const parted = (own: ReadonlyArray<number>, within: ReadonlyArray<Link>): Effect.Effect<Array<Array<number>>> =>
      Effect.gen(function* () {
        const places = new Map(own.map((node, place) => [node, place]))
        const edges = within.map(
          ({ ends: [a, b], weight }) => [places.get(a) ?? 0, places.get(b) ?? 0, weight] as const
        )
        const found = yield* communities({ nodes: own.length, edges }, seed)
        const groups = new Map<number, Array<number>>()
        own.forEach((node, place) => {
          const group = found[place] ?? place
          const known = groups.get(group)
          if (known === undefined) groups.set(group, [node])
          else known.push(node)
        })
        const groupOf = (node: number) => found[places.get(node) ?? 0]
        const inner = new Map<number, Array<Link>>()
        for (const link of within) {
          const group = groupOf(link.ends[0])
          if (group === undefined || group !== groupOf(link.ends[1])) continue
          const known = inner.get(group)
          if (known === undefined) inner.set(group, [link])
          else known.push(link)
        }
        const finer = yield* Effect.forEach(groups, ([group, members]) =>
          // a community that is all there was falls apart no further
          members.length <= mostMembers || groups.size === 1
            ? Effect.succeed([members])
            : parted(members, inner.get(group) ?? [])
        )
        return finer.flat()
      })
    const largest = largestComponent(nodes, links)
    const held = new Set(largest)
    const all = yield* parted(
      largest,
      links.filter(({ ends }) => held.has(ends[0]))
    )
    return all.filter(({ length }) => length > 1).sort(([x = 0], [y = 0]) => x - y)
  })
