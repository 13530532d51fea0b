/**
 * Forgets documents, without a trace (C34).
 *
 *     ┌ corpus, words, vectors ─▶ TAM, built once ─▶ artifacts ─▶ tombstones in journals ─▶ fence ┐ ─▶ vector files ─▶ scrub
 *     └─────────────────────────────────── one transaction ─────────────────────────────────────┘
 *
 * What is left is what a fresh index of the other documents would hold (C8). A run that read the corpus while this happened cannot write
 * what it holds in memory: its writer is stale. The files themselves are not touched: the next index run over them brings them back.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { type Artifact, quotesOf } from "../domain/Artifact.ts"
import { CorpusRevision, DocumentId, type PassageId, type RunId, type ScopeKey } from "../domain/Ids.ts"
import { didYouMean } from "../domain/Nearest.ts"
import { type Forgotten, shingles, speaksOf } from "../domain/Tombstone.ts"
import { CorpusStore, type DocumentInfo, type Source } from "../services/CorpusStore.ts"
import { Digest } from "../services/Digest.ts"
import { type EmbeddingError, EmbeddingModel } from "../services/EmbeddingModel.ts"
import { Housekeeping } from "../services/Housekeeping.ts"
import type { Journal } from "../services/Journal.ts"
import { LexicalIndex } from "../services/LexicalIndex.ts"
import { type SourceError, SourceFiles } from "../services/SourceFiles.ts"
import type { StoreError, UnknownRun, UnknownScope } from "../services/StoreError.ts"
import type { TamStore } from "../services/TamStore.ts"
import type { Transaction } from "../services/Transaction.ts"
import { VectorIndex } from "../services/VectorIndex.ts"
import type { VectorStore } from "../services/VectorStore.ts"
import { buildTam } from "./BuildTam.ts"
import { embeddingAhead } from "./EmbedAhead.ts"
import { buryIn, heldOf, survey } from "./ForgetRuns.ts"
import { embedAll, revisionOf } from "./IndexCorpus.ts"
import { remove } from "./IndexPassages.ts"
import { keepingCalls } from "./OtherCalls.ts"

const pageSize = 1000
const Count = Schema.NonNegativeInt

export interface ForgetOptions {
  readonly scope: ScopeKey
  /** Ids of documents, files, folders, globs: see `SourceFiles.named`. A document that only old journals still hold is named by its id. */
  readonly paths: ReadonlyArray<string>
}

/** The JSON of `forget --json`. */
export const ForgetReport = Schema.Struct({
  /** What was forgotten, sorted. */
  documents: Schema.Array(DocumentId),
  passages: Count,
  /** Runs with new tombstones, and how many of their events changed; runs that could not be read were removed. */
  journals: Schema.Struct({ runs: Count, events: Count, removed: Count }),
  artifacts: Count,
  /** Files that are no longer indexed, and the folders that they were found in. */
  files: Schema.Array(Schema.Struct({ path: Schema.String, root: Schema.String })),
  corpusRevision: CorpusRevision,
  elapsedMs: Schema.Number
})
export type ForgetReport = typeof ForgetReport.Type

/** A name stands for nothing that is kept. Nothing was changed. */
export class NothingToForget extends Schema.TaggedError<NothingToForget>()("NothingToForget", {
  name: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `nothing that is kept is named ${this.name.slice(0, 200)}.${didYouMean(this.name, this.known)}`
  }
  get advice(): string {
    return "name documents, files or folders as `staterag search` shows them, or a glob in quotes; nothing was forgotten"
  }
}

/** All that was named is forgotten, and nothing shows it any more; but the file could not be rewritten, so its free space still holds traces. */
export class TracesLeft extends Schema.TaggedError<TracesLeft>()("TracesLeft", {
  reason: Schema.Literal("Unreachable", "Unreadable", "Full", "ReadOnly", "Lost", "Newer"),
  detail: Schema.String
}) {
  override get message(): string {
    return `what was named is forgotten, but the free space of the file still holds traces of it: ${this.detail}`
  }
  get advice(): string {
    return `${this.reason === "Full" ? "free some disk space, then " : ""}run \`staterag prune\`, which clears them`
  }
}

