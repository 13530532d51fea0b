/** Tokens counted by stretches are the tokens of the whole. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { layer } from "../../src/layers/platform/TokenCounterO200k.ts"
import { TokenCounter } from "../../src/services/TokenCounter.ts"

const whole = (text: string): number => countTokens(text, { disallowedSpecial: new Set<string>() })

/** What the vocabulary joins or parts at: spaces of every kind, apostrophes, digits, capitals, marks, markers of special tokens. */
const piece = FastCheck.constantFrom(
  ..."a|the|Tokens|isn't|they'LL|camelCase|HTTPServer|1987|12 345|é|ß|naïve|Ä|東京|ไทย|ا|e\u0301| |  |\t|\n|\r\n|\u00a0|\u3000|.|,|…|—|-|'|\"|(|)|<|endoftext|>|<|/|://|_|#|😀|👨‍👩‍👧|x".split(
    "|"
  ),
  "<|endoftext|>",
  " a",
  " b c",
  "z "
)

describe("token counts", () => {
  it.effect("are the same by stretches and in one piece", () =>
    Effect.gen(function* () {
      const count = yield* (yield* TokenCounter).counter
      const check = (text: string): void => {
        expect([text, count(text)]).toEqual([text, whole(text)])
      }
      FastCheck.assert(
        FastCheck.property(FastCheck.array(piece, { maxLength: 40 }), (pieces) => {
          check(pieces.join(""))
          check(pieces.join(" "))
        }),
        { numRuns: 400 }
      )
      FastCheck.assert(FastCheck.property(FastCheck.string({ unit: "binary", maxLength: 200 }), check), {
        numRuns: 200
      })
    }).pipe(Effect.provide(layer))
  )
})
