/**
 * {@link SideJournal} in SQLite: a connection that only reads the file, with tables of its own in memory (`TEMP`) under the names of the run
 * side's. So the stores' statements find those, and everything else in the file as it was last committed.
 */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schedule, type Scope } from "effect"
import type { ScopeKey } from "../../domain/Ids.ts"
import { type FencingToken, Journal } from "../../services/Journal.ts"
import { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import { SideJournal } from "../../services/SideJournal.ts"
import { type StaleWriter, StoreError } from "../../services/StoreError.ts"
import { Transaction } from "../../services/Transaction.ts"
import { reader } from "./Client.ts"
import { translate } from "./Errors.ts"
import { execute } from "./Execute.ts"
import * as JournalSql from "./JournalSql.ts"
import { texts } from "./Rows.ts"
import * as SharedMemoryPoolSql from "./SharedMemoryPoolSql.ts"
import * as TransactionSql from "./TransactionSql.ts"

const method = "SideJournal.beside"
const artifacts = ["staterag_artifact", "staterag_artifact_key", "staterag_artifact_rest"]
const own = ["staterag_run", "staterag_event", "staterag_evidence", "staterag_model_call", ...artifacts]

const selectStatements = `SELECT sql FROM main.sqlite_master WHERE sql IS NOT NULL AND tbl_name IN (SELECT value FROM json_each(?))
  ORDER BY type = 'table' DESC, type = 'trigger'`

/** Others commit within a fraction of this. */
const soon = Schedule.spaced("20 millis").pipe(Schedule.upTo("300 millis"))
const isBusy = ({ reason }: StoreError): boolean => reason === "Busy"

type Write = (token: FencingToken | undefined) => Effect.Effect<FencingToken, StoreError | StaleWriter>

const unbegun = new StoreError({ reason: "Unreadable", method, detail: "the run was never begun", cause: undefined })

/** `journal`, which notes what would write the same to `kept`. */
const noting = (
  journal: typeof Journal.Service,
  kept: typeof Journal.Service,
  writes: Array<Write>
): typeof Journal.Service => {
  const noted = <A, E>(effect: Effect.Effect<A, E>, write: Write) =>
    Effect.tap(effect, () => Effect.sync(() => void writes.push(write)))
  const held = (token: FencingToken | undefined, write: (token: FencingToken) => ReturnType<typeof kept.commit>) =>
    token === undefined ? unbegun : Effect.as(write(token), token)
  return {
    ...journal,
    begin: (events) => noted(journal.begin(events), () => kept.begin(events)),
    commit: (run, token, ...rest) =>
      noted(journal.commit(run, token, ...rest), (now) => held(now, (token) => kept.commit(run, token, ...rest))),
    keepCall: (run, token, call) =>
      noted(journal.keepCall(run, token, call), (now) => held(now, (token) => kept.keepCall(run, token, call)))
  }
}

const open = (
  filename: string,
  scope: ScopeKey
): Effect.Effect<Context.Context<Journal | SharedMemoryPool>, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* reader(filename)
    const run = execute(sql, method)
    yield* run("PRAGMA temp_store = MEMORY", [])
    const statements = yield* texts(method, "sqlite_master", yield* run(selectStatements, [JSON.stringify(own)]))
    for (const statement of statements) yield* run(statement.replace(/^CREATE (TABLE|TRIGGER)/i, "CREATE TEMP $1"), [])
    for (const table of artifacts)
      yield* run(`INSERT INTO temp.${table} SELECT * FROM main.${table} WHERE scope_key = ?`, [scope])
    return yield* Layer.build(
      Layer.mergeAll(JournalSql.layer, SharedMemoryPoolSql.layer).pipe(
        Layer.provide(TransactionSql.layer),
        Layer.provide(Layer.succeed(SqlClient.SqlClient, sql))
      )
    )
  })

/** Beside the journal of the database at `filename`, which the context holds. */
export const layer = (filename: string): Layer.Layer<SideJournal, never, SqlClient.SqlClient | Journal | Transaction> =>
  Layer.effect(
    SideJournal,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const kept = yield* Journal
      const { atomically } = yield* Transaction
      const probe = Effect.scoped(
        Effect.flatMap(sql.reserve, (connection) =>
          Effect.uninterruptible(
            Effect.zipRight(
              connection.executeUnprepared("BEGIN IMMEDIATE", [], undefined),
              connection.executeUnprepared("ROLLBACK", [], undefined)
            )
          )
        )
      ).pipe(Effect.mapError(translate("SideJournal.isHeld")))
      return SideJournal.of({
        isHeld: Effect.retry(probe, { schedule: soon, while: isBusy }).pipe(
          Effect.as(false),
          Effect.catchIf(isBusy, () => Effect.succeed(true))
        ),
        beside: (scope, effect) =>
          Effect.gen(function* () {
            const writes: Array<Write> = []
            const side = yield* open(filename, scope)
            const exit = yield* Effect.exit(
              Effect.provide(
                effect,
                Context.make(Journal, noting(Context.get(side, Journal), kept, writes)).pipe(
                  Context.add(SharedMemoryPool, Context.get(side, SharedMemoryPool))
                )
              )
            )
            const keep = Effect.suspend(() => {
              let token: FencingToken | undefined
              return atomically(
                Effect.forEach(
                  writes,
                  (write) =>
                    Effect.map(write(token), (next) => {
                      token = next
                    }),
                  { discard: true }
                )
              )
            })
            return { exit, keep }
          }).pipe(Effect.scoped)
      })
    })
  )
