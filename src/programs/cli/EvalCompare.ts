/** `staterag eval compare A B`: the same questions in two reports, pair by pair. */
import { Effect, Option, ParseResult, Schema } from "effect"
import { corrected, pairedOf } from "../../domain/EvalFigures.ts"
import { type Paired, QuestionReport } from "../../domain/EvalReport.ts"
import { pairedTable } from "../../domain/EvalText.ts"
import type { Metric } from "../../domain/Metrics.ts"
import { defaultSampling, statistics } from "../../domain/Statistics.ts"
import { NotFound, UsageError } from "./Failure.ts"
import { Host } from "./Host.ts"
import { table } from "./Text.ts"

/** What is compared of a report: others may have written it. */
const Read = Schema.parseJson(
  Schema.Struct({
    dataset: Schema.String,
    questions: Schema.Array(QuestionReport.pick("id", "method", "scores"))
  })
)
type Read = typeof Read.Type

export interface Comparison {
  readonly a: string
  readonly b: string
  readonly seed: number
  readonly paired: ReadonlyArray<Paired>
}

const load = Effect.fnUntraced(function* (given: string) {
  const host = yield* Host
  const file =
    (yield* host.kindOf(host.resolve(given))) === "Folder" ? host.resolve(given, "report.json") : host.resolve(given)
  const written = yield* host.readText(file)
  if (Option.isNone(written))
    return yield* new NotFound({
      message: `there is no report ${file}`,
      advice: "`staterag eval … --out DIR` writes one"
    })
  return yield* Schema.decodeUnknown(Read)(written.value).pipe(
    Effect.mapError(
      (error) =>
        new NotFound({
          message: `${file} is no report: ${ParseResult.TreeFormatter.formatErrorSync(error).slice(0, 400)}`,
          advice: "name a folder or a report.json that `staterag eval` wrote"
        })
    )
  )
})

const methodsIn = ({ questions }: Read): ReadonlyArray<string> => [...new Set(questions.map(({ method }) => method))]

const scoresOf = ({ questions }: Read, method: string, metric: string): ReadonlyMap<string, number | null> =>
  new Map(questions.filter((it) => it.method === method).map(({ id, scores }) => [id, scores[metric] ?? null]))

/** Which method of A is compared with which of B: those that both have, or the two that are named. */
const pairs = (
  a: Read,
  b: Read,
  wanted: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<readonly [string, string]>, UsageError> => {
  const [inA, inB] = [methodsIn(a), methodsIn(b)]
  const chosen =
    wanted === undefined
      ? inA.filter((method) => inB.includes(method)).map((method) => [method, method] as const)
      : wanted.length > 2
        ? wanted.map((method) => [method, method] as const)
        : [[wanted[0] ?? "", wanted[1] ?? wanted[0] ?? ""] as const]
  const fits = chosen.length > 0 && chosen.every(([x, y]) => inA.includes(x) && inB.includes(y))
  return fits
    ? Effect.succeed(chosen)
    : new UsageError({
        message: "the reports have no such methods in common",
        advice: `A has ${inA.join(", ")}; B has ${inB.join(", ")}; name one of each: --methods first,staterag`
      })
}

/**
 * a − b for every pair of methods and every metric, on the questions that both reports hold. `operands` name the reports; `named` the method
 * of A and that of B, or several that both have.
 */
export const compare = Effect.fnUntraced(function* (
  operands: ReadonlyArray<string>,
  named: Option.Option<string>,
  metrics: ReadonlyArray<Metric>,
  seed: number
) {
  const [a, b, ...rest] = operands
  if (a === undefined || b === undefined || rest.length > 0)
    return yield* new UsageError({
      message: "compare takes two reports",
      advice: "staterag eval compare out/before out/after"
    })
  const methods = Option.getOrUndefined(Option.map(named, (text) => text.split(",").map((name) => name.trim())))
  const [left, right] = [yield* load(a), yield* load(b)]
  const chosen = yield* pairs(left, right, methods)
  const figures = statistics({ ...defaultSampling, seed })
  const paired = corrected(
    metrics.flatMap((metric) =>
      chosen.flatMap(
        ([x, y]) =>
          pairedOf(
            { name: x, scores: scoresOf(left, x, metric) },
            { name: y, scores: scoresOf(right, y, metric) },
            metric,
            figures
          ) ?? []
      )
    )
  )
  if (paired.length === 0)
    return yield* new NotFound({
      message: `${a} and ${b} have no question in common`,
      advice: "compare reports of the same dataset"
    })
  const comparison: Comparison = { a, b, seed, paired }
  return comparison
})

export const comparisonText = ({ paired }: Comparison): string => `${table(pairedTable(paired))}\n`
