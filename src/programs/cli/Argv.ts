/**
 * The command line before it is parsed. The parser wants options before operands and lets what it does not know pass as an operand; here
 * options may stand anywhere, `--name=value` works, and what is unknown or incomplete is refused with the nearest name.
 *
 *     ask "who?" --max-cycles=2 --json   ▶   ask --max-cycles 2 --json -- "who?"
 */
import { CommandDescriptor, type Usage } from "@effect/cli"
import { Either } from "effect"
import { didYouMean } from "../../domain/Nearest.ts"
import { UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"

/** What is asked for: help, or a command with its arguments in the parser's order. */
export type Request =
  | { readonly _tag: "RootHelp" }
  | { readonly _tag: "Version" }
  | { readonly _tag: "Completions"; readonly shell: string }
  | { readonly _tag: "CommandHelp"; readonly page: Page }
  | { readonly _tag: "Command"; readonly argv: ReadonlyArray<string>; readonly logLevel: string | undefined }

interface Option {
  /** The name that the parser is given. */
  readonly name: string
  readonly takesValue: boolean
  readonly repeated: boolean
}

const logLevels = ["all", "trace", "debug", "info", "warning", "error", "fatal", "none"]
const shells = ["bash", "zsh", "fish"]

const optionsOf = (usage: Usage.Usage, repeated: boolean, into: Map<string, Option>): Map<string, Option> => {
  switch (usage._tag) {
    case "Named": {
      const name = usage.names.find((candidate) => candidate.startsWith("--"))
      if (name !== undefined) {
        const option = { name, takesValue: usage.acceptedValues._tag === "Some", repeated }
        for (const alias of usage.names) into.set(alias, option)
      }
      return into
    }
    case "Optional":
      return optionsOf(usage.usage, repeated, into)
    case "Repeated":
      return optionsOf(usage.usage, true, into)
    case "Alternation":
    case "Concat":
      return optionsOf(usage.right, repeated, optionsOf(usage.left, repeated, into))
    default:
      return into
  }
}

const usage = (message: string, advice: string) => Either.left(new UsageError({ message, advice }))

/** Options that every command takes and that are dealt with here. */
const own: ReadonlyMap<string, Option> = new Map([
  ["--help", { name: "--help", takesValue: false, repeated: false }],
  ["-h", { name: "--help", takesValue: false, repeated: false }],
  ["--version", { name: "--version", takesValue: false, repeated: false }],
  ["--log-level", { name: "--log-level", takesValue: true, repeated: false }],
  ["--completions", { name: "--completions", takesValue: true, repeated: false }]
])

interface Sorted {
  readonly given: ReadonlyMap<string, ReadonlyArray<string>>
  readonly operands: ReadonlyArray<string>
}

const sort = (
  tokens: ReadonlyArray<string>,
  options: ReadonlyMap<string, Option>,
  help: string
): Either.Either<Sorted, UsageError> => {
  const given = new Map<string, Array<string>>()
  const operands: Array<string> = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? ""
    if (token === "--") {
      operands.push(...tokens.slice(i + 1))
      break
    }
    if (token === "-" || !token.startsWith("-")) {
      operands.push(token)
      continue
    }
    const equals = token.startsWith("--") ? token.indexOf("=") : -1
    const name = equals < 0 ? token : token.slice(0, equals)
    const option = options.get(name)
    if (option === undefined)
      return usage(
        `there is no option ${name}.${didYouMean(name, [...options.keys()])}`,
        `${help} lists them; text that starts with a dash goes after --`
      )
    let value = equals < 0 ? undefined : token.slice(equals + 1)
    if (!option.takesValue && value !== undefined) return usage(`${name} takes no value`, help)
    if (option.takesValue && value === undefined) {
      i++
      value = tokens[i]
      if (value === undefined || options.has(value)) return usage(`${name} needs a value`, help)
    }
    // the parser takes an empty one of many for none at all
    if (option.repeated && value === "") return usage(`${name} needs a value`, help)
    const values = given.get(option.name) ?? []
    if (!option.repeated) values.length = 0
    values.push(value ?? "")
    given.set(option.name, values)
  }
  return Either.right({ given, operands })
}

/** The first token that names a command; options of every command may stand before it. */
const commandAt = (tokens: ReadonlyArray<string>, options: ReadonlyMap<string, Option>): number => {
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? ""
    if (!token.startsWith("-") || token === "-") return i
    if (options.get(token)?.takesValue === true) i++
  }
  return -1
}

/** Reads the arguments after the executable. Total: what cannot be read is a {@link UsageError}. */
export const read = (tokens: ReadonlyArray<string>, pages: ReadonlyArray<Page>): Either.Either<Request, UsageError> => {
  const optionsByName = (page: Page) => optionsOf(CommandDescriptor.getUsage(page.descriptor), false, new Map(own))
  const first = pages[0]
  const every = first === undefined ? own : new Map([...own, ...pages.flatMap((page) => [...optionsByName(page)])])
  const at = commandAt(tokens, every)
  const name = tokens[at]
  if (name === undefined || name === "help") {
    const topic = name === "help" ? pages.find((page) => page.name === tokens[at + 1]) : undefined
    if (topic !== undefined) return Either.right({ _tag: "CommandHelp", page: topic })
    return Either.flatMap(sort(tokens, every, "`staterag --help`"), ({ given }): Either.Either<Request, UsageError> => {
      const shell = given.get("--completions")?.[0]
      if (shell !== undefined)
        return shells.includes(shell)
          ? Either.right({ _tag: "Completions", shell })
          : usage(
              `there are no completions for ${shell}.${didYouMean(shell, shells)}`,
              `choose one of: ${shells.join(", ")}`
            )
      if (given.has("--version")) return Either.right({ _tag: "Version" })
      if (given.has("--help") || name === "help") return Either.right({ _tag: "RootHelp" })
      return usage("no command was given", "start with `staterag index PATH`; `staterag --help` lists the commands")
    })
  }
  const page = pages.find((candidate) => candidate.name === name)
  if (page === undefined)
    return usage(
      `there is no command ${name}.${didYouMean(
        name,
        pages.map((candidate) => candidate.name)
      )}`,
      "`staterag --help` lists the commands"
    )
  const rest = [...tokens.slice(0, at), ...tokens.slice(at + 1)]
  const options = optionsByName(page)
  // help is given whatever else is wrong
  const beforeOperands = rest.indexOf("--") < 0 ? rest : rest.slice(0, rest.indexOf("--"))
  if (beforeOperands.some((token) => token === "--help" || token === "-h"))
    return Either.right({ _tag: "CommandHelp", page })
  return Either.flatMap(
    sort(rest, options, `\`staterag ${name} --help\``),
    ({ given, operands }): Either.Either<Request, UsageError> => {
      if (given.has("--version")) return Either.right({ _tag: "Version" })
      const logLevel = given.get("--log-level")?.[0]
      if (logLevel !== undefined && !logLevels.includes(logLevel))
        return usage(
          `there is no log level ${logLevel}.${didYouMean(logLevel, logLevels)}`,
          `choose one of: ${logLevels.join(", ")}`
        )
      const argv = [...given].flatMap(([option, values]) =>
        own.has(option)
          ? []
          : values.flatMap((value) => (options.get(option)?.takesValue === true ? [option, value] : [option]))
      )
      return Either.right({ _tag: "Command", argv: [name, ...argv, "--", ...operands], logLevel })
    }
  )
}
