/** The journal in this process: the twin of the one in SQLite, held to the same contract. */
import { Effect, Either, Layer, Option, Schema } from "effect"
import { type Artifact, type AtMost, permitPersist } from "../../domain/Artifact.ts"
import type { Event } from "../../domain/Event.ts"
import { decodeEvent, encodeEvent, progress, shownQuestion, unfit } from "../../domain/EventJson.ts"
import type { ScopeKey } from "../../domain/Ids.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { type Billed, FencingToken, Journal, KeptCall } from "../../services/Journal.ts"
import { StaleWriter, StoreError, UnknownRun } from "../../services/StoreError.ts"
import { Memory, type Table } from "./Memory.ts"
import { type RunEntry, RunTables } from "./RunTables.ts"

type Shape = typeof Journal.Service
type Started = Parameters<Shape["begin"]>[0][0]

const unreadable = (method: string, detail: string, cause: unknown = detail): StoreError =>
  new StoreError({ reason: "Unreadable", method, detail, cause })

const encodeCall = Schema.encodeEither(KeptCall)
const placeOf = (run: string, { attempt, cycle, stage }: KeptCall): string =>
  JSON.stringify([run, cycle, stage, attempt])

const newestFirst = (a: RunEntry, b: RunEntry): number =>
  b.startedAt - a.startedAt || (a.run < b.run ? 1 : a.run > b.run ? -1 : 0)
const oldestFirst = (a: Artifact, b: Artifact): number =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const encoded = (method: string, events: ReadonlyArray<Event>): Either.Either<ReadonlyArray<string>, StoreError> =>
  Either.all(
    events.map((event) =>
      Either.mapLeft(encodeEvent(event), (said) =>
        unreadable(method, `run ${event.run}, event ${event.sequence} does not encode: ${said}`)
      )
    )
  )

/** Drops what has had its days, adds what is new, and lets the oldest of a kind go where there are too many. */
const persist = (table: Table<Artifact>, artifacts: ReadonlyArray<Artifact>, atMost: AtMost | undefined): void => {
  const now = Math.max(...artifacts.map((artifact) => artifact.createdAt))
  for (const { expiresAt, id } of table.values()) if (expiresAt !== null && expiresAt <= now) table.delete(id)
  const fresh = artifacts.filter((artifact) => {
    if (table.get(artifact.id) !== undefined) return false
    table.set(artifact.id, { ...artifact, restsOn: [...new Set(artifact.restsOn)].sort() })
    return true
  })
  for (const kind of new Set(fresh.map(({ payload }) => payload.kind))) {
    const limit = atMost?.[kind] ?? null
    if (limit === null) continue
    const held = table
      .values()
      .filter(({ payload }) => payload.kind === kind)
      .sort(oldestFirst)
    for (const { id } of held.slice(0, Math.max(0, held.length - limit))) table.delete(id)
  }
}

