/** The product with a model over OpenAI's API behind Planner, Verifier and Reader: OpenAI itself, or any server that speaks it. */
import { Config, type ConfigError, Effect, Layer, Option, type Redacted } from "effect"
import type { ModelError } from "../domain/ModelError.ts"
import { defaultModelSettings, type ModelSettings } from "../domain/ModelSettings.ts"
import type { EmbeddingError } from "../services/EmbeddingModel.ts"
import type { StoreError } from "../services/StoreError.ts"
import type * as Embedded from "./Embedded.ts"
import * as Models from "./Models.ts"
import type * as OpenAiClient from "./model/OpenAiClient.ts"

export interface Options extends Embedded.Options, OpenAiClient.Options {
  /** The model's name at the provider: `gpt-5-mini`. */
  readonly model: string
  /** The embedding model's name there; hashed vectors, which nobody is asked for, where left out. */
  readonly embedding?: string
  readonly settings?: Partial<ModelSettings>
}

/**
 * In a folder of its own. Nothing is sent before a question is asked, and a corpus whose vectors another model made is refused.
 *
 * @example
 * ```ts
 * import { Redacted } from "effect"
 * import { OpenAi } from "staterag"
 *
 * export const layer = OpenAi.layer({ directory: ".staterag", model: "gpt-5-mini", apiKey: Redacted.make("…") })
 * export const gateway = OpenAi.layer({ directory: ".staterag", model: "llama3.2", baseUrl: "http://localhost:11434/v1" })
 * ```
 */
export const layer = ({
  create,
  directory,
  embedding,
  model,
  settings,
  ...openai
}: Options): Layer.Layer<Embedded.Services, StoreError | ModelError | EmbeddingError> =>
  Models.layer({
    directory,
    ...(create === undefined ? {} : { create }),
    openai,
    settings: {
      ...defaultModelSettings,
      ...settings,
      model: `openai:${model}`,
      ...(embedding === undefined ? {} : { embedding: `openai:${embedding}` })
    }
  })

/** The same with key and base URL from `OPENAI_API_KEY` and `OPENAI_BASE_URL` of the `ConfigProvider`. */
export const layerConfig = (
  options: Omit<Options, "apiKey" | "baseUrl">
): Layer.Layer<Embedded.Services, StoreError | ModelError | EmbeddingError | ConfigError.ConfigError> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const apiKey: Option.Option<Redacted.Redacted> = yield* Config.option(Config.redacted("OPENAI_API_KEY"))
      const baseUrl = yield* Config.option(Config.string("OPENAI_BASE_URL"))
      return layer({ ...options, apiKey: Option.getOrUndefined(apiKey), baseUrl: Option.getOrUndefined(baseUrl) })
    })
  )
