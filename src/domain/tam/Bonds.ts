/**
 * What binds one passage to another: titles that it mentions, rare names and words that both hold, and standing side by side.
 *
 * The weight of a bond depends on the bond's own count and never on the size of the corpus (C8), so a change reaches only passages that
 * share its words. Counts that many passages feel are taken in {@link step}s, so that one passage more seldom moves what it does not touch.
 */
import type { PassageId } from "../Ids.ts"

/** A name or word binds passages if it stands in 2 to this many of them. */
export const mostShared = 25
/** Neighbours of a region; a run cuts it to the policy's `regionWidth`. */
export const mostNeighbours = 32
const mostLinks = 24
/** A passage with fewer shared names than this is also bound by its rarest words, until it has `enough`; they are Relations up to `few`. */
export const few = 3
const enough = 12
const mostMentioned = 12
/** How many passages of the documents that bear a title a mention of it leads to. */
export const bearersLinked = 4
const adjacent = [0.3, 0.15, 0.075, 0.0375] as const
/** How far apart two passages of one document may stand to be neighbours by that. */
export const reach = adjacent.length

/** In (0, 1]: 1 for what stands once, falling with the logarithm of the count. */
export const rarity = (count: number): number => Math.max(0.1, 1 - Math.log(Math.max(1, count)) / Math.log(10_000))

/** The power of two at or below a count. */
export const step = (count: number): number => (count < 1 ? 0 : 2 ** (31 - Math.clz32(count)))

export const binds = (count: number): boolean => count >= 2 && count <= mostShared

/** Rarest first, by the step of the count; then by the key itself. */
const byRarity = (keys: ReadonlyArray<string>, count: (key: string) => number): ReadonlyArray<string> =>
  keys
    .map((key) => ({ key, rank: step(count(key)) }))
    .sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1))
    .map(({ key }) => key)

/** The words that stand for a passage with `known` shared names; the first `telling` of them are worth a Relation. */
export const picksOf = (
  words: ReadonlyArray<string>,
  known: number,
  count: (word: string) => number
): { readonly picks: ReadonlyArray<string>; readonly telling: number } => {
  if (known >= few) return { picks: [], telling: 0 }
  const candidates = words.filter((word) => binds(count(word)))
  return { picks: byRarity(candidates, count).slice(0, enough - known), telling: few - known }
}
/** Whether a passage with so many shared names picks words. */
export const isPoor = (known: number): boolean => known < few

/** Under which of the telling names and words that it shares a passage hangs. */
export const hungOf = (telling: ReadonlyArray<string>, count: (key: string) => number): ReadonlyArray<string> =>
  byRarity(telling, count).slice(0, mostMentioned)

/** Another passage, and how near it is. */
export interface Bond {
  readonly to: PassageId
  readonly weight: number
}

/** Where a mention of a title leads. */
export interface Opening {
  /** The opening passages of the documents that bear it, since that is where a document says what it is about. */
  readonly targets: ReadonlyArray<PassageId>
  readonly documents: number
  /** How many passages mention it. */
  readonly mentions: number
}

const byId = (a: Bond, b: Bond): number => (a.to < b.to ? -1 : 1)
const nearestFirst = (a: Bond, b: Bond): number => b.weight - a.weight || byId(a, b)

/** The title links out of a passage, by target. */
export const linksOf = (from: PassageId, openings: ReadonlyArray<Opening>): ReadonlyArray<Bond> => {
  const weights = new Map<PassageId, number>()
  for (const { documents, mentions, targets } of openings) {
    targets.forEach((to, nth) => {
      const later = Math.floor(nth / documents)
      const weight = rarity(step(mentions)) / Math.sqrt(documents) / (1 + later)
      if (to !== from) weights.set(to, Math.max(weights.get(to) ?? 0, weight))
    })
  }
  return Array.from(weights, ([to, weight]): Bond => ({ to, weight }))
    .sort(nearestFirst)
    .slice(0, mostLinks)
    .sort(byId)
}
/** The targets of links, the strongest first. */
export const strongest = (links: ReadonlyArray<Bond>): ReadonlyArray<PassageId> =>
  [...links].sort(nearestFirst).map(({ to }) => to)

/** The {@link mostNeighbours} that weigh most, in order. */
const nearestIn = (near: ReadonlyMap<PassageId, number>): ReadonlyArray<Bond> => {
  const weights = Float64Array.from(near.values()).sort()
  const least = weights[weights.length - mostNeighbours] ?? Number.NEGATIVE_INFINITY
  const bonds: Array<Bond> = []
  for (const [to, weight] of near) if (weight >= least) bonds.push({ to, weight })
  return bonds.sort(nearestFirst).slice(0, mostNeighbours)
}

/** A passage as its neighbours see it. */
export interface Around {
  readonly passage: PassageId
  /** The passages that hold each name or word that it shares; by the name or word. */
  readonly shared: ReadonlyArray<ReadonlyArray<PassageId>>
  readonly out: ReadonlyArray<Bond>
  /** Links into it: `to` is where they come from. */
  readonly into: ReadonlyArray<Bond>
  /** Passages of its document within {@link reach}, nearest first; `together` where they stand under the same headings. */
  readonly beside: ReadonlyArray<{ readonly passage: PassageId; readonly distance: number; readonly together: boolean }>
}

/**
 * ρ of a passage: itself, then its nearest neighbours.
 *
 *     nearness(p, x) = link(p→x) + .6·link(x→p) + .5·(1 − exp(−½ Σ rarity(n) over shared n)) + adjacency
 *
 * Ties go by passage id.
 */
export const regionOf = ({ beside, into, out, passage, shared }: Around): ReadonlyArray<PassageId> => {
  const common = new Map<PassageId, number>()
  for (const holders of shared) {
    const weight = rarity(holders.length)
    for (const other of holders) common.set(other, (common.get(other) ?? 0) + weight)
  }
  const near = new Map<PassageId, number>()
  for (const [other, sum] of common) near.set(other, 0.5 * (1 - Math.exp(-0.5 * sum)))
  const add = (other: PassageId, weight: number) => near.set(other, (near.get(other) ?? 0) + weight)
  for (const { to, weight } of out) add(to, weight)
  for (const { to, weight } of into) add(to, 0.6 * weight)
  for (const other of beside) add(other.passage, (adjacent[other.distance - 1] ?? 0) / (other.together ? 1 : 2))
  near.delete(passage)
  return [passage, ...nearestIn(near).map(({ to }) => to)]
}
