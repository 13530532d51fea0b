/** How a method of an evaluation asks its model: a step in JSON, or a step in free text. */
import { Effect, Stream } from "effect"
import type { ModelError } from "../../domain/ModelError.ts"
import type { Spoken } from "../../domain/prompts/methods/Spoken.ts"
import type { Prompt } from "../../domain/prompts/Prompt.ts"
import { Digest } from "../../services/Digest.ts"
import { modelFor, type NeedsModel } from "./Method.ts"

export interface Asker {
  /** `most` tokens of the answer must hold the longest value of the prompt's schema. */
  readonly value: <In, A, I>(prompt: Prompt<In, A, I>, input: In, most?: number) => Effect.Effect<A, ModelError>
  /** What `most` tokens of the answer hold. An answer that is longer is cut there, and is no fault. */
  readonly text: <In>(prompt: Spoken<In>, input: In, most: number) => Effect.Effect<string, ModelError>
}

/** Characters for a token of free text: a server need not keep to the limit that it is given. */
const longestToken = 16
/** Tokens of a JSON step. */
const usual = 1024

export const askerFor = (method: string): Effect.Effect<Asker, NeedsModel, Digest> =>
  Effect.gen(function* () {
    const { manner, model } = yield* modelFor(method)
    const { hash } = yield* Digest
    const within = (most: number) => ({ ...manner, maxTokens: Math.min(manner.maxTokens, most) })
    return {
      value: (prompt, input, most = usual) => model.value(prompt.request(hash, input, within(most)), prompt.schema),
      text: (prompt, input, most) =>
        Effect.suspend(() => {
          let said = ""
          return model.stream(prompt.request(hash, input, within(most))).pipe(
            Stream.runForEach((part) =>
              Effect.sync(() => {
                said += part
              })
            ),
            Effect.catchIf(
              ({ fault }) => fault === "Truncated",
              () => Effect.void
            ),
            Effect.map(() => said.slice(0, most * longestToken))
          )
        })
    }
  })
