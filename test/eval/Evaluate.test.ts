/** C29: every method over the whole product; a perfect role scores 100; an interrupted evaluation goes on as if it had not been. */

import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Exit } from "effect"
import { parse, type Question } from "../../src/domain/Dataset.ts"
import { report } from "../../src/domain/EvalFigures.ts"
import type { Report } from "../../src/domain/EvalReport.ts"
import { isResult, type Result } from "../../src/domain/EvalResult.ts"
import { reportText } from "../../src/domain/EvalText.ts"
import { recallAt } from "../../src/domain/Metrics.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { defaultSampling, generator, statistics } from "../../src/domain/Statistics.ts"
import { best, bm25 } from "../../src/programs/baselines/Bm25.ts"
import { type Evaluation, evaluate, type MethodName, plainNames } from "../../src/programs/Evaluate.ts"
import { dataFolder, dataPath, recordsOf } from "../support/Data.ts"
import { library, scope, shelf } from "../support/Shelf.ts"

const records = [
  {
    id: "rush",
    question: "In which city was the drummer on the album Counterparts born?",
    answers: ["Hamilton"],
    gold: ["d0", "d1"],
    type: "bridge",
    hops: 2
  },
  {
    id: "films",
    question: "Which film was released first, Aas Ka Panchhi or Phoolwari?",
    answers: ["Phoolwari"],
    gold: ["d4", "d5"],
    type: "comparison",
    hops: 2
  },
  {
    id: "seat",
    question: "What is the seat of the county where Van Hook Township is located?",
    answers: ["Stanley"],
    gold: ["d7", "d8"],
    type: "bridge",
    hops: 2
  },
  {
    id: "director",
    question: "Where was the director of Aas Ka Panchhi born?",
    answers: ["Sialkot"],
    gold: ["d4", "d6"],
    type: "bridge",
    hops: 2
  },
  { id: "tower", question: "東京タワーはどこにある？", answers: ["港区"], gold: ["d12"], type: "single", hops: 1 },
  { id: "loose", question: "How is a failed call retried?", answers: ["with a schedule"], gold: [] }
]
const { questions } = Either.getOrThrow(parse("records", records.map((record) => JSON.stringify(record)).join("\n")))

interface Asked {
  readonly questions?: ReadonlyArray<Question>
  readonly methods?: ReadonlyArray<MethodName>
  readonly known?: ReadonlyArray<Result>
  readonly policy?: Policy
  readonly navigation?: boolean
  readonly models?: string
  readonly concurrency?: number
  /** Fails once this many results have been recorded. */
  readonly failsAfter?: number
  readonly recorded?: Array<Result>
}
const asked = ({ failsAfter, recorded = [], ...options }: Asked): Effect.Effect<Evaluation, unknown> =>
  evaluate({
    questions,
    methods: plainNames,
    known: [],
    policy: defaultPolicy,
    navigation: false,
    seed: 1,
    scope,
    concurrency: 1,
    ...options,
    record: (kept) =>
      !isResult(kept)
        ? Effect.void
        : recorded.length === failsAfter
          ? Effect.fail("the disk is full")
          : Effect.sync(() => void recorded.push(kept))
  }).pipe(Effect.provide(shelf(library)))

const reported = (
  { corpusRevision, policyHash, prepared, results }: Evaluation,
  of = questions,
  methods = plainNames
): Report =>
  report({
    dataset: "records",
    lines: "all",
    leftOut: 0,
    questions: of,
    methods,
    results,
    prepared,
    metrics: ["recall@5", "f1"],
    policy: { hash: policyHash, settings: defaultPolicy },
    corpusRevision,
    seed: 1,
    version: "0"
  })
/** Without what differs from run to run. */
const untimed = (evaluation: Evaluation) => evaluation.results.map(({ cpuMs: _, wallMs: __, ...rest }) => rest)

