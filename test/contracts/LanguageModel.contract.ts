/** What every LanguageModel promises, whoever answers. */
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Option, Schema, type Scope, Stream } from "effect"
import type { ModelReply } from "../../src/domain/ModelRequest.ts"
import type { Digest } from "../../src/services/Digest.ts"
import type { LanguageModelShape } from "../../src/services/LanguageModel.ts"
import { StaleWriter } from "../../src/services/StoreError.ts"
import type { TokenCounter } from "../../src/services/TokenCounter.ts"
import { memoryCache, platform, recorder, request } from "../support/ModelRuns.ts"

export interface Subject {
  readonly model: LanguageModelShape
  /** What is answered next, in order. */
  readonly script: (
    answers: ReadonlyArray<{ readonly text: string; readonly finish?: ModelReply["finish"] }>
  ) => Effect.Effect<void>
  /** How many requests have reached the provider. */
  readonly asked: Effect.Effect<number>
}

const City = Schema.Struct({ city: Schema.String.pipe(Schema.maxLength(40)), people: Schema.Int })

export const contract = (
  name: string,
  make: Effect.Effect<Subject, unknown, Scope.Scope | Digest | TokenCounter>
): void => {
  describe(`LanguageModel ${name}`, () => {
    const test = (title: string, body: (subject: Subject) => Effect.Effect<void, unknown>) =>
      it.live(title, () => Effect.scoped(Effect.flatMap(make, body)).pipe(Effect.provide(platform)))

    test("C28 C30 answers, and the call is recorded with its tokens before the answer is used", ({ model, script }) =>
      Effect.gen(function* () {
        const { records, within } = recorder()
        yield* script([{ text: "Paris" }])
        const reply = yield* within(model.text(request()))
        expect(reply.text).toBe("Paris")
        expect(reply.finish).toBe("Stop")
        expect(records).toHaveLength(1)
        expect(records[0]?.reply).toEqual(reply)
        expect(records[0]?.call).toMatchObject({
          role: "Reader",
          model: model.id,
          promptTokens: reply.promptTokens,
          completionTokens: reply.completionTokens,
          promptVersion: "v1",
          cached: false
        })
        expect(reply.promptTokens).toBeGreaterThan(0)
        expect(records[0]?.call.fault).toBeUndefined()
      }))

    test("C30 an answer that could not be recorded is not used", ({ model, script }) =>
      Effect.gen(function* () {
        const { within } = recorder({ record: () => new StaleWriter({ run: "r", token: 3 }) })
        yield* script([{ text: "Paris" }, { text: "Paris" }])
        const error = yield* Effect.flip(within(model.text(request())))
        expect(error).toMatchObject({ _tag: "ModelError", fault: "Unkept" })
        const streamed = yield* Effect.flip(within(Stream.runDrain(model.stream(request()))))
        expect(streamed.fault).toBe("Unkept")
      }))

    test("C30 an answer that the run has recorded is given again, and nobody is asked", ({ asked, model }) =>
      Effect.gen(function* () {
        const reply = { text: "Lyon", finish: "Stop", promptTokens: 1, completionTokens: 1, estimated: false } as const
        const hashes: Array<string> = []
        const { records, within } = recorder({
          recorded: (hash) =>
            Effect.sync(() => {
              hashes.push(hash)
              return Option.some(reply)
            })
        })
        expect(yield* within(model.text(request()))).toEqual(reply)
        expect(Chunk.join(yield* within(Stream.runCollect(model.stream(request()))), "")).toBe("Lyon")
        expect(new Set(hashes).size).toBe(1)
        expect(hashes).toHaveLength(2)
        expect(records).toEqual([])
        expect(yield* asked).toBe(0)
      }))

    test("a streamed answer is the same text, at the same cost", ({ model, script }) =>
      Effect.gen(function* () {
        const { records, within } = recorder()
        yield* script([{ text: "Paris, the city of light." }, { text: "Paris, the city of light." }])
        const plain = yield* within(model.text(request()))
        const parts = yield* within(Stream.runCollect(model.stream(request())))
        expect(Chunk.join(parts, "")).toBe(plain.text)
        expect(records).toHaveLength(2)
        expect(records[1]).toEqual(records[0])
      }))

    test("what is cut at its limit or refused is an error of its own, once, and is metered", ({
      asked,
      model,
      script
    }) =>
      Effect.gen(function* () {
        for (const [finish, fault] of [
          ["Length", "Truncated"],
          ["Refusal", "Refused"]
        ] as const) {
          const { records, within } = recorder()
          const before = yield* asked
          yield* script([
            { text: "I would", finish },
            { text: "I would", finish },
            { text: "I would", finish }
          ])
          const errors = [
            yield* Effect.flip(within(model.text(request()))),
            yield* Effect.flip(within(model.value(request(), City))),
            yield* Effect.flip(within(Stream.runDrain(model.stream(request()))))
          ]
          expect(errors.map((error) => error.fault)).toEqual([fault, fault, fault])
          expect((yield* asked) - before).toBe(3)
          expect(records.map(({ call, reply }) => [call.fault, reply?.finish])).toEqual([
            [fault, finish],
            [fault, finish],
            [fault, finish]
          ])
          expect(records.every(({ call }) => call.promptTokens > 0)).toBe(true)
        }
      }))

    test("a value is decoded; one that does not fit is asked for once more, with what was wrong; then it is Unfit", (subject) =>
      Effect.gen(function* () {
        const { asked, model, script } = subject
        const { records, within } = recorder()
        yield* script([{ text: '{"city": "Paris", "people": 2100000}' }])
        expect(yield* within(model.value(request(), City))).toEqual({ city: "Paris", people: 2_100_000 })
        expect(yield* asked).toBe(1)

        yield* script([{ text: '{"city": "Paris"}' }, { text: '{"city": "Paris", "people": 3}' }])
        expect(yield* within(model.value(request(), City))).toEqual({ city: "Paris", people: 3 })
        expect(yield* asked).toBe(3)

        yield* script([{ text: '{"city": "Lyon"}' }, { text: '{"city": "Paris", "people": "many"}' }])
        const error = yield* Effect.flip(within(model.value(request(), City)))
        expect(error.fault).toBe("Unfit")
        expect(error.detail).toContain("people")
        expect(yield* asked).toBe(5)
        expect(records).toHaveLength(5)

        const seen: Array<string> = []
        yield* script([{ text: '{"city": "Nice"}' }, { text: '{"city": "Nice", "people": 4}' }])
        const watch = () => {
          const at = seen.push("") - 1
          return (part: string) => Effect.sync(() => void seen.splice(at, 1, `${seen[at]}${part}`))
        }
        expect(yield* within(model.value(request(), City, watch))).toEqual({ city: "Nice", people: 4 })
        // each answer by itself
        expect(seen).toEqual(['{"city": "Nice"}', '{"city": "Nice", "people": 4}'])
        expect(records).toHaveLength(7)
        expect(new Set(records.map((record) => record.request)).size).toBe(4)
      }))

    test("C27 C28 what was answered is cached for its scope, marked, and free of charge", ({ asked, model, script }) =>
      Effect.gen(function* () {
        const memory = memoryCache()
        const mine = recorder()
        const theirs = recorder({ scope: Option.some("other") })
        const nobodys = recorder({ scope: Option.none() })
        const ask = (run: typeof mine) => run.within(memory.within(model.text(request())))
        yield* script([{ text: "Paris" }, { text: "Lyon" }, { text: "Nice" }])
        const first = yield* ask(mine)
        expect(yield* ask(mine)).toEqual(first)
        const parts = yield* mine.within(memory.within(Stream.runCollect(model.stream(request()))))
        expect(Chunk.join(parts, "")).toBe(first.text)
        expect(yield* asked).toBe(1)
        expect(mine.records.map(({ call }) => call.cached)).toEqual([false, true, true])
        expect(mine.records[1]?.call).toMatchObject({ promptTokens: first.promptTokens, money: 0 })
        expect((yield* ask(theirs)).text).toBe("Lyon")
        expect((yield* ask(nobodys)).text).toBe("Nice")
        expect(yield* asked).toBe(3)
      }))

    test("with a cache, one request that many ask at once is made once", ({ asked, model, script }) =>
      Effect.gen(function* () {
        const memory = memoryCache()
        const { records, within } = recorder()
        yield* script([{ text: "Paris" }])
        const all = yield* within(
          memory.within(
            Effect.all(
              Array.from({ length: 20 }, () => model.text(request())),
              { concurrency: "unbounded" }
            )
          )
        )
        expect(new Set(all.map(({ text }) => text))).toEqual(new Set(["Paris"]))
        expect(yield* asked).toBe(1)
        expect(records.filter(({ call }) => !call.cached)).toHaveLength(1)
        expect(records).toHaveLength(20)
      }))

    test("what is cut or refused is not cached", ({ asked, model, script }) =>
      Effect.gen(function* () {
        const memory = memoryCache()
        const { within } = recorder()
        yield* script([{ text: "Par", finish: "Length" }, { text: "Paris" }])
        yield* Effect.flip(within(memory.within(model.text(request()))))
        expect((yield* within(memory.within(model.text(request())))).text).toBe("Paris")
        expect(yield* asked).toBe(2)
      }))

    test("who reads no further than the first part has it metered all the same", ({ model, script }) =>
      Effect.gen(function* () {
        const { records, within } = recorder()
        yield* script([{ text: "Paris, the city of light, as they say." }])
        yield* within(Stream.runDrain(Stream.take(model.stream(request()), 1)))
        expect(records).toHaveLength(1)
        expect(records[0]?.call.promptTokens).toBeGreaterThan(0)
      }))

    test("who is interrupted records nothing afterwards", ({ model, script }) =>
      Effect.gen(function* () {
        const { records, within } = recorder()
        yield* script([{ text: "Paris" }])
        const fiber = yield* Effect.fork(within(model.text(request())))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(fiber)
        const { length } = records
        yield* Effect.sleep("20 millis")
        expect(records).toHaveLength(length)
      }))
  })
}
