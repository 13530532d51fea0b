/**
 * Topics without history (C8). A Relation is a centre of level ℓ if the digest in its id begins with 4ℓ zero bits, about one in sixteen a
 * level, so a change to the corpus moves no centre but those that it adds or takes away.
 *
 *     level 3        ●                          every centre of a level is one of each level below
 *     level 2        ●────────●
 *     level 1        ●──●──●  ●──●
 *     Relations      ●●●●●●●●●●●●●●             each under its nearest centre, and under the next within a margin
 *
 * Nearness is the cosine with the centre's own vector, which is fixed by its content. The nearest is found from the top, at each level
 * below the one that was nearest above; a centre lies under the three that are nearest, so that what is near its edge is found too.
 */
import { NodeId } from "../Ids.ts"
import { clip } from "./Relations.ts"

/** A second parent of a Relation is taken within this much of the first one's cosine. */
const margin = 0.05
const mostParents = 3
const namesShown = 12
const longest = 400

/** The highest level at which a Relation is a centre; 0 for none. */
export const levelOf = (relation: string): number => {
  let zeros = 0
  while (relation.charAt(2 + zeros) === "0") zeros++
  return zeros
}

export const topicOf = (level: number, centre: string): NodeId => NodeId.make(`T:${level}:${centre}`)
/** The Relation that is a Topic's centre. */
export const centreOf = (topic: string): NodeId => NodeId.make(topic.slice(topic.indexOf(":", 2) + 1))
export const isTopic = (node: string): boolean => node.startsWith("T:")

/** A centre; `id` is its Relation's, `place` where its vector is kept. */
export interface Centre {
  readonly id: NodeId
  readonly place: number
}
/** How near a member is to the centre that is kept at a place: their cosine. */
export type Near = (place: number) => number

/** The centre that is nearest; equally near ones by their id. */
export const nearestOf = (centres: Iterable<Centre>, nearTo: Near): NodeId | undefined => {
  let best: NodeId | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const { id, place } of centres) {
    const near = nearTo(place)
    if (near > most || (near === most && best !== undefined && id < best)) {
      best = id
      most = near
    }
  }
  return best
}

/**
 * The centres under which a member hangs, out of those that its way down has led to. A centre is always under itself. A Relation has a
 * second parent only within the margin; a centre of a lower level has up to three.
 */
export const parentsOf = (
  member: NodeId,
  isRelation: boolean,
  centres: Iterable<Centre>,
  nearTo: Near
): ReadonlyArray<NodeId> => {
  /** The nearest, at most {@link mostParents}. */
  const ranked: Array<{ readonly id: NodeId; readonly near: number }> = []
  for (const { id, place } of centres) {
    const near = id === member ? 2 : nearTo(place)
    let rank = ranked.length
    for (; rank > 0; rank--) {
      const above = ranked[rank - 1]
      if (above === undefined || above.near > near || (above.near === near && above.id < id)) break
    }
    if (rank === mostParents) continue
    if (ranked.length === mostParents) ranked.pop()
    ranked.splice(rank, 0, { id, near })
  }
  const [first, second] = ranked
  if (first === undefined) return []
  if (!isRelation) return ranked.map(({ id }) => id)
  const isClose = second !== undefined && Math.min(1, first.near) - second.near <= margin
  return isClose ? [first.id, second.id] : [first.id]
}

/** Which members' names tell what a Topic holds; `members` are Relations, or the Relations of the centres below. */
export const shownOf = (centre: NodeId, members: Iterable<NodeId>): ReadonlyArray<NodeId> => [
  centre,
  ...[...members]
    .filter((id) => id !== centre)
    .sort()
    .slice(0, namesShown)
]

export const topicAbstraction = (names: ReadonlyArray<string>): string => clip([...new Set(names)].join("\n"), longest)
