/**
 * staterag: retrieval-augmented generation whose search is governed by a typed state.
 *
 * Programs, composition roots and domain modules are namespaces (`Ask.ask`, `Embedded.layer`, `Plan.Plan`); service tags and errors stand by
 * their own names. Each module also has a sub-path of its own: `staterag/domain/Plan`, `staterag/services/Journal`, ….
 */
export * as Action from "./domain/Action.ts"
export * as Answer from "./domain/Answer.ts"
export * as Artifact from "./domain/Artifact.ts"
export * as Bill from "./domain/Bill.ts"
export * as Corpus from "./domain/Corpus.ts"
export * as Dataset from "./domain/Dataset.ts"
export {
  BudgetExhausted,
  CorpusChanged,
  Incomplete,
  PermissionDenied,
  ProposalRefused,
  RequiredUpdateFailure,
  RoleFailed
} from "./domain/Errors.ts"
export * as EvalFigures from "./domain/EvalFigures.ts"
export * as EvalReport from "./domain/EvalReport.ts"
export * as EvalResult from "./domain/EvalResult.ts"
export * as Event from "./domain/Event.ts"
export * as Evidence from "./domain/Evidence.ts"
export * as Ids from "./domain/Ids.ts"
export * as Metrics from "./domain/Metrics.ts"
export { ModelError, ModelFault } from "./domain/ModelError.ts"
export * as ModelRequest from "./domain/ModelRequest.ts"
export * as ModelSettings from "./domain/ModelSettings.ts"
export * as Plan from "./domain/Plan.ts"
export * as Policy from "./domain/Policy.ts"
export * as Pricing from "./domain/Pricing.ts"
export * as Proposal from "./domain/Proposal.ts"
export * as Relevance from "./domain/Relevance.ts"
export * as Report from "./domain/Report.ts"
export * as Rules from "./domain/Rules.ts"
export * as Run from "./domain/Run.ts"
export * as State from "./domain/State.ts"
export * as Statistics from "./domain/Statistics.ts"
export * as Tam from "./domain/Tam.ts"
export * as TerminalEvidence from "./domain/TerminalEvidence.ts"
export * as Tombstone from "./domain/Tombstone.ts"
export * as Usage from "./domain/Usage.ts"
export * as Verification from "./domain/Verification.ts"
export * as VerifyReport from "./domain/VerifyReport.ts"
export * as Words from "./domain/Words.ts"
export * as Embedded from "./layers/Embedded.ts"
export * as LocalModels from "./layers/LocalModels.ts"
export * as Models from "./layers/Models.ts"
export * as OpenAi from "./layers/OpenAi.ts"
export * as Ask from "./programs/Ask.ts"
export * as Controller from "./programs/Controller.ts"
export * as Evaluate from "./programs/Evaluate.ts"
export * as Explain from "./programs/Explain.ts"
export * as Forget from "./programs/Forget.ts"
export * as IndexCorpus from "./programs/IndexCorpus.ts"
export * as Prune from "./programs/Prune.ts"
export * as Billing from "./programs/Usage.ts"
export * as Verify from "./programs/Verify.ts"
export { Carrier, type CarrierShape } from "./services/Carrier.ts"
export * from "./services/CorpusStore.ts"
export { CpuTime } from "./services/CpuTime.ts"
export { Digest } from "./services/Digest.ts"
export { DocumentParser, type ParsedDocument, Unparseable } from "./services/DocumentParser.ts"
export { EmbeddingError, EmbeddingModel } from "./services/EmbeddingModel.ts"
export { type Fault, Housekeeping } from "./services/Housekeeping.ts"
export * from "./services/Journal.ts"
export {
  LanguageModel,
  type LanguageModelShape,
  type Provider,
  type RawPart,
  type RawReply
} from "./services/LanguageModel.ts"
export * from "./services/LexicalIndex.ts"
export { ModelCache, type ModelCacheShape } from "./services/ModelCache.ts"
export { type CallRecord, ModelCalls, type ModelCallsShape } from "./services/ModelCalls.ts"
export { CurrentPolicy } from "./services/Policies.ts"
export { Progress, type Step } from "./services/Progress.ts"
export * from "./services/Roles.ts"
export { Scoring } from "./services/Scoring.ts"
export { SharedMemoryPool } from "./services/SharedMemoryPool.ts"
export { SideJournal } from "./services/SideJournal.ts"
export * from "./services/SourceFiles.ts"
export { StaleWriter, StoreError, UnknownRun, UnknownScope } from "./services/StoreError.ts"
export { type BuiltTam, type Link, TamStore } from "./services/TamStore.ts"
export { TokenCounter } from "./services/TokenCounter.ts"
export { Transaction } from "./services/Transaction.ts"
export { VectorIndex } from "./services/VectorIndex.ts"
export { type StoredVector, type VectorKind, VectorStore } from "./services/VectorStore.ts"
export { Writers, type WritersShape } from "./services/Writers.ts"
