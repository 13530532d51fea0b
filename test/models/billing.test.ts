/** C28: what models cost is on the bill once, whoever asked, and however the work ended. C34: forgetting leaves the bill, and nothing else. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Effect, Either, Exit, FastCheck, Layer, Option } from "effect"
import { billOf, dayOf, type Item } from "../../src/domain/Bill.ts"
import { DocumentId } from "../../src/domain/Ids.ts"
import { ModelCall } from "../../src/domain/Usage.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as ModelCacheSql from "../../src/layers/sql/ModelCacheSql.ts"
import { ask } from "../../src/programs/Ask.ts"
import { forget } from "../../src/programs/Forget.ts"
import { keepingCalls } from "../../src/programs/OtherCalls.ts"
import { usage, usageOfRun } from "../../src/programs/Usage.ts"
import { EmbeddingError, EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { Journal } from "../../src/services/Journal.ts"
import { ModelCache } from "../../src/services/ModelCache.ts"
import { ModelCalls } from "../../src/services/ModelCalls.ts"
import { Reader } from "../../src/services/Roles.ts"
import { folder, found, index, kinds, scope, write } from "../support/Living.ts"
import { keptCall } from "../support/Runs.ts"

const files = {
  "a.md": "# Alpha\n\nAlpha was made by Beta Smith in 1999.\n",
  "b.md": "# Beta Smith\n\nBeta Smith was born in Corran.\n"
}
const call: ModelCall = { ...keptCall({}).call, role: "Embedding", model: "paid", sizeRatio: 0, money: 0.5 }

/** The embedding model in the context, which costs something, and fails at the call `failsAt`. */
const paying = (failsAt = Number.POSITIVE_INFINITY) =>
  Effect.map(EmbeddingModel, (model): typeof EmbeddingModel.Service => {
    let calls = 0
    return {
      id: model.id,
      dimensions: model.dimensions,
      kind: model.kind,
      embed: (texts) =>
        Effect.gen(function* () {
          if (++calls >= failsAt)
            return yield* new EmbeddingError({ model: "paid", detail: "away", cause: "away", fault: "Unavailable" })
          const vectors = yield* model.embed(texts)
          const { record } = yield* ModelCalls
          yield* Effect.orDie(record({ request: `r${calls}`, call, reply: null }))
          return vectors
        })
    }
  })

const withPaying = <A, E, R>(effect: Effect.Effect<A, E, R>, failsAt?: number) =>
  Effect.flatMap(paying(failsAt), (model) => Effect.provideService(effect, EmbeddingModel, model))

describe("C28 the bill", () => {
  it("sums each call once in every table", () => {
    const items = FastCheck.array(
      FastCheck.record({
        scope: FastCheck.constantFrom("a", "b", "__proto__"),
        at: FastCheck.integer({ min: 0, max: 2e12 }),
        call: Arbitrary.make(ModelCall).filter(({ money }) => money === null || Math.abs(money) < 1e6)
      }),
      { maxLength: 30 }
    )
    FastCheck.assert(
      FastCheck.property(items, (all: ReadonlyArray<Item>) => {
        const bill = billOf(all, null)
        expect(bill.total.calls).toBe(all.length)
        for (const by of [bill.byRole, bill.byModel, bill.byDay, bill.byScope]) {
          const sums = Object.values(by)
          expect(sums.reduce((n, { calls }) => n + calls, 0)).toBe(all.length)
          expect(sums.reduce((n, { promptTokens }) => n + promptTokens, 0)).toBe(bill.total.promptTokens)
        }
        // a cached answer costs nothing
        const paid = all.filter((item) => !item.call.cached && item.call.money !== null)
        expect(bill.total.money ?? 0).toBeCloseTo(
          paid.reduce((sum, item) => sum + (item.call.money ?? 0), 0),
          3
        )
        for (const item of all) expect(Object.hasOwn(bill.byDay, dayOf(item.at))).toBe(true)
      }),
      { numRuns: 100, seed: 28 }
    )
  })
})

