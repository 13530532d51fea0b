/**
 * The journal in SQLite: runs, and their events as JSON, in which the texts of evidence stand once.
 *
 * A commit checks its token and its place in the sequence with the same UPDATE that moves the run on, inside the transaction that inserts
 * events and artifacts (C24, C30). What is found wrong undoes all of it.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, Option, ParseResult, Schema } from "effect"
import { permitPersist } from "../../domain/Artifact.ts"
import type { Event } from "../../domain/Event.ts"
import { progress, shownQuestion, unfit } from "../../domain/EventJson.ts"
import { RunId, ScopeKey } from "../../domain/Ids.ts"
import { FencingToken, Journal, type KeptCall, RunSummary } from "../../services/Journal.ts"
import { StaleWriter, StoreError, UnknownRun } from "../../services/StoreError.ts"
import { Transaction } from "../../services/Transaction.ts"
import { Writers } from "../../services/Writers.ts"
import { persist } from "./ArtifactRows.ts"
import * as EventRows from "./EventRows.ts"
import { execute, type Row } from "./Execute.ts"
import * as ModelCallRows from "./ModelCallRows.ts"

type Shape = typeof Journal.Service

const firstToken = FencingToken.make(1)
/** How many ids an `UnknownRun` names. */
const named = 20

const insertRun =
  "INSERT INTO staterag_run (run, scope, question, started_at, outcome, cycles, token, writer, events) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING run"
const moveOn = `UPDATE staterag_run SET events = events + ?, cycles = cycles + ?, outcome = iif(?, ?, outcome)
  WHERE run = ? AND token = ? AND events = coalesce(?, events) RETURNING scope`
const selectFence = `SELECT 1 FROM staterag_fence
  WHERE scope = ? AND (SELECT revision FROM staterag_scope WHERE key = ?) IS NOT ?`
const selectStanding = "SELECT token, events FROM staterag_run WHERE run = ?"
const selectWriter = "SELECT token, writer FROM staterag_run WHERE run = ? AND outcome IS NULL"
const nextToken = "UPDATE staterag_run SET token = token + 1, writer = ? WHERE run = ? RETURNING token"
const noWriter = "UPDATE staterag_run SET writer = '' WHERE run = ? AND token = ?"
const selectNewest = "SELECT run FROM staterag_run WHERE scope = ? ORDER BY started_at DESC, run DESC LIMIT ?"
const selectRuns = `SELECT run, scope, question, started_at, outcome, cycles FROM staterag_run
  WHERE scope = ? AND outcome IS coalesce(?, outcome) ORDER BY started_at DESC, run DESC LIMIT ?`

const taken = (run: string, { attempt, cycle, stage }: KeptCall): string =>
  `run ${run} has a model call ${attempt} of ${stage} in cycle ${cycle} already`

const unreadable = (method: string, detail: string, cause: unknown = detail): StoreError =>
  new StoreError({ reason: "Unreadable", method, detail, cause })

/** Decodes rows, hoisted; one that does not fit is `Unreadable`. */
const rowsOf = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(Schema.Array(row))
  return (method: string, rows: ReadonlyArray<Row>): Either.Either<ReadonlyArray<A>, StoreError> =>
    Either.mapLeft(decode(rows), (error) =>
      unreadable(method, `staterag_run: ${ParseResult.TreeFormatter.formatErrorSync(error)}`, error)
    )
}
const { startedAt, ...summary } = RunSummary.fields
const summaries = rowsOf(Schema.Struct({ ...summary, started_at: startedAt }))
const scopes = rowsOf(Schema.Struct({ scope: ScopeKey }))
const tokens = rowsOf(Schema.Struct({ token: FencingToken }))
const writers = rowsOf(Schema.Struct({ token: FencingToken, writer: Schema.String }))
const standings = rowsOf(Schema.Struct({ token: FencingToken, events: Schema.NonNegativeInt }))
const runIds = rowsOf(Schema.Struct({ run: RunId }))
const storedEvents = rowsOf(
  Schema.Struct({
    sequence: Schema.Int,
    payload: Schema.String,
    items: Schema.String,
    events: Schema.NonNegativeInt
  })
)

