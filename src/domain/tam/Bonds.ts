/**
 * What binds one passage to another: titles that it mentions, rare names and words that both hold, and standing side by side.
 *
 * The weight of a bond depends on the bond's own count and never on the size of the corpus (C8), so a change reaches only passages that
 * share its words. Postings hold at most {@link mostShared} passages, so nothing here is quadratic.
 */
import type { Survey, Surveyed } from "./Survey.ts"

/** A name or word binds passages if it stands in 2 to this many of them. */
export const mostShared = 25
/** Neighbours of a region; a run cuts it to the policy's `regionWidth`. */
export const mostNeighbours = 32
const mostLinks = 24
/** A passage with fewer shared names than this is also bound by its rarest words, until it has `enough`; they are Relations up to `few`. */
const few = 3
const enough = 12
const bearersLinked = 4
const adjacent = [0.3, 0.15, 0.075, 0.0375] as const

/** In (0, 1]: 1 for what stands once, falling with the logarithm of the count. */
export const rarity = (count: number): number => Math.max(0.1, 1 - Math.log(Math.max(1, count)) / Math.log(10_000))

export interface Bond {
  /** Index of the other passage. */
  readonly to: number
  readonly weight: number
}

export interface Bonds {
  /** Names and words that bind, by passage, ascending. */
  readonly shared: ReadonlyArray<ReadonlyArray<number>>
  /** The passages (ascending) in which each of those stands. */
  readonly postings: ReadonlyMap<number, ReadonlyArray<number>>
  /** Those of them that are worth a Relation: every name, and words where names are few. */
  readonly telling: ReadonlySet<number>
  /** Passages (by place: document, then offset) that bear each title. */
  readonly bearers: ReadonlyMap<number, ReadonlyArray<number>>
  /** Title links out of each passage, by target. */
  readonly links: ReadonlyArray<ReadonlyArray<Bond>>
  /** Passages in the order of documents and offsets. */
  readonly places: ReadonlyArray<number>
}

const byPlace =
  (passages: ReadonlyArray<Surveyed>) =>
  (a: number, b: number): number => {
    const p = passages[a]?.passage
    const q = passages[b]?.passage
    if (p === undefined || q === undefined) return a - b
    return p.document < q.document ? -1 : p.document > q.document ? 1 : p.start - q.start || a - b
  }

const push = <K>(lists: Map<K, Array<number>>, key: K, value: number): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

const tally = (size: number, lists: Iterable<Int32Array>): Int32Array => {
  const counts = new Int32Array(size)
  for (const list of lists) for (const number of list) counts[number] = (counts[number] ?? 0) + 1
  return counts
}

const binds = (count: number | undefined): boolean => count !== undefined && count >= 2 && count <= mostShared

/** The words that stand for passages with few shared names: the rarest, ties by the word itself. */
const chosenWords = (
  { keys, passages }: Survey,
  nameCounts: Int32Array
): { readonly binding: ReadonlySet<number>; readonly telling: ReadonlySet<number> } => {
  const counts = tally(
    keys.length,
    passages.map((surveyed) => surveyed.words)
  )
  const binding = new Set<number>()
  const telling = new Set<number>()
  for (const { names, words } of passages) {
    const known = names.reduce((sum, name) => sum + (binds(nameCounts[name]) ? 1 : 0), 0)
    if (known >= few) continue
    const candidates = [...words].filter((word) => binds(counts[word]))
    candidates.sort((a, b) => (counts[a] ?? 0) - (counts[b] ?? 0) || ((keys[a] ?? "") < (keys[b] ?? "") ? -1 : 1))
    for (const word of candidates.slice(0, enough - known)) binding.add(word)
    for (const word of candidates.slice(0, few - known)) telling.add(word)
  }
  return { binding, telling }
}

const linksOf = (
  passages: ReadonlyArray<Surveyed>,
  bearers: ReadonlyMap<number, ReadonlyArray<number>>,
  mentionCounts: Int32Array
): ReadonlyArray<ReadonlyArray<Bond>> => {
  // the opening passages of the bearing documents, since that is where a document says what it is about
  const opening = new Map<number, { readonly targets: ReadonlyArray<number>; readonly documents: number }>()
  for (const [title, list] of bearers) {
    const rank = new Map<string, number>()
    const ranked = list.map((index) => {
      const document = passages[index]?.passage.document ?? ""
      const nth = rank.get(document) ?? 0
      rank.set(document, nth + 1)
      return { index, nth }
    })
    ranked.sort((a, b) => a.nth - b.nth)
    opening.set(title, {
      targets: ranked.slice(0, bearersLinked).map(({ index }) => index),
      documents: rank.size
    })
  }
  return passages.map(({ mentions }, from) => {
    const weights = new Map<number, number>()
    for (const title of mentions) {
      const target = opening.get(title)
      if (target === undefined) continue
      target.targets.forEach((to, nth) => {
        const later = Math.floor(nth / target.documents)
        const weight = rarity(mentionCounts[title] ?? 1) / Math.sqrt(target.documents) / (1 + later)
        if (to !== from) weights.set(to, Math.max(weights.get(to) ?? 0, weight))
      })
    }
    return [...weights]
      .map(([to, weight]): Bond => ({ to, weight }))
      .sort((a, b) => b.weight - a.weight || a.to - b.to)
      .slice(0, mostLinks)
      .sort((a, b) => a.to - b.to)
  })
}

