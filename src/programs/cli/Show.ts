/** `staterag show`: a document's stored text, or a part of it: what every offset refers to. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { DocumentId } from "../../domain/Ids.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { common, existingShelf, print, revisionOf, settingsOf } from "./Common.ts"
import { NotFound, UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { Host } from "./Host.ts"
import { printable } from "./Text.ts"

const offset = (name: string, description: string) =>
  Options.integer(name).pipe(Options.withPseudoName("OFFSET"), Options.withDescription(description), Options.optional)

export const command = Command.make(
  "show",
  {
    ...common,
    from: offset("from", "where to begin, in UTF-16 code units from the start (default 0)"),
    to: offset("to", "where to end (default: the end of the text)"),
    document: Args.text({ name: "DOCUMENT" })
  },
  ({ document: name, from, to, ...values }) =>
    Effect.gen(function* () {
      const settings = yield* settingsOf(values)
      const found = yield* existingShelf(
        settings,
        Effect.gen(function* () {
          yield* revisionOf(settings)
          const corpus = yield* CorpusStore
          const document = Schema.is(DocumentId)(name) ? yield* corpus.document(settings.scope, name) : Option.none()
          if (Option.isSome(document)) return document.value
          const known = (yield* corpus.documents(settings.scope)).map((info) => info.id)
          return yield* new NotFound({
            message: `there is no document ${printable(name.slice(0, 200))}.${didYouMean(name, known)}`,
            advice: "`staterag search WORDS` shows which documents hold them"
          })
        })
      )
      const length = found.text.length
      const start = Option.getOrElse(from, () => 0)
      const end = Option.getOrElse(to, () => length)
      if (start < 0 || end < start || end > length)
        return yield* new UsageError({
          message: `${start} to ${end} is no part of the text, which is ${length} long`,
          advice: `--from and --to lie between 0 and ${length}, --from first`
        })
      const text = found.text.slice(start, end)
      const host = yield* Host
      const { format, id, source, title } = found
      yield* print(values.json, { document: id, title, format, source, length, from: start, to: end, text }, () =>
        host.terminal.out ? `${printable(text)}\n` : text
      )
    })
)

export const page: Page = {
  name: "show",
  descriptor: command.descriptor,
  examples: [
    ["staterag show guide.md", "the whole text"],
    ["staterag show guide.md --from 1204 --to 1266", "exactly what an answer quotes"]
  ],
  notes: [
    "Offsets are UTF-16 code units, as `ask` prints them. On a terminal, control characters are escaped; into a pipe or a file the text goes as it is stored."
  ]
}
