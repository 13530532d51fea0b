/** C28, C29, C30: what an evaluation pays is on the bill, is asked once, and can be played again without asking anybody. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { parse, type Question } from "../../src/domain/Dataset.ts"
import { report } from "../../src/domain/EvalFigures.ts"
import { isResult, type Kept } from "../../src/domain/EvalResult.ts"
import { ModelError } from "../../src/domain/ModelError.ts"
import * as Cassette from "../../src/layers/model/Cassette.ts"
import { type Scripted, scripted } from "../../src/layers/model/Scripted.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import { evaluate, type MethodName } from "../../src/programs/Evaluate.ts"
import { Journal } from "../../src/services/Journal.ts"
import { corpus, policy, scope, sensible, questions as texts, world } from "../support/ModelWorld.ts"

const some = corpus.slice(0, 12)
const questions: ReadonlyArray<Question> = Either.getOrThrow(
  parse(
    "questions",
    [0, 1, 20, 40]
      .map((at, i) => JSON.stringify({ id: `q${i}`, question: texts[at], answers: ["Adastad"], gold: ["film-0"] }))
      .join("\n")
  )
).questions
const methods: ReadonlyArray<MethodName> = ["first", "staterag"]

interface Given {
  readonly known?: ReadonlyArray<Kept>
  readonly kept?: Array<Kept>
  /** Fails once so many results are kept. */
  readonly failsAfter?: number
}
const asked = ({ failsAfter = Number.POSITIVE_INFINITY, kept = [], known = [] }: Given) =>
  evaluate({
    questions,
    methods,
    scope,
    policy,
    navigation: false,
    seed: 1,
    concurrency: 1,
    known,
    record: (line) =>
      kept.filter(isResult).length >= failsAfter
        ? Effect.fail("the disk is full")
        : Effect.sync(() => void kept.push(line))
  })
/** Of the same questions, without times. */
const figures = (evaluation: Effect.Effect.Success<ReturnType<typeof asked>>) => {
  const { corpusRevision, policyHash, prepared, results } = evaluation
  const untimed = { wallMs: 1, cpuMs: null }
  return report({
    dataset: "d",
    lines: "all",
    leftOut: 0,
    questions,
    methods,
    metrics: ["recall@5", "f1"],
    results: results.map((result) => ({ ...result, ...untimed })),
    prepared: prepared.map((one) => ({ ...one, ...untimed })),
    policy: { hash: policyHash, settings: policy },
    corpusRevision,
    seed: 1,
    version: "0"
  })
}
const honest = (): Scripted => scripted(sensible)

describe("C28 the bill of an evaluation", () => {
  it.effect("holds every call of every method, governed runs included, once", () => {
    const model = honest()
    return Effect.gen(function* () {
      const { results } = yield* asked({})
      const billed = yield* (yield* Journal).billed(scope, 0)
      const calls = results.reduce((sum, result) => sum + result.calls, 0)
      expect(calls).toBe(model.asked().length)
      expect(billed.length).toBe(calls)
      expect(results.filter(({ method }) => method === "staterag").every((result) => result.calls >= 3)).toBe(true)
      const tokens = billed.reduce((sum, { call }) => sum + call.promptTokens + call.completionTokens, 0)
      expect(results.reduce((sum, result) => sum + result.readerEquivalentTokens, 0)).toBe(tokens)
    }).pipe(Effect.provide(world(model, some)))
  })
})

describe("C29 a fault that every question would meet", () => {
  it.effect("stops the evaluation with its reason, and nothing is kept of what it broke", () => {
    const refused = scripted(() => new ModelError({ model: "scripted", fault: "Unauthorized", detail: "no such key" }))
    return Effect.gen(function* () {
      const kept: Array<Kept> = []
      const error = yield* Effect.flip(asked({ kept }))
      expect(error).toMatchObject({ _tag: "ModelError", fault: "Unauthorized" })
      expect(kept.filter(isResult)).toEqual([])
    }).pipe(Effect.provide(world(refused, some)))
  })
  it.effect("one that passes costs its question alone, which counts as wrong", () => {
    const model = honest()
    return Effect.gen(function* () {
      model.failNext(1, "Rejected")
      const { results } = yield* asked({})
      expect(results.map(({ outcome }) => outcome === "Incomplete").filter(Boolean)).toHaveLength(1)
    }).pipe(Effect.provide(world(model, some)))
  })
})

describe("C29 an evaluation on a tape", () => {
  it.effect("gives the same report without a call, whoever was asked before", () => {
    const model = honest()
    const lines: Array<string> = []
    const silent = scripted(
      () => new ModelError({ model: "scripted", fault: "Unavailable", detail: "nobody is there" })
    )
    return Effect.gen(function* () {
      const recording = { ...model, provider: yield* Cassette.recording(model.provider, Cassette.memory(lines)) }
      const first = yield* asked({}).pipe(Effect.provide(Layer.fresh(world(recording, some))))
      expect(lines.length).toBe(model.asked().length)
      const replaying = { ...silent, provider: yield* Cassette.replaying(model.provider, Cassette.memory(lines)) }
      const second = yield* asked({}).pipe(Effect.provide(Layer.fresh(world(replaying, some))))
      expect(figures(second)).toEqual(figures(first))
      expect(silent.asked()).toEqual([])
    }).pipe(Effect.provide(DigestNode.layer))
  })
  it.effect("resumed, it equals the uninterrupted one", () =>
    Effect.gen(function* () {
      const whole = yield* asked({}).pipe(Effect.provide(Layer.fresh(world(honest(), some))))
      const model = honest()
      const resumed = yield* Effect.gen(function* () {
        const kept: Array<Kept> = []
        yield* Effect.flip(asked({ kept, failsAfter: 5 }))
        return yield* asked({ known: kept })
      }).pipe(Effect.provide(Layer.fresh(world(model, some))))
      expect(figures(resumed)).toEqual(figures(whole))
    })
  )
})