export const layer: Layer.Layer<Journal, never, SqlClient.SqlClient | Transaction> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { atomically } = yield* Transaction
    const { isThere, own } = yield* Writers
    const run = {
      begin: execute(sql, "Journal.begin"),
      commit: execute(sql, "Journal.commit"),
      keepCall: execute(sql, "Journal.keepCall"),
      keepOther: execute(sql, "Journal.keepOther"),
      calls: execute(sql, "Journal.calls"),
      billed: execute(sql, "Journal.billed"),
      takeOver: execute(sql, "Journal.takeOver"),
      leave: execute(sql, "Journal.leave"),
      events: execute(sql, "Journal.events"),
      latest: execute(sql, "Journal.latest"),
      runs: execute(sql, "Journal.runs")
    }

    const begin: Shape["begin"] = Effect.fnUntraced(function* (events) {
      const [started] = events
      const objection = unfit(started.run, 0, events)
      if (objection !== undefined) return yield* unreadable("Journal.begin", objection)
      const rows = yield* EventRows.toRows("Journal.begin", events)
      const { cycles, outcome } = progress(events)
      const values = [
        started.run,
        started.scope,
        shownQuestion(started.question),
        started.at,
        outcome ?? null,
        cycles,
        firstToken,
        own
      ]
      yield* atomically(
        Effect.gen(function* () {
          const { corpusRevision: revision, scope } = started
          if ((yield* run.begin(selectFence, [scope, scope, revision])).length > 0)
            return yield* new StaleWriter({ run: started.run, token: 0 })
          const [added] = yield* run.begin(insertRun, [...values, events.length])
          if (added === undefined)
            return yield* unreadable("Journal.begin", `run ${started.run} is in the journal already`)
          yield* EventRows.put(run.begin, scope, rows)
        })
      )
      return firstToken
    })

    /** Why a run did not move on: it is gone, somebody else writes it, or the events do not follow. */
    const refused = Effect.fnUntraced(function* (id: RunId, token: FencingToken, events: ReadonlyArray<Event>) {
      const [held] = yield* standings("Journal.commit", yield* run.commit(selectStanding, [id]))
      if (held?.token !== token) return yield* new StaleWriter({ run: id, token })
      return yield* unreadable(
        "Journal.commit",
        unfit(id, held.events, events) ?? `run ${id} holds ${held.events} events`
      )
    })

    const commit: Shape["commit"] = Effect.fnUntraced(function* (id, token, events, artifacts, atMost) {
      const from = events[0]?.sequence
      const objection = unfit(id, from ?? 0, events)
      if (objection !== undefined) return yield* unreadable("Journal.commit", objection)
      const rows = yield* EventRows.toRows("Journal.commit", events)
      const { cycles, outcome } = progress(events)
      yield* atomically(
        Effect.gen(function* () {
          const ends = outcome === undefined ? [0, null] : [1, outcome]
          const moved = yield* run.commit(moveOn, [events.length, cycles, ...ends, id, token, from ?? null])
          const [standing] = yield* scopes("Journal.commit", moved)
          if (standing === undefined) return yield* refused(id, token, events)
          yield* EventRows.put(run.commit, standing.scope, rows)
          if (artifacts.length === 0) return
          yield* Either.mapLeft(permitPersist(standing.scope, id, artifacts), (denied) =>
            unreadable("Journal.commit", denied.message, denied)
          )
          yield* persist(run.commit, "Journal.commit", standing.scope, artifacts, atMost)
        })
      )
    })

    const keepCall: Shape["keepCall"] = Effect.fnUntraced(function* (id, token, kept) {
      const values = yield* ModelCallRows.ofRun("Journal.keepCall", id, token, kept)
      const written = yield* atomically(run.keepCall(ModelCallRows.insertOfRun, values))
      if (written.length > 0) return
      const [held] = yield* standings("Journal.keepCall", yield* run.keepCall(selectStanding, [id]))
      if (held?.token !== token) return yield* new StaleWriter({ run: id, token })
      return yield* unreadable("Journal.keepCall", taken(id, kept))
    })

    const keepOther: Shape["keepOther"] = Effect.fnUntraced(function* (scope, work, kept) {
      const values = yield* ModelCallRows.ofOther("Journal.keepOther", scope, work, kept)
      const written = yield* atomically(run.keepOther(ModelCallRows.insertOther, values))
      if (written.length === 0) return yield* unreadable("Journal.keepOther", taken(work, kept))
    })

    const billed: Shape["billed"] = Effect.fnUntraced(function* (scope, since) {
      const kept = yield* run.billed(ModelCallRows.selectBilled, [scope, since])
      const unkept = yield* run.billed(ModelCallRows.selectUnkept, [scope, since])
      const all = [
        ...(yield* Either.all(kept.map((row) => ModelCallRows.billedOfRow("Journal.billed", row)))),
        ...(yield* Either.all(unkept.map(({ payload }) => ModelCallRows.billedOfEvent("Journal.billed", payload))))
      ]
      return all.sort((a, b) => a.at - b.at)
    })

    const takeOver: Shape["takeOver"] = Effect.fnUntraced(function* (id) {
      const method = "Journal.takeOver"
      const [taken] = yield* atomically(
        Effect.gen(function* () {
          const [held] = yield* writers(method, yield* run.takeOver(selectWriter, [id]))
          if (held !== undefined && (yield* isThere(held.writer)))
            return yield* new StaleWriter({ run: id, token: held.token, writer: held.writer })
          return yield* tokens(method, yield* run.takeOver(nextToken, [own, id]))
        })
      )
      // the scope is not known here, so no ids can be offered that it may not see
      return taken === undefined ? yield* new UnknownRun({ run: id, known: [] }) : taken.token
    })

    const events: Shape["events"] = Effect.fnUntraced(function* (scope, id) {
      const rows = yield* storedEvents("Journal.events", yield* run.events(EventRows.selectEvents, [id, scope]))
      if (rows.length === 0) {
        const known = yield* runIds("Journal.events", yield* run.events(selectNewest, [scope, named]))
        return yield* new UnknownRun({ run: id, known: known.map((row) => row.run) })
      }
      const found: Array<Event> = []
      for (const row of rows) {
        const event = EventRows.fromRow(row)
        if (Either.isLeft(event))
          return yield* unreadable("Journal.events", `run ${id}, event ${row.sequence} does not decode: ${event.left}`)
        found.push(event.right)
      }
      const objection =
        unfit(id, 0, found) ??
        (found.length === rows[0]?.events
          ? undefined
          : `${rows[0]?.events} events were written, ${found.length} are left`)
      return objection === undefined ? found : yield* unreadable("Journal.events", `run ${id}: ${objection}`)
    })

    return {
      begin,
      commit,
      keepCall,
      keepOther,
      calls: Effect.fnUntraced(function* (scope, id) {
        const rows = yield* run.calls(ModelCallRows.selectOfRun, [id, scope])
        return yield* Either.all(rows.map((row) => ModelCallRows.fromRow("Journal.calls", row)))
      }),
      billed,
      takeOver,
      leave: (id, token) => Effect.asVoid(atomically(run.leave(noWriter, [id, token]))),
      events,
      latest: Effect.fnUntraced(function* (scope) {
        const rows = yield* runIds("Journal.latest", yield* run.latest(selectNewest, [scope, 1]))
        return Option.map(Option.fromNullable(rows[0]), (row) => row.run)
      }),
      runs: Effect.fnUntraced(function* (scope, { limit, outcome }) {
        const rows = yield* run.runs(selectRuns, [scope, outcome ?? null, limit])
        return (yield* summaries("Journal.runs", rows)).map(({ started_at, ...rest }) => ({
          ...rest,
          startedAt: started_at
        }))
      })
    }
  })
)
