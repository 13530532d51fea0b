/**
 * A server on loopback that speaks OpenAI's API (chat, responses, embeddings, models) and misbehaves on order. It keeps every request, and when
 * and how its connection ended.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

/** How one request is answered. */
export type Fault =
  | "None"
  | "Unauthorized"
  | "RateLimited"
  | "RateLimitedSeconds"
  | "RateLimitedDate"
  | "RateLimitedMs"
  | "Quota"
  | "TooLong"
  | "UnknownModel"
  | "NoFormat"
  | "NoTemperature"
  | "OtherMaxTokens"
  | "ServerError"
  | "ServerErrorPage"
  | "Page"
  | "BadJson"
  | "NoChoices"
  | "NullContent"
  | "Refusal"
  | "Length"
  | "StalledHeader"
  | "StalledBody"
  | "Reset"
  | "CutBody"
  | "NoUsage"
  | "Huge"
  // streams
  | "StalledStream"
  | "CutStream"
  | "EndlessStream"
  | "StreamError"
  | "BadChunk"
  | "NoFinish"
  // embeddings
  | "Base64"
  | "WrongDimensions"
  | "WrongCount"
  | "NotANumber"
  | "Zero"
  | "Shuffled"

export interface Seen {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  /** The parsed body; null where there was none. */
  readonly body: Record<string, unknown> | null
  /** When it had come whole, by `performance.now()`. */
  readonly arrivedAt: number
  /** When the connection was closed before the answer was whole, by `performance.now()`; null while it is open or where it was not. */
  brokenAt: number | null
  /** Whether the answer was sent whole. */
  isAnswered: boolean
}

export interface FaultServer {
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
  /** How the next requests are answered, in order; after them as before. */
  readonly next: (...faults: ReadonlyArray<Fault>) => void
  /** How all requests are answered that nothing else was ordered for. */
  readonly always: (fault: Fault) => void
  /** What models say from now on. */
  readonly says: (text: string | ((body: Record<string, unknown>) => string)) => void
  /** Forgets what was seen and ordered. */
  readonly clear: () => void
}

export const dimensions = 8
export const usage = { prompt: 21, completion: 7 }

/** The vector that stands for a text: not of length 1. */
export const vectorOf = (text: string): ReadonlyArray<number> =>
  Array.from({ length: dimensions }, (_, i) => Math.sin((i + 1) * (text.length + (text.codePointAt(0) ?? 0))) * 3)

const error = (message: string, code: string | null, type = "invalid_request_error", param: string | null = null) => ({
  error: { message, code, type, param }
})

const page = "<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"

/** Splits a text as a model would write it. */
const pieces = (text: string): ReadonlyArray<string> =>
  (text.length > 100_000 ? text.match(/.{1,65536}/gsu) : text.match(/.{1,4}/gsu)) ?? []

const readBody = async (request: IncomingMessage): Promise<Record<string, unknown> | null> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString("utf8")
  return text === "" ? null : JSON.parse(text)
}