describe("C29 an evaluation", () => {
  it.effect(
    "asks every question by every method, and none breaks",
    () =>
      Effect.gen(function* () {
        const recorded: Array<Result> = []
        const evaluation = yield* asked({ recorded })
        expect(evaluation.results.map(({ id, method }) => `${method} ${id}`)).toEqual(
          plainNames.flatMap((method) => questions.map(({ id }) => `${method} ${id}`))
        )
        expect(recorded).toEqual(evaluation.results)
        const broken = evaluation.results.filter(({ outcome }) => outcome === "Incomplete")
        // without gold there is no gold evidence to start from
        expect(broken.filter(({ id }) => id !== "loose")).toEqual([])
        const { methods, n, paired, questions: told } = reported(evaluation)
        expect(n).toBe(6)
        expect(told).toHaveLength(6 * plainNames.length)
        expect(methods.bm25?.n).toBe(6)
        expect(paired.some(({ a, b }) => a === "staterag" && b === "first")).toBe(true)
        expect(methods.staterag?.byType.bridge?.n).toBe(3)
        expect(methods.staterag?.byHops["1"]?.n).toBe(1)
        const branches = Object.values(methods.staterag?.byBranch ?? {})
        expect(branches.reduce((sum, group) => sum + group.n, 0)).toBe(6)
        const text = reportText(reported(evaluation))
        for (const method of plainNames) expect(text).toContain(`| ${method} |`)
      }),
    120_000
  )

  it.effect("gold evidence scores 100 in everything that is about retrieval, through the whole contract", () =>
    Effect.gen(function* () {
      const withGold = questions.filter(({ gold }) => gold.length > 0)
      const evaluation = yield* asked({ questions: withGold, methods: ["oracle-evidence"] })
      const oracle = reported(evaluation, withGold, ["oracle-evidence"]).methods["oracle-evidence"]
      expect(oracle?.recall).toEqual({ "2": 100, "5": 100, "10": 100 })
      expect(oracle?.allSupport["5"]).toBe(100)
      expect([oracle?.mrr, oracle?.ndcg, oracle?.incomplete]).toEqual([100, 100, 0])
      expect(oracle?.interval["recall@5"]).toEqual([100, 100])
      expect(Object.keys(oracle?.byBranch ?? {})).toEqual(["Bypass"])
    })
  )

  it.effect("a gold verdict passes what holds all gold, and nothing else", () =>
    Effect.gen(function* () {
      const { results } = yield* asked({ methods: ["oracle-verdict"] })
      const cycles = results.flatMap(({ cycles, id }) => cycles.map((cycle) => ({ ...cycle, id })))
      expect(cycles.length).toBeGreaterThan(0)
      for (const { evidence, id, verdict } of cycles) {
        const gold = questions.find((question) => question.id === id)?.gold ?? []
        expect(verdict).toBe(gold.every((document) => evidence.includes(document)) ? "Pass" : "Fail")
      }
    })
  )

  it.effect("oracles stay inside the contract: what they commit lies in the region that was opened", () =>
    Effect.gen(function* () {
      const { results } = yield* asked({ methods: ["oracle-plan", "oracle-region"] })
      for (const { cycles } of results)
        for (const { evidence, region } of cycles) expect(region).toEqual(expect.arrayContaining([...evidence]))
    })
  )

  it.effect("one question does not learn from another: order changes nothing", () =>
    Effect.gen(function* () {
      const forth = untimed(yield* asked({ methods: ["staterag"] }))
      const back = untimed(yield* asked({ methods: ["staterag"], questions: [...questions].reverse() }))
      expect([...back].reverse()).toEqual(forth)
      const alone = untimed(yield* asked({ methods: ["staterag"], questions: questions.slice(2, 3) }))
      expect(alone).toEqual(forth.slice(2, 3))
    })
  )

  it.effect("several questions at a time give what one at a time gives, but no CPU time of a question", () =>
    Effect.gen(function* () {
      const one = yield* asked({ methods: ["first", "staterag"] })
      const three = yield* asked({ methods: ["first", "staterag"], concurrency: 3 })
      expect(untimed(three)).toEqual(untimed(one))
      expect(three.results.every(({ cpuMs }) => cpuMs === null)).toBe(true)
      expect(reported(three, questions, ["first"]).methods.first?.cost.cpuMs).toBeNull()
    })
  )

  it.effect("navigation is compared with scoring everything", () =>
    Effect.gen(function* () {
      const evaluation = yield* asked({ methods: ["staterag"], navigation: true })
      const { navigation } = reported(evaluation, questions, ["staterag"]).methods.staterag ?? {}
      const cycles = evaluation.results.reduce((sum, it) => sum + it.cycles.length, 0)
      expect(navigation?.cycles).toBe(cycles)
      expect(evaluation.results.flatMap((it) => it.navigation.map(({ total }) => total))).toEqual(
        new Array(cycles).fill(library.length)
      )
      expect(navigation?.agreement).toBeGreaterThan(90)
      const plain = untimed(yield* asked({ methods: ["staterag"] }))
      const watched = untimed(evaluation).map((it) => ({ ...it, key: plain[0]?.key, navigation: [] }))
      expect(watched).toEqual(plain)
    })
  )
})

