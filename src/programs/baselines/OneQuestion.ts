/**
 * Run stores that begin empty and are gone with their question: an evaluation must not learn from one question for the next. The journal
 * keeps the artifacts alone; what a run did is in the view that it returns.
 */
import { Effect } from "effect"
import { type Artifact, keysOf, type MemoryScope, permitOwn, permitRead } from "../../domain/Artifact.ts"
import type { ModelCall } from "../../domain/Usage.ts"
import { FencingToken, Journal } from "../../services/Journal.ts"
import { ModelCalls } from "../../services/ModelCalls.ts"
import { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import { UnknownRun } from "../../services/StoreError.ts"

/**
 * Runs `effect` with an empty journal and an empty pool of its own. Its model calls are handed to whoever meters outside, and each one to
 * `billed` then.
 */
export const inIsolation = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  billed: (call: ModelCall) => void = () => {}
): Effect.Effect<A, E, Exclude<Exclude<R, Journal>, SharedMemoryPool>> =>
  Effect.flatMap(ModelCalls, (outside) => {
    const held = new Map<string, Artifact>()
    const values = (): ReadonlyArray<Artifact> => [...held.values()].sort((x, y) => (x.id < y.id ? -1 : 1))
    const journal = Journal.of({
      begin: () => Effect.succeed(FencingToken.make(0)),
      commit: (_run, _token, _events, artifacts) =>
        Effect.sync(() => {
          for (const artifact of artifacts) if (!held.has(artifact.id)) held.set(artifact.id, artifact)
        }),
      keepCall: (_run, _token, { call, reply, request }) =>
        Effect.map(outside.record({ call, reply, request }), () => billed(call)),
      keepOther: () => Effect.void,
      calls: () => Effect.succeed([]),
      billed: () => Effect.succeed([]),
      leave: () => Effect.void,
      takeOver: (run) => new UnknownRun({ run, known: [] }),
      events: (_scope, run) => new UnknownRun({ run, known: [] }),
      latest: () => Effect.succeedNone,
      runs: () => Effect.succeed([])
    })
    const pool = SharedMemoryPool.of({
      expose: (scope, run, terms, limit, now) =>
        Effect.sync(() => {
          const wanted = new Set(terms)
          return values()
            .filter(
              (artifact) =>
                artifact.scopeKey === scope &&
                (artifact.scope === "Global" || (artifact.scope === "Task" && artifact.run === run)) &&
                (artifact.expiresAt === null || artifact.expiresAt > now)
            )
            .map(({ id, payload }) => ({ id, shared: keysOf(payload).filter((key) => wanted.has(key)).length }))
            .filter(({ shared }) => shared > 0)
            .sort((x, y) => y.shared - x.shared)
            .slice(0, limit)
            .map(({ id }) => id)
        }),
      read: (claim, ids) =>
        permitRead(
          claim,
          [...new Set(ids)].flatMap((id) => held.get(id) ?? [])
        ),
      own: (claim) =>
        Effect.flatMap(permitOwn(claim), (role) =>
          permitRead(
            claim,
            values().filter(({ producer, run, scope }) => scope === "Private" && run === claim.run && producer === role)
          )
        ),
      count: () =>
        Effect.sync(() => {
          const counts: { [S in MemoryScope]: number } = { Global: 0, Task: 0, Private: 0 }
          for (const { scope } of held.values()) counts[scope]++
          return counts
        })
    })
    return effect.pipe(Effect.provideService(Journal, journal), Effect.provideService(SharedMemoryPool, pool))
  })
