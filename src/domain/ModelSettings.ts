/**
 * Which models a program uses, and how they are called: one schema, each field with its default. Nothing is called that is not named here:
 * a key in the environment changes nothing.
 */
import { Either, Schema } from "effect"
import { assign } from "./Assign.ts"
import { ModelCards } from "./Pricing.ts"

const Positive = Schema.Int.pipe(Schema.positive())
const field = <A, I>(schema: Schema.Schema<A, I>, value: A, description: string) =>
  Schema.optionalWith(schema.annotations({ description }), { default: () => value, exact: true })

/** `openai:NAME` or `gguf:FILE`; several, with commas between, are asked in that order until one answers. */
const Named = Schema.String.pipe(
  Schema.filter((text) => text.split(",").every((one) => /^(?:openai|gguf):.*\S/.test(one.trim())), {
    message: () => "none, openai:NAME or gguf:FILE is expected (several, with commas between, in the order of asking)"
  })
)
const Model = Schema.NullOr(Named)
const Embedding = Schema.String.pipe(
  Schema.filter((text) => text === "hashed" || /^(?:openai|transformers):.*\S/.test(text), {
    message: () => "hashed, openai:NAME or transformers:FOLDER is expected"
  })
)
const Limit = Schema.NullOr(Schema.Finite.pipe(Schema.positive()))

export const ModelSettings = Schema.Struct({
  model: field(Model, null, "the model of Planner, Verifier and Reader: none, openai:NAME or gguf:FILE"),
  plannerModel: field(Model, null, "another model for the Planner"),
  verifierModel: field(Model, null, "another model for the Verifier"),
  readerModel: field(Model, null, "another model for the Reader; RET is reckoned in it"),
  navigatorModel: field(Model, null, "a model for the Navigator, which needs none"),
  retrieverModel: field(Model, null, "a model for the Retriever, which needs none"),
  embedding: field(Embedding, "hashed", "what makes vectors: hashed, openai:NAME or transformers:FOLDER"),
  embeddingDimensions: field(Schema.NullOr(Positive), null, "how long its vectors are; asked of the model where none"),
  answerForm: field(Schema.Literal("short", "sentence", "long"), "sentence", "how long a model's answer is to be"),
  modelBounds: field(
    Schema.Literal("usual", "small"),
    "usual",
    "how much a model may write: small for models of a few hundred million parameters, which write until the bound"
  ),
  modelTokens: field(Positive, 1024, "tokens that one answer of a model may take"),
  modelTemperature: field(Schema.Finite.pipe(Schema.between(0, 2)), 0, "sampling temperature"),
  modelSeed: field(Schema.NullOr(Schema.Int), 1, "sampling seed, where the provider has one"),
  modelTimeout: field(Positive, 60_000, "milliseconds that one call may take"),
  modelIdle: field(Positive, 30_000, "milliseconds between two parts of a streamed answer"),
  modelRetries: field(Schema.NonNegativeInt, 2, "how often a call is tried again after a fault that may pass"),
  modelLimits: field(
    Schema.Struct({ requestsPerMinute: Limit, tokensPerMinute: Limit, concurrency: Positive }),
    { requestsPerMinute: null, tokensPerMinute: null, concurrency: 8 },
    "what the provider allows"
  ),
  modelCache: field(Schema.Boolean, true, "whether answers are kept, and given again to the same request"),
  openaiApi: field(
    Schema.Literal("chat", "responses"),
    "chat",
    "Chat Completions, which most servers speak, or Responses"
  ),
  modelCards: field(ModelCards, {}, "prices and sizes of further models (config file only)")
})
export type ModelSettings = typeof ModelSettings.Type

export const defaultModelSettings: ModelSettings = Schema.decodeSync(ModelSettings)({})

export const modelSettingNames: ReadonlyArray<string> = Object.keys(ModelSettings.fields)

/** Sets one by its dotted name from text; on the left, why not. */
export const setModel = (settings: ModelSettings, name: string, value: string): Either.Either<ModelSettings, string> =>
  name.startsWith("modelCards")
    ? Either.left(`${name} can only be set in the config file`)
    : assign(ModelSettings, settings, { name, value, noun: "setting", isList: false })

/** The model that a role is given; null where it does without. */
export const modelOf = (settings: ModelSettings, role: "planner" | "verifier" | "reader"): string | null =>
  settings[`${role}Model`] ?? settings.model

/** What can change an answer, as text: of the settings, and where models are asked; empty where none is. */
export const answersBy = (settings: ModelSettings, baseUrl: string | undefined): string => {
  if (isEmbedded(settings)) return ""
  const {
    modelCache: _,
    modelCards: _1,
    modelIdle: _2,
    modelLimits: _3,
    modelRetries: _4,
    modelTimeout: _5,
    ...rest
  } = settings
  return JSON.stringify({ ...rest, baseUrl })
}

/** Whether any model is asked for, or other vectors than the embedded ones. */
export const isEmbedded = (settings: ModelSettings): boolean =>
  settings.embedding === "hashed" &&
  settings.navigatorModel === null &&
  settings.retrieverModel === null &&
  (["planner", "verifier", "reader"] as const).every((role) => modelOf(settings, role) === null)

/** What a corpus remembers of the embedding model that is named; null for the embedded one. */
export const embeddingId = ({ embedding }: ModelSettings): string | null =>
  embedding === "hashed" ? null : embedding.replace(/^(transformers:)(?:.*[\\/])?([^\\/]+)[\\/]*$/, "$1$2")
