/** The figures of a report, as a pure function of questions and results. */
import type { Question } from "./Dataset.ts"
import type { Group, MethodReport, Paired, Report } from "./EvalReport.ts"
import { type Prepared, type Result, type Scores, type Stages, scoresOf, stagesOf } from "./EvalResult.ts"
import { distinct, type Metric, metricNames } from "./Metrics.ts"
import type { Policy } from "./Policy.ts"
import { defaultSampling, holm, mean, quantile, type Statistics, statistics } from "./Statistics.ts"

/** A result with its question and its scores. */
interface Judged {
  readonly question: Question
  readonly result: Result
  readonly scores: Scores
}

const percent = (value: number): number => Math.round(value * 10_000) / 100
const round = (value: number): number => Math.round(value * 1000) / 1000

const valuesOf = (judged: ReadonlyArray<Judged>, metric: Metric): ReadonlyArray<number> =>
  judged.flatMap(({ scores }) => scores[metric] ?? [])

const meanOf = (judged: ReadonlyArray<Judged>, metric: Metric): number | null => {
  const values = valuesOf(judged, metric)
  return values.length === 0 ? null : percent(mean(values))
}

const groupOf = (judged: ReadonlyArray<Judged>): Group => ({
  n: judged.length,
  recall: {
    "2": meanOf(judged, "recall@2"),
    "5": meanOf(judged, "recall@5"),
    "10": meanOf(judged, "recall@10")
  },
  allSupport: {
    "2": meanOf(judged, "allSupport@2"),
    "5": meanOf(judged, "allSupport@5"),
    "10": meanOf(judged, "allSupport@10")
  },
  em: meanOf(judged, "em"),
  f1: meanOf(judged, "f1")
})

const groupsBy = (judged: ReadonlyArray<Judged>, key: (it: Judged) => string | null): Record<string, Group> => {
  const byKey = new Map<string, Array<Judged>>()
  for (const it of judged) {
    const name = key(it)
    if (name === null) continue
    const known = byKey.get(name)
    if (known === undefined) byKey.set(name, [it])
    else known.push(it)
  }
  return Object.fromEntries([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, its]) => [name, groupOf(its)]))
}

const spread = (values: ReadonlyArray<number>) => {
  const sorted = Float64Array.from(values).sort()
  return { mean: round(mean(values)), p50: round(quantile(sorted, 0.5)), p95: round(quantile(sorted, 0.95)) }
}

const shareOf = (flags: ReadonlyArray<boolean>): number | null =>
  flags.length === 0 ? null : percent(flags.filter(Boolean).length / flags.length)

const verdictsOf = (judged: ReadonlyArray<Judged>): MethodReport["verdicts"] => {
  const first = judged.flatMap(({ question: { gold }, result: { cycles } }) => {
    const [cycle] = cycles
    if (cycle === undefined || gold.length === 0) return []
    return [{ verdict: cycle.verdict, all: gold.every((document) => cycle.evidence.includes(document)) }]
  })
  const of = (wanted: "Pass" | "Fail") => {
    const flags = first.filter(({ verdict }) => verdict === wanted).map(({ all }) => all)
    return { n: flags.length, allSupport: shareOf(flags) }
  }
  return first.length === 0 ? null : { pass: of("Pass"), fail: of("Fail") }
}

/** Over the questions that entered the cycles. */
const stageMeans = (judged: ReadonlyArray<Judged>): MethodReport["stages"] => {
  const all = judged.flatMap(({ question, result }): ReadonlyArray<Stages> => {
    const stages = result.cycles.length === 0 ? null : stagesOf(question.gold, result)
    return stages === null ? [] : [stages]
  })
  const of = (name: keyof Stages) => percent(mean(all.map((stages) => stages[name])))
  return all.length === 0
    ? null
    : {
        initial: of("initial"),
        regions: of("regions"),
        evidence: of("evidence"),
        terminal: of("terminal"),
        questions: all.length
      }
}

const navigationOf = (judged: ReadonlyArray<Judged>): MethodReport["navigation"] => {
  const all = judged.flatMap(({ result }) => result.navigation)
  if (all.length === 0) return null
  const scored = mean(all.map(({ scored, total }) => (total === 0 ? 0 : scored / total)))
  return { cycles: all.length, agreement: shareOf(all.map(({ agrees }) => agrees)), scored: percent(scored) }
}

