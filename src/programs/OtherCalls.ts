/**
 * Model calls that belong to no run: of indexing, of a search. They are metered like those of a run (C28), and stand in the bill under the id
 * of their work.
 *
 * They are written when the work has ended, however it has: a row that is written inside the transaction of an index run would go with it
 * where that fails, and what it paid stays paid.
 */
import { Clock, Effect, Option, Random } from "effect"
import type { ScopeKey } from "../domain/Ids.ts"
import { ulid } from "../domain/Ulid.ts"
import { metered, noUsage, type Usage } from "../domain/Usage.ts"
import { Journal, type KeptCall } from "../services/Journal.ts"
import { ModelCalls } from "../services/ModelCalls.ts"

/** Runs work of a scope, which is told what it has cost so far. Without a journal in the context, its calls are only summed. */
export const keepingCalls = <A, E, R>(
  scope: ScopeKey,
  stage: string,
  work: (spent: () => Usage) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const journal = yield* Effect.serviceOption(Journal)
    const kept: Array<KeptCall> = []
    const clock = yield* Effect.clock
    let usage = noUsage
    const keep = Effect.gen(function* () {
      if (kept.length === 0 || Option.isNone(journal)) return
      const now = yield* Clock.currentTimeMillis
      const id = `${stage.toLowerCase()}-${ulid(now, [yield* Random.next, yield* Random.next])}`
      yield* Effect.forEach(kept, (call) => journal.value.keepOther(scope, id, call), { discard: true })
    }).pipe(
      Effect.catchAll((error) =>
        Effect.logError(`${kept.length} model calls were made that could not be put on the bill: ${error.message}`)
      )
    )
    return yield* work(() => usage).pipe(
      Effect.provideService(ModelCalls, {
        scope: Option.some(scope),
        recorded: () => Effect.succeedNone,
        record: ({ call, request }) =>
          Effect.sync(() => {
            usage = metered(usage, call)
            const at = clock.unsafeCurrentTimeMillis()
            kept.push({ cycle: 0, stage, attempt: kept.length, at, request, call, reply: null })
          }),
        delta: () => Effect.void
      }),
      Effect.ensuring(keep)
    )
  })
