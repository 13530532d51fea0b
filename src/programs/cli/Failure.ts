/** How a command ends when it does not simply end: what is said, and with which exit code. */
import { HelpDoc, ValidationError } from "@effect/cli"
import { Predicate, Schema } from "effect"
import { plainHelp } from "./Help.ts"

/** The command was called in a way that it does not know: exit 2. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", {
  message: Schema.String,
  advice: Schema.String
}) {}

/** What was asked for is not there: exit 1. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: Schema.String,
  advice: Schema.String
}) {}

/** All has been said; only the exit code is left. */
export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", { code: Schema.Literal(3, 4) }) {}

/** The codes that scripts rely on. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  incomplete: 3,
  skipped: 4,
  defect: 70,
  interrupted: 130,
  terminated: 143
} as const

const adviceOf = (error: unknown): string | undefined =>
  Predicate.hasProperty(error, "advice") && Predicate.isString(error.advice) ? error.advice : undefined
/** What to do about failures that do not say it themselves. */
const adviceByTag: Readonly<Record<string, string>> = {
  SourceError: "paths are seen from the folder that the command runs in; `staterag index --help` shows examples",
  HostError: "check that it is a file that can be read or written",
  PolicyError: "`staterag config` lists every policy and its value",
  StaleWriter: "another process goes on with this run; `staterag runs` shows how it ends",
  MalformedJournal: "`staterag runs` lists the other runs; ask again for a new one",
  InvalidQuestion: "`staterag ask --help` shows examples"
}
const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && Predicate.isString(error._tag) ? error._tag : ""
const messageOf = (error: unknown): string =>
  Predicate.hasProperty(error, "message") && Predicate.isString(error.message) ? error.message : String(error)

/** What a failure says on standard error (nothing where all has been said) and its exit code. Total. */
export const failure = (
  error: unknown
): { readonly code: number; readonly message: string; readonly advice: string } => {
  if (error instanceof Stopped) return { code: error.code, message: "", advice: "" }
  if (ValidationError.isValidationError(error))
    return {
      code: exitCodes.usage,
      message: plainHelp(error.error ?? HelpDoc.empty)
        .trim()
        .replace(/^'(.*)' is not a integer$/s, "$1 is no whole number"),
      advice: "`staterag COMMAND --help` shows what it takes"
    }
  const tag = tagOf(error)
  const isUsage = error instanceof UsageError || tag === "PolicyError" || tag === "InvalidQuestion"
  return {
    code: isUsage ? exitCodes.usage : tag === "Incomplete" ? exitCodes.incomplete : exitCodes.failed,
    message: messageOf(error),
    advice: adviceOf(error) ?? adviceByTag[tag] ?? ""
  }
}

/** Where a native module does not fit the Node that runs, what to do; undefined for every other defect. */
export const installAdvice = (defect: string): string | undefined =>
  /ERR_DLOPEN_FAILED|NODE_MODULE_VERSION|Could not locate the bindings file|No native build was found/.test(defect)
    ? "a native module was built for another version of Node or another machine: run `npm rebuild better-sqlite3` (needs python3, make and g++), or `npm ci`"
    : undefined
