/** The options of `staterag eval`, read and checked: what is unknown is refused with the nearest name. */
import { Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { Lines } from "../../domain/Dataset.ts"
import { pairedMetrics } from "../../domain/EvalFigures.ts"
import { isMetric, type Metric, metricNames } from "../../domain/Metrics.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { isMethod, type MethodName, methodNames } from "../Evaluate.ts"
import { textOption } from "./Common.ts"
import { UsageError } from "./Failure.ts"

const whole = (name: string, description: string) =>
  Options.integer(name).pipe(Options.withPseudoName("N"), Options.withDescription(description))

export const evalOptions = {
  corpus: textOption(
    "corpus",
    "PATH",
    "the documents, as `index` takes them (default: the union of the questions' passages)"
  ),
  methods: textOption(
    "methods",
    "NAMES",
    `comma-separated, of ${methodNames.join(", ")} (default bm25,first,two-hop,staterag)`
  ),
  metrics: textOption("metrics", "NAMES", `what methods are compared by (default ${pairedMetrics.join(",")})`),
  limit: Options.optional(whole("limit", "only the first N questions")),
  lines: textOption("lines", "odd|even|all", "which lines of the file are asked (default all)"),
  seed: Options.withDefault(whole("seed", "names the resamples of intervals and tests (default 1)"), 1),
  concurrency: Options.withDefault(
    whole("concurrency", "questions at a time (default 1; more pays where roles wait for a model)"),
    1
  ),
  out: textOption("out", "DIR", "where index, results and report are kept (default DIR/eval/NAME in the state folder)"),
  navigation: Options.boolean("navigation").pipe(
    Options.withDescription("compares every navigation with scoring all Evidence nodes (slow)")
  ),
  fresh: Options.boolean("fresh").pipe(Options.withDescription("asks everything again, whatever was finished before"))
}

const listOf = <A extends string>(
  kind: string,
  given: Option.Option<string>,
  known: ReadonlyArray<A>,
  isKnown: (name: string) => name is A,
  standard: ReadonlyArray<A>
): Effect.Effect<ReadonlyArray<A>, UsageError> =>
  Option.match(given, {
    onNone: () => Effect.succeed(standard),
    onSome: (written) => {
      const names = [...new Set(written.split(",").map((name) => name.trim()))].filter((name) => name !== "")
      const stranger = names.find((name) => !isKnown(name))
      if (stranger !== undefined)
        return new UsageError({
          message: `there is no ${kind} ${stranger}.${didYouMean(stranger, known)}`,
          advice: `choose among: ${known.join(", ")}`
        })
      if (names.length === 0)
        return new UsageError({ message: `no ${kind} was named`, advice: `choose among: ${known.join(", ")}` })
      return Effect.succeed(names.filter(isKnown))
    }
  })

const usualMethods: ReadonlyArray<MethodName> = ["bm25", "first", "two-hop", "staterag"]

/** The methods, in the order of {@link methodNames} whatever the order in which they were named. */
export const methodsOf = (given: Option.Option<string>) =>
  Effect.map(listOf("method", given, methodNames, isMethod, usualMethods), (names) =>
    methodNames.filter((name) => names.includes(name))
  )

export const metricsOf = (given: Option.Option<string>): Effect.Effect<ReadonlyArray<Metric>, UsageError> =>
  listOf("metric", given, metricNames, isMetric, pairedMetrics)

export const linesOf = (given: Option.Option<string>): Effect.Effect<Lines, UsageError> => {
  const wanted = Option.getOrElse(given, () => "all")
  return Schema.is(Lines)(wanted)
    ? Effect.succeed(wanted)
    : new UsageError({
        message: `--lines ${wanted} is none of ${Lines.literals.join(", ")}.${didYouMean(wanted, Lines.literals)}`,
        advice: "leave it out for all lines"
      })
}

/** A count that must be at least 1. */
export const positive = (name: string, value: number): Effect.Effect<number, UsageError> =>
  value >= 1
    ? Effect.succeed(value)
    : new UsageError({ message: `--${name} is at least 1`, advice: `leave --${name} out for its default` })
