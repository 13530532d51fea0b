/**
 * Language models that are reached over OpenAI's API, whoever runs the server.
 *
 * What a server does not take is found out once: a parameter that it refuses is left out from then on, and a shape is asked for in a simpler
 * way. A refused request costs nothing.
 */
import { Effect, Either, Stream } from "effect"
import { ModelError } from "../../domain/ModelError.ts"
import type { ModelRequest } from "../../domain/ModelRequest.ts"
import type { Provider, RawPart } from "../../services/LanguageModel.ts"
import { chat } from "./OpenAiChat.ts"
import type { OpenAiClient } from "./OpenAiClient.ts"
import { formats, type Taken, type Wrong } from "./OpenAiDialect.ts"
import { responses } from "./OpenAiResponses.ts"

export interface Options {
  /** The model's name at the provider. */
  readonly model: string
  /** Chat Completions where left out. */
  readonly api?: "chat" | "responses" | undefined
  /** What bounds an answer in Chat Completions: `max_completion_tokens` at OpenAI, `max_tokens` elsewhere, where left out. */
  readonly maxTokensParameter?: Taken["maxTokens"] | undefined
}

const shapeWords = /response_format|json_schema|json_object|text\.format|guided|grammar|schema/i
const optional = ["temperature", "seed", "stream_options", "store"] as const

/** What to take of a server that refused a request made as `taken`; undefined where that was not for its form. */
const simpler = (error: ModelError, request: ModelRequest, taken: Taken): Taken | undefined => {
  if (error.fault !== "Rejected" || (error.status !== 400 && error.status !== 422)) return undefined
  const { detail } = error
  if (/max_(?:completion_)?tokens/.test(detail)) {
    const other = taken.maxTokens === "max_tokens" ? "max_completion_tokens" : "max_tokens"
    // each is tried once
    return taken.without.has(other)
      ? undefined
      : { ...taken, maxTokens: other, without: new Set([...taken.without, taken.maxTokens]) }
  }
  const named = optional.find((name) => detail.includes(name) && !taken.without.has(name))
  if (named !== undefined) return { ...taken, without: new Set([...taken.without, named]) }
  const next = formats[formats.indexOf(taken.format) + 1]
  return request.shape !== null && next !== undefined && shapeWords.test(detail)
    ? { ...taken, format: next }
    : undefined
}

export const provider = (client: OpenAiClient, options: Options): Provider => {
  const { model } = options
  const api = options.api ?? "chat"
  const dialect = api === "chat" ? chat : responses
  const id = `openai:${model}`
  let known: Taken = {
    format: client.isOpenAi ? "PlainSchema" : "Schema",
    without: new Set(),
    maxTokens: options.maxTokensParameter ?? (client.isOpenAi ? "max_completion_tokens" : "max_tokens")
  }
  const errorOf = ({ detail, fault }: Wrong) => new ModelError({ model: id, fault, detail })

  const bodyOf = (request: ModelRequest, taken: Taken, streaming: Readonly<Record<string, unknown>>) => {
    const body = { ...dialect.body(model, request, taken), ...streaming }
    return taken.without.size === 0
      ? body
      : Object.fromEntries(
          Object.entries(body).filter(([name]) => name === taken.maxTokens || !taken.without.has(name))
        )
  }

  const ask = (request: ModelRequest, taken: Taken): Effect.Effect<unknown, ModelError> =>
    client.post(id, dialect.path, bodyOf(request, taken, {})).pipe(
      Effect.tap(() => {
        known = taken
      }),
      Effect.catchAll((error) => {
        const other = simpler(error, request, taken)
        return other === undefined ? error : ask(request, other)
      })
    )
  const complete = (request: ModelRequest): ReturnType<Provider["complete"]> =>
    Effect.suspend(() => ask(request, known)).pipe(
      Effect.flatMap((answer) => Either.mapLeft(dialect.reply(answer), errorOf))
    )

  const events = (request: ModelRequest, taken: Taken): Stream.Stream<unknown, ModelError> =>
    Stream.catchAll(client.events(id, dialect.path, bodyOf(request, taken, dialect.streaming)), (error) => {
      // only what was refused has a status
      const other = simpler(error, request, taken)
      if (other === undefined) return Stream.fail(error)
      known = other
      return events(request, other)
    })

  const stream = (request: ModelRequest): Stream.Stream<RawPart, ModelError> =>
    Stream.suspend(() => {
      const { end, read } = dialect.reader()
      return events(request, known).pipe(
        Stream.mapEffect((event) =>
          Either.mapBoth(read(event), { onLeft: errorOf, onRight: (text): RawPart => ({ _tag: "Text", text }) })
        ),
        Stream.concat(Stream.suspend(() => Stream.fromIterable([end()].filter((part) => part !== undefined))))
      )
    })

  return {
    id,
    system: "openai",
    model,
    endpoint: client.endpoint,
    settings: api,
    complete,
    stream
  }
}
