/**
 * Mixtures of Gaussians with diagonal covariance: fitted by EM from k-means++ seeds, their number chosen by BIC.
 *
 *     BIC = p·ln n − 2·ln L        p = k·2d + k − 1
 */
import { type Generator, generator } from "./Statistics.ts"

export interface Mixture {
  readonly clusters: number
  readonly bic: number
  /** Of each point, the probability of each cluster; sums to 1. */
  readonly shares: ReadonlyArray<Float64Array>
}

type Points = ReadonlyArray<ArrayLike<number>>

const mostRounds = 50
/** Gain in mean log likelihood below which EM has ended. */
const least = 1e-3
/** Sizes in a row that are no better than the best before them, after which no other is tried. */
const patience = 3
/** Logarithm of a share that is none. */
const negligible = -40
/** The least variance of a cluster, as a share of that of all points: one point alone would have none, and infinite likelihood. */
const floor = 1e-2

const squared = (x: ArrayLike<number>, y: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += ((x[i] ?? 0) - (y[i] ?? 0)) ** 2
  return sum
}

/** k-means++: each next centre with a probability that grows with the square of its distance from those there are. */
const seedsOf = (points: Points, clusters: number, { int, word }: Generator): ReadonlyArray<ArrayLike<number>> => {
  const first = points[int(points.length)] ?? []
  const centres = [first]
  const distances = Float64Array.from(points, (point) => squared(point, first))
  while (centres.length < clusters) {
    let left = (word() / 4294967296) * distances.reduce((sum, distance) => sum + distance, 0)
    let at = 0
    while (at < points.length - 1 && left >= (distances[at] ?? 0)) left -= distances[at++] ?? 0
    const next = points[at] ?? first
    centres.push(next)
    points.forEach((point, n) => {
      distances[n] = Math.min(distances[n] ?? 0, squared(point, next))
    })
  }
  return centres
}

/** The variance of all points, by dimension. */
const spreadOf = (points: Points, dimensions: number): Float64Array => {
  const found = new Float64Array(dimensions)
  for (let i = 0; i < dimensions; i++) {
    let sum = 0
    for (const point of points) sum += point[i] ?? 0
    const mean = sum / points.length
    let squares = 0
    for (const point of points) squares += ((point[i] ?? 0) - mean) ** 2
    found[i] = squares / points.length
  }
  return found
}

