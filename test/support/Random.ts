/** A small seeded generator (mulberry32), so that a case is named by one integer and is the same on every machine. */

export interface Random {
  /** In [0, 1). */
  readonly next: () => number
  /** In [0, below). */
  readonly int: (below: number) => number
  readonly chance: (probability: number) => boolean
  /** One of `items`, which must not be empty. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** Between `least` and `most` of `items`, in their order, as far as there are so many. */
  readonly some: <A>(items: ReadonlyArray<A>, least: number, most: number) => ReadonlyArray<A>
  readonly shuffled: <A>(items: ReadonlyArray<A>) => ReadonlyArray<A>
}

export const random = (seed: number): Random => {
  let state = (seed ^ 0x9e3779b9) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (below: number) => Math.floor(next() * below)
  const pick = <A>(items: ReadonlyArray<A>): A => {
    if (items.length === 0) throw new Error("nothing to pick from")
    return items[int(items.length)] as A
  }
  const shuffled = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
    items
      .map((item) => [next(), item] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, item]) => item)
  const some = <A>(items: ReadonlyArray<A>, least: number, most: number): ReadonlyArray<A> => {
    const wanted = Math.min(items.length, least + int(most - least + 1))
    const chosen = new Set(shuffled(items.map((_, i) => i)).slice(0, wanted))
    return items.filter((_, i) => chosen.has(i))
  }
  return { next, int, chance: (probability) => next() < probability, pick, some, shuffled }
}
