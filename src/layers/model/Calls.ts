/** What the two ways of calling, whole and streamed, have in common: a call's name, its outcome, and what is recorded of it. */
import { Cause, type Context, type Effect, Exit, Option } from "effect"
import type { ModelError, ModelFault } from "../../domain/ModelError.ts"
import type { ModelReply, ModelRequest, Shape } from "../../domain/ModelRequest.ts"
import type { Digest } from "../../services/Digest.ts"
import type { Provider, RawReply } from "../../services/LanguageModel.ts"

/** Characters that an answer may have: one beyond it is none that was asked for. */
export const longestAnswer = 1 << 20

const shapes = new WeakMap<Shape, string>()
const written = (shape: Shape): string => {
  const text = shapes.get(shape) ?? JSON.stringify([shape.name, shape.schema])
  shapes.set(shape, text)
  return text
}

/** What tells one call from another: everything that can change the answer, scope apart. */
export const requestHash = (
  hash: Context.Tag.Service<Digest>["hash"],
  provider: Pick<Provider, "system" | "endpoint" | "model" | "settings">,
  request: ModelRequest
): string =>
  hash(
    "model call",
    provider.system,
    provider.endpoint,
    provider.model,
    provider.settings,
    request.role,
    request.promptVersion,
    request.system,
    JSON.stringify([request.maxTokens, request.temperature, request.seed]),
    request.shape === null ? "" : written(request.shape),
    // the last, since there may be any number
    ...request.messages.flatMap(({ author, text }) => [author, text])
  )

/** What an attempt came to, to be metered and kept. */
export interface Outcome {
  readonly reply: Option.Option<ModelReply>
  readonly fault: Option.Option<ModelFault>
  /** What was streamed before it broke off. */
  readonly partial: string
}

/** One call on its way: its request, and where it is metered. */
export interface Call {
  readonly request: ModelRequest
  readonly hash: string
  /** Ends its span. */
  readonly end: Effect.Effect<void>
  readonly record: (outcome: Outcome, cached: boolean) => Effect.Effect<void, ModelError>
  readonly replyOf: (raw: RawReply) => Effect.Effect<ModelReply, ModelError>
  /** Prompt and longest answer. */
  readonly tokens: Effect.Effect<number>
}

/** Why a whole answer is none all the same. */
export const faultOf = (reply: ModelReply): Option.Option<ModelFault> =>
  reply.finish === "Length"
    ? Option.some("Truncated")
    : reply.finish === "Refusal"
      ? Option.some("Refused")
      : Option.none()

export const failed = (exit: Exit.Exit<unknown, ModelError>, partial = ""): Outcome => ({
  reply: Option.none(),
  fault: Option.some(
    Option.match(Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none(), {
      onNone: () => "Interrupted",
      onSome: ({ fault }) => fault
    })
  ),
  partial
})
export const replied = (reply: ModelReply): Outcome => ({
  reply: Option.some(reply),
  fault: faultOf(reply),
  partial: ""
})
