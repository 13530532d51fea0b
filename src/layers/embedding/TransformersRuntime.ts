/** As much of @huggingface/transformers as is used here, by shape: the package is optional, so its types are not at hand. */
import { Predicate } from "effect"

export interface Extractor {
  (
    texts: ReadonlyArray<string>,
    options: { readonly pooling: "mean"; readonly normalize: true }
  ): Promise<{ readonly data: Float32Array; readonly dims: ReadonlyArray<number> }>
  readonly dispose: () => Promise<unknown>
}
export interface Runtime {
  readonly pipeline: (task: "feature-extraction", model: string, options: object) => Promise<Extractor>
  readonly env: {
    allowRemoteModels: boolean
    localModelPath: string
    useFSCache: boolean
  }
}

/** Whether a package is the runtime: it has what is called here. */
export const isRuntime = (value: unknown): value is Runtime =>
  Predicate.isRecord(value) && Predicate.isFunction(value.pipeline) && Predicate.isRecord(value.env)
