/**
 * The whole command: which commands there are, and one run of a command line.
 *
 * A command's module, and all that it needs, is loaded when that command is named: most of the time that a short command takes is the
 * loading of what it does not use.
 */
import { type CliApp, Command, CommandDescriptor } from "@effect/cli"
import { type Console, Effect } from "effect"
import { version } from "../../domain/Version.ts"
import { read } from "./Argv.ts"
import { LogLevelOption } from "./Common.ts"
import { commandHelp, type Page, rootHelp } from "./Help.ts"
import { Host } from "./Host.ts"

const root = Command.make("staterag")
const about = { name: "staterag", version }

/** Runs the arguments of one command. What it fails with is told by `Failure.failure`, whatever it is. */
type Parse = (argv: ReadonlyArray<string>) => Effect.Effect<void, unknown, Host | CliApp.CliApp.Environment>

/** A parser that knows one command. */
const alone = <Name extends string, E, A>(command: Command.Command<Name, Host, E, A>): Parse =>
  Command.run(root.pipe(Command.withSubcommands([command])), about)

/** The commands in the order of the help. */
const commands = [
  { name: "index", load: () => import("./Index.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "ask", load: () => import("./Ask.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "search", load: () => import("./Search.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  {
    name: "explain",
    load: () => import("./Explain.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  { name: "show", load: () => import("./Show.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "status", load: () => import("./Status.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "runs", load: () => import("./Runs.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "forget", load: () => import("./Forget.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "prune", load: () => import("./Prune.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "verify", load: () => import("./Verify.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "eval", load: () => import("./Eval.ts").then(({ command, page }) => ({ page, parse: alone(command) })) },
  { name: "config", load: () => import("./Config.ts").then(({ command, page }) => ({ page, parse: alone(command) })) }
] as const

/** The parser prints its own account of what is wrong, decorated; failures are told once, by the caller. */
const unheard: Effect.Effect<Console.Console> = Effect.map(Effect.console, (console) => ({
  ...console,
  error: () => Effect.void
}))

/** Writes a script that completes every command in a shell. */
const completions = Effect.fnUntraced(function* (shell: string, pages: ReadonlyArray<Page>) {
  const [first, ...others] = pages.map(({ descriptor, name }) => [name, descriptor] as const)
  if (first === undefined) return
  const all = CommandDescriptor.withSubcommands(root.descriptor, [first, ...others])
  const script =
    shell === "zsh"
      ? CommandDescriptor.getZshCompletions(all, about.name)
      : shell === "fish"
        ? CommandDescriptor.getFishCompletions(all, about.name)
        : CommandDescriptor.getBashCompletions(all, about.name)
  yield* (yield* Host).out(`${(yield* script).join("\n")}\n`)
})

/** Runs one command line: the arguments after the executable. */
export const run = (tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const host = yield* Host
    const named = commands.filter((command) => command.name === tokens[0])
    const wanted = named.length > 0 || tokens[0] === "--version" ? named : commands
    const loaded = yield* Effect.promise(() => Promise.all(wanted.map((command) => command.load())))
    const pages = loaded.map(({ page }) => page)
    const request = yield* read(tokens, pages)
    switch (request._tag) {
      case "RootHelp":
        return yield* host.out(rootHelp(pages))
      case "CommandHelp":
        return yield* host.out(commandHelp(request.page))
      case "Version":
        return yield* host.out(`${version}\n`)
      case "Completions":
        return yield* completions(request.shell, pages)
      case "Command": {
        const chosen = loaded.find(({ page }) => page.name === request.argv[0])
        if (chosen === undefined) return
        return yield* chosen
          .parse(["node", "staterag", ...request.argv])
          .pipe(Effect.withConsole(yield* unheard), Effect.provideService(LogLevelOption, request.logLevel))
      }
    }
  })
