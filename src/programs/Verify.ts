/**
 * Checks what is stored against the contract, and mends what is made from something else that is kept.
 *
 *     texts ─▶ passages ─▶ words, vectors ─▶ graph ─▶ revision ─▶ vector files          journals, artifacts
 *       │          └────────────────── made again ──────────────────┘                       │
 *       └ nothing says what they were: taken out, for the next index run                    └ named; `prune` removes them
 */
import { Clock, Effect, Option } from "effect"
import { CorpusRevision, type DocumentId, type PassageId, type ScopeKey } from "../domain/Ids.ts"
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
import { entryOf, remove } from "./IndexPassages.ts"
import { keepingCalls } from "./OtherCalls.ts"
import * as Stored from "./VerifyCorpus.ts"
import * as Graph from "./VerifyGraph.ts"
import * as Runs from "./VerifyRuns.ts"

export { type Finding, VerifyReport }

const pageSize = 1000
/** How often is looked and mended at most. */
const passes = 4
/** Stands for a revision that cannot be read. */
const unreadable = CorpusRevision.make("unreadable")
const nothing = { documents: 0, passages: 0, nodes: 0, edges: 0, vectors: 0, runs: 0, artifacts: 0 }

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

/** How the scope stands; none where that cannot be read. */
const standing = (scope: ScopeKey) =>
  Effect.flatMap(CorpusStore, (corpus) => corpus.revision(scope)).pipe(
    Effect.asSome,
    Effect.catchIf(
      (error) => error._tag === "StoreError" && error.reason === "Unreadable",
      () => Effect.succeedNone
    )
  )

