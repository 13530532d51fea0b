/**
 * Help as plain text: short enough to read, with examples first. It is drawn from the commands' own descriptors, so that it cannot differ
 * from what they take.
 */

import type { Usage } from "@effect/cli"
import { CliConfig, CommandDescriptor, type HelpDoc, type Span } from "@effect/cli"
import { version } from "../../domain/Version.ts"
import { wrapped } from "./Text.ts"

/** A command with what its help says besides its options. */
export interface Page {
  readonly name: string
  readonly descriptor: CommandDescriptor.Command<unknown>
  readonly examples: ReadonlyArray<readonly [command: string, meaning: string]>
  /** What else a user has to know; one paragraph an entry. */
  readonly notes: ReadonlyArray<string>
}

const columns = 100
const quiet = CliConfig.make({ showBuiltIns: false, showTypes: true, showAllNames: true })

/** Sentences that the framework adds to every option and that say nothing. */
const boilerplate =
  /^(A true or false value\.|A user-defined piece of text\.|An integer\.|This setting is optional\.|One of the following: .*|This option may be repeated zero or more times\.|This argument .*)$/

const plainSpan = (span: Span.Span): string => {
  switch (span._tag) {
    case "Text":
    case "URI":
      return span.value
    case "Sequence":
      return plainSpan(span.left) + plainSpan(span.right)
    case "Highlight":
    case "Strong":
    case "Weak":
      return plainSpan(span.value)
  }
}

/** Paragraphs of a help document, without decoration and without what says nothing. */
const paragraphs = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => {
  switch (doc._tag) {
    case "Empty":
      return []
    case "Header":
    case "Paragraph": {
      const text = plainSpan(doc.value)
      return text === "" || boilerplate.test(text) ? [] : [text]
    }
    case "Enumeration":
      return doc.elements.flatMap((element) => paragraphs(element).map((line) => `- ${line}`))
    case "DescriptionList":
      return doc.definitions.flatMap(([term, body]) => [plainSpan(term), ...paragraphs(body).map((p) => `  ${p}`)])
    case "Sequence":
      return [...paragraphs(doc.left), ...paragraphs(doc.right)]
  }
}

/** A help document or a validation error as plain text. */
export const plainHelp = (doc: HelpDoc.HelpDoc): string => paragraphs(doc).join("\n")

const definitions = (doc: HelpDoc.HelpDoc): ReadonlyArray<readonly [term: string, text: string]> =>
  doc._tag === "Sequence"
    ? [...definitions(doc.left), ...definitions(doc.right)]
    : doc._tag === "DescriptionList"
      ? doc.definitions.map(([term, body]) => [plainSpan(term), paragraphs(body).join(" ")] as const)
      : []

const described = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const widest = Math.max(0, ...rows.map(([term]) => term.length).filter((length) => length <= 30))
  return rows
    .map(([term, text]) => {
      const lines = wrapped(text, columns - widest - 4).split("\n")
      const margin = " ".repeat(widest + 4)
      return term.length <= widest
        ? `  ${term.padEnd(widest)}  ${lines.join(`\n${margin}`)}`
        : `  ${term}\n${margin}${lines.join(`\n${margin}`)}`
    })
    .join("\n")
}

/** The placeholders of a usage, without options. */
const operands = (usage: Usage.Usage): string => {
  switch (usage._tag) {
    case "Named":
      return usage.names.every((name) => name.startsWith("<")) ? usage.names.join("|") : ""
    case "Optional": {
      const inner = operands(usage.usage)
      return inner === "" ? "" : `[${inner.replace(/^<(.*)>$/, "$1")}]`
    }
    case "Repeated": {
      const inner = operands(usage.usage)
      return inner === "" ? "" : `${inner}...`
    }
    case "Concat":
    case "Alternation":
      return [operands(usage.left), operands(usage.right)].filter((part) => part !== "").join(" ")
    default:
      return ""
  }
}

const section = (title: string, body: string): string => (body === "" ? "" : `${title}\n${body}\n\n`)

const commonOptions: ReadonlyArray<readonly [string, string]> = [
  ["--dir DIR", "the state folder (default .staterag)"],
  ["--scope KEY", "which corpus of the state folder (default default)"],
  ["--json", "one JSON document on standard output instead of text"],
  ["--quiet", "no progress, no warnings"],
  ["--log-level LEVEL", "all, trace, debug, info, warning (default), error, fatal, none; logs go to standard error"],
  ["--config FILE", "settings as JSON (default staterag.config.json, if there is one)"],
  ["-h, --help", "this text"]
]
const commonNames = new Set(commonOptions.map(([term]) => term.split(" ")[0]))

const exitCodeLines = `  0 done · 1 failed · 2 wrong usage · 3 incomplete: no answer was formed · 4 done, but some input was skipped
  70 a defect of staterag · 130 interrupted · 143 terminated`

/** The help of one command, which one line sums up. */
export const commandHelp = (page: Page, summary: string): string => {
  const all = definitions(CommandDescriptor.getHelp(page.descriptor, quiet))
  const options = all.filter(
    ([term]) => /^\(?-/.test(term) && !commonNames.has(term.replace(/^\(|\)$/g, "").split(" ")[0])
  )
  const shown = options.map(([term, text]) => [term.replace(/\.\.\.$/, ""), text] as const)
  return `${[
    `staterag ${page.name} — ${summary}`,
    "",
    `Usage: staterag ${page.name} ${operands(CommandDescriptor.getUsage(page.descriptor))} [options]`.replace(
      / {2,}/g,
      " "
    ),
    "",
    section("Examples", described(page.examples)) +
      section("Options", described(shown)) +
      section("Options of every command", described(commonOptions)) +
      page.notes.map((note) => `${wrapped(note, columns)}\n\n`).join("") +
      section("Exit codes", exitCodeLines)
  ]
    .join("\n")
    .trimEnd()}\n`
}

/** The help of the whole command, with one line for each of its commands. */
export const rootHelp = (
  commands: ReadonlyArray<{ readonly name: string; readonly summary: string }>
): string => `staterag ${version} — ask your documents; every answer says where it stands

Usage: staterag COMMAND [arguments] [options]      options may stand anywhere

Start here
  staterag index docs/                       reads a folder (Markdown, HTML, text, JSON Lines) into ./.staterag
  staterag ask "Who maintains the parser?"   answers from it, with file, line and quotation
  staterag explain                           shows how the last answer was found, step by step

Commands
${described(commands.map(({ name, summary }) => [name, summary] as const))}

Options of every command
${described([...commonOptions, ["--version", "the version"], ["--completions SHELL", "a completion script for bash, zsh or fish; for bash: source <(staterag --completions bash)"]])}

A setting is taken from the option, else from the environment (STATERAG_DIR, STATERAG_MAX_CYCLES, ...), else from the
config file, else it is the default; \`staterag config\` shows each and where it came from. Nothing is sent anywhere:
everything runs on this machine, without a key.

Exit codes
${exitCodeLines}

\`staterag COMMAND --help\` tells more of one command.
`
