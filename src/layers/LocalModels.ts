/** The product with models from files on this machine: nothing leaves it, and nothing is downloaded. */
import type { Layer } from "effect"
import type { ModelError } from "../domain/ModelError.ts"
import { defaultModelSettings, type ModelSettings } from "../domain/ModelSettings.ts"
import type { EmbeddingError } from "../services/EmbeddingModel.ts"
import type { StoreError } from "../services/StoreError.ts"
import type * as Embedded from "./Embedded.ts"
import * as Models from "./Models.ts"

export interface Options extends Embedded.Options {
  /** A GGUF file; needs node-llama-cpp. The embedded roles where left out. */
  readonly file?: string
  /** A folder with a sentence encoder in ONNX; needs @huggingface/transformers. Hashed vectors where left out. */
  readonly encoder?: string
  readonly settings?: Partial<ModelSettings>
}

/**
 * In a folder of its own. Where a runtime is not installed, the error says which command installs it.
 *
 * @example
 * ```ts
 * import { LocalModels } from "staterag"
 *
 * export const layer = LocalModels.layer({ directory: ".staterag", file: "models/qwen2.5-7b.gguf", encoder: "models/minilm" })
 * ```
 */
export const layer = ({
  create,
  directory,
  encoder,
  file,
  settings
}: Options): Layer.Layer<Embedded.Services, StoreError | ModelError | EmbeddingError> =>
  Models.layer({
    directory,
    ...(create === undefined ? {} : { create }),
    settings: {
      ...defaultModelSettings,
      ...settings,
      ...(file === undefined ? {} : { model: `gguf:${file}` }),
      ...(encoder === undefined ? {} : { embedding: `transformers:${encoder}` })
    }
  })
