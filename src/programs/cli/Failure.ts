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
      message: plainHelp(error.error ?? HelpDoc.empty).trim(),
      advice: "`staterag COMMAND --help` shows what it takes"
    }
  const isUsage = error instanceof UsageError || (Predicate.hasProperty(error, "_tag") && error._tag === "PolicyError")
  const isIncomplete = Predicate.hasProperty(error, "_tag") && error._tag === "Incomplete"
  return {
    code: isUsage ? exitCodes.usage : isIncomplete ? exitCodes.incomplete : exitCodes.failed,
    message: messageOf(error),
    advice: adviceOf(error) ?? (isUsage ? "`staterag config` lists every policy and its value" : "")
  }
}
