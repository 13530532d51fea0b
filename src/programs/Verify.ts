/**
 * Checks what is stored against the contract, and mends what is made from something else that is kept.
 *
 *     texts ─▶ passages ─▶ words, vectors ─▶ graph ─▶ revision ─▶ vector files          journals, artifacts
 *       │          └────────────────── made again ──────────────────┘                       │
 *       └ nothing says what they were: named, not mended                                    └ named; `prune` removes them
 */
import { Clock, Effect, Option } from "effect"
import type { DocumentId, PassageId, ScopeKey } from "../domain/Ids.ts"
import { type Derived, type Finding, finding, VerifyReport } from "../domain/VerifyReport.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Digest } from "../services/Digest.ts"
import type { DocumentParser } from "../services/DocumentParser.ts"
import { type EmbeddingError, EmbeddingModel } from "../services/EmbeddingModel.ts"
import { Housekeeping } from "../services/Housekeeping.ts"
import type { Journal } from "../services/Journal.ts"
import { LexicalIndex } from "../services/LexicalIndex.ts"
import type { StoreError, UnknownScope } from "../services/StoreError.ts"
import type { TamStore } from "../services/TamStore.ts"
import type { TokenCounter } from "../services/TokenCounter.ts"
import { Transaction } from "../services/Transaction.ts"
import { VectorIndex } from "../services/VectorIndex.ts"
import { VectorStore } from "../services/VectorStore.ts"
import { buildTam } from "./BuildTam.ts"
import { embedAll, revisionOf } from "./IndexCorpus.ts"
import { entryOf } from "./IndexPassages.ts"
import { keepingCalls } from "./OtherCalls.ts"
import * as Stored from "./VerifyCorpus.ts"
import * as Graph from "./VerifyGraph.ts"
import * as Runs from "./VerifyRuns.ts"

export { type Finding, VerifyReport }

const pageSize = 1000

export interface VerifyOptions {
  readonly scope: ScopeKey
  /** Makes again what can be made again. */
  readonly repair?: boolean | undefined
}

export type VerifyError = StoreError | UnknownScope | EmbeddingError

export type VerifyServices =
  | CorpusStore
  | Digest
  | DocumentParser
  | EmbeddingModel
  | Housekeeping
  | Journal
  | LexicalIndex
  | TamStore
  | TokenCounter
  | Transaction
  | VectorIndex
  | VectorStore

/** One look at everything. */
const inspect = Effect.fnUntraced(function* (scope: ScopeKey) {
  const { revision } = yield* (yield* CorpusStore).revision(scope)
  const faults = (yield* (yield* Housekeeping).faults(scope)).map(({ detail, part }) =>
    part === "Words"
      ? finding("C18", "words", `the word index is damaged: ${detail}`, "Words")
      : part === "FreeSpace"
        ? finding("C34", "free space", `it may hold what was forgotten (${detail}): run \`staterag prune\``)
        : finding("C30", "database", `the database is damaged: ${detail}. Restore a copy, or index into a new --dir`)
  )
  const documents = yield* Stored.readable(Stored.documents(scope), "C14", "the documents", null)
  const words = yield* Stored.readable(Stored.words(scope), "C18", "the word index", "Words")
  const passageVectors = Stored.vectors("Passage", "Vectors")(scope)
  const relationVectors = Stored.vectors("Relation", "Graph")(scope)
  const passages = yield* Stored.readable(passageVectors, "C18", "the vectors of passages", "Vectors")
  const relations = yield* Stored.readable(relationVectors, "C18", "the vectors of relations", "Graph")
  const graph = yield* Effect.catchIf(
    Graph.graph(scope),
    (error) => error._tag === "StoreError" && error.reason === "Unreadable",
    (error) =>
      Effect.succeed({ looked: 0, edges: 0, findings: [finding("C5", "", `the graph: ${error.message}`, "Graph")] })
  )
  const current = yield* Stored.readable(Stored.revision(scope), "C34", "the revision", "Revision")
  const journals = yield* Stored.readable(Runs.journals(scope, revision), "C30", "the journals", null)
  const artifacts = yield* Stored.readable(Runs.artifacts(scope), "C24", "the artifacts", null)
  const { passages: count } = yield* (yield* CorpusStore).counts(scope)
  return {
    checked: {
      documents: documents.looked,
      passages: count,
      nodes: graph.looked,
      edges: graph.edges,
      vectors: passages.looked + relations.looked,
      runs: journals.looked,
      artifacts: artifacts.looked
    },
    findings: [faults, documents, words, passages, relations, graph, current, journals, artifacts].flatMap((part) =>
      "findings" in part ? part.findings : part
    )
  }
})

