/** Which vectors an effect changes, so that a cache of them can follow at the price of the change. */
import { Effect } from "effect"
import type { CorpusRevision } from "../domain/Ids.ts"
import type { VectorChange } from "../services/VectorIndex.ts"
import { type VectorKind, VectorStore } from "../services/VectorStore.ts"

/** Runs `effect`, and tells what it did to the store since a revision; none where all vectors of a kind were made again. */
export const watched = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<
  { readonly value: A; readonly changeSince: (since: CorpusRevision) => VectorChange | undefined },
  E,
  R | VectorStore
> =>
  Effect.gen(function* () {
    const store = yield* VectorStore
    const ids: Record<VectorKind, Set<string>> = { Passage: new Set(), Relation: new Set() }
    let isAll = false
    const note = (kind: VectorKind, changed: Iterable<string>) =>
      Effect.sync(() => {
        for (const id of changed) ids[kind].add(id)
      })
    const own = VectorStore.of({
      ...store,
      put: (scope, kind, vectors) =>
        Effect.zipRight(
          note(
            kind,
            vectors.map(({ id }) => id)
          ),
          store.put(scope, kind, vectors)
        ),
      remove: (scope, kind, gone) => Effect.zipRight(note(kind, gone), store.remove(scope, kind, gone)),
      clear: (scope, kind) =>
        Effect.suspend(() => {
          isAll = true
          return store.clear(scope, kind)
        })
    })
    const value = yield* Effect.provideService(effect, VectorStore, own)
    return { value, changeSince: (since) => (isAll ? undefined : { since, ids }) }
  })