export const layer: Layer.Layer<Journal, never, Memory | RunTables | CorpusStore> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const memory = yield* Memory
    const corpus = yield* CorpusStore
    const { artifacts: artifactsOf, calls, fences, runs } = yield* RunTables
    const fallible = <A, E>(body: () => Either.Either<A, E>): Effect.Effect<A, E> => Effect.flatten(memory.use(body))
    const ofScope = (scope: ScopeKey): ReadonlyArray<RunEntry> =>
      runs
        .values()
        .filter((entry) => entry.scope === scope)
        .sort(newestFirst)

    const isFenced = Effect.fnUntraced(function* ({ corpusRevision, scope }: Started) {
      if ((yield* memory.use(() => fences.get(scope))) === undefined) return false
      const current = yield* Effect.option(corpus.revision(scope))
      return !Option.exists(current, ({ revision }) => revision === corpusRevision)
    })

    const begin: Shape["begin"] = (events) =>
      Effect.gen(function* () {
        if (yield* isFenced(events[0])) return yield* new StaleWriter({ run: events[0].run, token: 0 })
        return yield* open(events)
      }).pipe(memory.atomically)

    const open = (events: Parameters<Shape["begin"]>[0]) =>
      fallible(() => {
        const [{ at, question, run, scope }] = events
        const objection = unfit(run, 0, events) ?? (runs.get(run) && `run ${run} is in the journal already`)
        if (objection !== undefined) return Either.left(unreadable("Journal.begin", objection))
        return Either.map(encoded("Journal.begin", events), (lines) => {
          const token = FencingToken.make(1)
          const { cycles, outcome } = progress(events)
          runs.set(run, {
            run,
            scope,
            question: shownQuestion(question),
            startedAt: at,
            cycles,
            outcome: outcome ?? null,
            token,
            events: lines
          })
          return token
        })
      })

    const commit: Shape["commit"] = (run, token, events, artifacts, atMost) =>
      fallible((): Either.Either<void, StaleWriter | StoreError> => {
        const held = runs.get(run)
        if (held === undefined || held.token !== token) return Either.left(new StaleWriter({ run, token }))
        const objection = unfit(run, held.events.length, events)
        if (objection !== undefined) return Either.left(unreadable("Journal.commit", objection))
        const permitted = permitPersist(held.scope, run, artifacts)
        if (Either.isLeft(permitted))
          return Either.left(unreadable("Journal.commit", permitted.left.message, permitted.left))
        return Either.map(encoded("Journal.commit", events), (lines) => {
          const { cycles, outcome } = progress(events)
          runs.set(run, {
            ...held,
            cycles: held.cycles + cycles,
            outcome: outcome === undefined ? held.outcome : outcome,
            events: [...held.events, ...lines]
          })
          if (artifacts.length > 0) persist(artifactsOf(held.scope), artifacts, atMost)
        })
      })

    const keep = (method: string, run: string, scope: ScopeKey, given: KeptCall): Either.Either<void, StoreError> =>
      Either.flatMap(
        Either.mapLeft(encodeCall(given), (error) =>
          unreadable(method, `a model call does not encode: ${error.message}`)
        ),
        (kept) => {
          const place = placeOf(run, kept)
          if (calls.get(place) !== undefined)
            return Either.left(unreadable(method, `run ${run} has a model call at ${place} already`))
          return Either.right(calls.set(place, { run, scope, kept }))
        }
      )

    const keepCall: Shape["keepCall"] = (run, token, kept) =>
      fallible((): Either.Either<void, StaleWriter | StoreError> => {
        const held = runs.get(run)
        if (held === undefined || held.token !== token) return Either.left(new StaleWriter({ run, token }))
        return keep("Journal.keepCall", run, held.scope, kept)
      })

    const billed: Shape["billed"] = (scope, since) =>
      fallible(() => {
        const kept = calls
          .values()
          .filter((entry) => entry.scope === scope && entry.kept.at >= since)
          .map(({ kept: { at, call }, run }): Billed => ({ run, at, call }))
        const lines = ofScope(scope).flatMap((entry) => entry.events.filter((line) => line.includes("ModelCalled")))
        return Either.map(Either.all(lines.map(decodeEvent)), (events) =>
          [
            ...kept,
            ...events.flatMap(
              (event): ReadonlyArray<Billed> =>
                event.tag === "ModelCalled" && event.place === undefined && event.at >= since
                  ? [{ run: event.run, at: event.at, call: event.call }]
                  : []
            )
          ].sort((a, b) => a.at - b.at)
        ).pipe(Either.mapLeft((said) => unreadable("Journal.billed", said)))
      })

    const takeOver: Shape["takeOver"] = (run) =>
      fallible(() => {
        const held = runs.get(run)
        if (held === undefined) return Either.left(new UnknownRun({ run, known: [] }))
        const token = FencingToken.make(held.token + 1)
        runs.set(run, { ...held, token })
        return Either.right(token)
      })

    const events: Shape["events"] = (scope, run) =>
      fallible((): Either.Either<ReadonlyArray<Event>, StoreError | UnknownRun> => {
        const held = runs.get(run)
        if (held?.scope !== scope) {
          const known = ofScope(scope).slice(0, 20)
          return Either.left(new UnknownRun({ run, known: known.map((entry) => entry.run) }))
        }
        return Either.all(
          held.events.map((line, sequence) =>
            Either.mapLeft(decodeEvent(line), (said) =>
              unreadable("Journal.events", `run ${run}, event ${sequence} does not decode: ${said}`)
            )
          )
        )
      })

    return {
      begin,
      commit,
      keepCall,
      keepOther: (scope, work, kept) => fallible(() => keep("Journal.keepOther", work, scope, kept)),
      calls: (scope, run) =>
        memory.use(() =>
          calls
            .values()
            .filter((entry) => entry.run === run && entry.scope === scope)
            .map(({ kept }) => kept)
            .sort(
              (a, b) => a.cycle - b.cycle || (a.stage < b.stage ? -1 : a.stage > b.stage ? 1 : a.attempt - b.attempt)
            )
        ),
      billed,
      takeOver,
      leave: () => Effect.void,
      events,
      latest: (scope) => memory.use(() => Option.map(Option.fromNullable(ofScope(scope)[0]), (entry) => entry.run)),
      runs: (scope, { limit, outcome }) =>
        memory.use(() =>
          ofScope(scope)
            .filter((entry) => outcome === undefined || entry.outcome === outcome)
            .slice(0, limit)
            .map(({ events: _, token: __, ...summary }) => summary)
        )
    }
  })
)
