/** What the SDK throws, as a fault of the closed list. Each case was seen against a server that misbehaves. */
import OpenAI from "openai"
import type { ModelFault } from "../../domain/ModelError.ts"

export interface Failure {
  readonly fault: ModelFault
  readonly detail: string
  readonly status?: number
  readonly retryAfter?: number
}

const longestDetail = 300

/** One short line; of a web page, its title. */
export const told = (text: string): string => {
  // the SDK puts the status before what came
  const page = /^\s*(\d{3} )?\s*(?:<!doctype|<html|<\?xml|<head|<body)/i.exec(text)
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text.slice(0, 10_000))?.[1]?.trim()
  const plain = page ? `${page[1] ?? ""}a web page${title ? ` (“${title}”)` : ""}` : text
  const line = plain.replace(/\s+/g, " ").trim()
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1)}…` : line
}

/** The first code that an error or one of its causes bears. */
const codeOf = (error: unknown): string => {
  let current = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string") return current.code
    current = current instanceof AggregateError && current.cause === undefined ? current.errors[0] : current.cause
  }
  return ""
}
const deepest = (error: unknown): string => {
  let current = error
  for (let depth = 0; depth < 8 && current instanceof Error && current.cause instanceof Error; depth++)
    current = current.cause
  return current instanceof Error ? current.message : String(current)
}

/** No connection, or one that broke. */
const ofConnection = (error: unknown): Failure => {
  const code = codeOf(error)
  const detail = told([code, deepest(error)].filter((part) => part !== "").join(": "))
  if (/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE)$/.test(code))
    return { fault: "Cut", detail }
  // no HTTP, no gzip, or too much of it
  if (/^(?:HPE_.*|Z_.*|ERR_BUFFER_TOO_LARGE|UND_ERR_RES_EXCEEDED_MAX_SIZE)$/.test(code))
    return { fault: "Malformed", detail }
  return { fault: "Unreachable", detail }
}

/** Milliseconds by `retry-after-ms`, or by `retry-after` in seconds or as a date. */
export const retryAfterOf = (headers: Headers | undefined, now: number): number | undefined => {
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "")
  if (ms >= 0) return ms
  const text = headers?.get("retry-after") ?? ""
  const seconds = /^\s*[\d.]+\s*$/.test(text) ? Number.parseFloat(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

const tooLong =
  /context.?(?:length|window|size)|maximum context|prompt is too long|too many tokens|reduce the length|request too large|input is too (?:long|large)/i
const noQuota =
  /^(?:insufficient_quota|billing_hard_limit_reached|billing_not_active|insufficient_balance|access_terminated)$/
const noModel =
  /model.{0,80}(?:not found|does not exist|not exist|not available|unknown|no such)|(?:unknown|invalid|no such) model/i

const faultOfStatus = (status: number, codes: ReadonlyArray<string>, message: string): ModelFault => {
  if (codes.some((code) => noQuota.test(code)) || status === 402) return "QuotaExhausted"
  if (codes.includes("context_length_exceeded") || status === 413) return "TooLong"
  if (status === 429) return /request too large/i.test(message) ? "TooLong" : "RateLimited"
  if (status === 401 || status === 403) return "Unauthorized"
  if (status === 404 || codes.includes("model_not_found")) return "UnknownModel"
  if (status === 408 || status === 504) return "TimedOut"
  if (status === 409 || status >= 500) return "Unavailable"
  if (codes.some((code) => /^content_(?:filter|policy)/.test(code))) return "Refused"
  if (tooLong.test(message)) return "TooLong"
  return noModel.test(message) ? "UnknownModel" : "Rejected"
}

/** An error that came in an answer that had begun well. */
export const faultOfEvent = (codes: ReadonlyArray<string>): ModelFault =>
  codes.some((code) => noQuota.test(code))
    ? "QuotaExhausted"
    : codes.some((code) => /rate_limit/.test(code))
      ? "RateLimited"
      : codes.includes("context_length_exceeded")
        ? "TooLong"
        : "Unavailable"

export const failureOf = (error: unknown, now: number): Failure => {
  // a subclass of the next
  if (error instanceof OpenAI.APIConnectionTimeoutError)
    return { fault: "Unreachable", detail: "no connection in time" }
  if (error instanceof OpenAI.APIConnectionError) return ofConnection(error)
  if (error instanceof OpenAI.APIError) {
    const codes = [error.code, error.type].filter((code) => typeof code === "string")
    const names = typeof error.param === "string" && !error.message.includes(error.param)
    const detail = told(names ? `${error.message} (${error.param})` : error.message)
    if (error.status === undefined) return { fault: faultOfEvent(codes), detail }
    const retryAfter = retryAfterOf(error.headers, now)
    return {
      fault: faultOfStatus(error.status, codes, error.message),
      detail,
      status: error.status,
      ...(retryAfter === undefined ? {} : { retryAfter })
    }
  }
  if (error instanceof SyntaxError) return { fault: "Malformed", detail: told(error.message) }
  // a body that breaks off is a TypeError of fetch with the socket's error as its cause
  if (error instanceof TypeError) {
    const known = ofConnection(error)
    return known.fault === "Unreachable" && error.message === "terminated" ? { ...known, fault: "Cut" } : known
  }
  return { fault: "Rejected", detail: told(error instanceof Error ? error.message : String(error)) }
}
