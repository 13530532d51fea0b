/** C30 with the whole of it: prompts, parsing, retries and records of the model layer under a run that is killed and gone on with. */
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Stream, TestClock } from "effect"
import type { Event } from "../../src/domain/Event.ts"
import { RunId } from "../../src/domain/Ids.ts"
import { ModelError } from "../../src/domain/ModelError.ts"
import type { ModelRequest } from "../../src/domain/ModelRequest.ts"
import type { Policy } from "../../src/domain/Policy.ts"
import { scripted } from "../../src/layers/model/Scripted.ts"
import * as Ask from "../../src/programs/Ask.ts"
import { usage } from "../../src/programs/Usage.ts"
import { Journal } from "../../src/services/Journal.ts"
import { latest, people, scope, sensible, policy as usual, world } from "../support/ModelWorld.ts"

const [person] = people
if (person === undefined) throw new Error("there are people")
const question = `Where was the director of ${person.film} born?`
const off = { scope: "off", days: null, count: null } as const
// nothing of one run for the next
const policy: Policy = { ...usual, persistence: { SurfaceForm: off, Bridge: off, FailedRegion: off } }

/** A Verifier that is never content. */
const strictly = (request: ModelRequest): string => {
  const text = sensible(request)
  if (request.role !== "Verifier") return text
  return JSON.stringify({ filled: [], missing: ["s1"], justification: "it might be otherwise", verdict: "Fail" })
}
const strict = () => scripted(strictly)

/** Everything but times, the run's id and the mark of a resumption. */
const plain = (events: ReadonlyArray<Event>) =>
  events.filter(({ tag }) => tag !== "RunResumed").map(({ at: _, run: __, sequence: ___, ...event }) => event)

/** A journal that is out of reach from the `dead`th write on, model calls and commits counted. */
const dying =
  (dead: number) =>
  (journal: typeof Journal.Service): typeof Journal.Service => {
    let writes = 0
    const living = Effect.suspend(() => (++writes >= dead ? Effect.dieMessage("killed") : Effect.void))
    return {
      ...journal,
      commit: (...given) => Effect.zipRight(living, journal.commit(...given)),
      keepCall: (...given) => Effect.zipRight(living, journal.keepCall(...given))
    }
  }

describe("C30, L2 a run of three cycles on a scripted model", () => {
  it.live(
    "killed before each of its writes and gone on with: the same events, answer and bill, for at most one call more",
    () => {
      const model = strict()
      return Effect.gen(function* () {
        const whole = yield* Ask.ask(question, { scope, policy })
        expect([whole.cycles, whole.outcome]).toEqual([3, "Fallback"])
        const calls = model.asked().length
        expect(calls).toBe(7)
        const expected = plain(yield* latest)
        let repeated = 0
        for (let dead = 1; dead <= 12; dead++) {
          const before = model.asked().length
          const billed = (yield* usage({ scope })).total.calls
          yield* Effect.exit(Effect.updateService(Ask.ask(question, { scope, policy }), Journal, dying(dead)))
          const { run = RunId.make("") } = (yield* latest)[0] ?? {}
          const answer = yield* Ask.resume(run, { scope })
          expect(plain(yield* latest), `write ${dead}`).toEqual(expected)
          expect({ ...answer, run: "", elapsedMs: 0 }).toEqual({ ...whole, run: "", elapsedMs: 0 })
          expect(model.asked().length - before).toBeLessThanOrEqual(calls + 1)
          if (model.asked().length - before > calls) repeated++
          expect((yield* usage({ scope })).total.calls - billed).toBe(calls)
        }
        expect(repeated).toBeGreaterThan(0)
      }).pipe(Effect.provide(world(model)))
    },
    60_000
  )

  it.live("a provider that is away at any call: ⊥ with its fault, and gone on with once it is back", () => {
    let away = Number.POSITIVE_INFINITY
    const model = scripted((request, call) => {
      const said = strictly(request)
      return call >= away ? new ModelError({ model: "scripted", fault: "QuotaExhausted", detail: "pay first" }) : said
    })
    return Effect.gen(function* () {
      const whole = yield* Ask.ask(question, { scope, policy })
      const calls = model.asked().length
      for (let at = 1; at <= calls; at++) {
        const before = model.asked().length
        away = before + at
        const failed = yield* Effect.flip(Ask.ask(question, { scope, policy }))
        expect(failed).toMatchObject({ _tag: "Incomplete", cause: { fault: "QuotaExhausted" } })
        away = Number.POSITIVE_INFINITY
        const answer = yield* Ask.resume((yield* latest)[0]?.run ?? "", { scope })
        expect({ ...answer, run: "", elapsedMs: 0, usage: null }).toEqual({
          ...whole,
          run: "",
          elapsedMs: 0,
          usage: null
        })
        // the call that failed is asked again, and no other
        expect(model.asked().length - before).toBe(calls + 1)
        expect(answer.usage.calls).toBe(calls + 1)
        expect(answer.usage.completionTokens).toBe(whole.usage.completionTokens)
      }
    }).pipe(Effect.provide(world(model)))
  })

  it.effect(
    "C21 --stream: the reader's text comes in parts that are shown and never stored, also when gone on with",
    () => {
      const model = strict()
      return Effect.gen(function* () {
        const shown = Chunk.toReadonlyArray(yield* Stream.runCollect(Ask.askStream(question, { scope, policy })))
        const text = (events: ReadonlyArray<Event>) =>
          events.map((event) => (event.tag === "AnswerDelta" ? event.text : "")).join("")
        const stored = yield* latest
        const read = stored.find((event) => event.tag === "AnswerRead")
        expect(read?.tag === "AnswerRead" ? read.reading.text : null).toContain(person.town)
        expect(text(shown)).toContain(person.town)
        expect(shown.filter(({ tag }) => tag !== "AnswerDelta")).toEqual(stored)
        expect(stored.map(({ tag }) => tag)).not.toContain("AnswerDelta")
        // or chance says which of two runs of one moment is the newest
        yield* TestClock.adjust("1 second")
        const killed = yield* Effect.exit(
          Effect.updateService(Ask.ask(question, { scope, policy }), Journal, dying(11))
        )
        expect(Exit.isFailure(killed)).toBe(true)
        const { run = RunId.make("") } = (yield* latest)[0] ?? {}
        const resumed = Chunk.toReadonlyArray(yield* Stream.runCollect(Ask.resumeStream(run, { scope })))
        expect(resumed[0]?.tag).toBe("RunResumed")
        expect(text(resumed)).toContain(person.town)
        // of a run that has ended nothing happens any more
        expect(Chunk.size(yield* Stream.runCollect(Ask.resumeStream(run, { scope })))).toBe(0)
      }).pipe(Effect.provide(world(model)))
    }
  )
})