export type ForgetError =
  | NothingToForget
  | TracesLeft
  | SourceError
  | StoreError
  | UnknownScope
  | UnknownRun
  | EmbeddingError

export type ForgetServices =
  | CorpusStore
  | Digest
  | EmbeddingModel
  | Housekeeping
  | Journal
  | LexicalIndex
  | SourceFiles
  | TamStore
  | Transaction
  | VectorIndex
  | VectorStore

/** The documents that the names stand for: of the corpus, or of journals alone. */
const namedDocuments = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  documents: ReadonlyArray<DocumentInfo>,
  sources: ReadonlyArray<Source>,
  elsewhere: Iterable<DocumentId>
) {
  const files = yield* SourceFiles
  const roots = new Map(sources.map(({ path, root }) => [path, root]))
  const known = new Map(
    documents.map(({ id, source }) => [id, [{ path: source, root: roots.get(source) ?? "" }]] as const)
  )
  for (const id of elsewhere) if (!known.has(id)) known.set(id, [{ path: id, root: "" }])
  const found = new Set<DocumentId>()
  for (const name of names) {
    // an id is an id, whatever a glob or a path would make of it
    const exact = [...known.keys()].filter((id) => id === name)
    const matches = exact.length > 0 ? () => false : yield* files.named(name)
    const meant = exact.length > 0 ? exact : [...known].filter(([, [file]]) => matches(file)).map(([id]) => id)
    if (meant.length === 0)
      return yield* new NothingToForget({
        name,
        known: [...new Set([...known.keys(), ...roots.keys()])].sort()
      })
    for (const id of meant) found.add(id)
  }
  return [...found].sort()
})

/** What the documents say, and are called, in the corpus; of one that is damaged, its name. */
const textsOf = Effect.fnUntraced(function* (scope: ScopeKey, ids: ReadonlyArray<DocumentId>) {
  const corpus = yield* CorpusStore
  const texts = new Set<string>(ids)
  for (const id of ids) {
    const document = yield* corpus.document(scope, id).pipe(
      Effect.catchIf(
        (error) => error.reason === "Unreadable",
        () => Effect.succeedNone
      )
    )
    if (Option.isNone(document)) continue
    for (const text of [document.value.title, document.value.source, document.value.text]) texts.add(text)
  }
  return texts
})

/** The words of `texts` that nothing says which the corpus holds now. */
const distinctiveOf = Effect.fnUntraced(function* (scope: ScopeKey, texts: Iterable<string>) {
  const corpus = yield* CorpusStore
  const words = new Set<string>()
  const take = (text: string) => {
    for (const shingle of shingles(text)) words.delete(shingle)
  }
  for (const text of texts) for (const shingle of shingles(text)) words.add(shingle)
  for (const { id, source, title } of yield* corpus.documents(scope)) [id, source, title].forEach(take)
  for (let after = Option.none<PassageId>(); words.size > 0; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) break
    for (const { headings, text } of page) [...headings, text].forEach(take)
    after = Option.some(last.id)
  }
  return words
})

/** Removes the artifacts that quote the documents or rest on them. */
const forgetArtifacts = Effect.fnUntraced(function* (
  scope: ScopeKey,
  forgotten: Forgotten,
  hashes: ReadonlySet<string>
) {
  const housekeeping = yield* Housekeeping
  const isOf = ({ payload, restsOn }: Artifact): boolean =>
    restsOn.some((hash) => hashes.has(hash)) ||
    quotesOf(payload).some(({ span, text }) => forgotten.documents.has(span.document) || speaksOf(forgotten, text))
  const gone = (yield* housekeeping.artifacts(scope)).filter(isOf).map(({ id }) => id)
  yield* housekeeping.removeArtifacts(scope, gone)
  return gone.length
})

