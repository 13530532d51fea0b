/** The whole command: which commands there are, and one run of a command line. */
import { Command } from "@effect/cli"
import { type Console, Effect } from "effect"
import { version } from "../../domain/Version.ts"
import { read } from "./Argv.ts"
import * as Ask from "./Ask.ts"
import { LogLevelOption } from "./Common.ts"
import * as Config from "./Config.ts"
import * as Eval from "./Eval.ts"
import * as Explain from "./Explain.ts"
import { commandHelp, type Page, rootHelp } from "./Help.ts"
import { Host } from "./Host.ts"
import * as Index from "./Index.ts"
import * as Runs from "./Runs.ts"
import * as Search from "./Search.ts"
import * as Show from "./Show.ts"
import * as Status from "./Status.ts"

export const pages: ReadonlyArray<Page> = [
  Index.page,
  Ask.page,
  Search.page,
  Explain.page,
  Show.page,
  Status.page,
  Runs.page,
  Eval.page,
  Config.page
]

const root = Command.make("staterag").pipe(
  Command.withSubcommands([
    Index.command,
    Ask.command,
    Search.command,
    Explain.command,
    Show.command,
    Status.command,
    Runs.command,
    Eval.command,
    Config.command
  ])
)

const parse = Command.run(root, { name: "staterag", version })
/** The parser prints its own account of what is wrong, decorated; failures are told once, by the caller. */
const unheard: Effect.Effect<Console.Console> = Effect.map(Effect.console, (console) => ({
  ...console,
  error: () => Effect.void
}))

/** Runs one command line: the arguments after the executable. */
export const run = (tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const host = yield* Host
    const request = yield* read(tokens, pages)
    switch (request._tag) {
      case "RootHelp":
        return yield* host.out(rootHelp(pages))
      case "CommandHelp":
        return yield* host.out(commandHelp(request.page))
      case "Version":
        return yield* host.out(`${version}\n`)
      case "Completions":
        return yield* parse(["node", "staterag", "--completions", request.shell])
      case "Command":
        return yield* parse(["node", "staterag", ...request.argv]).pipe(
          Effect.withConsole(yield* unheard),
          Effect.provideService(LogLevelOption, request.logLevel)
        )
    }
  })
