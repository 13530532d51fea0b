/** Reader tokens (o200k), in which the evidence budget is counted (C20). */
import { Context, type Effect } from "effect"

export class TokenCounter extends Context.Tag("staterag/services/TokenCounter")<
  TokenCounter,
  {
    /** The counting function; the vocabulary is loaded at its first use. Markers of special tokens in a text count as plain text. */
    readonly counter: Effect.Effect<(text: string) => number>
  }
>() {}