/** Everything that is one transaction. */
const forgetAll = Effect.fnUntraced(function* ({ paths, scope }: ForgetOptions) {
  const corpus = yield* CorpusStore
  const housekeeping = yield* Housekeeping
  const model = yield* EmbeddingModel
  const { hash } = yield* Digest
  const last = yield* corpus.revision(scope)
  const infos = yield* corpus.documents(scope)
  const sources = yield* corpus.sources(scope)
  const journals = yield* survey(scope)
  const elsewhere = new Set([...journals.held.values()].flatMap((held) => [...held]))
  const ids = yield* namedDocuments(paths, infos, sources, elsewhere)

  // ---- what there is of them
  const documents = new Set(ids)
  const holders = [...journals.held].filter(([, held]) => ids.some((id) => held.has(id))).map(([run]): RunId => run)
  const held = yield* heldOf(scope, holders, documents)
  const texts = [...(yield* textsOf(scope, ids)), ...held.texts]
  const hashes = new Set<string>((yield* corpus.hashes(scope, ids)).values())

  // ---- the corpus, and what is made of it
  const present = infos.filter(({ id }) => documents.has(id))
  const passages = yield* remove(
    scope,
    present.map(({ id }) => id)
  )
  const used = new Set(infos.filter(({ id }) => !documents.has(id)).map(({ source }) => source))
  const emptied = new Set(present.map(({ source }) => source).filter((source) => !used.has(source)))
  const files = sources.filter(({ path }) => emptied.has(path)).map(({ path, root }) => ({ path, root }))
  yield* corpus.removeSources(scope, [...emptied])
  let { revision } = last
  if (present.length > 0) {
    const isOtherModel = last.embedding !== model.id || last.dimensions !== model.dimensions
    if (isOtherModel) yield* embedAll(scope)
    const made = { embedding: model.id, dimensions: model.dimensions }
    revision = revisionOf(yield* corpus.documents(scope), made, hash)
    yield* buildTam(scope, isOtherModel ? undefined : new Map(present.map(({ id }) => [id, []])))
    yield* (yield* LexicalIndex).summarise(scope)
    yield* corpus.setRevision(scope, { revision, ...made, indexedAt: yield* Clock.currentTimeMillis })
  }

  // older versions of it may have left words behind, whether or not it is in the corpus now
  yield* (yield* LexicalIndex).compact(scope)

  // ---- memory and journals
  const forgotten: Forgotten = {
    documents,
    passages: new Set([...passages, ...held.passages]),
    distinctive: yield* distinctiveOf(scope, texts)
  }
  const artifacts = yield* forgetArtifacts(scope, forgotten, hashes)
  yield* housekeeping.removeRuns(scope, journals.unreadable)
  yield* housekeeping.removeAnswers(scope)
  const rewritten = yield* buryIn(scope, [...journals.held.keys()], forgotten)
  yield* housekeeping.fence(scope)
  return {
    documents: ids,
    passages: passages.length,
    journals: { ...rewritten, removed: journals.unreadable.length },
    artifacts,
    files,
    corpusRevision: revision
  }
})

/** The vectors may have to be made again: what that costs is on the bill. */
const keeping = <A, E, R>(effect: Effect.Effect<A, E, R>, { scope }: ForgetOptions) =>
  keepingCalls(scope, "Forget", () => effect)

/**
 * Forgets what is named, and says what it did. The graph is built once, however many documents there are. Fails with nothing changed, but
 * for `Busy` and {@link TracesLeft} from the last step: then all is forgotten, and a log that another process reads, or the free space of
 * the file, still holds it until `prune` clears it.
 */
export const forget: (options: ForgetOptions) => Effect.Effect<ForgetReport, ForgetError, ForgetServices> = Effect.fn(
  "forget"
)(function* (options: ForgetOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const index = yield* VectorIndex
  const done = yield* embeddingAhead(forgetAll(options))
  // whole, whether or not it fits: rows of what was removed before may lie in it
  yield* index.build(options.scope, done.corpusRevision)
  yield* (yield* Housekeeping).scrub.pipe(
    Effect.mapError((error) =>
      error.reason === "Busy" ? error : new TracesLeft({ reason: error.reason, detail: error.message })
    )
  )
  const report: ForgetReport = { ...done, elapsedMs: (yield* Clock.currentTimeMillis) - startedAt }
  return report
}, keeping)
