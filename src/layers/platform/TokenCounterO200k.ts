/** {@link TokenCounter} by gpt-tokenizer's o200k vocabulary, which takes some 120 ms of CPU to load and so is loaded when first counted with. */
import { Effect, Layer } from "effect"
import { Recent } from "../../domain/Recent.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"

/** Markers of special tokens in a text are text. */
const asText = { disallowedSpecial: new Set<string>() }

/** A run without spaces may be one word to the tokenizer, whose time grows faster than the word: such a text is counted in stretches. */
const longest = 2048
const longRun = new RegExp(`\\S{${longest}}`)

const isPrinted = (code: number): boolean => code > 32 && code < 127
/** Longer stretches are hardly ever met again. */
const longestKept = 24
const mostKept = 65_536

/**
 * Counts by stretches that end before a space: no pattern of the vocabulary has a space after anything but white space, so that the sum is
 * the count of the whole. Most stretches are a word, of which few make most of any text.
 */
const bySum = (count: (text: string) => number): ((text: string) => number) => {
  const kept = new Recent<number>(mostKept)
  const countOne = (stretch: string): number => {
    if (stretch.length > longestKept) return count(stretch)
    const known = kept.get(stretch)
    if (known !== undefined) return known
    const counted = count(stretch)
    kept.set(stretch, counted)
    return counted
  }
  return (text) => {
    let sum = 0
    let start = 0
    for (let space = text.indexOf(" "); space >= 0; space = text.indexOf(" ", space + 1)) {
      if (!isPrinted(text.charCodeAt(space - 1))) continue
      sum += countOne(text.slice(start, space))
      start = space
    }
    return start < text.length ? sum + countOne(text.slice(start)) : sum
  }
}

export const layer: Layer.Layer<TokenCounter> = Layer.effect(
  TokenCounter,
  Effect.map(
    Effect.cached(
      Effect.map(
        Effect.promise(() => import("gpt-tokenizer/encoding/o200k_base")),
        ({ countTokens }) => {
          const plain = bySum((text) => countTokens(text, asText))
          const count = (text: string): number => {
            if (text.length < longest || !longRun.test(text)) return plain(text)
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
