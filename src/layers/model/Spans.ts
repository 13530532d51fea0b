/** Spans of model calls, by OpenTelemetry's names for generative AI. No prompt, answer, key or message of an error is in them. */
import { Clock, Effect, Exit, Option, type Tracer } from "effect"

/** A span that has begun. */
export const beginSpan = (
  operation: string,
  model: string,
  attributes: Readonly<Record<string, unknown>>
): Effect.Effect<Tracer.Span> =>
  Effect.makeSpan(`${operation} ${model}`, {
    kind: "client",
    captureStackTrace: false,
    attributes: { "gen_ai.operation.name": operation, "gen_ai.request.model": model, ...attributes }
  })

export const endSpan = (span: Tracer.Span): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeNanos, (now) => {
    // a failure's message may repeat what a server was sent; its kind stands in `error.type`
    if (span.status._tag === "Started") span.end(now, Exit.void)
  })

/** What came of the call. */
export const describe = (
  span: Tracer.Span,
  outcome: {
    readonly prompt: number
    readonly completion: number
    readonly finish: Option.Option<string>
    readonly fault: Option.Option<string>
  }
): void => {
  span.attribute("gen_ai.usage.input_tokens", outcome.prompt)
  span.attribute("gen_ai.usage.output_tokens", outcome.completion)
  if (Option.isSome(outcome.finish)) span.attribute("gen_ai.response.finish_reasons", [outcome.finish.value])
  if (Option.isSome(outcome.fault)) span.attribute("error.type", outcome.fault.value)
}