/** One look at everything. */
const inspect = Effect.fnUntraced(function* (scope: ScopeKey) {
  const stands = yield* standing(scope)
  const revision = Option.match(stands, { onNone: () => unreadable, onSome: ({ revision }) => revision })
  const faults = (yield* (yield* Housekeeping).faults(scope)).map(({ detail, part }) =>
    part === "Words"
      ? finding("C18", "words", `the word index is damaged: ${detail}`, "Words")
      : part === "Tables"
        ? finding("C30", detail, "it is gone from the database: what it held is made again, or lost", "Tables")
        : part === "FreeSpace"
          ? finding("C34", "free space", `it may hold what was forgotten (${detail}): run \`staterag prune\``)
          : finding("C30", "database", `the database is damaged: ${detail}. Restore a copy, or index into a new --dir`)
  )
  // without knowing scopes there is nothing to look at
  if (Option.isNone(stands) && faults.some(({ subject }) => subject === "database"))
    return { revision, broken: [], checked: nothing, findings: faults }
  const row = Option.isSome(stands)
    ? []
    : // nobody knows which model made the vectors
      [finding("C34", "", "the row of the scope cannot be read: revision, model and dimensions", "Vectors")]
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
  const { passages: count } = yield* Effect.catchIf(
    (yield* CorpusStore).counts(scope),
    (error) => error.reason === "Unreadable",
    () => Effect.succeed({ passages: 0 })
  )
  return {
    revision,
    broken: documents.broken ?? [],
    checked: {
      documents: documents.looked,
      passages: count,
      nodes: graph.looked,
      edges: graph.edges,
      vectors: passages.looked + relations.looked,
      runs: journals.looked,
      artifacts: artifacts.looked
    },
    findings: [faults, row, documents, words, passages, relations, graph, current, journals, artifacts].flatMap(
      (part) => ("findings" in part ? part.findings : part)
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

/** Takes documents out, and lets go of their files, so that the next index run reads these again. */
const takeOut = Effect.fnUntraced(function* (scope: ScopeKey, ids: ReadonlyArray<DocumentId>) {
  const corpus = yield* CorpusStore
  const gone = new Set(ids)
  const files = (yield* corpus.documents(scope)).filter(({ id }) => gone.has(id)).map(({ source }) => source)
  yield* remove(scope, ids)
  yield* corpus.removeSources(scope, [...new Set(files)])
})

const mend = Effect.fnUntraced(function* (scope: ScopeKey, { broken, findings }: Inspected) {
  const corpus = yield* CorpusStore
  const housekeeping = yield* Housekeeping
  const model = yield* EmbeddingModel
  const { hash } = yield* Digest
  const wrong = new Set(findings.map(({ derived }) => derived))
  const needs = (...parts: ReadonlyArray<Derived>) => parts.some((part) => wrong.has(part))
  const own = { embedding: model.id, dimensions: model.dimensions }
  const now = yield* Clock.currentTimeMillis
  // a row that says nothing is in the way of all that asks for the model
  if (Option.isNone(yield* standing(scope)))
    yield* corpus.setRevision(scope, { ...own, revision: unreadable, indexedAt: now })
  // what was in them is the next look's to find
  if (needs("Tables")) return yield* housekeeping.restore
  if (needs("Texts")) yield* takeOut(scope, broken)
  if (needs("Passages")) {
    // a passage that cannot be read hides others, so every document is cut again
    yield* recut(
      scope,
      (yield* corpus.documents(scope)).map(({ id }) => id)
    )
  }
  if (needs("Passages", "Words")) yield* reword(scope)
  if (needs("Passages", "Vectors")) yield* embedAll(scope)
  if (needs("Texts", "Passages", "Vectors", "Graph")) {
    yield* (yield* LexicalIndex).clear(scope, "Relation")
    yield* (yield* VectorStore).clear(scope, "Relation")
    yield* buildTam(scope)
  }
  yield* (yield* LexicalIndex).summarise(scope)
  if (needs("Texts", "Passages", "Vectors", "Graph", "Revision")) {
    const last = yield* corpus.revision(scope)
    const made = needs("Passages", "Vectors") ? own : last
    yield* corpus.setRevision(scope, {
      indexedAt: last.indexedAt,
      embedding: made.embedding,
      dimensions: made.dimensions,
      revision: revisionOf(yield* corpus.documents(scope), made, hash)
    })
  }
  const held = new Map((yield* housekeeping.artifacts(scope)).map(({ id }) => [String(id), id]))
  yield* housekeeping.removeArtifacts(
    scope,
    findings.filter(({ derived }) => derived === "Artifacts").flatMap(({ subject }) => held.get(subject) ?? [])
  )
})

type Inspected = Effect.Effect.Success<ReturnType<typeof inspect>>

const nameOf = ({ clause, message, subject }: Finding): string => JSON.stringify([clause, subject, message])

/** A repair may embed again: what that costs is on the bill. */
const keeping = <A, E, R>(effect: Effect.Effect<A, E, R>, { scope }: VerifyOptions) =>
  keepingCalls(scope, "Verify", () => effect)

/**
 * Looks at everything that a scope holds and says what is wrong. With `repair`, what is derived is made again in one transaction, and all is
 * looked at once more, and so again while that brings something to light: a finding that is not there any more was repaired.
 */
export const verify: (options: VerifyOptions) => Effect.Effect<VerifyReport, VerifyError, VerifyServices> = Effect.fn(
  "verify"
)(function* ({ repair = false, scope }: VerifyOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const index = yield* VectorIndex
  const first = yield* inspect(scope)
  let last = first
  const findings = [...first.findings]
  // one thing may hide another: a lost table what was in it, a text what was made of it
  for (let pass = 0; repair && pass < passes && last.findings.some(({ derived }) => derived !== null); pass++) {
    const mended = Effect.gen(function* () {
      yield* (yield* Transaction).atomically(mend(scope, last))
      // also where the files looked whole: what they were made from has changed under one revision
      const stands = yield* standing(scope)
      if (Option.isSome(stands)) yield* index.build(scope, stands.value.revision)
      return []
    })
    const failed = yield* Effect.catchIf(
      mended,
      (error) => error._tag === "StoreError" && error.reason === "Unreadable",
      (error) => Effect.succeed([finding("C30", "repair", `it could not be mended: ${error.message}`)])
    )
    last = yield* inspect(scope)
    const known = new Set(findings.map(nameOf))
    findings.push(...last.findings.filter((one) => !known.has(nameOf(one))))
    if (failed.length > 0) {
      last = { ...last, findings: [...last.findings, ...failed] }
      findings.push(...failed)
      break
    }
  }
  const left = new Set(last.findings.map(nameOf))
  const told = findings.map((one) => ({ ...one, repaired: !left.has(nameOf(one)) }))
  const report: VerifyReport = {
    scope,
    corpusRevision: last.revision,
    checked: last.checked,
    findings: told,
    sound: told.every(({ repaired }) => repaired),
    elapsedMs: (yield* Clock.currentTimeMillis) - startedAt
  }
  return report
}, keeping)
