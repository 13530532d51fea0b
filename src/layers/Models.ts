/**
 * The product with models behind its roles, by settings: each role named there is asked of its model, the others stay the embedded ones.
 *
 *     settings ──▶ one client and one pacing an account, one runtime a file ──▶ a LanguageModel a role ──▶ roles
 *              └─▶ EmbeddingModel
 *
 * Nothing is called that the settings do not name.
 */
import type { FileSystem } from "@effect/platform"
import { NodeFileSystem } from "@effect/platform-node"
import { Effect, Layer, Option, type Scope } from "effect"
import type { ModelError } from "../domain/ModelError.ts"
import { type ModelSettings, modelOf } from "../domain/ModelSettings.ts"
import { knownModels } from "../domain/Pricing.ts"
import { small, usual } from "../domain/prompts/Bounds.ts"
import type { Digest } from "../services/Digest.ts"
import { type EmbeddingError, EmbeddingModel } from "../services/EmbeddingModel.ts"
import { LanguageModel, type LanguageModelShape } from "../services/LanguageModel.ts"
import { MethodModel } from "../services/MethodModel.ts"
import type { StoreError } from "../services/StoreError.ts"
import type { TokenCounter } from "../services/TokenCounter.ts"
import * as Embedded from "./Embedded.ts"
import * as Hashed from "./embedding/Hashed.ts"
import * as EmbeddingMaking from "./embedding/Making.ts"
import * as OpenAiEmbedding from "./embedding/OpenAi.ts"
import * as Transformers from "./embedding/Transformers.ts"
import * as Fallback from "./model/Fallback.ts"
import * as Gguf from "./model/Gguf.ts"
import * as Making from "./model/Making.ts"
import * as OpenAi from "./model/OpenAi.ts"
import * as OpenAiClient from "./model/OpenAiClient.ts"
import { optionalPackage } from "./model/OptionalPackage.ts"
import * as Pacing from "./model/Pacing.ts"
import * as Tightened from "./model/Tightened.ts"
import * as DigestNode from "./platform/DigestNode.ts"
import * as TokenCounterO200k from "./platform/TokenCounterO200k.ts"
import * as CompactEvidence from "./roles/embedded/CompactEvidence.ts"
import * as EmbeddedRoles from "./roles/embedded/EmbeddedRoles.ts"
import * as InitializerHybrid from "./roles/embedded/InitializerHybrid.ts"
import * as PlannerRules from "./roles/embedded/PlannerRules.ts"
import * as ReaderExtractive from "./roles/embedded/ReaderExtractive.ts"
import * as RetrieverRegion from "./roles/embedded/RetrieverRegion.ts"
import * as VerifierCoverage from "./roles/embedded/VerifierCoverage.ts"
import * as ModelRoles from "./roles/model/ModelRoles.ts"
import * as ModelCacheSql from "./sql/ModelCacheSql.ts"

export interface Options {
  readonly settings: ModelSettings
  /** How OpenAI's API is reached, for models and vectors whose names begin with `openai:`. */
  readonly openai?: OpenAiClient.Options
}

/** `openai:NAME` as `openai` and `NAME`; a name without a kind has an empty one. */
const split = (name: string): readonly [kind: string, rest: string] => {
  const at = name.indexOf(":")
  return [name.slice(0, Math.max(0, at)), name.slice(at + 1).trim()]
}
const installTransformers = "ONNXRUNTIME_NODE_INSTALL=skip npm install --ignore-scripts @huggingface/transformers@4.3.2"

const pacingOf = (settings: ModelSettings, concurrency: number) => {
  const { requestsPerMinute, tokensPerMinute } = settings.modelLimits
  return Pacing.make({
    concurrency,
    requestsPerMinute: requestsPerMinute ?? undefined,
    tokensPerMinute: tokensPerMinute ?? undefined,
    retries: settings.modelRetries,
    deadline: settings.modelTimeout,
    idle: settings.modelIdle
  })
}

/** Opens models by name; those of one account share its client and its limits. */
const opener = Effect.fnUntraced(function* ({ openai = {}, settings }: Options) {
  const cards = { ...knownModels, ...settings.modelCards }
  const account = yield* pacingOf(settings, settings.modelLimits.concurrency)
  const local = yield* pacingOf(settings, 1)
  const client = yield* Effect.cached(OpenAiClient.make("openai", openai))
  const reader = split(modelOf(settings, "reader")?.split(",")[0] ?? "")[1].replace(/^.*[\\/]/, "")
  const open = Effect.fnUntraced(function* (name: string) {
    const [kind, rest] = split(name.trim())
    const provider =
      kind === "gguf"
        ? yield* Gguf.make({ file: rest })
        : OpenAi.provider(yield* client, { model: rest, api: settings.openaiApi })
    return yield* Making.make(provider, { pacing: kind === "gguf" ? local : account, cards, readerModel: reader })
  })
  const opened = new Map<string, LanguageModelShape>()
  /** `a,b`: `b` where `a` cannot be had. */
  const model = Effect.fnUntraced(function* (names: string) {
    const known = opened.get(names)
    if (known !== undefined) return known
    const [first, ...others] = yield* Effect.forEach(names.split(","), open)
    const made = first === undefined || others.length === 0 ? first : Fallback.make(first, ...others)
    if (made === undefined) return yield* Effect.dieMessage(`no model is named in "${names}"`)
    opened.set(names, made)
    return made
  })
  return model
})

