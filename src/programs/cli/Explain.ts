/** `staterag explain`: how an answer was found, from its journal; nothing is asked again. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { RunId } from "../../domain/Ids.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { UnknownRun } from "../../services/StoreError.ts"
import { Explanation, explain } from "../Explain.ts"
import { common, existingHouse, print, revisionOf, settingsOf } from "./Common.ts"
import { explainMermaid, explainText } from "./ExplainText.ts"
import { UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { Host } from "./Host.ts"

const formats = ["text", "json", "mermaid"]
const encode = Schema.encodeSync(Explanation)

export const command = Command.make(
  "explain",
  {
    ...common,
    format: Options.text("format").pipe(
      Options.withPseudoName("FORMAT"),
      Options.withDescription("text (default), json, or mermaid (a flow chart)"),
      Options.withDefault("text")
    ),
    run: Args.text({ name: "RUN" }).pipe(Args.optional)
  },
  ({ format, run, ...values }) =>
    Effect.gen(function* () {
      if (!formats.includes(format))
        return yield* new UsageError({
          message: `there is no format ${format}.${didYouMean(format, formats)}`,
          advice: `choose one of: ${formats.join(", ")}`
        })
      const settings = yield* settingsOf(values)
      const id = Option.filter(run, (text) => text !== "")
      const told = yield* existingHouse(
        settings,
        values.quiet,
        Effect.gen(function* () {
          yield* revisionOf(settings)
          if (Option.isSome(id) && !Schema.is(RunId)(id.value))
            return yield* new UnknownRun({ run: id.value.slice(0, 100), known: [] })
          return yield* explain(settings.scope, Option.filter(id, Schema.is(RunId)))
        })
      )
      const host = yield* Host
      if (format === "mermaid" && !values.json) return yield* host.out(explainMermaid(told))
      yield* print(values.json || format === "json", values.json || format === "json" ? encode(told) : undefined, () =>
        explainText(told)
      )
    })
)

export const page: Page = {
  name: "explain",
  descriptor: command.descriptor,
  examples: [
    ["staterag explain", "the latest run"],
    ["staterag explain 01J8Z3…", "another one; `staterag runs` lists them"],
    ["staterag explain --format mermaid > run.mmd", "as a flow chart"]
  ],
  notes: ["It is read from the journal: nothing is asked again, and nothing changes."]
}
