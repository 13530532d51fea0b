/**
 * Every way in which a provider fails, by what it comes to: the typed error, how often was asked, and what was metered (C28, C30). Nothing
 * hangs, nothing is a defect, no token is lost, and nothing is paid for twice unasked.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Redacted, Stream } from "effect"
import type { ModelFault } from "../../src/domain/ModelError.ts"
import { knownModels } from "../../src/domain/Pricing.ts"
import { make } from "../../src/layers/model/Making.ts"
import { provider } from "../../src/layers/model/OpenAi.ts"
import * as Client from "../../src/layers/model/OpenAiClient.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import type { CallRecord } from "../../src/services/ModelCalls.ts"
import * as FaultServer from "../support/FaultServer.ts"
import { platform, recorder, request } from "../support/ModelRuns.ts"
import { random } from "../support/Random.ts"

type Api = "chat" | "responses"
const apis: ReadonlyArray<Api> = ["chat", "responses"]
const key = Redacted.make("sk-secret-key")

const connected = (api: Api, pacing: Partial<Pacing.Options> = {}, url?: string) =>
  Effect.gen(function* () {
    const server = yield* FaultServer.start
    server.says("Paris is the capital of France.")
    const client = yield* Client.make("openai:m", { baseUrl: url ?? server.url, apiKey: key })
    const paced = yield* Pacing.make({ backoff: "1 millis", deadline: "800 millis", idle: "300 millis", ...pacing })
    const model = yield* make(provider(client, { model: "m", api }), {
      pacing: paced,
      cards: { m: { prompt: 1, completion: 2, size: null } },
      readerModel: "m"
    })
    return { server, model }
  })

/** What was metered: nothing, what the provider said, or what was counted here with or without a part of an answer. */
type Metered = "Free" | "Said" | "Prompt" | "Partial"
const meteredAs = ({ call }: CallRecord): Metered =>
  call.promptTokens === 0 ? "Free" : !call.estimated ? "Said" : call.completionTokens === 0 ? "Prompt" : "Partial"

type Row = readonly [fault: FaultServer.Fault, outcome: ModelFault | "Answered", requests: number, metered: Metered]

const plain: ReadonlyArray<Row> = [
  ["None", "Answered", 1, "Said"],
  ["Unauthorized", "Unauthorized", 1, "Free"],
  ["RateLimited", "RateLimited", 3, "Free"],
  // longer than the deadline: not waited for
  ["RateLimitedSeconds", "RateLimited", 1, "Free"],
  ["RateLimitedDate", "RateLimited", 1, "Free"],
  ["RateLimitedMs", "RateLimited", 3, "Free"],
  ["Quota", "QuotaExhausted", 1, "Free"],
  ["TooLong", "TooLong", 1, "Free"],
  ["UnknownModel", "UnknownModel", 1, "Free"],
  ["ServerError", "Unavailable", 3, "Free"],
  ["ServerErrorPage", "Unavailable", 3, "Free"],
  ["Page", "Malformed", 3, "Prompt"],
  ["BadJson", "Malformed", 3, "Prompt"],
  ["NoChoices", "Malformed", 3, "Prompt"],
  ["NullContent", "Malformed", 3, "Prompt"],
  ["Refusal", "Refused", 1, "Said"],
  ["Length", "Truncated", 1, "Said"],
  ["StalledHeader", "TimedOut", 3, "Prompt"],
  ["StalledBody", "TimedOut", 3, "Prompt"],
  ["Reset", "Cut", 3, "Prompt"],
  ["CutBody", "Cut", 3, "Prompt"],
  ["NoUsage", "Answered", 1, "Partial"],
  ["Huge", "Malformed", 3, "Prompt"]
]

const streams: ReadonlyArray<Row> = [
  ["None", "Answered", 1, "Said"],
  ["Unauthorized", "Unauthorized", 1, "Free"],
  ["RateLimited", "RateLimited", 3, "Free"],
  ["Quota", "QuotaExhausted", 1, "Free"],
  ["ServerError", "Unavailable", 3, "Free"],
  ["ServerErrorPage", "Unavailable", 3, "Free"],
  ["Page", "Malformed", 3, "Prompt"],
  ["BadJson", "Malformed", 3, "Prompt"],
  ["Refusal", "Refused", 1, "Said"],
  ["Length", "Truncated", 1, "Said"],
  ["StalledHeader", "TimedOut", 3, "Prompt"],
  ["Reset", "Cut", 3, "Prompt"],
  ["NoUsage", "Answered", 1, "Partial"],
  // part of the answer has been passed on: it is not begun again
  ["StalledStream", "Stalled", 1, "Partial"],
  ["CutStream", "Cut", 1, "Partial"],
  ["StreamError", "Unavailable", 1, "Partial"],
  ["BadChunk", "Malformed", 1, "Partial"],
  ["NoFinish", "Cut", 1, "Partial"],
  ["EndlessStream", "TimedOut", 1, "Partial"],
  ["Huge", "Malformed", 1, "Partial"]
]