const sum = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((all, value) => all + value, 0)

const methodReport = (
  judged: ReadonlyArray<Judged>,
  { interval }: Statistics,
  prepared: Prepared | undefined
): MethodReport => {
  const results = judged.map(({ result }) => result)
  const cpu = results.flatMap(({ cpuMs }) => cpuMs ?? [])
  return {
    ...groupOf(judged),
    mrr: meanOf(judged, "mrr"),
    ndcg: meanOf(judged, "ndcg@10"),
    contained: meanOf(judged, "contained"),
    citationPrecision: meanOf(judged, "citationPrecision"),
    citationRecall: meanOf(judged, "citationRecall"),
    anls: meanOf(judged, "anls"),
    evidenceRecall: meanOf(judged, "evidenceRecall"),
    interval: Object.fromEntries(
      metricNames.flatMap((metric) => {
        const values = valuesOf(judged, metric)
        if (values.length === 0) return []
        const [low, high] = interval(values)
        return [[metric, [percent(low), percent(high)] as const]]
      })
    ),
    byType: groupsBy(judged, ({ question }) => question.type),
    byBranch: groupsBy(judged, ({ result }) => (result.outcome === "Ranking" ? null : result.outcome)),
    byHops: groupsBy(judged, ({ question }) => (question.hops === null ? null : String(question.hops))),
    incomplete: results.filter(({ outcome }) => outcome === "Incomplete").length,
    notFound: results.filter(({ answer, outcome }) => answer === null && outcome !== "Incomplete").length,
    cost: {
      wallMs: spread(results.map(({ wallMs }) => wallMs)),
      cpuMs: cpu.length === 0 ? null : spread(cpu),
      calls: round(mean(results.map(({ calls }) => calls))),
      readerEquivalentTokens: round(mean(results.map(({ readerEquivalentTokens }) => readerEquivalentTokens))),
      money: sum(results.flatMap(({ money }) => money ?? []))
    },
    note: prepared?.note ?? null,
    index:
      prepared === undefined
        ? null
        : {
            wallMs: round(prepared.wallMs),
            cpuMs: prepared.cpuMs === null ? null : round(prepared.cpuMs),
            calls: prepared.calls,
            readerEquivalentTokens: round(prepared.readerEquivalentTokens),
            money: prepared.money
          },
    stages: stageMeans(judged),
    verdicts: verdictsOf(judged),
    navigation: navigationOf(judged)
  }
}

/** a − b on the questions that both have a score for, from scores in percent; undefined where there is none. */
export const pairedOf = (
  a: { readonly name: string; readonly scores: ReadonlyMap<string, number | null> },
  b: { readonly name: string; readonly scores: ReadonlyMap<string, number | null> },
  metric: string,
  { interval, permutation }: Statistics
): Omit<Paired, "holm"> | undefined => {
  const differences = [...a.scores].flatMap(([id, score]) => {
    const other = b.scores.get(id)
    return score == null || other == null ? [] : [score - other]
  })
  if (differences.length === 0) return undefined
  const [low, high] = interval(differences)
  return {
    a: a.name,
    b: b.name,
    metric,
    n: differences.length,
    difference: Math.round(mean(differences) * 100) / 100,
    interval: [Math.round(low * 100) / 100, Math.round(high * 100) / 100],
    p: Math.round(permutation(differences) * 10_000) / 10_000
  }
}

/** Pairs with their p corrected over all that are looked at together: those of one metric. */
export const corrected = (paired: ReadonlyArray<Omit<Paired, "holm">>): ReadonlyArray<Paired> => {
  const byMetric = new Map<string, Array<number>>()
  paired.forEach(({ metric }, at) => {
    const places = byMetric.get(metric)
    if (places === undefined) byMetric.set(metric, [at])
    else places.push(at)
  })
  const adjusted = new Array<number>(paired.length).fill(1)
  for (const places of byMetric.values())
    holm(places.map((at) => paired[at]?.p ?? 1)).forEach((p, i) => {
      const at = places[i]
      if (at !== undefined) adjusted[at] = Math.round(p * 10_000) / 10_000
    })
  return paired.map((pair, at) => ({ ...pair, holm: adjusted[at] ?? 1 }))
}

