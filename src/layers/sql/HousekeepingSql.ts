/**
 * Housekeeping in SQLite.
 *
 * `secure_delete` overwrites the cells of deleted rows, but not what rebalancing pages leaves between cells, and neither the older segments
 * of a word index nor the write-ahead log. So {@link scrub} merges the segments, rewrites the file (`VACUUM`) and empties the log.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, Option, Schedule, Schema } from "effect"
import type { RunId, ScopeKey } from "../../domain/Ids.ts"
import { type Fault, Housekeeping } from "../../services/Housekeeping.ts"
import { StoreError, UnknownRun } from "../../services/StoreError.ts"
import { Transaction } from "../../services/Transaction.ts"
import { columns, fromRow } from "./ArtifactRows.ts"
import * as EventRows from "./EventRows.ts"
import type { Row } from "./Execute.ts"
import { type Method, methods } from "./Methods.ts"
import { all } from "./Migrations.ts"
import * as ModelRemovals from "./ModelRemovals.ts"
import { compile, decodeRows, integer } from "./Rows.ts"
import { findScope, wordTable } from "./Scopes.ts"
import { missing } from "./Tables.ts"

type Shape = typeof Housekeeping.Service

const selectArtifacts = `SELECT ${columns} FROM staterag_artifact a WHERE a.scope_key = ?1 ORDER BY a.id`
const deleteArtifacts = "DELETE FROM staterag_artifact WHERE scope_key = ?1 AND id IN (SELECT value FROM json_each(?2))"
const selectRun = "SELECT count(*) FROM staterag_run WHERE scope = ?1 AND run = ?2"
const updateEvents = `UPDATE staterag_event AS e SET payload = j.value ->> 2 FROM json_each(?2) j
  WHERE e.run = ?1 AND e.sequence = j.value ->> 0 AND e.tag = j.value ->> 1 RETURNING sequence`
const runsOfScope = "SELECT run FROM staterag_run WHERE scope = ?1 AND run IN (SELECT value FROM json_each(?2))"
const removals: ReadonlyArray<string> = [
  `DELETE FROM staterag_artifact WHERE scope_key = ?1 AND scope <> 'Global' AND run IN (${runsOfScope})`,
  `DELETE FROM staterag_event WHERE run IN (${runsOfScope})`,
  `DELETE FROM staterag_model_call WHERE run IN (${runsOfScope})`,
  "DELETE FROM staterag_run WHERE scope = ?1 AND run IN (SELECT value FROM json_each(?2))"
]
const makeStale = "UPDATE staterag_run SET token = token + 1 WHERE scope = ?1 AND outcome IS NULL"
const insertFence = "INSERT INTO staterag_fence (scope) VALUES (?1) ON CONFLICT DO NOTHING"
// counted, so that whoever has scrubbed takes back no more than was owed when it began
const insertOwed = `INSERT INTO staterag_owed (work, times) VALUES ('scrub', 1)
  ON CONFLICT (work) DO UPDATE SET times = times + 1`
const selectOwed = "SELECT times FROM staterag_owed WHERE work = 'scrub'"
const deleteOwed = "DELETE FROM staterag_owed WHERE work = 'scrub' AND times = ?"
const selectBytes = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size"
const selectTables = `SELECT m.tbl_name AS name, sum(s.pgsize) AS bytes
  FROM dbstat s JOIN sqlite_master m ON m.name = s.name WHERE m.tbl_name LIKE 'staterag%' GROUP BY m.tbl_name`
const fitTable = compile(Schema.Struct({ name: Schema.String, bytes: Schema.NonNegativeInt }))

/** What holds these ids no other table does: empty ones would give an old scope's rows to a new scope. */
const irreplaceable = ["staterag_scope", "staterag_document"]

const unreadable = (method: string, detail: string): StoreError =>
  new StoreError({ reason: "Unreadable", method, detail, cause: detail })