/** Cuts documents again; what is broken is not read first. */
const recut = Effect.fnUntraced(function* (scope: ScopeKey, ids: ReadonlyArray<DocumentId>) {
  const corpus = yield* CorpusStore
  for (const id of ids) {
    const document = yield* Effect.catchIf(
      corpus.document(scope, id),
      (error) => error.reason === "Unreadable",
      () => Effect.succeedNone
    )
    if (Option.isNone(document)) continue
    const { blocks, passages } = yield* Stored.cut(scope, document.value)
    yield* corpus.remove(scope, [id])
    yield* corpus.put(scope, [{ document: document.value, passages, ...(blocks === undefined ? {} : { blocks }) }])
  }
})

/** Indexes the words of every passage again. */
const reword = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const lexical = yield* LexicalIndex
  yield* lexical.clear(scope, "Passage")
  for (let after = Option.none<PassageId>(); ; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return
    yield* lexical.put(scope, "Passage", page.map(entryOf))
    after = Option.some(last.id)
  }
})

const mend = Effect.fnUntraced(function* (scope: ScopeKey, findings: ReadonlyArray<Finding>) {
  const corpus = yield* CorpusStore
  const housekeeping = yield* Housekeeping
  const model = yield* EmbeddingModel
  const { hash } = yield* Digest
  const wrong = new Set(findings.map(({ derived }) => derived))
  const needs = (...parts: ReadonlyArray<Derived>) => parts.some((part) => wrong.has(part))
  if (needs("Passages")) {
    // a passage that cannot be read hides others, so every document is cut again
    yield* recut(
      scope,
      (yield* corpus.documents(scope)).map(({ id }) => id)
    )
  }
  if (needs("Passages", "Words")) yield* reword(scope)
  if (needs("Passages", "Vectors")) yield* embedAll(scope)
  if (needs("Passages", "Vectors", "Graph")) {
    yield* (yield* LexicalIndex).clear(scope, "Relation")
    yield* (yield* VectorStore).clear(scope, "Relation")
    yield* buildTam(scope)
  }
  yield* (yield* LexicalIndex).summarise(scope)
  if (needs("Passages", "Vectors", "Graph", "Revision")) {
    const last = yield* corpus.revision(scope)
    const made = needs("Passages", "Vectors") ? { embedding: model.id, dimensions: model.dimensions } : last
    yield* corpus.setRevision(scope, {
      ...last,
      embedding: made.embedding,
      dimensions: made.dimensions,
      revision: revisionOf(yield* corpus.documents(scope), made, hash)
    })
  }
  const standing = new Map((yield* housekeeping.artifacts(scope)).map(({ id }) => [String(id), id]))
  yield* housekeeping.removeArtifacts(
    scope,
    findings.filter(({ derived }) => derived === "Artifacts").flatMap(({ subject }) => standing.get(subject) ?? [])
  )
})

const nameOf = ({ clause, message, subject }: Finding): string => JSON.stringify([clause, subject, message])

/** A repair may embed again: what that costs is on the bill. */
const keeping = <A, E, R>(effect: Effect.Effect<A, E, R>, { scope }: VerifyOptions) =>
  keepingCalls(scope, "Verify", () => effect)

/**
 * Looks at everything that a scope holds and says what is wrong. With `repair`, what is derived is made again in one transaction, and all is
 * looked at once more: a finding that is not there any more was repaired.
 */
export const verify: (options: VerifyOptions) => Effect.Effect<VerifyReport, VerifyError, VerifyServices> = Effect.fn(
  "verify"
)(function* ({ repair = false, scope }: VerifyOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const corpus = yield* CorpusStore
  const index = yield* VectorIndex
  let { checked, findings } = yield* inspect(scope)
  if (repair && findings.some(({ derived }) => derived !== null)) {
    const mended = Effect.gen(function* () {
      yield* (yield* Transaction).atomically(mend(scope, findings))
      const { revision } = yield* corpus.revision(scope)
      // also where the files looked whole: what they were made from has changed under one revision
      yield* index.build(scope, revision)
      return []
    })
    const failed = yield* Effect.catchIf(
      mended,
      (error) => error._tag === "StoreError" && error.reason === "Unreadable",
      (error) => Effect.succeed([finding("C30", "repair", `it could not be mended: ${error.message}`)])
    )
    const after = yield* inspect(scope)
    const left = new Set(after.findings.map(nameOf))
    const before = new Set(findings.map(nameOf))
    checked = after.checked
    findings = [
      ...findings.map((one) => ({ ...one, repaired: !left.has(nameOf(one)) })),
      ...after.findings.filter((one) => !before.has(nameOf(one))),
      ...failed
    ]
  }
  const { revision } = yield* corpus.revision(scope)
  const report: VerifyReport = {
    scope,
    corpusRevision: revision,
    checked,
    findings,
    sound: findings.every(({ repaired }) => repaired),
    elapsedMs: (yield* Clock.currentTimeMillis) - startedAt
  }
  return report
}, keeping)