for (const [name, make] of kinds)
  describe(`C28, ${name}, work that is no run`, () => {
    it.effect(
      "an index run says what it cost, and it is on the bill; a second, which embeds nothing, costs nothing",
      () =>
        Effect.gen(function* () {
          const root = write(folder(), files)
          const report = yield* withPaying(index(root))
          expect(report.usage.calls).toBeGreaterThan(0)
          const bill = yield* usage({})
          expect(bill.total).toMatchObject({ calls: report.usage.calls, money: report.usage.money })
          expect(Object.keys(bill.byModel)).toEqual(["paid"])
          expect(Object.keys(bill.byScope)).toEqual([scope])
          expect((yield* withPaying(index(root))).usage.calls).toBe(0)
          expect(yield* usage({})).toEqual(bill)
          expect((yield* usage({ since: Number.MAX_SAFE_INTEGER })).total.calls).toBe(0)
        }).pipe(Effect.provide(make()))
    )

    it.effect("an index run that fails half-way leaves no corpus, and what it has paid is on the bill", () =>
      Effect.gen(function* () {
        const root = write(folder(), files)
        const exit = yield* Effect.exit(withPaying(index(root), 2))
        expect(Exit.isFailure(exit)).toBe(true)
        expect((yield* usage({ scope })).total).toMatchObject({ calls: 1, money: 0.5 })
      }).pipe(Effect.provide(make()))
    )

    it.effect("interrupted, it is on the bill too", () =>
      Effect.gen(function* () {
        const work = keepingCalls(scope, "Search", () =>
          Effect.flatMap(ModelCalls, ({ record }) =>
            Effect.zipRight(record({ request: "r", call, reply: null }), Effect.interrupt)
          )
        )
        expect(Exit.isInterrupted(yield* Effect.exit(work))).toBe(true)
        expect((yield* usage({ scope })).byRole.Embedding?.calls).toBe(1)
      }).pipe(Effect.provide(make()))
    )

    it.effect("the calls of a run are on the bill and in its own usage, the reader's too", () =>
      Effect.gen(function* () {
        yield* index(write(folder(), files))
        const answer = yield* Effect.flatMap(Reader, (reader) =>
          ask("Who made Alpha?", { scope }).pipe(
            Effect.provideService(Reader, {
              read: (question, evidence) =>
                Effect.flatMap(ModelCalls, ({ record }) =>
                  Effect.zipRight(
                    Effect.orDie(record({ ...keptCall({ call: { role: "Reader" } }), request: "r" })),
                    reader.read(question, evidence)
                  )
                )
            })
          )
        )
        expect(answer.usage.byRole.Reader?.calls).toBe(1)
        expect((yield* usage({ scope })).total.calls).toBe(answer.usage.calls)
        expect(yield* usageOfRun(scope, answer.run)).toEqual(answer.usage)
      }).pipe(Effect.provide(make()))
    )
  })

describe("C34, pain 31 forgetting what models were told", () => {
  it.live(
    "leaves no byte of it in recorded answers, cached answers and vectors, or the documents that a run was held to",
    () => {
      const directory = folder()
      const secret = "Vexlumbra"
      return Effect.gen(function* () {
        const root = write(folder(), { ...files, [`${secret}.md`]: `# Gamma\n\nGamma was built by ${secret} Quorn.\n` })
        yield* index(root)
        const id = DocumentId.make(`${secret}.md`)
        const answer = yield* Effect.flatMap(Reader, (reader) =>
          ask("Who built Gamma?", { scope, within: [id] }).pipe(
            Effect.provideService(Reader, {
              read: (question, evidence) =>
                Effect.flatMap(ModelCalls, ({ record }) =>
                  Effect.zipRight(
                    Effect.orDie(
                      record({ ...keptCall({ text: `It was ${secret}.`, call: { role: "Reader" } }), request: "r" })
                    ),
                    reader.read(question, evidence)
                  )
                )
            })
          )
        )
        const cache = yield* ModelCache
        yield* cache.keepReply(scope, "r", { ...(keptCall({}).reply ?? never()), text: `It was ${secret}.` })
        yield* cache.keepVectors(scope, "m", [{ text: "t", vector: Float32Array.from([1, 2]) }])
        expect(found(directory, [secret]).length).toBeGreaterThan(0)
        const bill = yield* usage({})
        yield* forget({ scope, paths: [`${secret}.md`] })
        expect(found(directory, [secret])).toEqual([])
        expect(yield* cache.reply(scope, "r")).toEqual(Option.none())
        expect(yield* cache.vectors(scope, "m", ["t"])).toEqual([Option.none()])
        expect(yield* usage({})).toEqual(bill)
        const journal = yield* Journal
        expect((yield* Effect.either(journal.events(scope, answer.run))).pipe(Either.isRight)).toBe(true)
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            ModelCacheSql.layer.pipe(
              Layer.provide(Client.layer({ filename: `${directory}/staterag.db`, create: true }))
            ),
            Embedded.layer({ directory })
          )
        )
      )
    }
  )
})

const never = (): never => {
  throw new Error("there is a reply")
}