/** A mixture of `clusters` Gaussians; the same for the same points in the same order and the same seed. */
export const gaussians = (points: Points, clusters: number, seed: number): Mixture => {
  const n = points.length
  const d = points[0]?.length ?? 0
  const flat = new Float64Array(n * d)
  points.forEach((point, at) => {
    flat.set(Array.from(point), at * d)
  })
  const all = spreadOf(points, d)
  const lowest = all.map((variance) => Math.max(floor * variance, Number.EPSILON))
  const means = new Float64Array(clusters * d)
  seedsOf(points, clusters, generator(seed ^ clusters)).forEach((centre, k) => {
    means.set(Array.from(centre), k * d)
  })
  const variances = Float64Array.from({ length: clusters * d }, (_, i) =>
    Math.max((all[i % d] ?? 0) / clusters, lowest[i % d] ?? 0)
  )
  const weights = new Float64Array(clusters).fill(1 / clusters)
  const shares = points.map(() => new Float64Array(clusters))
  const constants = new Float64Array(clusters)
  /** 1 / variance. */
  const precisions = new Float64Array(clusters * d)
  /** Fills `shares`; gives the log likelihood. */
  const expect = (): number => {
    for (let k = 0; k < clusters; k++) {
      let logs = d * Math.log(2 * Math.PI)
      for (let i = k * d; i < (k + 1) * d; i++) {
        logs += Math.log(variances[i] ?? 1)
        precisions[i] = 1 / (variances[i] ?? 1)
      }
      constants[k] = Math.log(Math.max(weights[k] ?? 0, Number.MIN_VALUE)) - logs / 2
    }
    let likelihood = 0
    for (let at = 0; at < n; at++) {
      const own = shares[at] ?? constants
      let most = Number.NEGATIVE_INFINITY
      for (let k = 0; k < clusters; k++) {
        let distance = 0
        for (let i = 0, p = at * d, q = k * d; i < d; i++, p++, q++) {
          const apart = (flat[p] ?? 0) - (means[q] ?? 0)
          distance += apart * apart * (precisions[q] ?? 0)
        }
        const log = (constants[k] ?? 0) - distance / 2
        own[k] = log
        if (log > most) most = log
      }
      let sum = 0
      for (let k = 0; k < clusters; k++) {
        const log = (own[k] ?? 0) - most
        const share = log < negligible ? 0 : Math.exp(log)
        own[k] = share
        sum += share
      }
      for (let k = 0; k < clusters; k++) own[k] = (own[k] ?? 0) / sum
      likelihood += most + Math.log(sum)
    }
    return likelihood
  }
  const masses = new Float64Array(clusters)
  const sums = new Float64Array(clusters * d)
  const squares = new Float64Array(clusters * d)
  const maximise = () => {
    for (const part of [masses, sums, squares]) part.fill(0)
    for (let at = 0; at < n; at++) {
      const own = shares[at] ?? constants
      for (let k = 0; k < clusters; k++) {
        const share = own[k] ?? 0
        if (share === 0) continue
        masses[k] = (masses[k] ?? 0) + share
        for (let i = 0, p = at * d, q = k * d; i < d; i++, p++, q++) {
          const part = flat[p] ?? 0
          sums[q] = (sums[q] ?? 0) + share * part
          squares[q] = (squares[q] ?? 0) + share * part * part
        }
      }
    }
    for (let k = 0; k < clusters; k++) {
      const mass = masses[k] ?? 0
      weights[k] = mass / n
      // nothing is left of it: it stays where it was, and weighs nothing
      if (mass < 1e-10) continue
      for (let i = 0, q = k * d; i < d; i++, q++) {
        const mean = (sums[q] ?? 0) / mass
        means[q] = mean
        variances[q] = Math.max((squares[q] ?? 0) / mass - mean * mean, lowest[i] ?? 0)
      }
    }
  }
  let likelihood = expect()
  for (let round = 0; round < mostRounds; round++) {
    maximise()
    const next = expect()
    const gain = (next - likelihood) / n
    likelihood = next
    if (gain < least) break
  }
  const parameters = clusters * 2 * d + clusters - 1
  return { clusters, bic: parameters * Math.log(n) - 2 * likelihood, shares }
}

/** Sizes that are tried: all up to 6, then each a quarter more than the last, and `most`. */
const sizes = (most: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let size = 1; size < most; size = size < 6 ? size + 1 : Math.ceil(size * 1.25)) found.push(size)
  return [...found, most]
}

/**
 * The mixture of at most `most` clusters whose BIC is lowest, the smaller one of two. Sizes are tried upwards, until three in a row are no
 * better. One cluster where there are no points to part.
 */
export const mixture = (points: Points, most: number, seed: number): Mixture => {
  const [first = 1, ...others] = sizes(Math.max(1, Math.min(most, points.length - 1)))
  let best = gaussians(points, first, seed)
  let worse = 0
  for (const size of others) {
    const next = gaussians(points, size, seed)
    if (next.bic < best.bic) [best, worse] = [next, 0]
    else if (++worse === patience) break
  }
  return best
}

/** Of each cluster that has any, the numbers of the points that belong to it with more than `threshold`; a point may belong to several. */
export const members = ({ clusters, shares }: Mixture, threshold: number): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: clusters }, (_, k) =>
    shares.flatMap((own, at) => ((own[k] ?? 0) > threshold ? [at] : []))
  ).filter((own) => own.length > 0)
