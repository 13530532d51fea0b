/** {@link TokenCounter} by gpt-tokenizer's o200k vocabulary, which takes some 120 ms of CPU to load and so is loaded when first counted with. */
import { Effect, Layer } from "effect"
import { TokenCounter } from "../../services/TokenCounter.ts"

/** Markers of special tokens in a text are text. */
const asText = { disallowedSpecial: new Set<string>() }

/** A run without spaces may be one word to the tokenizer, whose time grows faster than the word: such a text is counted in stretches. */
const longest = 2048
const longRun = new RegExp(`\\S{${longest}}`)

export const layer: Layer.Layer<TokenCounter> = Layer.effect(
  TokenCounter,
  Effect.map(
    Effect.cached(
      Effect.map(
        Effect.promise(() => import("gpt-tokenizer/encoding/o200k_base")),
        ({ countTokens }) => {
          const count = (text: string): number => {
            if (text.length < longest || !longRun.test(text)) return countTokens(text, asText)
            let sum = 0
            for (let start = 0; start < text.length; start += longest) {
              sum += countTokens(text.slice(start, start + longest), asText)
            }
            return sum
          }
          return count
        }
      )
    ),
    (counter) => ({ counter })
  )
)
