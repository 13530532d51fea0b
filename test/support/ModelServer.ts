/** A plain server of OpenAI's Chat Completions over any provider: what a user's llama.cpp, vLLM or Ollama is to staterag. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Fiber, Option, type Scope, Stream } from "effect"
import type { ModelError } from "../../src/domain/ModelError.ts"
import type { ModelRequest } from "../../src/domain/ModelRequest.ts"
import type { Provider } from "../../src/services/LanguageModel.ts"

interface Body {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly max_tokens?: number
  readonly temperature?: number
  readonly seed?: number
  readonly stream?: boolean
  readonly response_format?: {
    readonly json_schema?: { readonly name: string; readonly schema: Record<string, unknown> }
  }
}

const text = async (incoming: IncomingMessage): Promise<string> => {
  let all = ""
  for await (const chunk of incoming) all += chunk
  return all
}

const requestOf = ({ max_tokens = 256, messages, response_format, seed, temperature = 0 }: Body): ModelRequest => {
  const shape = response_format?.json_schema
  const [first, ...others] = messages
    .filter(({ role }) => role !== "system")
    .map(({ content, role }) => ({ author: role === "user" ? ("User" as const) : ("Model" as const), text: content }))
  return {
    role: "server",
    promptVersion: "",
    system: messages.find(({ role }) => role === "system")?.content ?? "",
    messages: [first ?? { author: "User", text: "" }, ...others],
    shape: shape === undefined ? null : { name: shape.name, schema: shape.schema },
    maxTokens: max_tokens,
    temperature,
    seed: seed ?? null
  }
}

const finishes = { Stop: "stop", Length: "length", Refusal: "content_filter" } as const

export interface ModelServer {
  /** With `/v1`. */
  readonly url: string
  readonly requests: () => number
  /** Requests whose client went away before their answer was whole. */
  readonly abandoned: () => number
}

/** Serves on loopback as long as the scope. */
export const serve = (provider: Provider): Effect.Effect<ModelServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    let requests = 0
    let abandoned = 0
    const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
      requests++
      const body: Body = JSON.parse(await text(incoming))
      const request = requestOf(body)
      const usage = (tokens: Option.Option<{ readonly prompt: number; readonly completion: number }>) =>
        Option.match(tokens, {
          onNone: () => undefined,
          onSome: ({ completion, prompt }) => ({ prompt_tokens: prompt, completion_tokens: completion })
        })
      const failed = ({ detail, fault }: ModelError) =>
        Effect.sync(() => {
          response.writeHead(fault === "TooLong" ? 400 : 500, { "content-type": "application/json" })
          response.end(
            JSON.stringify({ error: { message: detail, code: fault === "TooLong" ? "context_length_exceeded" : null } })
          )
        })
      const whole = Effect.map(provider.complete(request), (reply) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(
          JSON.stringify({
            choices: [{ message: { role: "assistant", content: reply.text }, finish_reason: finishes[reply.finish] }],
            usage: usage(reply.tokens)
          })
        )
      })
      const streamed = Stream.runForEach(provider.stream(request), (part) =>
        Effect.sync(() => {
          if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" })
          const said =
            part._tag === "Text"
              ? { choices: [{ delta: { content: part.text }, finish_reason: null }] }
              : { choices: [{ delta: {}, finish_reason: finishes[part.finish] }], usage: usage(part.tokens) }
          response.write(`data: ${JSON.stringify(said)}\n\n`)
          if (part._tag === "End") response.end("data: [DONE]\n\n")
        })
      )
      const fiber = Effect.runFork(Effect.catchAll(body.stream === true ? streamed : whole, failed))
      response.on("close", () => {
        if (!response.writableFinished) abandoned++
        Effect.runFork(Fiber.interrupt(fiber))
      })
    }
    const server = createServer((incoming, response) => void answer(incoming, response))
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
    return { url: `http://127.0.0.1:${port}/v1`, requests: () => requests, abandoned: () => abandoned }
  })