const judged = (
  row: Row,
  exit: Exit.Exit<unknown, { readonly fault: ModelFault }>,
  server: FaultServer.FaultServer,
  records: ReadonlyArray<CallRecord>
) => {
  const [, outcome, requests, metered] = row
  const fault = Exit.isSuccess(exit) ? "Answered" : Cause.isFailType(exit.cause) ? exit.cause.error.fault : exit.cause
  expect(fault).toBe(outcome)
  expect(server.seen).toHaveLength(requests)
  // every attempt stands in the bill once, by its fault
  expect(records.map((record) => [record.call.fault ?? "Answered", meteredAs(record)])).toEqual(
    Array.from({ length: requests }, () => [outcome, metered])
  )
  for (const { call, reply } of records) {
    expect(call.money).toBeCloseTo((call.promptTokens + 2 * call.completionTokens) / 1e6, 12)
    expect(reply === null).toBe(outcome !== "Answered" && outcome !== "Truncated" && outcome !== "Refused")
  }
  if (Exit.isFailure(exit)) expect(JSON.stringify(Cause.squash(exit.cause))).not.toContain("sk-secret-key")
}

describe.each(apis)("C28 C30 each fault of %s", (api) => {
  it.live.each(plain)("asked plainly: %s", (row) =>
    Effect.gen(function* () {
      const { model, server } = yield* connected(
        api,
        row[0] === "Huge" ? { deadline: "15 seconds", idle: "15 seconds" } : {}
      )
      const { records, within } = recorder()
      server.always(row[0])
      judged(row, yield* Effect.exit(within(model.text(request()))), server, records)
    }).pipe(Effect.scoped, Effect.provide(platform))
  )

  it.live.each(streams)("streamed: %s", (row) =>
    Effect.gen(function* () {
      const { model, server } = yield* connected(
        api,
        row[0] === "Huge" ? { deadline: "15 seconds", idle: "15 seconds" } : {}
      )
      const { records, within } = recorder()
      server.always(row[0])
      judged(row, yield* Effect.exit(within(Stream.runDrain(model.stream(request())))), server, records)
    }).pipe(Effect.scoped, Effect.provide(platform))
  )
})

describe("what passes is asked again", () => {
  const passing: ReadonlyArray<FaultServer.Fault> = [
    "RateLimitedMs",
    "ServerError",
    "Page",
    "BadJson",
    "StalledHeader",
    "Reset",
    "CutBody"
  ]
  it.live.each(passing)("%s, then an answer", (fault) =>
    Effect.gen(function* () {
      for (const ask of ["text", "stream"] as const) {
        // one call at a time: a failed attempt must have given its place back
        const { model, server } = yield* connected("chat", { concurrency: 1 })
        const { records, within } = recorder()
        // a body is not cut where there is a stream
        const ordered = fault === "CutBody" && ask === "stream" ? "Reset" : fault
        server.next(ordered)
        yield* within(ask === "text" ? model.text(request()) : Stream.runDrain(model.stream(request())))
        expect(server.seen).toHaveLength(2)
        expect(records.map(({ call }) => call.fault)).toEqual([expect.any(String), undefined])
      }
    }).pipe(Effect.scoped, Effect.provide(platform))
  )

  it.live.each(["RateLimitedSeconds", "RateLimitedDate"] as const)(
    "%s is obeyed, by all calls of the account",
    (fault) =>
      Effect.gen(function* () {
        const { model, server } = yield* connected("chat", { deadline: "5 seconds" })
        server.next(fault)
        const from = performance.now()
        yield* model.text(request())
        yield* model.text(request())
        // a date has no parts of a second
        expect(performance.now() - from).toBeGreaterThan(950)
        expect(server.seen).toHaveLength(3)
      }).pipe(Effect.scoped, Effect.provide(platform))
  )
})

