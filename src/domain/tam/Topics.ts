/**
 * Topics without history (C8). A Relation is a centre of level ℓ if the digest in its id begins with 4ℓ zero bits, about one in sixteen a
 * level, so a change to the corpus moves no centre but those that it adds or takes away.
 *
 *     level 3        ●                          every centre of a level is one of each level below
 *     level 2        ●────────●
 *     level 1        ●──●──●  ●──●
 *     Relations      ●●●●●●●●●●●●●●             each under its nearest centre, and under the next within a margin
 *
 * Nearness is the cosine with the centre's own vector, which is fixed by its content. The nearest is found by descent from the top.
 */
import { NodeId } from "../Ids.ts"
import { clip } from "./Relations.ts"

/** A second parent is taken within this much of the first one's cosine. */
const margin = 0.05
/** How many centres of a level are kept open on the way down. */
const open = 3
const namesShown = 12
const longest = 400

export interface Topic {
  readonly id: NodeId
  readonly abstraction: string
  /** Whether it hangs under the root. */
  readonly top: boolean
  /** Indices into the list of topics. */
  readonly topics: ReadonlyArray<number>
  /** Indices into the list of relations. */
  readonly relations: ReadonlyArray<number>
}

/** What is known of a Relation here. Vectors have unit length. */
export interface Placed {
  readonly id: NodeId
  readonly name: string
  readonly vector: Float32Array
}

/** The highest level at which a Relation is a centre; 0 for none. */
export const levelOf = (id: NodeId): number => {
  const digest = id.slice(2)
  let zeros = 0
  while (digest.charAt(zeros) === "0") zeros++
  return zeros
}

const cosine = (a: Float32Array, b: Float32Array): number => {
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  const size = Math.min(a.length, b.length)
  let i = 0
  for (; i + 3 < size; i += 4) {
    s0 += (a[i] ?? 0) * (b[i] ?? 0)
    s1 += (a[i + 1] ?? 0) * (b[i + 1] ?? 0)
    s2 += (a[i + 2] ?? 0) * (b[i + 2] ?? 0)
    s3 += (a[i + 3] ?? 0) * (b[i + 3] ?? 0)
  }
  for (; i < size; i++) s0 += (a[i] ?? 0) * (b[i] ?? 0)
  return s0 + s1 + (s2 + s3)
}

interface Centre {
  readonly relation: number
  readonly level: number
  readonly below: Array<Centre>
  readonly members: Array<{ readonly relation: number; readonly near: number }>
}
interface Near {
  readonly centre: Centre
  readonly near: number
}

/** Best first; equally near centres by their id, which is their place in the list of relations. */
const nearest = (centres: Iterable<Centre>, relations: ReadonlyArray<Placed>, vector: Float32Array): Array<Near> => {
  const found: Array<Near> = []
  for (const centre of centres) {
    const other = relations[centre.relation]
    if (other !== undefined) found.push({ centre, near: cosine(vector, other.vector) })
  }
  return found.sort((a, b) => b.near - a.near || a.centre.relation - b.centre.relation)
}

/** The nearest centres of `level`, by descent from the top. */
const descend = (
  top: ReadonlyArray<Centre>,
  level: number,
  relations: ReadonlyArray<Placed>,
  vector: Float32Array
): ReadonlyArray<Near> => {
  let here = nearest(top, relations, vector)
  while ((here[0]?.centre.level ?? level) > level) {
    const below = new Set(here.slice(0, open).flatMap(({ centre }) => centre.below))
    here = nearest(below, relations, vector)
  }
  return here
}

/** The first parent and, within the margin, a second. A centre is always under itself. */
const parents = (near: ReadonlyArray<Near>, self: Centre | undefined): ReadonlyArray<Near> => {
  const ranked =
    self === undefined ? near : [{ centre: self, near: 1 }, ...near.filter(({ centre }) => centre !== self)]
  const [first, second] = ranked
  if (first === undefined) return []
  return second !== undefined && first.near - second.near <= margin ? [first, second] : [first]
}

/** Every Topic over `relations` (in the order of their ids). Where no Relation is a centre, the first one is. */
export const topicsOf = (relations: ReadonlyArray<Placed>): ReadonlyArray<Topic> => {
  if (relations.length === 0) return []
  const levels = relations.map(({ id }) => levelOf(id))
  const height = Math.max(1, ...new Set(levels))
  const isCentre = (relation: number, level: number) =>
    (levels[relation] ?? 0) >= level || (relation === 0 && Math.max(...new Set(levels)) === 0)
  const byLevel: Array<Map<number, Centre>> = []
  let top: ReadonlyArray<Centre> = []
  for (let level = height; level >= 1; level--) {
    const here = new Map<number, Centre>()
    const above = byLevel[level + 1]
    relations.forEach(({ vector }, relation) => {
      if (!isCentre(relation, level)) return
      const centre: Centre = { relation, level, below: [], members: [] }
      here.set(relation, centre)
      if (above === undefined) return
      for (const parent of parents(descend(top, level + 1, relations, vector), above.get(relation))) {
        parent.centre.members.push({ relation, near: parent.near })
      }
    })
    // only now, so that a centre does not see those of its own level on its way down
    for (const upper of above?.values() ?? []) {
      for (const { relation } of upper.members) {
        const centre = here.get(relation)
        if (centre !== undefined) upper.below.push(centre)
      }
    }
    byLevel[level] = here
    if (level === height) top = [...here.values()]
  }
  const lowest = byLevel[1] ?? new Map<number, Centre>()
  relations.forEach(({ vector }, relation) => {
    for (const parent of parents(descend(top, 1, relations, vector), lowest.get(relation))) {
      parent.centre.members.push({ relation, near: parent.near })
    }
  })

  const topicId = (centre: Centre) => NodeId.make(`T:${centre.level}:${relations[centre.relation]?.id}`)
  const named = byLevel
    .flatMap((here) => [...here.values()])
    .map((centre) => ({ id: topicId(centre), centre }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const at = new Map(named.map(({ centre }, index) => [centre, index]))
  return named.map(({ centre, id }) => {
    const shown = [...centre.members]
      .filter(({ relation }) => relation !== centre.relation)
      .sort((a, b) => b.near - a.near || a.relation - b.relation)
      .slice(0, namesShown)
    const names = [centre.relation, ...shown.map(({ relation }) => relation)].map(
      (index) => relations[index]?.name ?? ""
    )
    return {
      id,
      abstraction: clip([...new Set(names)].join("\n"), longest),
      top: centre.level === height,
      topics: centre.below.flatMap((below) => at.get(below) ?? []).sort((a, b) => a - b),
      relations:
        centre.level === 1 ? [...new Set(centre.members.map(({ relation }) => relation))].sort((a, b) => a - b) : []
    }
  })
}
