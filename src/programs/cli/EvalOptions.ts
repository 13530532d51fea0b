/** The options of `staterag eval`, read and checked: what is unknown is refused with the nearest name. */
import { Options } from "@effect/cli"
import { Effect, Either, Option, Schema } from "effect"
import { Lines, type Question } from "../../domain/Dataset.ts"
import * as DocVqa from "../../domain/datasets/DocVqa.ts"
import * as LongBench from "../../domain/datasets/LongBench.ts"
import * as Qasper from "../../domain/datasets/Qasper.ts"
import { pairedMetrics } from "../../domain/EvalFigures.ts"
import { isMetric, type Metric, metricNames } from "../../domain/Metrics.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { confinable, isMethod, type MethodName, methodNames, plainNames } from "../Evaluate.ts"
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
    `comma-separated, of ${methodNames.join(", ")} (default bm25,first,two-hop,staterag); all: every one that can be asked, carriers apart`
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
  format: textOption(
    "format",
    "plain|qasper|longbench|docvqa",
    "what the records are (default: by the first of them); qasper needs --corpus with the papers"
  ),
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

/** What decides whether a method can be asked. */
export interface Circumstances {
  readonly hasModel: boolean
  readonly questions: ReadonlyArray<Question>
}

/**
 * The methods, in the order of {@link methodNames} whatever the order in which they were named; `all` is every one that can be asked. Fails
 * where one needs a model and none is named, or cannot keep to the documents that a question is asked of.
 */
export const methodsOf = Effect.fnUntraced(function* (
  given: Option.Option<string>,
  { hasModel, questions }: Circumstances
) {
  const isConfined = questions.some(({ within }) => within !== undefined)
  const possible = (hasModel ? methodNames : plainNames).filter((name) => !isConfined || confinable.has(name))
  // roles that keep the contract fare alike on every carrier
  if (Option.contains(given, "all")) return possible.filter((name) => !name.startsWith("carrier-"))
  const named = yield* listOf("method", given, methodNames, isMethod, usualMethods)
  const asking = hasModel ? [] : named.filter((name) => !plainNames.includes(name))
  if (asking.length > 0)
    return yield* new UsageError({
      message: `no model is named, and ${asking.join(", ")} cannot do without`,
      advice: "name one (--model openai:NAME or --model gguf:FILE), or leave these methods out"
    })
  const strangers = named.filter((name) => isConfined && !confinable.has(name))
  if (strangers.length > 0)
    return yield* new UsageError({
      message: `these questions are asked of documents of their own, which ${strangers.join(", ")} cannot keep to`,
      advice: `choose among: ${possible.join(", ")}`
    })
  return methodNames.filter((name) => named.includes(name))
})

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

/** Kinds of records, the first one for whatever is none of the others. */
const formats = {
  plain: () => true,
  qasper: Qasper.isLine,
  longbench: LongBench.isLine,
  docvqa: DocVqa.isLine
} as const
type Format = keyof typeof formats
const isFormat = (name: string): name is Format => Object.hasOwn(formats, name)
const formatNames = Object.keys(formats).filter(isFormat)

/** What the records are: as is said, else what the first of them looks like. */
export const formatOf = (given: Option.Option<string>, text: string): Effect.Effect<Format, UsageError> =>
  Option.match(given, {
    onSome: (name) =>
      isFormat(name)
        ? Effect.succeed(name)
        : new UsageError({
            message: `there is no format ${name}.${didYouMean(name, formatNames)}`,
            advice: `choose among: ${formatNames.join(", ")}; or leave --format out`
          }),
    onNone: () => {
      const first = text.replace(/^\ufeff/, "").match(/\S[^\n]*/)?.[0] ?? ""
      const record = Either.getOrElse(
        Either.try((): unknown => JSON.parse(first)),
        () => undefined
      )
      return Effect.succeed(formatNames.find((name) => name !== "plain" && formats[name](record)) ?? "plain")
    }
  })
