/** Events as rows: their JSON, and apart from it what their evidence says, each text once a scope (see `EventJson`). */
import { createHash } from "node:crypto"
import { Effect, Either, Schema } from "effect"
import type { Event } from "../../domain/Event.ts"
import { attachEvent, detachEvent } from "../../domain/EventJson.ts"
import type { RunId, ScopeKey } from "../../domain/Ids.ts"
import { StoreError } from "../../services/StoreError.ts"
import { type Execute, insertRows, type Row, type Value } from "./Execute.ts"

const insertEvents = "staterag_event (run, sequence, tag, at, payload)"
const insertItems = "staterag_evidence (scope, digest, item)"

/** What the evidence of event `e` refers to; nothing where its JSON is damaged or holds its items itself. */
const quoted = `json_each(iif(json_valid(e.payload), e.payload, '{}'), '$.evidence') i
  CROSS JOIN staterag_evidence q ON q.scope = r.scope AND q.digest = iif(i.type = 'array', i.value, '[]') ->> 0`

/** One statement, so that it is of one moment. */
export const selectEvents = `SELECT e.sequence, e.payload, r.events,
    (SELECT json_group_object(q.digest, q.item) FROM ${quoted}) AS items
  FROM staterag_run r JOIN staterag_event e ON e.run = r.run WHERE r.run = ? AND r.scope = ? ORDER BY e.sequence`

/** Takes the scope twice. */
export const deleteUnquoted = `DELETE FROM staterag_evidence WHERE scope = ? AND digest NOT IN (
  SELECT q.digest FROM staterag_run r JOIN staterag_event e ON e.run = r.run CROSS JOIN ${quoted} WHERE r.scope = ?)`

export interface EventRows {
  /** Run, sequence, tag, time, JSON. */
  readonly events: ReadonlyArray<readonly [RunId, number, string, number, string]>
  readonly items: ReadonlyMap<string, string>
}

const digestLength = 32
const digest = (item: string): string => createHash("sha256").update(item).digest("hex").slice(0, digestLength)

const unreadable = (method: string, detail: string): StoreError =>
  new StoreError({ reason: "Unreadable", method, detail, cause: detail })

/** The rows of events, which are `Unreadable` where one does not encode. */
export const toRows = (method: string, events: ReadonlyArray<Event>): Either.Either<EventRows, StoreError> => {
  const rows: Array<EventRows["events"][number]> = []
  const items = new Map<string, string>()
  for (const event of events) {
    const detached = detachEvent(event, digest)
    if (Either.isLeft(detached))
      return Either.left(
        unreadable(method, `run ${event.run}, event ${event.sequence} does not encode: ${detached.left}`)
      )
    for (const [key, item] of detached.right.items) items.set(key, item)
    rows.push([event.run, event.sequence, event.tag, event.at, detached.right.payload])
  }
  return Either.right({ events: rows, items })
}

/** Writes what evidence says and is not there yet, inside the caller's transaction. */
export const putItems = (run: Execute, scope: ScopeKey, { items }: EventRows) =>
  insertRows(
    run,
    insertItems,
    Array.from(items, ([key, item]): ReadonlyArray<Value> => [scope, key, item]),
    "ON CONFLICT DO NOTHING"
  )

/** Writes events and what their evidence says, inside the caller's transaction. */
export const put = (run: Execute, scope: ScopeKey, rows: EventRows): Effect.Effect<void, StoreError> =>
  Effect.zipRight(putItems(run, scope, rows), Effect.asVoid(insertRows(run, insertEvents, rows.events)))

const itemsOf = Schema.decodeUnknownEither(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))
)

/** The event of a row of {@link selectEvents}; Left says what does not fit. */
export const fromRow = ({ items, payload }: Row): Either.Either<Event, string> =>
  Either.flatMap(Either.mapLeft(itemsOf(items), String), (held) => attachEvent(payload, new Map(Object.entries(held))))
