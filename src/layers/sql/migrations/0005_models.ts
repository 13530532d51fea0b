/** Model calls of runs with their answers (C30), and what is cached of answers and vectors (C28). */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

const statements = [
  // what belongs to no run (indexing, a search) has an id of its own in the place of one
  `CREATE TABLE staterag_model_call (
    run TEXT NOT NULL,
    cycle INTEGER NOT NULL,
    stage TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    scope TEXT NOT NULL,
    at REAL NOT NULL,
    request TEXT NOT NULL,
    role TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    size_ratio REAL NOT NULL,
    money REAL,
    cached INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    prompt_version TEXT,
    fault TEXT,
    reply TEXT,
    PRIMARY KEY (run, cycle, stage, attempt)
  ) WITHOUT ROWID`,
  "CREATE INDEX staterag_model_call_bill ON staterag_model_call (scope, at)",
  `CREATE TABLE staterag_model_reply (
    scope TEXT NOT NULL,
    request TEXT NOT NULL,
    reply TEXT NOT NULL,
    created_at REAL NOT NULL,
    used_at REAL NOT NULL,
    PRIMARY KEY (scope, request)
  ) WITHOUT ROWID`,
  "CREATE INDEX staterag_model_reply_age ON staterag_model_reply (scope, used_at)",
  `CREATE TABLE staterag_vector_cache (
    scope TEXT NOT NULL,
    model TEXT NOT NULL,
    text TEXT NOT NULL,
    vector BLOB NOT NULL,
    used_at REAL NOT NULL,
    PRIMARY KEY (scope, model, text)
  ) WITHOUT ROWID`,
  "CREATE INDEX staterag_vector_cache_age ON staterag_vector_cache (scope, used_at)"
]

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
)
