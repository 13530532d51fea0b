/** `staterag ask`: one question, answered with quotations. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { isEmbedded } from "../../domain/ModelSettings.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { SideJournal } from "../../services/SideJournal.ts"
import { SourceFiles } from "../../services/SourceFiles.ts"
import { ask, askStream } from "../Ask.ts"
import { printAnswer, told } from "./Answering.ts"
import {
  assignments,
  common,
  existingHouse,
  modelAssignments,
  models,
  revisionOf,
  set,
  settingsOf,
  warn,
  within
} from "./Common.ts"
import { UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { documentsWithin, questionOf } from "./Question.ts"
import type { Given, Settings } from "./Settings.ts"
import { oneLine } from "./Text.ts"

const options = {
  maxCycles: Options.integer("max-cycles").pipe(
    Options.withPseudoName("N"),
    Options.withDescription("cycles at most (default 3)"),
    Options.optional
  ),
  evidenceTokens: Options.integer("evidence-tokens").pipe(
    Options.withPseudoName("N"),
    Options.withDescription("reader tokens of evidence at most (default 2048)"),
    Options.optional
  ),
  timeout: Options.text("timeout").pipe(
    Options.withPseudoName("TIME"),
    Options.withDescription(
      "a limit such as 500ms, 30s or 2m: no cycle is begun that it cannot pay; struck inside one, the run is incomplete"
    ),
    Options.optional
  ),
  within,
  ...models,
  stream: Options.boolean("stream").pipe(Options.withDescription("one event a line (JSON), as they happen")),
  set
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

const milliseconds = (text: string): Effect.Effect<number, UsageError> => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim())
  const unit = match?.[2]
  const ms = Number(match?.[1] ?? 0) * (unit === "ms" || unit === "m" || unit === "h" ? units[unit] : units.s)
  return ms > 0
    ? Effect.succeed(ms)
    : new UsageError({ message: `--timeout ${text} is no time`, advice: "write 500ms, 30s, 2m or a number of seconds" })
}

/** The options that are short for a policy. */
const shorthands = Effect.fnUntraced(function* (given: {
  readonly maxCycles: Option.Option<number>
  readonly evidenceTokens: Option.Option<number>
  readonly timeout: Option.Option<string>
}) {
  const time = yield* Effect.transposeMapOption(given.timeout, milliseconds)
  const all = [
    { name: "maxCycles", value: given.maxCycles, source: "--max-cycles" },
    { name: "evidenceTokens", value: given.evidenceTokens, source: "--evidence-tokens" },
    { name: "budget.time", value: time, source: "--timeout" }
  ]
  return all.flatMap(({ name, source, value }): Given["policies"] =>
    Option.match(value, { onNone: () => [], onSome: (n) => [{ name, value: String(n), source }] })
  )
})

/** Says which indexed files have changed since: the answer rests on what was indexed. */
const warnStale = (settings: Settings) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    const stale = yield* (yield* SourceFiles).stale(yield* corpus.sources(settings.scope))
    if (stale.length > 0)
      yield* warn(
        `${stale.length === 1 ? `${oneLine(stale[0] ?? "", 100)} has` : `${stale.length} indexed files have`} changed since; run \`staterag index\` again`
      )
  })

/**
 * Prints what is answered. Where another process writes for long, a question that calls no model does not wait for it: it is answered from
 * the index as it stands, and the command ends when its run is kept.
 */
const printing = <A, E, R, E2, R2>(
  { models, scope }: Settings,
  answering: Effect.Effect<A, E, R>,
  show: (answer: A) => Effect.Effect<void, E2, R2>
) =>
  Effect.gen(function* () {
    const side = isEmbedded(models) ? yield* Effect.serviceOption(SideJournal) : Option.none()
    if (Option.isNone(side) || !(yield* side.value.isHeld)) return yield* Effect.flatMap(answering, show)
    const { exit, keep } = yield* side.value.beside(scope, answering)
    const shown = yield* Effect.exit(Effect.flatMap(exit, show))
    yield* Effect.catchTag(keep, "StaleWriter", () =>
      warn("something was forgotten while this was asked, so its run is not kept")
    )
    return yield* shown
  })

export const command = Command.make(
  "ask",
  { ...common, ...options, question: Args.text({ name: "QUESTION" }).pipe(Args.repeated) },
  ({ evidenceTokens, maxCycles, question: words, set: pairs, stream, timeout, within: glob, ...values }) =>
    Effect.gen(function* () {
      const question = yield* questionOf("ask", words)
      const policies = [
        ...(yield* assignments(pairs)),
        ...modelAssignments(values),
        ...(yield* shorthands({ maxCycles, evidenceTokens, timeout }))
      ]
      const settings = yield* settingsOf(values, policies)
      const { policy, scope } = settings
      const asked = Effect.gen(function* () {
        yield* revisionOf(settings)
        const within = yield* documentsWithin(settings, glob)
        if (!values.quiet) yield* warnStale(settings)
        const options = { scope, policy, within }
        const answering = told(scope, stream, ask(question, options), askStream(question, options))
        yield* printing(settings, answering, (answer) => printAnswer(values.json, answer))
      })
      yield* existingHouse(settings, values.quiet, asked)
    })
)

export const page: Page = {
  name: "ask",
  descriptor: command.descriptor,
  examples: [
    [`staterag ask "Who maintains the parser?"`, "the answer, then numbered quotations"],
    ["cat question.txt | staterag ask - --json", "from standard input, one JSON document"],
    [`staterag ask "…" --within "docs/**" --max-cycles 2`, "only from these documents, two cycles at most"],
    [`staterag ask "…" --set navigator=beam --stream`, "with another policy, one event a line"]
  ],
  notes: [
    "Index something first: `staterag index PATH`. Then `staterag explain` shows how the answer was found.",
    "The answer ends in one of four ways. Bypass: the first passages settle the question. Release: a cycle's evidence was verified. Fallback: no cycle's was, and what all found is answered from. Incomplete (exit 3): a step broke the contract, so no answer was formed."
  ]
}
