/** The shared memory pool in this process: the twin of the one in SQLite, held to the same contract. */
import { Effect, Layer } from "effect"
import { type Artifact, keysOf, type MemoryScope, permitOwn, permitRead } from "../../domain/Artifact.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import { Memory } from "./Memory.ts"
import { RunTables } from "./RunTables.ts"

export const layer: Layer.Layer<SharedMemoryPool, never, Memory | RunTables | CorpusStore> = Layer.effect(
  SharedMemoryPool,
  Effect.gen(function* () {
    const memory = yield* Memory
    const corpus = yield* CorpusStore
    const { artifacts } = yield* RunTables

    return {
      expose: Effect.fnUntraced(function* (scope, run, terms, limit, now) {
        const standing = new Set((yield* corpus.documents(scope)).map((document) => document.hash))
        const wanted = new Set(terms)
        const held = yield* memory.use(() => artifacts(scope).values())
        return held
          .filter(
            (artifact) =>
              (artifact.scope === "Global" || (artifact.scope === "Task" && artifact.run === run)) &&
              (artifact.expiresAt === null || artifact.expiresAt > now) &&
              artifact.restsOn.every((hash) => standing.has(hash))
          )
          .map(({ id, payload }) => ({ id, shared: keysOf(payload).filter((key) => wanted.has(key)).length }))
          .filter(({ shared }) => shared > 0)
          .sort((a, b) => b.shared - a.shared || (a.id < b.id ? -1 : 1))
          .slice(0, limit)
          .map(({ id }) => id)
      }),
      read: Effect.fnUntraced(function* (claim, ids) {
        const found = yield* memory.use(() => {
          const table = artifacts(claim.scopeKey)
          return [...new Set(ids)].flatMap((id): ReadonlyArray<Artifact> => {
            const artifact = table.get(id)
            return artifact === undefined ? [] : [artifact]
          })
        })
        return yield* permitRead(claim, found)
      }),
      own: Effect.fnUntraced(function* (claim) {
        const role = yield* permitOwn(claim)
        const held = yield* memory.use(() => artifacts(claim.scopeKey).values())
        return yield* permitRead(
          claim,
          held.filter(({ producer, run, scope }) => scope === "Private" && run === claim.run && producer === role)
        )
      }),
      count: (scope) =>
        memory.use(() => {
          const counts: { [S in MemoryScope]: number } = { Global: 0, Task: 0, Private: 0 }
          for (const artifact of artifacts(scope).values()) counts[artifact.scope]++
          return counts
        })
    }
  })
)