describe("C29 an evaluation that was interrupted", () => {
  const methods: ReadonlyArray<MethodName> = ["bm25", "first", "staterag"]

  it.effect("goes on where it was, wherever that is, and ends in the same report", () =>
    Effect.gen(function* () {
      const whole = yield* asked({ methods })
      for (const failsAfter of [0, 1, 7, 17]) {
        const recorded: Array<Result> = []
        expect(Exit.isFailure(yield* Effect.exit(asked({ methods, failsAfter, recorded })))).toBe(true)
        expect(recorded).toHaveLength(failsAfter)
        const rest: Array<Result> = []
        const resumed = yield* asked({ methods, known: recorded, recorded: rest })
        expect(rest).toHaveLength(18 - failsAfter)
        expect(resumed.reused).toBe(failsAfter)
        expect(untimed(resumed)).toEqual(untimed(whole))
      }
    })
  )

  it.effect("asks nothing twice, and uses nothing of another policy, other models or another wording", () =>
    Effect.gen(function* () {
      const { results } = yield* asked({ methods })
      const again: Array<Result> = []
      const same = yield* asked({ methods, known: [...results].reverse(), recorded: again })
      expect([again, same.reused]).toEqual([[], 18])
      expect(same.results).toEqual(results)
      const other: Array<Result> = []
      yield* asked({ methods, known: results, policy: { ...defaultPolicy, maxCycles: 2 }, recorded: other })
      expect(other).toHaveLength(18)
      const modelled: Array<Result> = []
      yield* asked({ methods, known: results, models: "openai:other", recorded: modelled })
      expect(modelled).toHaveLength(18)
      const reworded = questions.map((question) =>
        question.id === "seat" ? { ...question, question: "Which seat?" } : question
      )
      const few: Array<Result> = []
      yield* asked({ methods, known: results, questions: reworded, recorded: few })
      expect(few.map(({ id }) => id)).toEqual(["seat", "seat", "seat"])
    })
  )
})

describe("C29 an incomplete run", () => {
  it("counts as wrong in every figure, and is counted", () => {
    const result = (method: string, id: string, found: Partial<Result>): Result => ({
      key: "k",
      id,
      question: "q",
      method,
      documents: [],
      answer: null,
      short: null,
      cited: [],
      outcome: "Incomplete",
      reason: "Navigator: nothing",
      cycles: [],
      initial: [],
      navigation: [],
      calls: 0,
      readerEquivalentTokens: 0,
      evidence: [],
      money: null,
      wallMs: 1,
      cpuMs: 1,
      ...found
    })
    const [one, two] = questions
    if (one === undefined || two === undefined) throw new Error("there are six questions")
    const good = result("staterag", one.id, {
      documents: [...one.gold],
      answer: "Hamilton",
      short: "Hamilton",
      cited: [...one.gold],
      outcome: "Release",
      reason: null
    })
    const told = reported(
      {
        results: [good, result("staterag", two.id, {})],
        prepared: [],
        reused: 0,
        policyHash: "p",
        corpusRevision: "r" as Evaluation["corpusRevision"]
      },
      [one, two],
      ["staterag"]
    )
    const { byBranch, em, f1, incomplete, mrr, recall } = told.methods.staterag ?? {}
    expect([recall?.["5"], mrr, em, f1, incomplete]).toEqual([50, 50, 50, 50, 1])
    expect(Object.keys(byBranch ?? {})).toEqual(["Incomplete", "Release"])
  })
})

describe.runIf(dataFolder !== undefined)("C29 the ruler against what is known", () => {
  const set = "2wikimultihopqa-hipporag"

  it("BM25 over the corpus of HippoRAG gives what was published: R@5 64.3 ± 2", { timeout: 120_000 }, () => {
    const corpus = recordsOf(set)
    const asked = Either.getOrThrow(parse(set, readFileSync(dataPath(`${set}.jsonl`), "utf8"))).questions
    expect([corpus.length, asked.length]).toEqual([6119, 567])
    const search = bm25(corpus.map(({ text, title }) => `${title}\n${text}`))
    const recalls = asked.map(
      ({ gold, question }) =>
        recallAt(
          gold,
          best(search(question), 5).map((at) => corpus[at]?.id ?? ""),
          5
        ) ?? 0
    )
    const { interval } = statistics(defaultSampling)
    const mean = (100 * recalls.reduce((sum, value) => sum + value, 0)) / recalls.length
    expect(mean).toBeGreaterThan(62.3)
    expect(mean).toBeLessThan(66.3)
    expect(interval(recalls)[0] * 100).toBeLessThan(65.3)

    // a shuffled list: five of 6,119 hold each gold document with that chance
    const { int } = generator(4)
    const chance = asked.map(
      ({ gold }) =>
        recallAt(
          gold,
          Array.from({ length: 5 }, () => corpus[int(corpus.length)]?.id ?? ""),
          5
        ) ?? 0
    )
    expect(chance.reduce((sum, value) => sum + value, 0) / chance.length).toBeLessThan(0.005)
  })
})
