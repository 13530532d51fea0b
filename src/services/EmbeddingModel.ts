/**
 * Texts to unit vectors: a narrow half that an adapter implements, and what callers get, which is the same for every provider.
 *
 *     adapter (EmbeddingProvider) ──▶ layers/embedding/Making.make: batches, pacing, metering, checks, cache, spans ──▶ EmbeddingModel
 */
import { Context, type Effect, type Option, Schema } from "effect"
import { type ModelError, ModelFault, modelAdvice } from "../domain/ModelError.ts"

/** What an adapter says of one call. Nothing is believed of the vectors: they are checked, and brought to length 1. */
export interface RawVectors {
  /** One a text, in the order of the texts. */
  readonly vectors: ReadonlyArray<unknown>
  /** What it cost; none where the provider did not say. */
  readonly tokens: Option.Option<number>
}

/** The narrow half: one batch, one call; no retry, no meter, no cache. No text is empty. */
export interface EmbeddingProvider {
  /** `openai:NAME`, a folder's name, …: what a corpus remembers. */
  readonly id: string
  /** Who answers, for spans. */
  readonly system: string
  readonly model: string
  /** What the same name means here, and all settings that can change a vector. Part of every cache key. */
  readonly endpoint: string
  readonly vectors: (texts: ReadonlyArray<string>) => Effect.Effect<RawVectors, ModelError>
}

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
  /** What to do next; empty where nobody knows. */
  get advice(): string {
    return this.fault === undefined ? "" : modelAdvice(this.fault)
  }
}

/** What nearness of vectors stands for: texts that are written alike, or texts that mean alike. */
export type NearnessKind = "Spelling" | "Meaning"

export class EmbeddingModel extends Context.Tag("staterag/services/EmbeddingModel")<
  EmbeddingModel,
  {
    /** Stands in the corpus: vectors of another model are never mixed in. */
    readonly id: string
    readonly dimensions: number
    /** How much nearness counts beside words follows from what it stands for. */
    readonly kind: NearnessKind
    /** One finite vector of length 1 a text, in order; a text without words gives a fixed unit vector. */
    readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbeddingError>
    /**
     * What `embed` would give without a call, where calls take long and their vectors are kept; then nobody has to hold a lock meanwhile.
     * Absent, or none, where there is nothing to gain.
     */
    readonly known?: Effect.Effect<
      Option.Option<
        (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Option.Option<Float32Array>>, EmbeddingError>
      >
    >
  }
>() {}
