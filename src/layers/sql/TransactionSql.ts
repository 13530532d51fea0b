/**
 * {@link Transaction} over any SQLite `SqlClient`.
 *
 * A transaction takes the write lock at once (`BEGIN IMMEDIATE`): one that reads first and writes later would fail half-way when another
 * process has written in between. Statements of the client run inside it through `@effect/sql`'s own tag for the open connection, and a
 * transaction inside a transaction is a savepoint.
 */
import { SqlClient } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import { Effect, ExecutionStrategy, Exit, Layer, Option, Scope } from "effect"
import type { StoreError } from "../../services/StoreError.ts"
import { Transaction } from "../../services/Transaction.ts"
import { whenFree } from "./Busy.ts"
import { translate } from "./Errors.ts"

const failed = translate("Transaction.atomically")

const execute = (connection: Connection, statement: string): Effect.Effect<void, StoreError> =>
  Effect.asVoid(connection.executeUnprepared(statement, [], undefined)).pipe(Effect.mapError(failed))

/** SQLite ends a transaction by itself on some failures (a full disk); then there is nothing left to undo. Anything else is a defect. */
const undo = (connection: Connection, statement: string): Effect.Effect<void> =>
  execute(connection, statement).pipe(
    Effect.catchAll((error) =>
      /no transaction is active|no such savepoint/.test(error.detail) ? Effect.void : Effect.die(error)
    )
  )

/** Runs `effect` on a connection where a transaction is open, then `commit` or `rollback`; only `effect` can be interrupted. */
const settle = <A, E, R>(
  connection: Connection,
  depth: number,
  effect: Effect.Effect<A, E, R>,
  commit: Effect.Effect<void, StoreError>,
  rollback: Effect.Effect<void>
): Effect.Effect<A, E | StoreError, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.exit(
      restore(Effect.provideService(effect, SqlClient.TransactionConnection, [connection, depth] as const))
    ).pipe(
      Effect.flatMap(
        (exit): Effect.Effect<A, E | StoreError> =>
          Exit.isSuccess(exit)
            ? Effect.as(
                Effect.tapError(commit, () => rollback),
                exit.value
              )
            : Effect.zipRight(rollback, exit)
      )
    )
  )

const nested = <A, E, R>(
  connection: Connection,
  depth: number,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreError, R> => {
  const name = `staterag_${depth}`
  return Effect.uninterruptibleMask((restore) =>
    Effect.zipRight(
      execute(connection, `SAVEPOINT ${name}`),
      settle(
        connection,
        depth,
        restore(effect),
        execute(connection, `RELEASE ${name}`),
        Effect.zipRight(undo(connection, `ROLLBACK TO ${name}`), undo(connection, `RELEASE ${name}`))
      )
    )
  )
}

/** A connection with an open transaction. */
interface Open {
  readonly connection: Connection
  /** False once COMMIT or ROLLBACK has been reached. */
  active: boolean
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** One try to get the connection and the write lock. Closing `scope` rolls back what is still open, then gives the connection back. */
  const begin = (scope: Scope.Scope): Effect.Effect<Open, StoreError> =>
    Effect.uninterruptibleMask((restore) =>
      restore(Scope.extend(sql.reserve, scope)).pipe(
        Effect.mapError(failed),
        Effect.tap((connection) => execute(connection, "BEGIN IMMEDIATE")),
        Effect.map((connection): Open => ({ connection, active: true })),
        Effect.tap((open) =>
          Scope.addFinalizer(
            scope,
            Effect.suspend(() => (open.active ? undo(open.connection, "ROLLBACK") : Effect.void))
          )
        )
      )
    )

  /** As {@link begin}, again and again while another process holds the lock; the connection is free between two tries. */
  const beginWhenFree = (scope: Scope.Scope): Effect.Effect<Open, StoreError> =>
    whenFree(
      Effect.acquireUseRelease(Scope.fork(scope, ExecutionStrategy.sequential), begin, (own, exit) =>
        Exit.isSuccess(exit) ? Effect.void : Scope.close(own, exit)
      )
    )

  const outermost = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreError, R> =>
    Effect.acquireUseRelease(
      Scope.make(),
      (scope) =>
        Effect.flatMap(beginWhenFree(scope), (open) => {
          const ended = Effect.sync(() => {
            open.active = false
          })
          return settle(
            open.connection,
            0,
            effect,
            Effect.zipLeft(execute(open.connection, "COMMIT"), ended),
            Effect.zipLeft(undo(open.connection, "ROLLBACK"), ended)
          )
        }),
      Scope.close
    )

  return Transaction.of({
    atomically: (effect) =>
      Effect.flatMap(
        Effect.serviceOption(SqlClient.TransactionConnection),
        Option.match({
          onNone: () => outermost(effect),
          onSome: ([connection, depth]) => nested(connection, depth + 1, effect)
        })
      )
  })
})

export const layer: Layer.Layer<Transaction, never, SqlClient.SqlClient> = Layer.effect(Transaction, make)