/** The roles by settings. A model that cannot be opened is a `ModelError` that says why and what to do. */
export const roles = (
  options: Options
): Layer.Layer<Embedded.Roles, ModelError, EmbeddedRoles.Needs | Digest | TokenCounter> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { settings } = options
      const model = yield* opener(options)
      const manner = {
        maxTokens: settings.modelTokens,
        temperature: settings.modelTemperature,
        seed: settings.modelSeed,
        bounds: settings.modelBounds === "small" ? small : usual
      }
      const inBounds = (held: LanguageModelShape): LanguageModelShape =>
        settings.modelBounds === "small" ? Tightened.make(held, small) : held
      /** The role on the model of that name, or the embedded one. */
      const on = <A, E, R, E2, R2>(
        name: string | null,
        role: Layer.Layer<A, E, R | LanguageModel>,
        embedded: Layer.Layer<A, E2, R2>
      ): Effect.Effect<
        Layer.Layer<A, E | E2, Exclude<R, LanguageModel> | R2>,
        ModelError,
        Digest | TokenCounter | FileSystem.FileSystem | Scope.Scope
      > =>
        name === null
          ? Effect.succeed(embedded)
          : Effect.map(model(name), (held) => Layer.provide(role, Layer.succeed(LanguageModel, held)))
      const asked = modelOf(settings, "reader")
      return Layer.mergeAll(
        asked === null
          ? Layer.empty
          : Layer.succeed(MethodModel, Option.some({ model: inBounds(yield* model(asked)), manner })),
        yield* on(modelOf(settings, "planner"), ModelRoles.planner(manner), PlannerRules.layer),
        yield* on(modelOf(settings, "verifier"), ModelRoles.verifier(manner), VerifierCoverage.layer),
        yield* on(
          modelOf(settings, "reader"),
          ModelRoles.reader({ ...manner, form: settings.answerForm }),
          ReaderExtractive.layer
        ),
        yield* on(settings.navigatorModel, ModelRoles.navigator(manner), EmbeddedRoles.navigator),
        yield* on(settings.retrieverModel, ModelRoles.retriever(manner), RetrieverRegion.layer),
        InitializerHybrid.layer,
        CompactEvidence.layer
      )
    })
  ).pipe(Layer.provide(NodeFileSystem.layer))

/** What makes vectors, by settings. */
export const embedding = ({
  openai = {},
  settings
}: Options): Layer.Layer<EmbeddingModel, EmbeddingError | ModelError> => {
  const [kind, rest] = split(settings.embedding)
  if (kind === "") return Hashed.layer
  const cards = { ...knownModels, ...settings.modelCards }
  const dimensions = settings.embeddingDimensions ?? undefined
  return Layer.scoped(
    EmbeddingModel,
    Effect.gen(function* () {
      if (kind === "transformers") {
        const id = Transformers.idOf(rest)
        const provider = yield* Transformers.make({
          folder: rest,
          runtime: optionalPackage("@huggingface/transformers", { install: installTransformers, model: id })
        })
        const pacing = yield* pacingOf(settings, 1)
        // one text at a time: a large call gains nothing, and on a busy machine it outlasts its deadline
        return yield* EmbeddingMaking.make(provider, { pacing, cards, dimensions, batchTexts: 16 })
      }
      const model = { model: rest, dimensions }
      const provider = OpenAiEmbedding.provider(yield* OpenAiClient.make(settings.embedding, openai), model)
      const pacing = yield* pacingOf(settings, settings.modelLimits.concurrency)
      return yield* EmbeddingMaking.make(provider, { pacing, cards, dimensions: OpenAiEmbedding.dimensionsOf(model) })
    })
  ).pipe(Layer.provide(Layer.merge(DigestNode.layer, TokenCounterO200k.layer)))
}

/** The product in a folder of its own, with models by settings. */
export const layer = (
  options: Embedded.Options & Options
): Layer.Layer<Embedded.Services, StoreError | ModelError | EmbeddingError> => {
  const cache = options.settings.modelCache ? ModelCacheSql.layer : Layer.empty
  return Embedded.layerOf(options, { roles: Layer.merge(roles(options), cache), embedding: embedding(options) })
}
