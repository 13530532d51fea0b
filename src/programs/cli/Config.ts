/** `staterag config`: every setting and where it came from. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { assignments, common, print, set, settingsOf } from "./Common.ts"
import type { Page } from "./Help.ts"
import { oneLine, table } from "./Text.ts"

export const command = Command.make("config", { ...common, set }, ({ set: pairs, ...values }) =>
  Effect.gen(function* () {
    const { list: settings } = yield* settingsOf(values, yield* assignments(pairs))
    yield* print(values.json, { settings }, () => {
      const rows = settings.map(({ name, source, value, variable }) => [
        name,
        oneLine(value, 60),
        oneLine(source, 80),
        variable
      ])
      return `${table([["SETTING", "VALUE", "FROM", "VARIABLE"], ...rows])}\n`
    })
  })
)

export const page: Page = {
  name: "config",
  descriptor: command.descriptor,
  examples: [
    ["staterag config", "what a command here would run with"],
    ["STATERAG_MAX_CYCLES=2 staterag config", "the same with one setting from the environment"],
    [`echo '{ "maxCycles": 2 }' > staterag.config.json`, "and one from the config file of this folder"]
  ],
  notes: [
    "An option wins over the environment, the environment over the config file, the config file over the default."
  ]
}
