/** `staterag search`: the first retrieval's ranking alone, without a run. */
import { Args, Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { itemOf } from "../../domain/Evidence.ts"
import { Initializer, Reranker } from "../../services/Roles.ts"
import { keepingCalls } from "../OtherCalls.ts"
import {
  assignments,
  common,
  embedding,
  existingHouse,
  modelAssignments,
  print,
  revisionOf,
  set,
  settingsOf,
  within
} from "./Common.ts"
import { UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { documentsWithin, questionOf } from "./Question.ts"
import { indent, oneLine, printable } from "./Text.ts"

export const command = Command.make(
  "search",
  {
    ...common,
    embedding,
    top: Options.integer("top").pipe(
      Options.withPseudoName("N"),
      Options.withDescription("how many passages at most (default 10)"),
      Options.withDefault(10)
    ),
    within,
    set,
    query: Args.text({ name: "QUERY" }).pipe(Args.repeated)
  },
  ({ query, set: pairs, top, within: glob, ...values }) =>
    Effect.gen(function* () {
      const question = yield* questionOf("search", query)
      if (top < 1) return yield* new UsageError({ message: "--top is at least 1", advice: "leave it out for 10" })
      const settings = yield* settingsOf(values, [...(yield* assignments(pairs)), ...modelAssignments(values)])
      const { policy, scope } = settings
      const ranked = yield* existingHouse(
        settings,
        values.quiet,
        Effect.gen(function* () {
          yield* revisionOf(settings)
          const within = yield* documentsWithin(settings, glob)
          const { rank } = yield* Initializer
          const found = yield* keepingCalls(scope, "Search", () => rank({ question, scope, policy, within }, top))
          return (yield* Reranker).rerank(question, found)
        })
      )
      const results = ranked.map(({ parts, passage, score }) => ({ ...itemOf(passage, score, 0), parts }))
      yield* print(values.json, { results }, () =>
        results.length === 0
          ? "Nothing here shares a word with it.\n"
          : `${results
              .map(
                ({ document, end, line, score, start, text }, i) =>
                  `${i + 1}. ${oneLine(document, 200)}:${line} (${start}-${end})  ${score.toFixed(3)}\n${indent(printable(text), "   ")}\n`
              )
              .join("\n")}`
      )
    })
)

export const page: Page = {
  name: "search",
  descriptor: command.descriptor,
  examples: [
    [`staterag search "parser maintainer" --top 5`, "the five best passages"],
    [`staterag search "parser" --within "docs/**"`, "only from these documents"],
    ["echo parser | staterag search - --json", "from standard input, for a program"]
  ],
  notes: ["This is where a run starts (its initial evidence). It writes nothing to the journal."]
}