/** Finds every bond of a survey. */
export const bondsOf = (survey: Survey): Bonds => {
  const { keys, passages } = survey
  const nameCounts = tally(
    keys.length,
    passages.map((surveyed) => surveyed.names)
  )
  const words = chosenWords(survey, nameCounts)
  const gathered = new Map<number, Array<number>>()
  passages.forEach((surveyed, index) => {
    const here = new Set<number>()
    for (const name of surveyed.names) if (binds(nameCounts[name]) || words.binding.has(name)) here.add(name)
    for (const word of surveyed.words) if (words.binding.has(word)) here.add(word)
    for (const number of here) push(gathered, number, index)
  })
  const postings = new Map([...gathered].filter(([, list]) => binds(list.length)))
  const telling = new Set([...postings.keys()].filter((n) => binds(nameCounts[n]) || words.telling.has(n)))
  const shared = passages.map((): Array<number> => [])
  for (const [number, list] of postings) for (const index of list) shared[index]?.push(number)
  for (const list of shared) list.sort((a, b) => a - b)

  const places = passages.map((_, index) => index).sort(byPlace(passages))
  const bearers = new Map<number, Array<number>>()
  for (const index of places) {
    const title = passages[index]?.title ?? -1
    if (title >= 0) push(bearers, title, index)
  }
  const mentionCounts = tally(
    keys.length,
    passages.map((surveyed) => surveyed.mentions)
  )
  return { shared, postings, telling, bearers, links: linksOf(passages, bearers, mentionCounts), places }
}

/**
 * ρ of each passage, as indices: itself, then its nearest neighbours.
 *
 *     nearness(p, x) = link(p→x) + .6·link(x→p) + .5·(1 − exp(−½ Σ rarity(n) over shared n)) + adjacency
 *
 * Ties go by passage id. Every region holds at least its own passage.
 */
export const regionsOf = (survey: Survey, bonds: Bonds): ReadonlyArray<ReadonlyArray<number>> => {
  const { passages } = survey
  const size = passages.length
  const common = new Float64Array(size)
  const near = new Float64Array(size)
  const incoming = passages.map((): Array<Bond> => [])
  bonds.links.forEach((links, from) => {
    for (const { to, weight } of links) incoming[to]?.push({ to: from, weight })
  })
  const placeOf = new Int32Array(size)
  bonds.places.forEach((index, place) => {
    placeOf[index] = place
  })
  return passages.map(({ passage }, index) => {
    const touched = new Set<number>()
    const add = (to: number, weight: number) => {
      touched.add(to)
      near[to] = (near[to] ?? 0) + weight
    }
    for (const number of bonds.shared[index] ?? []) {
      const list = bonds.postings.get(number) ?? []
      const weight = rarity(list.length)
      for (const other of list) {
        touched.add(other)
        common[other] = (common[other] ?? 0) + weight
      }
    }
    for (const other of touched) near[other] = 0.5 * (1 - Math.exp(-0.5 * (common[other] ?? 0)))
    for (const { to, weight } of bonds.links[index] ?? []) add(to, weight)
    for (const { to, weight } of incoming[index] ?? []) add(to, 0.6 * weight)
    adjacent.forEach((weight, distance) => {
      for (const place of [(placeOf[index] ?? 0) - distance - 1, (placeOf[index] ?? 0) + distance + 1]) {
        const other = bonds.places[place]
        const beside = other === undefined ? undefined : passages[other]?.passage
        if (other === undefined || beside?.document !== passage.document) continue
        const together = beside.headings.join("\n") === passage.headings.join("\n")
        add(other, together ? weight : weight / 2)
      }
    })
    touched.delete(index)
    const nearest = [...touched].sort((a, b) => (near[b] ?? 0) - (near[a] ?? 0) || a - b).slice(0, mostNeighbours)
    for (const other of touched) {
      near[other] = 0
      common[other] = 0
    }
    near[index] = 0
    common[index] = 0
    return [index, ...nearest]
  })
}