/** How long others are waited for that read what has gone. */
const untilFree = Schedule.spaced("50 millis").pipe(Schedule.upTo("5 seconds"))
const isBusy = (error: StoreError): boolean => error.reason === "Busy"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { atomically } = yield* Transaction
  const at = methods(sql, "Housekeeping", [
    "artifacts",
    "removeArtifacts",
    "rewrite",
    "removeRuns",
    "removeAnswers",
    "removeCached",
    "fence",
    "bytes",
    "tables",
    "scrub",
    "settle",
    "restore",
    "faults"
  ])

  const rewrite: Shape["rewrite"] = Effect.fnUntraced(function* (scope, id: RunId, events) {
    const { method, run } = at.rewrite
    const rows = yield* EventRows.toRows(method, events)
    const values = rows.events.map(([, sequence, tag, , payload]) => [sequence, tag, payload])
    yield* atomically(
      Effect.gen(function* () {
        const held = yield* integer(method, "staterag_run", yield* run(selectRun, [scope, id]))
        if (held === 0) return yield* new UnknownRun({ run: id, known: [] })
        if (events.some((event) => event.run !== id)) return yield* unreadable(method, "an event of another run")
        yield* EventRows.putItems(run, scope, rows)
        const written = yield* run(updateEvents, [id, JSON.stringify(values)])
        if (written.length !== events.length)
          return yield* unreadable(method, `run ${id} has other events than those that were to be rewritten`)
      })
    )
  })

  /** Takes out what no event quotes any more. */
  const sweep = ({ run }: Method, scope: ScopeKey) => run(EventRows.deleteUnquoted, [scope, scope])

  /** The word tables of every scope. */
  const wordTables = Effect.fnUntraced(function* () {
    const rows = yield* at.scrub.run("SELECT id FROM staterag_scope ORDER BY id", [])
    const numbers = yield* Effect.forEach(rows, (row: Row) => integer(at.scrub.method, "staterag_scope", [row]))
    return numbers.flatMap((number) => [wordTable("Passage", number), wordTable("Relation", number)])
  })

  const truncateLog = Effect.gen(function* () {
    const { method, run } = at.scrub
    const [row] = yield* run("PRAGMA wal_checkpoint(TRUNCATE)", [])
    if (row?.busy === 1)
      return yield* new StoreError({
        reason: "Busy",
        method,
        detail:
          "another process still reads what was removed, so the log keeps it: run `staterag prune` when it is done",
        cause: row
      })
  })

  /** How often a scrub has been owed since the last one. */
  const owed = Effect.fnUntraced(function* ({ method, run }: Method) {
    const rows = yield* run(selectOwed, [])
    return rows.length === 0 ? Option.none() : Option.some(yield* integer(method, "staterag_owed", rows))
  })

  const scrub: Shape["scrub"] = Effect.gen(function* () {
    const { run } = at.scrub
    const before = yield* owed(at.scrub)
    yield* atomically(
      Effect.flatMap(wordTables(), (tables) =>
        Effect.forEach(tables, (table) => run(`INSERT INTO ${table} (${table}) VALUES ('optimize')`, []), {
          discard: true
        })
      )
    )
    yield* run("PRAGMA secure_delete = ON", [])
    yield* run("VACUUM", [])
    yield* Effect.retry(truncateLog, { schedule: untilFree, while: isBusy })
    if (Option.isSome(before)) yield* atomically(run(deleteOwed, [before.value]))
  })

  return Housekeeping.of({
    artifacts: Effect.fnUntraced(function* (scope) {
      const { method, run } = at.artifacts
      return yield* Either.all((yield* run(selectArtifacts, [scope])).map(fromRow(method)))
    }),
    removeArtifacts: (scope, ids) =>
      ids.length === 0
        ? Effect.void
        : Effect.asVoid(atomically(at.removeArtifacts.run(deleteArtifacts, [scope, JSON.stringify(ids)]))),
    rewrite,
    removeRuns: (scope, runs) =>
      runs.length === 0
        ? Effect.void
        : atomically(
            Effect.zipRight(
              Effect.forEach(removals, (statement) => at.removeRuns.run(statement, [scope, JSON.stringify(runs)]), {
                discard: true
              }),
              sweep(at.removeRuns, scope)
            )
          ),
    fence: (scope) =>
      atomically(
        Effect.gen(function* () {
          const { run } = at.fence
          yield* run(makeStale, [scope])
          yield* run(insertFence, [scope])
          yield* run(insertOwed, [])
          yield* sweep(at.fence, scope)
        })
      ),
    removeAnswers: (scope) => atomically(ModelRemovals.removeAnswers(at.removeAnswers, scope)),
    removeCached: (scope, which) => atomically(ModelRemovals.removeCached(at.removeCached, scope, which)),
    bytes: Effect.suspend(() =>
      Effect.flatMap(at.bytes.run(selectBytes, []), (rows) => integer(at.bytes.method, "database", rows))
    ),
    tables: Effect.gen(function* () {
      const { method, run } = at.tables
      const sizes = new Map<string, number>()
      for (const { bytes, name } of yield* decodeRows(method, "dbstat", fitTable, yield* run(selectTables, []))) {
        const table = name.replace(/_\d+(?:_(\w+))?$/, (_, part?: string) => (part === undefined ? "" : ` (${part})`))
        sizes.set(table, (sizes.get(table) ?? 0) + bytes)
      }
      return [...sizes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    }),
    scrub,
    settle: Effect.gen(function* () {
      const debt = yield* owed(at.settle).pipe(
        // a table that is gone is no reason not to open: `faults` tells of it
        Effect.catchIf(
          (error) => error.reason === "Unreadable",
          () => Effect.succeedNone
        )
      )
      if (Option.isNone(debt)) return
      yield* scrub.pipe(
        Effect.catchAll((error) =>
          Effect.logWarning(
            `what was forgotten may still stand in free space: clearing it failed (${error.message}); run \`staterag prune\``
          )
        )
      )
    }),
    restore: Effect.flatMap(missing(sql, all, at.restore.method), (lost) =>
      Effect.forEach(
        lost.filter(({ name }) => !irreplaceable.includes(name)),
        (one) => at.restore.run(one.sql, []),
        { discard: true }
      )
    ),
    faults: Effect.fnUntraced(function* (scope) {
      const { method, run } = at.faults
      const found = (yield* run("PRAGMA quick_check(20)", []))
        .map((row): Fault => ({ part: "Database", detail: String(Object.values(row)[0]) }))
        .filter(({ detail }) => detail !== "ok")
      const lost = (yield* missing(sql, all, method)).map(({ name }) => name)
      for (const name of lost)
        found.push(
          irreplaceable.includes(name)
            ? { part: "Database", detail: `the table ${name} is gone, and nothing else says what it held` }
            : { part: "Tables", detail: name }
        )
      if (lost.includes("staterag_scope") || lost.includes("staterag_owed")) return found
      const number = yield* findScope(run, method, scope)
      if (Option.isSome(yield* owed(at.faults)))
        found.push({ part: "FreeSpace", detail: "a scrub is owed since something was forgotten" })
      if (number === undefined) return found
      for (const kind of ["Passage", "Relation"] as const) {
        const table = wordTable(kind, number)
        const sound = run(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`, [])
        const wrong = yield* sound.pipe(
          Effect.as(undefined),
          Effect.catchIf(
            (error) => error.reason === "Unreadable",
            (error) => Effect.succeed(error.detail)
          )
        )
        if (wrong !== undefined) found.push({ part: "Words", detail: `${table}: ${wrong}` })
      }
      return found
    })
  })
})

export const layer: Layer.Layer<Housekeeping, never, SqlClient.SqlClient | Transaction> = Layer.effect(
  Housekeeping,
  make
)
