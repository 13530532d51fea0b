/**
 * How sure a mean is, and a difference of two: bootstrap intervals and the paired permutation test. Seeded and deterministic; nothing
 * here reads a clock or the platform's generator.
 */

/** A generator of 32-bit words (xoshiro128**, seeded by splitmix32), so that a resample is named by one integer. */
export interface Generator {
  /** An unsigned 32-bit integer. */
  readonly word: () => number
  /** In [0, below). */
  readonly int: (below: number) => number
}

export const generator = (seed: number): Generator => {
  let mixed = seed | 0
  const splitmix = (): number => {
    mixed = (mixed + 0x9e3779b9) | 0
    let z = mixed ^ (mixed >>> 16)
    z = Math.imul(z, 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return z ^ (z >>> 15)
  }
  let [a, b, c, d] = [splitmix(), splitmix(), splitmix(), splitmix()]
  const word = (): number => {
    const five = Math.imul(b, 5)
    const result = Math.imul((five << 7) | (five >>> 25), 9) >>> 0
    const t = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = (d << 11) | (d >>> 21)
    return result
  }
  return { word, int: (below) => Math.floor((word() / 4294967296) * below) }
}

export type Interval = readonly [low: number, high: number]

export const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

/** The value below which `share` of the sorted values lie, interpolated. */
export const quantile = (sorted: ArrayLike<number>, share: number): number => {
  const at = Math.min(Math.max(share, 0), 1) * (sorted.length - 1)
  const low = Math.floor(at)
  const below = sorted[low] ?? 0
  return below + (at - low) * ((sorted[Math.min(low + 1, sorted.length - 1)] ?? below) - below)
}

/** Holm's step-down correction: what each p becomes where all of them are looked at together; in the order given. */
export const holm = (ps: ReadonlyArray<number>): ReadonlyArray<number> => {
  const order = ps.map((p, at) => ({ p, at })).sort((x, y) => x.p - y.p || x.at - y.at)
  const adjusted = new Array<number>(ps.length).fill(1)
  let least = 0
  order.forEach(({ at, p }, i) => {
    least = Math.max(least, Math.min(1, p * (ps.length - i)))
    adjusted[at] = least
  })
  return adjusted
}

export interface Sampling {
  readonly seed: number
  /** Resamples of an interval, and sign patterns of a test. */
  readonly times: number
  /** The share of the resampled means that an interval holds, such as .95. */
  readonly level: number
}

export const defaultSampling: Sampling = { seed: 1, times: 2000, level: 0.95 }

/** Intervals and tests that share their resamples, so that equal lists have equal intervals. */
export interface Statistics {
  /** The percentile bootstrap interval of the mean; [0, 0] of nothing. */
  readonly interval: (values: ReadonlyArray<number>) => Interval
  /** Two-sided p of the paired permutation test: how often signs drawn at random give a mean as far from 0 as that of `differences`. */
  readonly permutation: (differences: ReadonlyArray<number>) => number
}

export const statistics = ({ level, seed, times }: Sampling): Statistics => {
  const drawn = new Map<number, Uint32Array>()
  const resamples = (n: number): Uint32Array => {
    const known = drawn.get(n)
    if (known !== undefined) return known
    const { int } = generator(seed ^ n)
    const indexes = Uint32Array.from({ length: n * times }, () => int(n))
    drawn.set(n, indexes)
    return indexes
  }
  return {
    interval: (values) => {
      const n = values.length
      if (n === 0) return [0, 0]
      const source = Float64Array.from(values)
      const indexes = resamples(n)
      const means = new Float64Array(times)
      for (let t = 0; t < times; t++) {
        let sum = 0
        for (let i = t * n; i < (t + 1) * n; i++) sum += source[indexes[i] ?? 0] ?? 0
        means[t] = sum / n
      }
      means.sort()
      const tail = (1 - level) / 2
      return [quantile(means, tail), quantile(means, 1 - tail)]
    },
    permutation: (differences) => {
      // an equal pair is the same under either sign
      const unequal = Float64Array.from(differences.filter((difference) => difference !== 0))
      const seen = Math.abs(unequal.reduce((sum, value) => sum + value, 0))
      const { word } = generator(seed ^ 0x5bd1e995 ^ unequal.length)
      let asFar = 0
      for (let t = 0; t < times; t++) {
        let sum = 0
        let bits = 0
        for (let i = 0; i < unequal.length; i++) {
          if (i % 32 === 0) bits = word()
          const value = unequal[i] ?? 0
          sum += bits & 1 ? value : -value
          bits >>>= 1
        }
        if (Math.abs(sum) >= seen - 1e-9) asFar++
      }
      return (asFar + 1) / (times + 1)
    }
  }
}
