/**
 * The whole command: which commands there are, and one run of a command line.
 *
 * A command's module, and all that it needs, is loaded when that command is named: most of the time that a short command takes is the
 * loading of what it does not use.
 */
import { CliConfig, type Command, CommandDescriptor } from "@effect/cli"
import { Effect } from "effect"
import { version } from "../../domain/Version.ts"
import { read } from "./Argv.ts"
import { LogLevelOption } from "./Common.ts"
import { UsageError } from "./Failure.ts"
import { commandHelp, type Page, rootHelp } from "./Help.ts"
import { Host } from "./Host.ts"

const name = "staterag"

/** Runs the arguments of one command. What it fails with is told by `Failure.failure`, whatever it is. */
type Parse = (argv: ReadonlyArray<string>) => Effect.Effect<void, unknown, Host>

/** What {@link read} has put in order, parsed and handled by one command. */
const alone =
  <Name extends string, E, A>(command: Command.Command<Name, Host, E, A>): Parse =>
  (argv) =>
    Effect.gen(function* () {
      const { platform } = yield* Host
      const parsed = yield* Effect.provide(
        CommandDescriptor.parse(command.descriptor, argv, CliConfig.defaultConfig),
        platform
      )
      // the options that the parser has built in are dealt with before it is asked
      if (parsed._tag === "BuiltIn") return
      const [excess] = parsed.leftover
      if (excess !== undefined)
        return yield* new UsageError({
          message: `there is an argument too many: ${excess}`,
          advice: `\`staterag ${argv[0]} --help\` shows what it takes`
        })
      yield* command.handler(parsed.value)
    })

/** The commands in the order of the help, with the line that it has for each. */
const commands = [
  {
    name: "index",
    summary: "reads files, folders and globs; a second run does only what changed",
    load: () => import("./Index.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "ask",
    summary: "answers a question from what is indexed, with file, line and quotation",
    load: () => import("./Ask.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "resume",
    summary: "goes on with a run that was interrupted or killed, or whose model failed",
    load: () => import("./Resume.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "search",
    summary: "the passages that a question finds first, without answering it",
    load: () => import("./Search.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "explain",
    summary: "how an answer was found: each cycle, the path drawn, verdict and action",
    load: () => import("./Explain.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "show",
    summary: "the stored text of a document, or a part of it",
    load: () => import("./Show.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "status",
    summary: "what is indexed, how large it is, and what is stale",
    load: () => import("./Status.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "runs",
    summary: "the questions asked so far, newest first, with how each ended",
    load: () => import("./Runs.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "usage",
    summary: "what models have cost: calls, tokens and money by role, model, day and scope",
    load: () => import("./Usage.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "forget",
    summary: "removes documents and every trace of them",
    load: () => import("./Forget.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "prune",
    summary: "removes old runs and memory that is no longer of use, and gives the space back",
    load: () => import("./Prune.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "verify",
    summary: "checks everything that is stored against itself; --repair mends what can be made again",
    load: () => import("./Verify.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "eval",
    summary: "asks questions with known answers by several methods, and measures them",
    load: () => import("./Eval.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  },
  {
    name: "config",
    summary: "every setting, its value and where it came from",
    load: () => import("./Config.ts").then(({ command, page }) => ({ page, parse: alone(command) }))
  }
] as const

const helps: ReadonlyArray<string | undefined> = ["--help", "-h", "help"]

/** Writes a script that completes every command in a shell. */
const completions = Effect.fnUntraced(function* (shell: string, pages: ReadonlyArray<Page>) {
  const [first, ...others] = pages.map((page) => [page.name, page.descriptor] as const)
  if (first === undefined) return
  const all = CommandDescriptor.withSubcommands(CommandDescriptor.make(name), [first, ...others])
  const script =
    shell === "zsh"
      ? CommandDescriptor.getZshCompletions(all, name)
      : shell === "fish"
        ? CommandDescriptor.getFishCompletions(all, name)
        : CommandDescriptor.getBashCompletions(all, name)
  yield* (yield* Host).out(`${(yield* script).join("\n")}\n`)
})

/** Runs one command line: the arguments after the executable. */
export const run = (tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const host = yield* Host
    const named = commands.filter((command) => command.name === tokens[0])
    const needsNone = tokens[0] === "--version" || (tokens.length === 1 && helps.includes(tokens[0]))
    const wanted = named.length > 0 || needsNone ? named : commands
    const loaded = yield* Effect.promise(() => Promise.all(wanted.map((command) => command.load())))
    const pages = loaded.map(({ page }) => page)
    const request = yield* read(tokens, pages)
    switch (request._tag) {
      case "RootHelp":
        return yield* host.out(rootHelp(commands))
      case "CommandHelp":
        return yield* host.out(
          commandHelp(request.page, commands.find((command) => command.name === request.page.name)?.summary ?? "")
        )
      case "Version":
        return yield* host.out(`${version}\n`)
      case "Completions":
        return yield* completions(request.shell, pages)
      case "Command": {
        const chosen = loaded.find(({ page }) => page.name === request.argv[0])
        if (chosen === undefined) return
        return yield* chosen.parse(request.argv).pipe(Effect.provideService(LogLevelOption, request.logLevel))
      }
    }
  })
