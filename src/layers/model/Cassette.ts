/**
 * Answers of a model on a tape: recorded once from whoever gives them, replayed where nobody is asked. For tests and experiments.
 *
 *     {"hash":"…","model":"openai:…","request":{…},"reply":{"text":"…","finish":"Stop","tokens":{"prompt":812,"completion":40}}}
 *
 * One line an answer. Requests and answers are all that stands there: no key, no address, no header. Where it was recorded does not matter to
 * who replays it; model, settings and every part of the request do.
 */
import { FileSystem } from "@effect/platform"
import { Effect, Option, Schema, Stream } from "effect"
import { ModelError, type ModelFault } from "../../domain/ModelError.ts"
import { Finish, ModelRequest } from "../../domain/ModelRequest.ts"
import { Digest } from "../../services/Digest.ts"
import type { Provider, RawPart, RawReply } from "../../services/LanguageModel.ts"
import { requestHash } from "./Calls.ts"
import { nearest } from "./Nearness.ts"

const Recorded = Schema.Struct({
  hash: Schema.String,
  model: Schema.String,
  request: ModelRequest,
  reply: Schema.Struct({
    text: Schema.String,
    finish: Finish,
    tokens: Schema.NullOr(Schema.Struct({ prompt: Schema.NonNegativeInt, completion: Schema.NonNegativeInt }))
  })
})
type Recorded = typeof Recorded.Type
const Line = Schema.parseJson(Recorded)

/** Where lines are kept. */
export interface Tape {
  readonly name: string
  /** Every line, oldest first; none where nothing has been kept. */
  readonly lines: Effect.Effect<ReadonlyArray<string>, { readonly message: string }>
  readonly append: (line: string) => Effect.Effect<void, { readonly message: string }>
}

/** A file of JSON Lines, made when the first answer is kept. */
export const file = (path: string): Effect.Effect<Tape, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (files) => ({
    name: path,
    lines: Effect.flatMap(files.exists(path), (there) =>
      there
        ? Effect.map(files.readFileString(path), (text) => text.split("\n").filter((line) => line.trim() !== ""))
        : Effect.succeed([])
    ),
    append: (line) => files.writeFileString(path, `${line}\n`, { flag: "a" })
  }))

/** A tape in memory. */
export const memory = (lines: Array<string> = []): Tape => ({
  name: "memory",
  lines: Effect.sync(() => lines),
  append: (line) => Effect.sync(() => void lines.push(line))
})

/** Who answered, or is said to have. */
export type Who = Pick<Provider, "id" | "system" | "model" | "settings">

const parts = ({ text, ...end }: RawReply): ReadonlyArray<RawPart> => [
  { _tag: "Text", text },
  { _tag: "End", ...end }
]

const played = ({ reply: { finish, text, tokens } }: Recorded): RawReply => ({
  text,
  finish,
  tokens: Option.fromNullable(tokens)
})

const opened = Effect.fnUntraced(function* (who: Who, tape: Tape) {
  const { hash } = yield* Digest
  const error = (fault: ModelFault, detail: string) => new ModelError({ model: who.id, fault, detail })
  const held = new Map<string, Recorded>()
  const lines = yield* Effect.mapError(tape.lines, ({ message }) => error("BadFile", `${tape.name}: ${message}`))
  for (const [i, line] of lines.entries()) {
    const recorded = yield* Effect.mapError(Schema.decode(Line)(line), () =>
      error("BadFile", `line ${i + 1} of ${tape.name} is no recorded answer`)
    )
    held.set(recorded.hash, recorded)
  }
  const keyOf = (request: ModelRequest): string => requestHash(hash, { ...who, endpoint: "" }, request)
  const play = (request: ModelRequest) => Option.map(Option.fromNullable(held.get(keyOf(request))), played)
  return { error, held, keyOf, play }
})

/** A provider that gives what is on the tape; what is not there is `Unrecorded`, and tells of the nearest that is. */
export const replaying = (who: Who, tape: Tape): Effect.Effect<Provider, ModelError, Digest> =>
  Effect.map(opened(who, tape), ({ error, held, play }) => {
    const complete = (request: ModelRequest) =>
      Effect.suspend(() =>
        Option.match(play(request), {
          onNone: () =>
            error(
              "Unrecorded",
              `${tape.name}: ${nearest(
                request,
                [...held.values()].map((of) => of.request)
              )}`
            ),
          onSome: Effect.succeed
        })
      )
    return {
      ...who,
      endpoint: "",
      complete,
      stream: (request) =>
        Stream.flatMap(Stream.fromEffect(complete(request)), (reply) => Stream.fromIterable(parts(reply)))
    }
  })

/** `provider`, each of whose answers is kept; what is on the tape already is not asked again. */
export const recording = (provider: Provider, tape: Tape): Effect.Effect<Provider, ModelError, Digest> =>
  Effect.gen(function* () {
    const { error, held, keyOf, play } = yield* opened(provider, tape)
    const one = yield* Effect.makeSemaphore(1)
    const keep = (request: ModelRequest, { finish, text, tokens }: RawReply) =>
      one.withPermits(1)(
        Effect.suspend(() => {
          const recorded: Recorded = {
            hash: keyOf(request),
            model: provider.id,
            request,
            reply: { text, finish, tokens: Option.getOrNull(tokens) }
          }
          return Schema.encode(Line)(recorded).pipe(
            Effect.flatMap(tape.append),
            Effect.mapBoth({
              onFailure: ({ message }) => error("Unkept", `${tape.name}: ${message}`),
              onSuccess: () => void held.set(recorded.hash, recorded)
            }),
            Effect.uninterruptible
          )
        })
      )
    const complete = (request: ModelRequest) =>
      Effect.suspend(() =>
        Option.match(play(request), {
          onNone: () => Effect.tap(provider.complete(request), (reply) => keep(request, reply)),
          onSome: Effect.succeed
        })
      )
    const stream = (request: ModelRequest): Stream.Stream<RawPart, ModelError> =>
      Stream.suspend(() => {
        const known = play(request)
        if (Option.isSome(known)) return Stream.fromIterable(parts(known.value))
        let text = ""
        return Stream.tap(provider.stream(request), (part) => {
          if (part._tag === "End") return keep(request, { text, finish: part.finish, tokens: part.tokens })
          text += part.text
          return Effect.void
        })
      })
    return { ...provider, complete, stream }
  })