/** Answers that are the same whatever was asked. */
const refusals: Partial<Record<Fault, (response: ServerResponse) => void>> = (() => {
  const json =
    (status: number, body: object, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
  const limited = (headers: Record<string, string>) =>
    json(429, error("Rate limit reached", "rate_limit_exceeded", "requests"), headers)
  return {
    Unauthorized: json(401, error("Incorrect API key provided: sk-secret-key.", "invalid_api_key")),
    RateLimited: limited({}),
    RateLimitedSeconds: limited({ "retry-after": "1" }),
    RateLimitedDate: (response: ServerResponse) =>
      limited({ "retry-after": new Date(Date.now() + 2000).toUTCString() })(response),
    RateLimitedMs: limited({ "retry-after-ms": "150", "retry-after": "99" }),
    Quota: json(429, error("You exceeded your current quota", "insufficient_quota", "insufficient_quota")),
    TooLong: json(400, error("This model's maximum context length is 8192 tokens.", "context_length_exceeded")),
    UnknownModel: json(404, error("The model `m` does not exist", "model_not_found")),
    ServerError: json(503, error("overloaded", null, "server_error")),
    ServerErrorPage: (response) => response.writeHead(502, { "content-type": "text/html" }).end(page),
    Page: (response) => response.writeHead(200, { "content-type": "text/html" }).end(page),
    BadJson: (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"choices": [{"mess')
  }
})()

const chatReply = (text: string, fault: Fault) => ({
  id: "1",
  object: "chat.completion",
  choices:
    fault === "NoChoices"
      ? []
      : [
          {
            index: 0,
            message:
              fault === "Refusal"
                ? { role: "assistant", content: null, refusal: "I can't help with that." }
                : { role: "assistant", content: fault === "NullContent" ? null : text },
            finish_reason: fault === "Length" ? "length" : "stop"
          }
        ],
  ...(fault === "NoUsage"
    ? {}
    : { usage: { prompt_tokens: usage.prompt, completion_tokens: usage.completion, total_tokens: 28 } })
})

const responseReply = (text: string, fault: Fault) => ({
  id: "1",
  object: "response",
  status: fault === "Length" ? "incomplete" : "completed",
  ...(fault === "Length" ? { incomplete_details: { reason: "max_output_tokens" } } : {}),
  output:
    fault === "NoChoices"
      ? []
      : [
          { type: "reasoning", summary: [] },
          {
            type: "message",
            role: "assistant",
            content:
              fault === "NullContent"
                ? []
                : fault === "Refusal"
                  ? [{ type: "refusal", refusal: "I can't help with that." }]
                  : [{ type: "output_text", text, annotations: [] }]
          }
        ],
  ...(fault === "NoUsage"
    ? {}
    : { usage: { input_tokens: usage.prompt, output_tokens: usage.completion, total_tokens: 28 } })
})

const embeddings = (texts: ReadonlyArray<string>, fault: Fault) => {
  const vectors: ReadonlyArray<unknown> = texts.map((text, i) => {
    const vector = vectorOf(text)
    if (i > 0) return vector
    if (fault === "Base64") return "AAAAAAAAAAA="
    if (fault === "WrongDimensions") return vector.slice(1)
    if (fault === "NotANumber") return [...vector.slice(1), null]
    if (fault === "Zero") return vector.map(() => 0)
    return vector
  })
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }))
  if (fault === "Shuffled") data.reverse()
  if (fault === "WrongCount") data.pop()
  return {
    object: "list",
    data,
    ...(fault === "NoUsage" ? {} : { usage: { prompt_tokens: texts.length * 3, total_tokens: texts.length * 3 } })
  }
}

/** Starts it; it ends with the scope, and cuts what is open. */
export const start: Effect.Effect<FaultServer, never, Scope.Scope> = Effect.gen(function* () {
  const seen: Array<Seen> = []
  let queue: Array<Fault> = []
  let standing: Fault = "None"
  let words: string | ((body: Record<string, unknown>) => string) = "Paris, of course."

  const stream = (
    response: ServerResponse,
    body: Record<string, unknown>,
    fault: Fault,
    text: string,
    isChat: boolean
  ) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const send = (data: object) =>
      response.write(`${isChat ? "" : `event: ${"type" in data ? data.type : ""}\n`}data: ${JSON.stringify(data)}\n\n`)
    const delta = (piece: string) =>
      isChat
        ? send({
            object: "chat.completion.chunk",
            choices: [{ index: 0, delta: { content: piece }, finish_reason: null }]
          })
        : send({ type: "response.output_text.delta", delta: piece })
    if (!isChat) send({ type: "response.created", response: { status: "in_progress" } })
    if (fault === "EndlessStream") {
      const timer = setInterval(() => delta("word "), 5)
      response.on("close", () => clearInterval(timer))
      return
    }
    if (fault === "Refusal" && isChat)
      send({ object: "chat.completion.chunk", choices: [{ index: 0, delta: { refusal: "I can't help with that." } }] })
    else if (fault === "Refusal") send({ type: "response.refusal.delta", delta: "I can't help with that." })
    else {
      const all = pieces(text)
      const broken = ["StalledStream", "CutStream", "StreamError", "BadChunk"].includes(fault)
      for (const piece of broken ? all.slice(0, Math.ceil(all.length / 2)) : all) delta(piece)
    }
    if (fault === "StalledStream") return
    // what was written is on its way before the connection goes
    if (fault === "CutStream") return void setTimeout(() => response.destroy(), 30)
    if (fault === "StreamError") {
      send(
        isChat
          ? error("overloaded", null, "server_error")
          : { type: "error", code: "server_error", message: "overloaded" }
      )
      return void response.end()
    }
    if (fault === "BadChunk") return void response.end("data: {not json\n\n")
    if (isChat) {
      if (fault !== "NoFinish")
        send({ choices: [{ index: 0, delta: {}, finish_reason: fault === "Length" ? "length" : "stop" }] })
      const options = body.stream_options
      const isAsked = typeof options === "object" && options !== null && "include_usage" in options
      if (isAsked && fault !== "NoUsage")
        send({
          choices: [],
          usage: { prompt_tokens: usage.prompt, completion_tokens: usage.completion, total_tokens: 28 }
        })
      return void response.end("data: [DONE]\n\n")
    }
    if (fault !== "NoFinish")
      send({
        type: fault === "Length" ? "response.incomplete" : "response.completed",
        response: responseReply(text, fault)
      })
    response.end()
  }

  const answer = (response: ServerResponse, path: string, body: Record<string, unknown>, fault: Fault) => {
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
    const refusal = refusals[fault]
    if (refusal !== undefined) return refusal(response)
    if (fault === "StalledHeader") return
    if (fault === "Reset") return void response.socket?.resetAndDestroy()
    if (fault === "NoFormat" && ("response_format" in body || "text" in body))
      return json(400, error("This server does not know response_format", null))
    if (fault === "NoTemperature" && "temperature" in body)
      return json(400, error("Unsupported value", "unsupported_value", "invalid_request_error", "temperature"))
    if (fault === "OtherMaxTokens" && "max_tokens" in body)
      return json(400, error("Use 'max_completion_tokens' instead.", "unsupported_parameter", undefined, "max_tokens"))

    if (path.endsWith("/models")) return json(200, { object: "list", data: [{ id: "m", object: "model" }] })
    if (path.endsWith("/embeddings")) {
      const texts = (Array.isArray(body.input) ? body.input : [body.input]).map(String)
      if (fault === "StalledBody")
        return void response.writeHead(200, { "content-type": "application/json" }).write('{"data"')
      return json(200, embeddings(texts, fault))
    }
    const isChat = path.endsWith("/chat/completions")
    if (!isChat && !path.endsWith("/responses")) return json(404, error(`no route ${path}`, null))
    const text = fault === "Huge" ? "x".repeat(10_000_000) : typeof words === "string" ? words : words(body)
    if (body.stream === true) return stream(response, body, fault, text, isChat)
    const reply = isChat ? chatReply(text, fault) : responseReply(text, fault)
    if (fault === "StalledBody" || fault === "CutBody") {
      response.writeHead(200, { "content-type": "application/json" }).write('{"choices": [')
      if (fault === "CutBody") setTimeout(() => response.destroy(), 20)
      return
    }
    json(200, reply)
  }

  // no shorter than a test: a connection that ends while it is taken again is a fault that nobody ordered
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    void (async () => {
      const body = await readBody(request)
      const entry: Seen = {
        path: request.url ?? "",
        headers: request.headers,
        body,
        arrivedAt: performance.now(),
        brokenAt: null,
        isAnswered: false
      }
      seen.push(entry)
      response.on("close", () => {
        if (response.writableFinished) entry.isAnswered = true
        else entry.brokenAt = performance.now()
      })
      answer(response, entry.path, body ?? {}, queue.shift() ?? standing)
    })().catch(() => response.destroy())
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    next: (...faults) => void queue.push(...faults),
    always: (fault) => {
      standing = fault
    },
    says: (text) => {
      words = text
    },
    clear: () => {
      seen.length = 0
      queue = []
      standing = "None"
    }
  }
})
