/** Tables of the run side: journal and shared memory pool. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // `events` is how many events are kept, so that one UPDATE can check token and sequence together
  `CREATE TABLE staterag_run (
    run TEXT PRIMARY KEY NOT NULL,
    scope TEXT NOT NULL,
    question TEXT NOT NULL,
    started_at REAL NOT NULL,
    outcome TEXT,
    cycles INTEGER NOT NULL DEFAULT 0,
    token INTEGER NOT NULL,
    events INTEGER NOT NULL
  )`,
  "CREATE INDEX staterag_run_newest ON staterag_run (scope, started_at, run)",
  `CREATE TABLE staterag_event (
    run TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    tag TEXT NOT NULL,
    at REAL NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  )`,
  `CREATE TABLE staterag_artifact (
    id TEXT NOT NULL,
    scope_key TEXT NOT NULL,
    scope TEXT NOT NULL,
    run TEXT NOT NULL,
    producer TEXT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at REAL NOT NULL,
    expires_at REAL,
    label TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (scope_key, id)
  )`,
  "CREATE INDEX staterag_artifact_age ON staterag_artifact (scope_key, kind, created_at, id)",
  "CREATE INDEX staterag_artifact_expiry ON staterag_artifact (scope_key, expires_at) WHERE expires_at IS NOT NULL",
  "CREATE INDEX staterag_artifact_run ON staterag_artifact (run, scope)",
  `CREATE TABLE staterag_artifact_key (
    scope_key TEXT NOT NULL,
    key TEXT NOT NULL,
    artifact TEXT NOT NULL,
    PRIMARY KEY (scope_key, key, artifact)
  ) WITHOUT ROWID`,
  "CREATE INDEX staterag_artifact_key_artifact ON staterag_artifact_key (scope_key, artifact)",
  `CREATE TABLE staterag_artifact_rest (
    scope_key TEXT NOT NULL,
    artifact TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (scope_key, artifact, hash)
  ) WITHOUT ROWID`,
  // a trigger, not a foreign key: an application's own connection may have foreign keys off
  `CREATE TRIGGER staterag_artifact_gone AFTER DELETE ON staterag_artifact BEGIN
    DELETE FROM staterag_artifact_key WHERE scope_key = OLD.scope_key AND artifact = OLD.id;
    DELETE FROM staterag_artifact_rest WHERE scope_key = OLD.scope_key AND artifact = OLD.id;
  END`
]

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