describe("servers that are not there", () => {
  it.live("nobody listens: Unreachable, three attempts, nothing metered", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(FaultServer.start)
      const { model } = yield* connected("chat", {}, gone.url)
      const { records, within } = recorder()
      const error = yield* Effect.flip(within(model.text(request())))
      expect(error).toMatchObject({ fault: "Unreachable", detail: expect.stringContaining("ECONNREFUSED") })
      expect(error.advice).toContain("OPENAI_BASE_URL")
      expect(records.map(meteredAs)).toEqual(["Free", "Free", "Free"])
    }).pipe(Effect.scoped, Effect.provide(platform))
  )

  it.live("a proxy is gone through, but for the hosts that are reached without it", () =>
    Effect.gen(function* () {
      const proxied = (noProxy: string) =>
        Effect.gen(function* () {
          const server = yield* FaultServer.start
          const client = yield* Client.make("openai:m", {
            baseUrl: server.url,
            apiKey: key,
            proxy: "http://127.0.0.1:1",
            noProxy
          })
          const pacing = yield* Pacing.make({ retries: 0 })
          const model = yield* make(provider(client, { model: "m" }), { pacing, cards: knownModels, readerModel: "m" })
          return yield* Effect.exit(model.text(request()))
        })
      const through = yield* proxied("")
      expect(Exit.isFailure(through)).toBe(true)
      expect(Exit.isSuccess(yield* proxied("127.0.0.1"))).toBe(true)
    }).pipe(Effect.scoped, Effect.provide(platform))
  )

  it.live.each([
    ["no URL at all", "Unreachable"],
    ["ftp://127.0.0.1/v1", "Unreachable"],
    ["http://user:sk-secret-key@127.0.0.1/v1", "Unreachable"],
    ["https://example.test/v1", "Unauthorized"]
  ] as const)("%s: %s, before anything is asked", ([baseUrl, fault]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Client.make("openai:m", { baseUrl }))
      expect(error.fault).toBe(fault)
      expect(error.message).not.toContain("sk-secret-key")
    }).pipe(Effect.scoped)
  )
})

describe("interruption", () => {
  const moments = 200
  it.live(
    `at ${moments} random moments closes the socket within 100 ms, and nothing is recorded afterwards`,
    () =>
      Effect.gen(function* () {
        const { model, server } = yield* connected("chat", { deadline: "10 seconds", idle: "10 seconds" })
        const { chance, int, pick } = random(6)
        const { records, within } = recorder()
        // the vocabulary of the tokenizer is loaded now, not within an interruption
        server.next("NoUsage")
        yield* model.text(request({ seed: moments }))
        const delay = monitorEventLoopDelay({ resolution: 5 })
        delay.enable()
        const interruptedAt: Array<number> = []
        const billed: Array<number> = []
        // a request bears its number, since one that was sent may reach a busy server late
        const ofMoment = (i: number) => server.seen.filter(({ body }) => body?.seed === i)
        for (let i = 0; i < moments; i++) {
          server.always(pick(["None", "StalledHeader", "StalledBody", "EndlessStream"]))
          const asked = request({ seed: i })
          const before = records.length
          const fiber = yield* Effect.fork(
            within(chance(0.5) ? Stream.runDrain(model.stream(asked)) : Effect.asVoid(model.text(asked)))
          )
          yield* Effect.sleep(int(25))
          interruptedAt.push(performance.now())
          yield* Fiber.interrupt(fiber)
          billed.push(records.length - before)
        }
        const { length } = records
        yield* Effect.sleep("200 millis")
        expect(records).toHaveLength(length)
        const late = interruptedAt.flatMap((at, i) =>
          ofMoment(i)
            .filter(({ isAnswered }) => !isAnswered)
            .map(({ arrivedAt, brokenAt }) => (brokenAt ?? Number.POSITIVE_INFINITY) - Math.max(at, arrivedAt))
        )
        // the server lives in this process, and sees nothing while that stands still
        delay.disable()
        const sorted = [...late].sort((x, y) => x - y)
        const stood = delay.max / 1e6
        expect(sorted[sorted.length >> 1]).toBeLessThan(100)
        expect(sorted[Math.floor(sorted.length * 0.95)]).toBeLessThan(100 + stood)
        expect(sorted[sorted.length - 1]).toBeLessThan(100 + 3 * stood)
        // most were on their way; whatever reached the server is on the bill, once
        expect(late.length).toBeGreaterThan(moments / 4)
        interruptedAt.forEach((_, i) => {
          expect(billed[i]).toBeLessThanOrEqual(1)
          expect(ofMoment(i).length).toBeLessThanOrEqual(billed[i] ?? 0)
        })
        expect(new Set(records.map(({ call }) => call.fault))).toEqual(new Set(["Interrupted", undefined]))
      }).pipe(Effect.scoped, Effect.provide(platform)),
    60_000
  )
})
