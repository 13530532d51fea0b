/**
 * RAPTOR's clusters of vectors (cluster_utils.py): soft, so that a member may belong to several.
 *
 *     vectors ─ PCA to 10 ─▶ mixture, BIC up to 50 ─▶ P > .1 ─▶ each cluster once more by itself ─▶ what is above 3,500 tokens once more
 */
import { Effect } from "effect"
import { members, mixture } from "../../domain/Mixture.ts"
import { Grouping } from "../../services/Grouping.ts"

export interface Member {
  readonly vector: Float32Array
  readonly tokens: number
}

export const dimensions = 10
const mostClusters = 50
const threshold = 0.1
/** Fewer are one cluster: there is nothing to reduce (RAPTOR's issue 30). */
const fewest = dimensions + 2
const mostTokens = 3500

type Places = ReadonlyArray<number>

/** Clusters as places in `all`, each ascending, without repeats; every member is in at least one. */
export const clusters = (
  all: ReadonlyArray<Member>,
  seed: number
): Effect.Effect<ReadonlyArray<Places>, never, Grouping> =>
  Effect.gen(function* () {
    const { reduce } = yield* Grouping
    const parted = Effect.fnUntraced(function* (places: Places) {
      if (places.length < fewest) return [places]
      const reduced = yield* reduce(
        places.map((place) => all[place]?.vector ?? new Float32Array(0)),
        dimensions
      )
      const found = members(mixture(reduced, mostClusters, seed), threshold)
      // let signals in: a fit of thousands takes a while
      yield* Effect.yieldNow()
      return found.map((own) => own.map((at) => places[at] ?? 0))
    })
    const tokensOf = (places: Places) => places.reduce((sum, place) => sum + (all[place]?.tokens ?? 0), 0)
    /** In order, as many as fit: where a mixture finds nothing to part. */
    const cut = (places: Places): ReadonlyArray<Places> => {
      const found: Array<Array<number>> = []
      let left = 0
      for (const place of places) {
        const tokens = all[place]?.tokens ?? 0
        const last = found.at(-1)
        if (last === undefined || tokens > left) {
          found.push([place])
          left = mostTokens - tokens
        } else {
          last.push(place)
          left -= tokens
        }
      }
      return found
    }
    const within = (places: Places): Effect.Effect<ReadonlyArray<Places>> =>
      Effect.gen(function* () {
        const local = yield* Effect.forEach(yield* parted(places), parted)
        const fitting = yield* Effect.forEach(local.flat(), (own) => {
          if (own.length === 1 || tokensOf(own) <= mostTokens) return Effect.succeed([own])
          return own.length === places.length ? Effect.succeed(cut(own)) : within(own)
        })
        return fitting.flat()
      })
    const found = new Map<string, Places>()
    for (const own of yield* within(all.map((_, place) => place))) found.set(own.join(" "), own)
    return [...found.values()]
  })
