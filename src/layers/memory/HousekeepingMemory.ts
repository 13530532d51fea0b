/** Housekeeping in this process: the twin of the one in SQLite, held to the same contract. Nothing is on disk, so nothing is left there. */
import { Effect, Either, Layer } from "effect"
import { Branch } from "../../domain/Action.ts"
import { encodeEvent } from "../../domain/EventJson.ts"
import type { ScopeKey } from "../../domain/Ids.ts"
import { Housekeeping } from "../../services/Housekeeping.ts"
import { FencingToken } from "../../services/Journal.ts"
import { StoreError, UnknownRun } from "../../services/StoreError.ts"
import { Memory } from "./Memory.ts"
import { type CallEntry, RunTables } from "./RunTables.ts"

const unreadable = (method: string, detail: string): StoreError =>
  new StoreError({ reason: "Unreadable", method: `Housekeeping.${method}`, detail, cause: detail })

const answered: ReadonlyArray<string> = Branch.literals

const tagOf = (line: string): unknown => Reflect.get(Object(JSON.parse(line)), "tag")

export const layer: Layer.Layer<Housekeeping, never, Memory | RunTables> = Layer.effect(
  Housekeeping,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { artifacts, calls, fences, replies, runs, vectors } = yield* RunTables
    const callsOf = (scope: ScopeKey) => calls.entries().filter(([, entry]) => entry.scope === scope)
    const withoutReply = (place: string, entry: CallEntry): void =>
      calls.set(place, { ...entry, kept: { ...entry.kept, reply: null } })

    const rewrite: (typeof Housekeeping.Service)["rewrite"] = (scope, run, events) =>
      Effect.flatten(
        memory.use((): Either.Either<void, StoreError | UnknownRun> => {
          const held = runs.get(run)
          if (held?.scope !== scope) return Either.left(new UnknownRun({ run, known: [] }))
          const lines = [...held.events]
          for (const event of events) {
            const line = encodeEvent(event)
            if (Either.isLeft(line))
              return Either.left(unreadable("rewrite", `event ${event.sequence} does not encode: ${line.left}`))
            const old = lines[event.sequence]
            if (event.run !== run || old === undefined || tagOf(old) !== event.tag)
              return Either.left(
                unreadable("rewrite", `run ${run} has other events than those that were to be rewritten`)
              )
            lines[event.sequence] = line.right
          }
          runs.set(run, { ...held, events: lines })
          return Either.right(undefined)
        })
      )

    return Housekeeping.of({
      artifacts: (scope) => memory.use(() => artifacts(scope).values()),
      removeArtifacts: (scope, ids) =>
        memory.use(() => {
          for (const id of ids) artifacts(scope).delete(id)
        }),
      rewrite,
      removeRuns: (scope, gone) =>
        memory.use(() => {
          const own = new Set<string>(gone.filter((run) => runs.get(run)?.scope === scope))
          for (const { id, run, scope: where } of artifacts(scope).values())
            if (where !== "Global" && own.has(run)) artifacts(scope).delete(id)
          for (const [place, { run }] of callsOf(scope)) if (own.has(run)) calls.delete(place)
          for (const run of own) runs.delete(run)
        }),
      removeAnswers: (scope) =>
        memory.use(() => {
          for (const [place, entry] of callsOf(scope)) withoutReply(place, entry)
          replies(scope).clear()
          vectors(scope).clear()
        }),
      removeCached: (scope, { dryRun = false, keep, usedBefore = 0 }) =>
        memory.use(() => {
          const old = [replies(scope), vectors(scope)].map((table) =>
            table.entries().flatMap(([key, { usedAt }]) => (usedAt < usedBefore ? [key] : []))
          )
          const gone = new Set(old[0])
          const newest = replies(scope)
            .entries()
            .filter(([key]) => !gone.has(key))
            .sort(([a, x], [b, y]) => y.usedAt - x.usedAt || (a < b ? 1 : -1))
          for (const [key] of newest.slice(keep ?? newest.length)) gone.add(key)
          const removed = gone.size + (old[1]?.length ?? 0)
          const kept = replies(scope).size() + vectors(scope).size() - removed
          if (dryRun) return { removed, kept }
          for (const [place, entry] of callsOf(scope)) {
            const held = runs.get(entry.run)
            if (held === undefined && entry.kept.at < usedBefore) calls.delete(place)
            else if (answered.includes(held?.outcome ?? "")) withoutReply(place, entry)
          }
          for (const key of gone) replies(scope).delete(key)
          for (const key of old[1] ?? []) vectors(scope).delete(key)
          return { removed, kept }
        }),
      fence: (scope) =>
        memory.use(() => {
          fences.set(scope, true)
          for (const held of runs.values())
            if (held.scope === scope && held.outcome === null)
              runs.set(held.run, { ...held, token: FencingToken.make(held.token + 1) })
        }),
      bytes: Effect.succeed(0),
      tables: Effect.succeed([]),
      scrub: Effect.void,
      settle: Effect.void,
      restore: Effect.void,
      faults: () => Effect.succeed([])
    })
  })
)
