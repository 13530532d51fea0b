/** Embeddings over OpenAI's API, whoever runs the server. */
import { Effect, Option, Predicate } from "effect"
import { ModelError } from "../../domain/ModelError.ts"
import type { EmbeddingProvider } from "../../services/EmbeddingModel.ts"

/** The part of a connection that is needed: the JSON that one POST is answered with, as it came. */
export interface Connection {
  readonly endpoint: string
  readonly post: (model: string, path: string, body: object) => Effect.Effect<unknown, ModelError>
}

/** How long the vectors of OpenAI's models are of themselves. */
const known: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536
}

export interface Options {
  /** The model's name at the provider. */
  readonly model: string
  /** How long vectors are; of OpenAI's third generation, how long they are to be. */
  readonly dimensions?: number | undefined
}

/** How long its vectors will be; undefined where only the server knows. */
export const dimensionsOf = ({ dimensions, model }: Options): number | undefined =>
  dimensions ?? (Object.hasOwn(known, model) ? known[model] : undefined)

/** By their own numbers where these are a permutation, else as they came. */
const inOrder = (data: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const sorted: Array<unknown> = []
  for (const item of data) {
    const place = Predicate.isRecord(item) ? item.index : undefined
    if (typeof place !== "number" || place in sorted || !(place >= 0 && place < data.length)) return data
    sorted[place] = item
  }
  return sorted
}

export const provider = ({ endpoint, post }: Connection, options: Options): EmbeddingProvider => {
  const { dimensions, model } = options
  const id = `openai:${model}`
  const isShortened = Object.hasOwn(known, model) && dimensions !== undefined && dimensions !== known[model]
  return {
    id,
    system: "openai",
    model,
    endpoint: `${endpoint} ${isShortened ? dimensions : ""}`,
    vectors: Effect.fnUntraced(function* (texts) {
      const answer = yield* post(id, "/embeddings", {
        model,
        input: texts,
        // the SDK would ask for base64, and would decode whatever comes as that
        encoding_format: "float",
        ...(isShortened ? { dimensions } : {})
      })
      const { data, usage } = Predicate.isRecord(answer) ? answer : {}
      if (!Array.isArray(data))
        return yield* new ModelError({ model: id, fault: "Malformed", detail: "no vectors in the answer" })
      const tokens = Predicate.isRecord(usage) ? usage.prompt_tokens : undefined
      return {
        vectors: inOrder(data).map((item) => (Predicate.isRecord(item) ? item.embedding : undefined)),
        tokens:
          typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0
            ? Option.some(tokens)
            : Option.none()
      }
    })
  }
}
