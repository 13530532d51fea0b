/** Texts to unit vectors. */
import { Context, type Effect, Schema } from "effect"
import { ModelFault } from "../domain/ModelError.ts"

/** No vector could be made. */
export class EmbeddingError extends Schema.TaggedError<EmbeddingError>()("EmbeddingError", {
  model: Schema.String,
  detail: Schema.String,
  cause: Schema.Defect,
  /** What the model failed of, where it is one that is called. */
  fault: Schema.optionalWith(ModelFault, { exact: true })
}) {
  override get message(): string {
    return `embedding with ${this.model} failed: ${this.detail}`
  }
}

export class EmbeddingModel extends Context.Tag("staterag/services/EmbeddingModel")<
  EmbeddingModel,
  {
    /** Stands in the corpus: vectors of another model are never mixed in. */
    readonly id: string
    readonly dimensions: number
    /** One finite vector of length 1 a text, in order; a text without words gives a fixed unit vector. */
    readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbeddingError>
  }
>() {}
