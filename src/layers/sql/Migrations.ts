/**
 * The tables, as numbered steps with a ledger of their own (`staterag_migrations`), so that they can live in an application's database.
 *
 * A step that has been released is never changed; a change is a new step.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer } from "effect"
import { StoreError } from "../../services/StoreError.ts"
import { Transaction } from "../../services/Transaction.ts"
import { translate } from "./Errors.ts"
import { execute } from "./Execute.ts"
import corpus from "./migrations/0001_corpus.ts"
import runs from "./migrations/0002_runs.ts"
import fences from "./migrations/0003_fences.ts"
import blocks from "./migrations/0004_blocks.ts"
import models from "./migrations/0005_models.ts"
import owed from "./migrations/0007_owed.ts"
import frequencies from "./migrations/0008_frequencies.ts"
import notes from "./migrations/0009_notes.ts"
import evidence from "./migrations/0010_evidence.ts"
import writers from "./migrations/0011_writers.ts"
import { integer } from "./Rows.ts"
import { missing } from "./Tables.ts"

/** In order; the number of a step is its place, from 1. */
const steps: ReadonlyArray<{
  readonly name: string
  readonly run: Effect.Effect<void, SqlError, SqlClient.SqlClient>
}> = [
  { name: "corpus", run: corpus },
  { name: "runs", run: runs },
  { name: "fences", run: fences },
  { name: "blocks", run: blocks },
  { name: "models", run: models },
  { name: "owed", run: owed },
  { name: "frequencies", run: frequencies },
  { name: "notes", run: notes },
  { name: "evidence", run: evidence },
  { name: "writers", run: writers }
]

const method = "Database.migrate"

/** All steps, on a database that has taken none, without the ledger. */
export const all: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.forEach(steps, ({ run }) => run, {
  discard: true
})

/** The number of the last step that the database has taken; 0 before the first. */
const latest = Effect.gen(function* () {
  const run = execute(yield* SqlClient.SqlClient, method)
  const found = yield* run("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'staterag_migrations'", [])
  if (found.length === 0) return 0
  const rows = yield* run("SELECT coalesce(max(id), 0) AS id FROM staterag_migrations", [])
  return yield* integer(method, "staterag_migrations", rows)
})

const ledger = "CREATE TABLE IF NOT EXISTS staterag_migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"

const advance = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const taken = yield* latest
  if (taken === 0) yield* sql.unsafe(ledger)
  for (const [at, { name, run }] of steps.entries()) {
    if (at < taken) continue
    yield* run
    yield* sql`INSERT INTO staterag_migrations (id, name) VALUES (${at + 1}, ${name})`
  }
}).pipe(Effect.catchTag("SqlError", (error) => Effect.fail(translate(method)(error))))

/** Writes a lost ledger again where all tables are there; without it nobody could say how far an incomplete database had come. */
const recover = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lost = yield* missing(sql, all, method)
  if (lost.length > 0) {
    return yield* new StoreError({
      reason: "Lost",
      method,
      detail: `the ledger of migrations (staterag_migrations) is gone, and so are ${lost.map(({ name }) => name).join(", ")}`,
      cause: undefined
    })
  }
  yield* sql.unsafe(ledger)
  for (const [at, { name }] of steps.entries())
    yield* sql`INSERT INTO staterag_migrations (id, name) VALUES (${at + 1}, ${name})`
  yield* Effect.logWarning("the ledger of migrations was gone; every table is there, so it was written again")
}).pipe(Effect.catchTag("SqlError", (error) => Effect.fail(translate(method)(error))))

/** Whether tables are there of which no ledger tells. */
const isLost = Effect.gen(function* () {
  const run = execute(yield* SqlClient.SqlClient, method)
  return (yield* run("SELECT 1 FROM sqlite_master WHERE name = 'staterag_scope'", [])).length > 0
})

/** Brings the database up to date; all of it or nothing. Two statements where there is nothing to do. */
export const run: Effect.Effect<void, StoreError, SqlClient.SqlClient | Transaction> = Effect.gen(function* () {
  const taken = yield* latest
  if (taken > steps.length) {
    return yield* new StoreError({
      reason: "Newer",
      method,
      detail: `the database has taken step ${taken}, this version knows ${steps.length}`,
      cause: undefined
    })
  }
  if (taken === steps.length) return
  const { atomically } = yield* Transaction
  yield* atomically(
    Effect.flatMap(latest, (now) =>
      Effect.if(now === 0 ? isLost : Effect.succeed(false), { onTrue: () => recover, onFalse: () => advance })
    )
  )
})

/** Whatever this is provided to finds its tables. */
export const layer: Layer.Layer<never, StoreError, SqlClient.SqlClient | Transaction> = Layer.effectDiscard(run)
