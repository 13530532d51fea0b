/** What every ModelCache promises: what was kept is what is found, for its scope and request alone, until it is removed. */
import { describe, expect, layer as provide } from "@effect/vitest"
import { Effect, FastCheck, type Layer, Option, TestClock } from "effect"
import type { ModelReply } from "../../src/domain/ModelRequest.ts"
import { Housekeeping } from "../../src/services/Housekeeping.ts"
import { Journal } from "../../src/services/Journal.ts"
import { ModelCache } from "../../src/services/ModelCache.ts"
import { ended, keptCall, nasty, runId, scopeKey, stamped, started } from "../support/Runs.ts"

export type Stores = ModelCache | Housekeeping | Journal

const reply = (text: string): ModelReply => ({
  text,
  finish: "Stop",
  promptTokens: 3,
  completionTokens: 2,
  estimated: false
})
const vector = (...values: ReadonlyArray<number>): Float32Array => Float32Array.from(values)

export const contract = (name: string, stores: Layer.Layer<Stores, unknown>): void => {
  describe(`ModelCache ${name}`, () => {
    provide(stores)((it) => {
      it.effect("C28 an answer is found by scope and request, as it was kept", () =>
        Effect.gen(function* () {
          const { keepReply, reply: found } = yield* ModelCache
          for (const [i, text] of [...nasty, ""].entries()) {
            const whole: ModelReply = { ...reply(text), finish: "Length", estimated: true }
            yield* keepReply("a", `r${i}`, whole)
            expect(yield* found("a", `r${i}`)).toEqual(Option.some(whole))
          }
          expect(yield* found("a", "r")).toEqual(Option.none())
          yield* keepReply("a", "r0", reply("newer"))
          expect(yield* found("a", "r0")).toEqual(Option.some(reply("newer")))
        })
      )

      it.effect("C27 what is cached of one scope is nothing to another", () =>
        Effect.gen(function* () {
          const { keepReply, keepVectors, reply: found, vectors } = yield* ModelCache
          yield* keepReply("mine", "r", reply("secret"))
          yield* keepVectors("mine", "m", [{ text: "t", vector: vector(1) }])
          for (const other of ["yours", "", "MINE", "mine "]) {
            expect(yield* found(other, "r")).toEqual(Option.none())
            expect(yield* vectors(other, "m", ["t"])).toEqual([Option.none()])
          }
        })
      )

      it.effect("vectors come in the order of the texts, of their model alone, and are the caller's own", () =>
        Effect.gen(function* () {
          const { keepVectors, vectors } = yield* ModelCache
          const wide = new Float32Array([9, 9, 0.5, -0.25, 9]).subarray(2, 4)
          yield* keepVectors("v", "m", [
            { text: "a", vector: vector(1, 0) },
            { text: "b", vector: wide },
            { text: "a", vector: vector(0, 1) }
          ])
          yield* keepVectors("v", "other", [{ text: "c", vector: vector(1) }])
          const expected = [
            Option.some(vector(0.5, -0.25)),
            Option.none(),
            Option.some(vector(0, 1)),
            Option.some(vector(0.5, -0.25))
          ]
          expect(yield* vectors("v", "m", ["b", "c", "a", "b"])).toEqual(expected)
          for (const held of yield* vectors("v", "m", ["a", "b"])) Option.map(held, (own) => own.fill(7))
          expect(yield* vectors("v", "m", ["b", "c", "a", "b"])).toEqual(expected)
          expect(yield* vectors("v", "m", [])).toEqual([])
          yield* keepVectors("v", "m", [])
          // more than one statement of them
          const many = Array.from({ length: 300 }, (_, i) => ({ text: `t${i}`, vector: vector(i, 1) }))
          yield* keepVectors("v", "m", many)
          expect(
            yield* vectors(
              "v",
              "m",
              many.map(({ text }) => text)
            )
          ).toEqual(many.map(({ vector: of }) => Option.some(of)))
        })
      )

      it.effect("any key is one key", () =>
        Effect.gen(function* () {
          const cache = yield* ModelCache
          const keys = FastCheck.sample(FastCheck.tuple(FastCheck.string(), FastCheck.string()), {
            numRuns: 60,
            seed: 4
          })
          const distinct = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]
          for (const [i, [model, text]] of distinct.entries())
            yield* cache.keepVectors("keys", model, [{ text, vector: vector(i + 1) }])
          for (const [i, [model, text]] of distinct.entries())
            expect(yield* cache.vectors("keys", model, [text])).toEqual([Option.some(vector(i + 1))])
        })
      )

      it.effect("C34 forgetting removes what was said and what was made of texts; the bill stays", () =>
        Effect.gen(function* () {
          const cache = yield* ModelCache
          const journal = yield* Journal
          const { removeAnswers } = yield* Housekeeping
          const [scope, other] = [scopeKey("forgetting"), scopeKey("keeping")]
          const id = runId("forgetting")
          for (const key of [scope, other]) {
            yield* cache.keepReply(key, "r", reply("said"))
            yield* cache.keepVectors(key, "m", [{ text: "t", vector: vector(1) }])
          }
          const token = yield* journal.begin([started(id, scope)])
          yield* journal.keepCall(id, token, keptCall({ text: "said" }))
          const bill = yield* journal.billed(scope, 0)
          yield* removeAnswers(scope)
          expect(yield* cache.reply(scope, "r")).toEqual(Option.none())
          expect(yield* cache.vectors(scope, "m", ["t"])).toEqual([Option.none()])
          expect((yield* journal.calls(scope, id)).map(({ reply }) => reply)).toEqual([null])
          expect(yield* journal.billed(scope, 0)).toEqual(bill)
          expect(yield* cache.reply(other, "r")).toEqual(Option.some(reply("said")))
          expect((yield* cache.vectors(other, "m", ["t"])).length).toBe(1)
        })
      )

      it.effect("pain 21 what was not used for long, and all but the newest used, are removed", () =>
        Effect.gen(function* () {
          const cache = yield* ModelCache
          const { removeCached } = yield* Housekeeping
          const scope = scopeKey("pruning")
          const day = 86_400_000
          const at = (days: number) => TestClock.setTime(days * day)
          const left = Effect.map(
            Effect.forEach(["a", "b", "c", "d"], (request) => cache.reply(scope, request)),
            (held) => held.map(Option.isSome)
          )
          for (const [i, request] of ["a", "b", "c", "d"].entries()) {
            yield* at(i)
            yield* cache.keepReply(scope, request, reply(request))
          }
          yield* cache.keepVectors(scope, "m", [{ text: "t", vector: vector(1) }])
          yield* at(10)
          // used again, so that it is not old
          expect(Option.isSome(yield* cache.reply(scope, "a"))).toBe(true)
          const old = { usedBefore: 2 * day }
          expect(yield* removeCached(scope, { ...old, dryRun: true })).toEqual({ removed: 1, kept: 4 })
          expect(yield* removeCached(scope, { keep: 1, dryRun: true })).toEqual({ removed: 3, kept: 2 })
          expect(yield* removeCached(scope, {})).toEqual({ removed: 0, kept: 5 })
          expect(yield* removeCached(scope, old)).toEqual({ removed: 1, kept: 4 })
          expect(yield* left).toEqual([true, false, true, true])
          yield* at(20)
          yield* cache.reply(scope, "c")
          expect(yield* removeCached(scope, { keep: 1 })).toEqual({ removed: 2, kept: 2 })
          expect(yield* left).toEqual([false, false, true, false])
        })
      )

      it.effect(
        "what an ended run was told goes with the next pruning, what an open one was told stays; runs take their calls along",
        () =>
          Effect.gen(function* () {
            const journal = yield* Journal
            const { removeCached, removeRuns } = yield* Housekeeping
            const scope = scopeKey("told")
            const open = runId("told-open")
            const done = runId("told-done")
            for (const id of [open, done]) {
              const token = yield* journal.begin([started(id, scope)])
              yield* journal.keepCall(id, token, keptCall({ at: 10 }))
              if (id === done) yield* journal.commit(id, token, stamped(id, 1, [ended("Release")]), [])
            }
            yield* journal.keepOther(scope, "index-old", keptCall({ at: 10 }))
            yield* journal.keepOther(scope, "index-new", keptCall({ at: 30 }))
            yield* removeCached(scope, { usedBefore: 20 })
            const answers = (id: typeof open) =>
              Effect.map(journal.calls(scope, id), (calls) => calls.map(({ reply }) => reply?.text))
            expect(yield* answers(open)).toEqual(["yes"])
            expect(yield* answers(done)).toEqual([undefined])
            expect((yield* journal.billed(scope, 0)).map(({ run }) => run).sort()).toEqual(
              ["index-new", done, open].sort()
            )
            yield* removeRuns(scope, [done])
            yield* removeRuns(scopeKey("another"), [open])
            expect((yield* journal.billed(scope, 0)).map(({ run }) => run).sort()).toEqual(["index-new", open].sort())
          })
      )
    })
  })
}
