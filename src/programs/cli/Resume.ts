/** `staterag resume`: goes on with a run that did not come to its end. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { RunId } from "../../domain/Ids.ts"
import { UnknownRun } from "../../services/StoreError.ts"
import { resume, resumeStream } from "../Ask.ts"
import { newest } from "../Resume.ts"
import { printAnswer, told } from "./Answering.ts"
import { assignments, common, existingHouse, modelAssignments, models, revisionOf, set, settingsOf } from "./Common.ts"
import { NotFound } from "./Failure.ts"
import type { Page } from "./Help.ts"

export const command = Command.make(
  "resume",
  {
    ...common,
    ...models,
    set,
    stream: Options.boolean("stream").pipe(Options.withDescription("one event a line (JSON), as they happen")),
    run: Args.text({ name: "RUN" }).pipe(Args.optional)
  },
  ({ run: named, set: pairs, stream, ...values }) =>
    Effect.gen(function* () {
      const settings = yield* settingsOf(values, [...(yield* assignments(pairs)), ...modelAssignments(values)])
      const { scope } = settings
      const given = Option.filter(named, (text) => text !== "")
      const run = Effect.gen(function* () {
        if (Option.isSome(given))
          return Schema.is(RunId)(given.value)
            ? given.value
            : yield* new UnknownRun({ run: given.value.slice(0, 100), known: [] })
        const found = yield* newest(scope)
        if (Option.isSome(found)) return found.value
        return yield* new NotFound({
          message: "there is no run to go on with: each has come to its end",
          advice: "`staterag runs` lists them; `staterag ask` begins another"
        })
      })
      const answer = yield* existingHouse(
        settings,
        values.quiet,
        Effect.gen(function* () {
          yield* revisionOf(settings)
          const id = yield* run
          return yield* told(scope, stream, resume(id, { scope }), resumeStream(id, { scope }))
        })
      )
      yield* printAnswer(values.json, answer)
    })
)

export const page: Page = {
  name: "resume",
  descriptor: command.descriptor,
  examples: [
    ["staterag resume", "the newest run that was killed or interrupted, or whose model failed"],
    ["staterag resume 01J8Z3… --json", "another one; `staterag runs` lists them"]
  ],
  notes: [
    "The run goes on under its own policy, from its last completed cycle: what models have answered already is not asked again, so that at most the call in flight is paid twice. A run that has ended is shown as it was.",
    "A run that another process is still asking is left to that one (exit 1). Of two that go on with one run, one ends it and the other fails."
  ]
}
