/** `staterag index`: files, folders and globs into the state folder. */
import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { common, settingsOf } from "./Common.ts"
import type { Page } from "./Help.ts"

export const command = Command.make(
  "index",
  { ...common, paths: Args.text({ name: "PATH" }).pipe(Args.repeated) },
  ({ paths, ...values }) => Effect.zipRight(settingsOf(values), Effect.log(paths))
)

export const page: Page = { name: "index", descriptor: command.descriptor, summary: "x", examples: [], notes: [] }
