/**
 * A model where it pays: Planner, Verifier and Reader on a model, over the embedded roles for all else. Each role takes `LanguageModel` from
 * the context of its own layer, so that a composition can give each another one:
 *
 *     Layer.mergeAll(planner().pipe(Layer.provide(large)), verifier().pipe(Layer.provide(large)), reader().pipe(Layer.provide(small)), rest)
 */
import { Layer } from "effect"
import type { CorpusStore } from "../../../services/CorpusStore.ts"
import type { Digest } from "../../../services/Digest.ts"
import type { EmbeddingModel } from "../../../services/EmbeddingModel.ts"
import type { LanguageModel } from "../../../services/LanguageModel.ts"
import type { LexicalIndex } from "../../../services/LexicalIndex.ts"
import type {
  CompactEvidenceCheck,
  Initializer,
  Navigator,
  Planner,
  Reader,
  Retriever,
  Verifier
} from "../../../services/Roles.ts"
import type { TamStore } from "../../../services/TamStore.ts"
import type { TokenCounter } from "../../../services/TokenCounter.ts"
import type { VectorIndex } from "../../../services/VectorIndex.ts"
import * as CompactEvidence from "../embedded/CompactEvidence.ts"
import { navigator as embeddedNavigator } from "../embedded/EmbeddedRoles.ts"
import * as InitializerHybrid from "../embedded/InitializerHybrid.ts"
import type * as Nearness from "../embedded/Nearness.ts"
import * as PlannerRules from "../embedded/PlannerRules.ts"
import * as RetrieverRegion from "../embedded/RetrieverRegion.ts"
import type { Options as Asking } from "./Asking.ts"
import * as NavigatorModel from "./NavigatorModel.ts"
import * as PlannerModel from "./PlannerModel.ts"
import * as ReaderModel from "./ReaderModel.ts"
import * as RetrieverModel from "./RetrieverModel.ts"
import * as VerifierModel from "./VerifierModel.ts"

/** The model's Planner over the rules'. */
export const planner = (
  options?: Asking
): Layer.Layer<Planner, never, LanguageModel | LexicalIndex | CorpusStore | Digest | Nearness.Needs> =>
  Layer.provide(PlannerModel.layer(options), PlannerRules.layer)
export const verifier = VerifierModel.layer
export const reader = ReaderModel.layer
/** Off by default. */
export const navigator = NavigatorModel.layer
/** Off by default. */
export const retriever = RetrieverModel.layer

/** Those who need no model even with one at hand. */
export const rest: Layer.Layer<
  Navigator | Retriever | Initializer | CompactEvidenceCheck,
  never,
  CorpusStore | LexicalIndex | VectorIndex | EmbeddingModel | TamStore | TokenCounter
> = Layer.mergeAll(embeddedNavigator, RetrieverRegion.layer, InitializerHybrid.layer, CompactEvidence.layer)

/** One model for all three. */
export const layer = (
  options: ReaderModel.Options = {}
): Layer.Layer<
  Planner | Navigator | Retriever | Verifier | Initializer | CompactEvidenceCheck | Reader,
  never,
  CorpusStore | LexicalIndex | VectorIndex | EmbeddingModel | TamStore | TokenCounter | Digest | LanguageModel
> => Layer.mergeAll(planner(options), verifier(options), reader(options), rest)
