/** `staterag forget`: documents, without a trace. */
import { Args, Command } from "@effect/cli"
import { Effect } from "effect"
import { type ForgetReport, forget } from "../Forget.ts"
import { common, embedding, existingHouse, modelAssignments, print, settingsOf } from "./Common.ts"
import { UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { Host } from "./Host.ts"
import { count, duration, grouped, oneLine } from "./Text.ts"

/** How many names the text shows; the JSON has all. */
const shown = 20

const names = (list: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...list.slice(0, shown).map((name) => `  ${oneLine(name, 200)}`),
  ...(list.length > shown ? [`  … and ${grouped(list.length - shown)} more (--json names all)`] : [])
]

const reportText = (report: ForgetReport & { readonly stillThere: ReadonlyArray<string> }): string => {
  const { artifacts, documents, elapsedMs, journals, passages, stillThere } = report
  return [
    `Forgot ${count(documents.length, "document")} (${count(passages, "passage")}):`,
    ...names(documents),
    `${count(journals.runs, "run")} of the journal now ${journals.runs === 1 ? "says" : "say"} [forgotten] instead, ${count(artifacts, "artifact")} went; ${duration(elapsedMs)}.`,
    ...(journals.removed === 0
      ? []
      : [`${count(journals.removed, "run")} could not be read, so nobody could say what it held: removed.`]),
    ...(stillThere.length === 0
      ? []
      : [
          "",
          `${stillThere.length === 1 ? "This file lies" : "These files lie"} where ${stillThere.length === 1 ? "it was" : "they were"}: the next \`index\` of the folder brings ${stillThere.length === 1 ? "it" : "them"} back, unless removed or left out with --exclude:`,
          ...names(stillThere)
        ]),
    ""
  ].join("\n")
}

export const command = Command.make(
  "forget",
  { ...common, embedding, paths: Args.text({ name: "PATH" }).pipe(Args.repeated) },
  ({ paths, ...values }) =>
    Effect.gen(function* () {
      if (paths.length === 0)
        return yield* new UsageError({
          message: "there is nothing to forget: no document was named",
          advice: 'name documents, files, folders or globs: staterag forget docs/old.md "drafts/*.md"'
        })
      const settings = yield* settingsOf(values, modelAssignments(values))
      const host = yield* Host
      const done = yield* existingHouse(settings, values.quiet, forget({ scope: settings.scope, paths }))
      const places = done.files.map(({ path, root }) => host.resolve(root, path))
      const stillThere = yield* Effect.filter(places, (place) =>
        Effect.map(host.kindOf(place), (kind) => kind === "File")
      )
      const report = { ...done, stillThere }
      yield* print(values.json, report, () => reportText(report))
    })
)

export const page: Page = {
  name: "forget",
  descriptor: command.descriptor,
  examples: [
    ["staterag forget docs/old.md", "a document, by its id or its path"],
    ["staterag forget docs/drafts", "all of a folder"],
    ['staterag forget "**/*.secret.md"', "what a glob matches"],
    ["staterag forget ticket-4711", "one record of a JSON Lines file"]
  ],
  notes: [
    "Nothing is asked: what is named is gone from texts, words, vectors, graph, memory and free space, and old journals say [forgotten] where it stood. Questions stay as they were asked. A question that is being answered meanwhile fails and can be asked again.",
    "The files themselves are not touched. A copy of the state folder (a backup) still holds what was forgotten."
  ]
}
