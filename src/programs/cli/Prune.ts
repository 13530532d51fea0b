/** `staterag prune`: what nobody will read again. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { type PruneReport, prune } from "../Prune.ts"
import { common, existingHouse, print, settingsOf } from "./Common.ts"
import { UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { bytes, count } from "./Text.ts"

const number = (name: string, description: string) =>
  Options.integer(name).pipe(Options.withPseudoName("N"), Options.withDescription(description), Options.optional)

const options = {
  olderThan: Options.text("older-than").pipe(
    Options.withPseudoName("TIME"),
    Options.withDescription("runs, artifacts and cached answers older than this, such as 30d, 12h or 8w"),
    Options.optional
  ),
  keep: number("keep", "keeps the N newest runs"),
  keepArtifacts: number("keep-artifacts", "keeps the N newest global artifacts"),
  keepCached: number("keep-cached", "keeps the N cached answers of models that were used last"),
  dryRun: Options.boolean("dry-run").pipe(Options.withDescription("says what would go; removes nothing"))
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

const milliseconds = (text: string): Effect.Effect<number, UsageError> => {
  const match = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text.trim())
  const unit = match?.[2]
  return unit === "m" || unit === "h" || unit === "d" || unit === "w"
    ? Effect.succeed(Number(match?.[1]) * units[unit])
    : new UsageError({ message: `--older-than ${text} is no age`, advice: "write 30d, 12h, 90m or 8w" })
}

const atLeastNone = (name: string, given: Option.Option<number>): Effect.Effect<number | undefined, UsageError> => {
  const value = Option.getOrUndefined(given)
  return value !== undefined && value < 0
    ? new UsageError({ message: `${name} ${value}: nothing can be kept less than not at all`, advice: `${name} 0` })
    : Effect.succeed(value)
}

const reportText = ({ artifacts, cached, dryRun, freedBytes, runs }: PruneReport): string => {
  const why = [
    ["had their days", artifacts.expired],
    ["rested on documents that have changed or gone", artifacts.outdated],
    ["belonged to a run that is gone", artifacts.orphaned],
    ["too old", artifacts.old],
    ["too many", artifacts.surplus]
  ] as const
  return [
    `${dryRun ? "Would remove" : "Removed"} ${count(runs.removed, "run")}${runs.unreadable === 0 ? "" : ` (${runs.unreadable} of them unreadable)`}, ${count(artifacts.removed, "artifact")}; ${count(runs.kept, "run")} and ${count(artifacts.kept, "artifact")} stay.`,
    ...why.filter(([, n]) => n > 0).map(([reason, n]) => `  ${count(n, "artifact")}: ${reason}`),
    ...(cached.removed === 0
      ? []
      : [`  ${count(cached.removed, "cached answer or vector", "cached answers and vectors")} of models`]),
    freedBytes === null ? "Nothing was changed." : `Freed ${bytes(Math.max(0, freedBytes))}.`,
    ""
  ].join("\n")
}

export const command = Command.make("prune", { ...common, ...options }, (given) =>
  Effect.gen(function* () {
    const { dryRun, keep, keepArtifacts, keepCached, olderThan, ...values } = given
    const olderThanMs = Option.getOrUndefined(yield* Effect.transposeMapOption(olderThan, milliseconds))
    const wanted = {
      olderThanMs,
      keep: yield* atLeastNone("--keep", keep),
      keepArtifacts: yield* atLeastNone("--keep-artifacts", keepArtifacts),
      keepCached: yield* atLeastNone("--keep-cached", keepCached),
      dryRun
    }
    const settings = yield* settingsOf(values)
    const report = yield* existingHouse(settings, values.quiet, prune({ scope: settings.scope, ...wanted }))
    yield* print(values.json, report, () => reportText(report))
  })
)

export const page: Page = {
  name: "prune",
  descriptor: command.descriptor,
  examples: [
    ["staterag prune --older-than 30d", "runs and artifacts of more than 30 days"],
    ["staterag prune --keep 100 --dry-run", "what would go if only the last 100 runs stayed"],
    ["staterag prune", "only what cannot be used any more"]
  ],
  notes: [
    "Artifacts that have had their days, or rest on documents that have changed or gone, and runs that cannot be read go in any case. A run that is still open is left alone for a day. Documents are never touched: `staterag forget` removes these."
  ]
}
