/**
 * What the SDK fetches a whole answer with: undici's `request`, which costs a fraction of its `fetch`. As there, redirections are followed and
 * gzip is undone; what breaks off is thrown here, before the SDK sees an answer.
 */
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { type Dispatcher, interceptors, request } from "undici"

const unzipped = promisify(gunzip)
/** Statuses of which a `Response` may have no body. */
const bodiless = new Set([204, 205, 304])

/** `longestBody`: bytes that an answer may unfold to. The body is a text, as the SDK writes JSON. */
export const fetchWhole = (pool: Dispatcher, longestBody: number): typeof globalThis.fetch => {
  const dispatcher = pool.compose(interceptors.redirect({ maxRedirections: 5 }))
  return async (input, init) => {
    const answer = await request(String(input), {
      dispatcher,
      method: "POST",
      headers: { ...Object.fromEntries(new Headers(init?.headers)), "accept-encoding": "gzip" },
      body: typeof init?.body === "string" ? init.body : null,
      signal: init?.signal ?? null
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(answer.headers))
      for (const one of [value ?? []].flat()) headers.append(name, one)
    const body = /^(?:x-)?gzip$/i.test(headers.get("content-encoding") ?? "")
      ? (await unzipped(await answer.body.bytes(), { maxOutputLength: longestBody })).toString()
      : await answer.body.text()
    const { statusCode: status } = answer
    return new Response(bodiless.has(status) ? null : body, { status, headers })
  }
}
