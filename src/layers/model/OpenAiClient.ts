/**
 * The `openai` SDK, held: no retries, no time limits, no logging and no settings from the environment of its own; and what it throws, typed.
 * Callers get JSON as it came, which they read themselves: the SDK's types promise more than servers keep.
 */
import { Clock, Effect, Option, Redacted, type Scope, Stream } from "effect"
import OpenAI from "openai"
import { Agent, EnvHttpProxyAgent, fetch, type RequestInit } from "undici"
import { ModelError, type ModelFault } from "../../domain/ModelError.ts"
import { failureOf, told } from "./OpenAiFaults.ts"
import { fetchWhole } from "./OpenAiFetch.ts"

export interface Options {
  /** OpenAI's own where left out. */
  readonly baseUrl?: string | undefined
  /** Needed, but for servers on this machine. */
  readonly apiKey?: Redacted.Redacted | undefined
  readonly organization?: string | undefined
  readonly project?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** `http://HOST:PORT` of a proxy. */
  readonly proxy?: string | undefined
  /** Hosts that are reached without it, as in NO_PROXY. */
  readonly noProxy?: string | undefined
}

export interface OpenAiClient {
  /** What a model's name means here: the base URL, organisation and project. No secrets. */
  readonly endpoint: string
  readonly isOpenAi: boolean
  /** The JSON that one POST is answered with, as it came. `model` is for errors: `openai:NAME`. */
  readonly post: (model: string, path: string, body: object) => Effect.Effect<unknown, ModelError>
  /** The events of a streamed answer, as they came. */
  readonly events: (model: string, path: string, body: object) => Stream.Stream<unknown, ModelError>
}

export const officialUrl = "https://api.openai.com/v1"
/** Bytes that an answer may have: vectors of the largest batch are below it. */
const longestBody = 64 * 1024 * 1024
/** Of the SDK; ours come first. */
const neverMs = 2 ** 31 - 1

/** undici's fetch is the platform's, with a pool of our own: Node's lets nobody change its time limits. */
const isFetch = (own: unknown): own is typeof globalThis.fetch => typeof own === "function"

const isLoopback = ({ hostname }: URL): boolean => /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

const urlOf = (text: string): Option.Option<URL> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    ? Option.some(url)
    : Option.none()
}

/** A connection pool that lives as long as the scope. `id` is for errors. */
export const make = (id: string, options: Options): Effect.Effect<OpenAiClient, ModelError, Scope.Scope> =>
  Effect.gen(function* () {
    const baseUrl = (options.baseUrl ?? officialUrl).replace(/\/+$/, "")
    const url = urlOf(baseUrl)
    if (Option.isNone(url))
      return yield* new ModelError({
        model: id,
        fault: "Unreachable",
        detail: `the base URL ${JSON.stringify(baseUrl.replace(/\/\/[^/@]*@/, "//…@").slice(0, 100))} is no http URL without a password`
      })
    const key = options.apiKey === undefined ? undefined : Redacted.value(options.apiKey).trim()
    if (!key && !isLoopback(url.value))
      return yield* new ModelError({ model: id, fault: "Unauthorized", detail: "no key is set" })

    // all three are given, since what is left out would be read from the environment
    const pool = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: longestBody }
    const dispatcher = yield* Effect.acquireRelease(
      Effect.try({
        try: () =>
          options.proxy === undefined
            ? new Agent(pool)
            : new EnvHttpProxyAgent({
                ...pool,
                httpProxy: options.proxy,
                httpsProxy: options.proxy,
                noProxy: options.noProxy ?? ""
              }),
        catch: (cause) =>
          new ModelError({ model: id, fault: "Unreachable", detail: "the proxy's URL cannot be used", cause })
      }),
      (agent) => Effect.promise(() => agent.destroy())
    )
    const own: unknown = (input: string, init: RequestInit) => fetch(input, { ...init, dispatcher })
    const settings = {
      apiKey: key || "unused",
      adminAPIKey: null,
      webhookSecret: null,
      organization: options.organization ?? null,
      project: options.project ?? null,
      baseURL: baseUrl,
      defaultHeaders: options.headers ?? {},
      maxRetries: 0,
      timeout: neverMs,
      logLevel: "off"
    } as const
    const client = new OpenAI({ ...settings, fetch: fetchWhole(dispatcher, longestBody) })
    const streaming = new OpenAI({ ...settings, fetch: isFetch(own) ? own : globalThis.fetch })

    const secrets = [key, ...Object.values(options.headers ?? {})].filter(
      (text) => text !== undefined && text.length > 3
    )
    const clean = (text: string) => secrets.reduce<string>((line, secret) => line.replaceAll(secret ?? "", "…"), text)
    const failed = (model: string, error: unknown): Effect.Effect<never, ModelError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const failure = failureOf(error, now)
        return new ModelError({ model, ...failure, detail: clean(failure.detail) })
      })

    /** One attempt, whose signal closes the socket. */
    const attempt = <A>(model: string, run: (signal: AbortSignal) => PromiseLike<A>): Effect.Effect<A, ModelError> =>
      Effect.catchAll(Effect.tryPromise({ try: run, catch: (error) => ({ error }) }), ({ error }) =>
        failed(model, error)
      )

    const events = (model: string, path: string, body: object): Stream.Stream<unknown, ModelError> =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const abort = yield* Effect.acquireRelease(
            Effect.sync(() => new AbortController()),
            (controller) => Effect.sync(() => controller.abort())
          )
          const { data, response } = yield* attempt(model, () =>
            streaming
              .post<AsyncIterable<unknown>>(path, {
                body: { ...body, stream: true },
                stream: true,
                signal: abort.signal
              })
              .withResponse()
          )
          const type = response.headers.get("content-type") ?? ""
          if (/^(?:text\/html|application\/json)/i.test(type)) {
            const fault: ModelFault = "Malformed"
            const start = yield* attempt(model, () => response.text())
            return yield* new ModelError({ model, fault, detail: clean(`no stream but ${type}: ${told(start)}`) })
          }
          // pulled by hand: leaving an async iterator that waits would wait with it
          const source = data[Symbol.asyncIterator]()
          return Stream.repeatEffectOption(
            Effect.flatMap(
              Effect.mapError(
                attempt(model, (signal) => {
                  signal.addEventListener("abort", () => abort.abort(), { once: true })
                  return source.next()
                }),
                Option.some
              ),
              ({ done, value }) => (done === true ? Effect.fail(Option.none()) : Effect.succeed(value))
            )
          )
        })
      )

    return {
      endpoint: [baseUrl, options.organization ?? "", options.project ?? ""].join(" "),
      isOpenAi: url.value.hostname === "api.openai.com",
      post: (model, path, body) =>
        Effect.flatMap(
          attempt(model, (signal) => client.post<unknown>(path, { body, signal })),
          // what is not called JSON comes as text
          (answer) =>
            typeof answer === "string"
              ? new ModelError({ model, fault: "Malformed", detail: clean(told(answer)) })
              : Effect.succeed(answer)
        ),
      events
    }
  })
