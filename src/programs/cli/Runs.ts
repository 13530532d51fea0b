/** `staterag runs`: the journal's runs, newest first. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { didYouMean } from "../../domain/Nearest.ts"
import type { Usage } from "../../domain/Usage.ts"
import { Journal } from "../../services/Journal.ts"
import { usageOfRun } from "../Usage.ts"
import { common, existingHouse, print, revisionOf, settingsOf } from "./Common.ts"
import { UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { count, moment, oneLine, table } from "./Text.ts"

const outcomes = ["Bypass", "Release", "Fallback", "Incomplete", "Interrupted"]

const options = {
  outcome: Options.text("outcome").pipe(
    Options.withPseudoName("OUTCOME"),
    Options.withDescription(`only runs that ended so: ${outcomes.join(", ")}`),
    Options.optional
  ),
  limit: Options.integer("limit").pipe(
    Options.withPseudoName("N"),
    Options.withDescription("how many at most (default 20)"),
    Options.withDefault(20)
  )
}

const cost = ({ calls, completionTokens, estimated, money, promptTokens }: Usage): string =>
  calls === 0
    ? "0"
    : [
        count(calls, "call"),
        `${estimated ? "about " : ""}${count(promptTokens + completionTokens, "token")}`,
        ...(money === null ? [] : [`money ${money.toFixed(4)}`])
      ].join(", ")

export const command = Command.make("runs", { ...common, ...options }, ({ limit, outcome, ...values }) =>
  Effect.gen(function* () {
    const wanted = Option.getOrUndefined(outcome)
    const filter = wanted === undefined ? undefined : outcomes.find((o) => o.toLowerCase() === wanted.toLowerCase())
    if (wanted !== undefined && filter === undefined)
      return yield* new UsageError({
        message: `there is no outcome ${wanted}.${didYouMean(wanted, outcomes)}`,
        advice: `choose one of: ${outcomes.join(", ")}`
      })
    if (limit < 1) return yield* new UsageError({ message: "--limit is at least 1", advice: "leave it out for 20" })
    const settings = yield* settingsOf(values)
    const list = Effect.gen(function* () {
      yield* revisionOf(settings)
      const journal = yield* Journal
      const runs = yield* journal.runs(settings.scope, { limit, ...(filter === undefined ? {} : { outcome: filter }) })
      return yield* Effect.forEach(runs, (run) =>
        usageOfRun(run.scope, run.run).pipe(
          Effect.map((usage) => ({ ...run, usage })),
          // one damaged journal does not hide the others
          Effect.catchIf(
            (error) => error._tag === "StoreError" && error.reason === "Unreadable",
            () => Effect.succeed({ ...run, usage: null })
          )
        )
      )
    })
    const runs = yield* existingHouse(settings, values.quiet, list)
    yield* print(values.json, { runs }, () =>
      runs.length === 0
        ? filter === undefined
          ? "No question has been asked here yet.\n"
          : `No run has ended in ${filter}.\n`
        : `${table([
            ["RUN", "STARTED (UTC)", "OUTCOME", "CYCLES", "MODEL CALLS", "QUESTION"],
            ...runs.map(({ cycles, outcome, question, run, startedAt, usage }) => [
              run,
              moment(startedAt),
              outcome ?? "open",
              String(cycles),
              usage === null ? "damaged" : cost(usage),
              oneLine(question, 60)
            ])
          ])}\n`
    )
  })
)

export const page: Page = {
  name: "runs",
  descriptor: command.descriptor,
  examples: [
    ["staterag runs", "the last 20"],
    ["staterag runs --outcome Incomplete --limit 5", "the last five that formed no answer"]
  ],
  notes: ["`staterag explain RUN` shows one of them step by step."]
}