/** Names of those that no other is as good as and quicker, or as quick as and better. */
const frontierOf = (methods: Readonly<Record<string, MethodReport>>): ReadonlyArray<string> => {
  const points = Object.entries(methods).map(([name, { cost, f1 }]) => ({ name, f1: f1 ?? 0, ms: cost.wallMs.mean }))
  return points
    .filter((own) => !points.some(({ f1, ms }) => f1 >= own.f1 && ms <= own.ms && (f1 > own.f1 || ms < own.ms)))
    .map(({ name }) => name)
}

/** The metrics that pairs are compared by, unless said otherwise. */
export const pairedMetrics: ReadonlyArray<Metric> = ["recall@2", "recall@5", "allSupport@5", "f1"]
/** What every other method is compared with, where it was run. */
const references = ["staterag", "first"]

const pairsOf = (methods: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> => {
  const bases = references.filter((name) => methods.includes(name))
  const against = bases.length > 0 ? bases : methods.slice(0, 1)
  return against.flatMap((base, i) =>
    methods
      .filter((method) => method !== base && !against.slice(0, i).includes(method))
      .map((other) => [base, other] as const)
  )
}

export interface ReportInput {
  readonly dataset: string
  readonly lines: string
  readonly leftOut: number
  readonly questions: ReadonlyArray<Question>
  readonly methods: ReadonlyArray<string>
  /** Any order; what belongs to no question or method here is not looked at. */
  readonly results: ReadonlyArray<Result>
  readonly prepared: ReadonlyArray<Prepared>
  readonly metrics: ReadonlyArray<Metric>
  readonly policy: { readonly hash: string; readonly settings: Policy }
  readonly corpusRevision: string
  readonly seed: number
  readonly version: string
}

export const report = (input: ReportInput): Report => {
  const { methods, questions, seed } = input
  const figures = statistics({ ...defaultSampling, seed })
  const byKey = new Map(input.results.map((result) => [JSON.stringify([result.method, result.id]), result]))
  const judgedBy = new Map(
    methods.map((method) => [
      method,
      questions.flatMap((question): ReadonlyArray<Judged> => {
        const result = byKey.get(JSON.stringify([method, question.id]))
        return result === undefined ? [] : [{ question, result, scores: scoresOf(question, result) }]
      })
    ])
  )
  const scoresBy = (method: string, metric: Metric) => ({
    name: method,
    scores: new Map(
      (judgedBy.get(method) ?? []).map(({ question, scores }) => {
        const score = scores[metric]
        return [question.id, score === null ? null : score * 100]
      })
    )
  })
  const preparedBy = new Map(input.prepared.map((prepared) => [prepared.prepared, prepared]))
  const reports = Object.fromEntries(
    [...judgedBy].map(([method, judged]) => [method, methodReport(judged, figures, preparedBy.get(method))])
  )
  return {
    dataset: input.dataset,
    n: questions.length,
    lines: input.lines,
    leftOut: input.leftOut,
    policy: input.policy.hash,
    settings: input.policy.settings,
    corpusRevision: input.corpusRevision,
    seed,
    version: input.version,
    methods: reports,
    frontier: frontierOf(reports),
    paired: corrected(
      input.metrics.flatMap((metric) =>
        pairsOf(methods).flatMap(([a, b]) => pairedOf(scoresBy(a, metric), scoresBy(b, metric), metric, figures) ?? [])
      )
    ),
    questions: [...judgedBy].flatMap(([method, judged]) =>
      judged.map(({ question, result, scores }) => ({
        id: question.id,
        method,
        question: question.question,
        type: question.type,
        hops: question.hops,
        gold: question.gold,
        documents: distinct(result.documents),
        answer: result.answer,
        short: result.short,
        answers: question.answers,
        outcome: result.outcome,
        reason: result.reason,
        cycles: result.cycles.length,
        cited: result.cited,
        scores: Object.fromEntries(
          metricNames.map((name) => {
            const score = scores[name]
            return [name, score === null ? null : percent(score)]
          })
        ),
        wallMs: round(result.wallMs),
        cpuMs: result.cpuMs === null ? null : round(result.cpuMs)
      }))
    )
  }
}
