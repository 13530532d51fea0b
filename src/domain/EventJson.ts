/**
 * Events as JSON text, the form in which the journal keeps them, and what makes events fit to follow what is kept.
 *
 * Encoding checks what it writes. Most events are their own JSON, so a compiled check is all that they need; those that hold errors or a
 * policy go through their Schema. Decoding ignores properties that it does not know, so that journals of other versions decode.
 *
 *     whole      {…, "evidence": [{"passage": …, "text": …, "score": 0.83, "cycle": 1}]}
 *     detached   {…, "evidence": [["digest", 0.83, 1]]} and, once for all that quote it, digest ─▶ [passage, document, title, start, end, line, text]
 */
import { Either, Option, ParseResult, Predicate, Schema } from "effect"
import { compile } from "./Compiled.ts"
import { Event, type EventTag } from "./Event.ts"
import type { RunId } from "./Ids.ts"

type Encode = (event: Event) => Either.Either<string, string>

const said = (error: ParseResult.ParseError): string => ParseResult.TreeFormatter.formatErrorSync(error)

const encoder = (schema: Schema.Schema<Event, unknown>): Encode => {
  const bySchema = Schema.encodeEither(schema)
  return (event) => Either.mapBoth(bySchema(event), { onLeft: said, onRight: (encoded) => JSON.stringify(encoded) })
}

const encoders = new Map<EventTag, Encode>()
/** How a kind of event is written, made when the first one is. */
const encoderOf = (tag: EventTag): Encode => {
  const known = encoders.get(tag)
  if (known !== undefined) return known
  const member = Event.members.find((candidate) => candidate.fields.tag.literals.some((literal) => literal === tag))
  const schema = Schema.make<Event, unknown>(member?.ast ?? Event.ast)
  const bySchema = encoder(schema)
  const isItsJson = Schema.encodedBoundSchema(schema).ast === schema.ast
  // a model call has parts that may be left out, which do not compile
  const check = isItsJson && tag !== "ModelCalled" ? compile(Schema.typeSchema(schema)) : undefined
  const encode: Encode = (event) => {
    const checked = check?.(event)
    return checked !== undefined && Option.isSome(checked)
      ? Either.right(JSON.stringify(checked.value))
      : bySchema(event)
  }
  encoders.set(tag, encode)
  return encode
}

/** The event as one line of JSON; Left says what does not fit. */
export const encodeEvent = (event: Event): Either.Either<string, string> => encoderOf(event.tag)(event)

let decoder: ((value: unknown) => Either.Either<Event, ParseResult.ParseError>) | undefined
const fromValue = (value: unknown): Either.Either<Event, string> => {
  decoder ??= Schema.decodeUnknownEither(Event)
  return Either.mapLeft(decoder(value), said)
}
const parse = Schema.decodeUnknownEither(Schema.parseJson())
const parsed = (json: unknown): Either.Either<unknown, string> => Either.mapLeft(parse(json), said)

/** The event that a line of JSON holds; Left says what does not fit. */
export const decodeEvent = (json: unknown): Either.Either<Event, string> => Either.flatMap(parsed(json), fromValue)

/** An event whose evidence is kept apart: its JSON, and what the items that it quotes say, by digest. */
export interface Detached {
  readonly payload: string
  readonly items: ReadonlyMap<string, string>
}

const none: ReadonlyMap<string, string> = new Map()

/** The event as {@link encodeEvent} writes it, but for its evidence; Left says what does not fit. */
export const detachEvent = (event: Event, digest: (item: string) => string): Either.Either<Detached, string> =>
  Either.map(encodeEvent(event), (whole) => {
    if (!("evidence" in event) || event.evidence.length === 0) return { payload: whole, items: none }
    const items = new Map<string, string>()
    const evidence = event.evidence.map(({ cycle, document, end, line, passage, score, start, text, title }) => {
      const item = JSON.stringify([passage, document, title, start, end, line, text])
      const key = digest(item)
      items.set(key, item)
      return [key, score, cycle]
    })
    return { payload: JSON.stringify({ ...JSON.parse(whole), evidence }), items }
  })

const itemOf = (reference: ReadonlyArray<unknown>, items: ReadonlyMap<unknown, string>): unknown => {
  const [key, score, cycle] = reference
  const item = Either.getOrUndefined(parsed(items.get(key)))
  if (!Array.isArray(item)) return undefined
  const [passage, document, title, start, end, line, text] = item
  return { passage, document, title, start, end, line, text, score, cycle }
}

/** The event that was detached, with the items that it quotes; whole events are read too. Left says what does not fit or is not there. */
export const attachEvent = (json: unknown, items: ReadonlyMap<unknown, string>): Either.Either<Event, string> =>
  Either.flatMap(parsed(json), (value) => {
    if (!Predicate.hasProperty(value, "evidence") || !Array.isArray(value.evidence)) return fromValue(value)
    const evidence = value.evidence.map((item) => (Array.isArray(item) ? itemOf(item, items) : item))
    const lost = evidence.indexOf(undefined)
    return lost < 0
      ? fromValue({ ...value, evidence })
      : Either.left(`the evidence ${JSON.stringify(value.evidence[lost])} is not there`)
  })

/** Why `events` cannot be appended to a journal of `run` that holds `next` events, if they cannot: a gap, a repetition, another run's event. */
export const unfit = (run: RunId, next: number, events: ReadonlyArray<Event>): string | undefined => {
  for (const [i, event] of events.entries()) {
    if (event.run !== run) return `event ${event.sequence} belongs to run ${event.run}`
    if (event.sequence !== next + i) return `event ${event.sequence} came where event ${next + i} belongs`
    if (event.tag === "AnswerDelta") return `event ${event.sequence} is a delta, which is streamed and never stored`
    if (event.tag === "RunStarted" && event.sequence !== 0) return `event ${event.sequence} starts the run again`
    if (!Number.isFinite(event.at)) return `event ${event.sequence} has no time`
  }
  return undefined
}

/** What `events` add to a run's summary: completed cycles, and the outcome if they end it (null: they go on with it). */
export const progress = (
  events: ReadonlyArray<Event>
): { readonly cycles: number; readonly outcome: string | null | undefined } => {
  let cycles = 0
  let outcome: string | null | undefined
  for (const event of events) {
    if (event.tag === "ActionSelected") cycles++
    else if (event.tag === "RunEnded") outcome = event.outcome
    else if (event.tag === "RunResumed") outcome = null
  }
  return { cycles, outcome }
}

/** The question as a summary shows it: half a surrogate pair, which a column of text cannot keep, becomes U+FFFD. */
export const shownQuestion = (question: string): string => question.replace(/\p{Surrogate}/gu, "\ufffd")
