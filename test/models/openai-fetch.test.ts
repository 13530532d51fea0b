/** What lies between the SDK and a server: redirections, gzip, and answers that unfold too far. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import * as Client from "../../src/layers/model/OpenAiClient.ts"

const json = { "content-type": "application/json" }

/** The base URL of a server. */
const serving = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
            close: () => {
              server.closeAllConnections()
              server.close()
            }
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )

const posted = (url: string) =>
  Effect.gen(function* () {
    const client = yield* Client.make("openai:m", { baseUrl: url, apiKey: Redacted.make("sk-1") })
    return yield* Effect.either(client.post("openai:m", "/chat/completions", { text: "ü" }))
  })

describe("a whole answer", () => {
  it.live("is unfolded where it comes as gzip, of errors too", () =>
    Effect.gen(function* () {
      let status = 200
      const { url } = yield* serving((request, response) => {
        expect(request.headers["accept-encoding"]).toBe("gzip")
        response
          .writeHead(status, { ...json, "content-encoding": "gzip" })
          .end(gzipSync(JSON.stringify({ said: "ö", error: { message: "no such thing" } })))
      })
      expect(yield* posted(url)).toMatchObject(Either.right({ said: "ö" }))
      status = 400
      expect(yield* posted(url)).toMatchObject({ left: { fault: "Rejected", detail: "400 no such thing" } })
    }).pipe(Effect.scoped)
  )

  it.live("that unfolds beyond the longest, or is no gzip, is Malformed", () =>
    Effect.gen(function* () {
      const bodies = [gzipSync(`{}${" ".repeat(65 * 1024 * 1024)}`), Buffer.from("no gzip")]
      const { url } = yield* serving((_, response) =>
        response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(bodies.shift())
      )
      expect(yield* posted(url)).toMatchObject({ left: { fault: "Malformed" } })
      expect(yield* posted(url)).toMatchObject({ left: { fault: "Malformed" } })
    }).pipe(Effect.scoped)
  )

  it.live("is looked for where the server sends to, and the key goes to no other host", () =>
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const other = yield* serving((request, response) => {
        seen.push(request.headers.authorization)
        request.setEncoding("utf8").on("data", (body) => response.writeHead(200, json).end(body))
      })
      const { url } = yield* serving((request, response) => {
        seen.push(request.headers.authorization)
        response.writeHead(307, { location: `${other.url}${request.url}` }).end()
      })
      expect(yield* posted(url)).toMatchObject(Either.right({ text: "ü" }))
      expect(seen).toEqual(["Bearer sk-1", undefined])
    }).pipe(Effect.scoped)
  )

  it.live("that is sent on for ever is Rejected, and one without a body is no JSON", () =>
    Effect.gen(function* () {
      let asked = 0
      const { url } = yield* serving((_, response) => {
        asked++
        response.writeHead(asked > 6 ? 204 : 307, { location: `/v1/${asked}` }).end()
      })
      expect(yield* posted(url)).toMatchObject({ left: { fault: "Rejected", status: 307 } })
      expect(asked).toBe(6)
      expect(yield* posted(url)).toEqual(Either.right(null))
    }).pipe(Effect.scoped)
  )

  it.live("that is a web page is told by its title, with its status", () =>
    Effect.gen(function* () {
      const { url } = yield* serving((_, response) =>
        response
          .writeHead(404, { "content-type": "text/html" })
          .end("<html><head><title>Not here</title></head><body>Nothing</body></html>")
      )
      expect(yield* posted(url)).toMatchObject({
        left: { fault: "UnknownModel", detail: "404 a web page (“Not here”)" }
      })
    }).pipe(Effect.scoped)
  )
})
