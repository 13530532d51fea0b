/** The embedded roles: deterministic programs over the stores, without a model. */
import { Effect, Layer } from "effect"
import { CorpusStore } from "../../../services/CorpusStore.ts"
import type { Digest } from "../../../services/Digest.ts"
import type { EmbeddingModel } from "../../../services/EmbeddingModel.ts"
import type { LexicalIndex } from "../../../services/LexicalIndex.ts"
import {
  type CompactEvidenceCheck,
  type Initializer,
  Navigator,
  type Planner,
  type Reader,
  type Retriever,
  type Verifier
} from "../../../services/Roles.ts"
import { TamStore } from "../../../services/TamStore.ts"
import type { TokenCounter } from "../../../services/TokenCounter.ts"
import type { VectorIndex } from "../../../services/VectorIndex.ts"
import * as CompactEvidence from "./CompactEvidence.ts"
import * as InitializerHybrid from "./InitializerHybrid.ts"
import { navigate, type Stores } from "./Navigating.ts"
import * as NavigatorBeam from "./NavigatorBeam.ts"
import * as NavigatorExhaustive from "./NavigatorExhaustive.ts"
import * as NavigatorIndexed from "./NavigatorIndexed.ts"
import * as PlannerRules from "./PlannerRules.ts"
import * as ReaderExtractive from "./ReaderExtractive.ts"
import * as RetrieverRegion from "./RetrieverRegion.ts"
import * as VerifierCoverage from "./VerifierCoverage.ts"

/** The Navigator that the policy `navigator` names, turn by turn. */
export const navigator: Layer.Layer<Navigator, never, Stores | NavigatorIndexed.Indexes> = Layer.effect(
  Navigator,
  Effect.gen(function* () {
    const propose = navigate(yield* TamStore, yield* CorpusStore)
    const searches = {
      indexed: yield* NavigatorIndexed.search,
      beam: yield* NavigatorBeam.search,
      exhaustive: yield* NavigatorExhaustive.search
    }
    return { propose: (turn) => propose(searches[turn.policy.navigator], turn) }
  })
)

/** What they stand on. */
export type Needs = CorpusStore | LexicalIndex | VectorIndex | EmbeddingModel | TamStore | TokenCounter | Digest

export const layer: Layer.Layer<
  Planner | Navigator | Retriever | Verifier | Initializer | CompactEvidenceCheck | Reader,
  never,
  Needs
> = Layer.mergeAll(
  PlannerRules.layer,
  navigator,
  RetrieverRegion.layer,
  VerifierCoverage.layer,
  InitializerHybrid.layer,
  CompactEvidence.layer,
  ReaderExtractive.layer
)
