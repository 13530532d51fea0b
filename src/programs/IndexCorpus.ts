/**
 * Indexes files: what changed is read, cut and embedded, the graph is built, and all of it becomes the corpus at once.
 *
 *     find ─▶ ┌ plan ─▶ read and store ─▶ build TAM ─▶ set revision ┐ ─▶ vector file
 *             └───────────────── one transaction ──────────────────┘     a cache, rebuilt on any doubt
 *
 * Interrupted, killed or failed anywhere before the transaction's end, it leaves the old index whole. What is stored afterwards depends on
 * the documents and the embedding model alone, not on the runs that led there (C8).
 */
import { Clock, Effect, Option, Schema, Stream } from "effect"
import type { Format } from "../domain/Corpus.ts"
import { CorpusRevision, type DocumentId, type PassageId, type ScopeKey } from "../domain/Ids.ts"
import { IndexEstimate, IndexReport, LeftOut } from "../domain/IndexReport.ts"
import { passagesInTurns } from "../domain/Passages.ts"
import type { Usage } from "../domain/Usage.ts"
import { CorpusStore, type DocumentInfo, type Revision } from "../services/CorpusStore.ts"
import { Digest } from "../services/Digest.ts"
import { DocumentParser } from "../services/DocumentParser.ts"
import { type EmbeddingError, EmbeddingModel } from "../services/EmbeddingModel.ts"
import { LexicalIndex } from "../services/LexicalIndex.ts"
import { Progress } from "../services/Progress.ts"
import { type Selection, type SourceError, SourceFiles } from "../services/SourceFiles.ts"
import type { StoreError } from "../services/StoreError.ts"
import { TamStore } from "../services/TamStore.ts"
import { TokenCounter } from "../services/TokenCounter.ts"
import type { Transaction } from "../services/Transaction.ts"
import { VectorIndex } from "../services/VectorIndex.ts"
import { VectorStore } from "../services/VectorStore.ts"
import { buildTam } from "./BuildTam.ts"
import { embeddingAhead } from "./EmbedAhead.ts"
import { isRead, readFiles, recut } from "./IndexFiles.ts"
import { embed, inTurns, pause } from "./IndexPassages.ts"
import { plan, rivals } from "./IndexPlan.ts"
import { keepingCalls } from "./OtherCalls.ts"
import { watched } from "./VectorChanges.ts"

export { IndexEstimate, IndexReport }

/** Raised where passages, entries or the graph are made in another way than before: what is stored is then made again. */
const builder = "3"
const pageSize = 1000

/** Bytes that a file may have, unless said otherwise. */
export const defaultMaxBytes = 64 * 1024 * 1024

export interface IndexOptions {
  readonly scope: ScopeKey
  /** Files, folders and globs, seen from the working folder. */
  readonly paths: ReadonlyArray<string>
  /** Globs; with one or more, only files that match one are read. */
  readonly include?: ReadonlyArray<string> | undefined
  /** Globs; files and folders that match one are left out. */
  readonly exclude?: ReadonlyArray<string> | undefined
  /** Reads every selected file as this format, whatever its extension. */
  readonly format?: Format | undefined
  /** Files above this size are skipped. Default {@link defaultMaxBytes}. */
  readonly maxBytes?: number | undefined
}

/** Nothing is left to index: no passage in the whole scope. Nothing was changed. */
export class EmptyCorpus extends Schema.TaggedError<EmptyCorpus>()("EmptyCorpus", {
  paths: Schema.Array(Schema.String),
  skipped: Schema.Array(LeftOut)
}) {
  override get message(): string {
    const why = this.skipped.slice(0, 3).map(({ path, reason }) => `${path} ${reason}`)
    const more = this.skipped.length > 3 ? ` (and ${this.skipped.length - 3} more)` : ""
    return `there is no text to index in ${this.paths.join(", ")}${why.length > 0 ? `: ${why.join("; ")}${more}` : ""}`
  }
  get advice(): string {
    return "name a folder with Markdown, HTML, text or JSON Lines files, or a file by its full name; hidden and ignored files are left out"
  }
}

export type IndexError = SourceError | EmptyCorpus | StoreError | EmbeddingError

export type IndexServices =
  | SourceFiles
  | DocumentParser
  | Transaction
  | CorpusStore
  | LexicalIndex
  | VectorStore
  | VectorIndex
  | TamStore
  | EmbeddingModel
  | Digest
  | TokenCounter

/** What the options name, with the defaults. */
export const selectionOf = (options: IndexOptions): Selection => ({
  paths: options.paths,
  include: options.include ?? [],
  exclude: options.exclude ?? [],
  format: options.format,
  maxBytes: options.maxBytes ?? defaultMaxBytes
})

/** The digest of a corpus: its documents, and how its index is made. */
export const revisionOf = (
  documents: ReadonlyArray<Pick<DocumentInfo, "id" | "hash">>,
  model: Pick<Revision, "embedding" | "dimensions">,
  hash: Digest["Type"]["hash"]
): CorpusRevision => {
  const parts = [...documents].sort((a, b) => (a.id < b.id ? -1 : 1)).flatMap(({ hash: content, id }) => [id, content])
  // one call takes no more than some 100,000
  const most = 20_000
  const said =
    parts.length <= most
      ? parts
      : Array.from({ length: Math.ceil(parts.length / most) }, (_, i) => hash(...parts.slice(i * most, (i + 1) * most)))
  return CorpusRevision.make(hash("revision", builder, model.embedding, String(model.dimensions), ...said))
}

/** Embeds every passage of a scope anew. */
export const embedAll = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const progress = yield* Progress
  const { passages: total } = yield* corpus.counts(scope)
  yield* (yield* VectorStore).clear(scope, "Passage")
  let done = 0
  for (let after = Option.none<PassageId>(); ; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return
    yield* embed(scope, page)
    after = Option.some(last.id)
    done += page.length
    yield* progress.report({ label: "embedding passages", done, total })
  }
})

/** Which of the stored files that a found one would take the name of are no longer there. */
const lostOf = Effect.fnUntraced(function* (candidates: ReturnType<typeof rivals>) {
  const files = yield* SourceFiles
  const lost = new Set<string>()
  if (candidates.length === 0) return candidates
  yield* files
    .read(candidates, undefined)
    .pipe(Stream.runForEach((item) => Effect.sync(() => void (isRead(item) ? 0 : lost.add(item.path)))))
  return candidates.filter(({ path }) => lost.has(path))
})

/** Brings the stores up to date; the caller makes it one transaction. */
const update = Effect.fnUntraced(function* (
  options: IndexOptions,
  listing: Effect.Effect.Success<ReturnType<SourceFiles["Type"]["find"]>>
) {
  const { scope } = options
  const corpus = yield* CorpusStore
  const parser = yield* DocumentParser
  const model = yield* EmbeddingModel
  const tam = yield* TamStore
  const { hash } = yield* Digest

  const stored = { sources: yield* corpus.sources(scope), documents: yield* corpus.documents(scope) }
  const last = yield* corpus.revision(scope).pipe(
    Effect.asSome,
    Effect.catchTag("UnknownScope", () => Effect.succeedNone)
  )
  const isOtherModel = Option.exists(
    last,
    ({ dimensions, embedding }) => embedding !== model.id || dimensions !== model.dimensions
  )
  const again = Option.exists(last, (revision) => revision.revision !== revisionOf(stored.documents, revision, hash))
  const formatOf = (path: string): Format => options.format ?? parser.formatOf(path) ?? "text"
  const todo = plan(listing, stored, yield* lostOf(rivals(listing, stored)), formatOf, again)
  const { changes, touched } = yield* readFiles({
    scope,
    plan: todo,
    stored,
    format: options.format,
    again,
    vectors: !isOtherModel
  })
  if (again) {
    const read = new Set(todo.read.map(({ path }) => path))
    const elsewhere = (yield* corpus.documents(scope)).filter(({ source }) => !read.has(source))
    yield* recut(
      scope,
      elsewhere.map(({ id }): DocumentId => id),
      !isOtherModel
    )
  }
  const { passages: count } = yield* corpus.counts(scope)
  if (count === 0) return yield* new EmptyCorpus({ paths: options.paths, skipped: changes.skipped })
  if (isOtherModel) yield* embedAll(scope)
  const revision = revisionOf(
    yield* corpus.documents(scope),
    { embedding: model.id, dimensions: model.dimensions },
    hash
  )
  const isUnchanged = !again && Option.exists(last, (old) => old.revision === revision)
  if (!isUnchanged) {
    yield* buildTam(scope, again || isOtherModel ? undefined : touched)
    yield* (yield* LexicalIndex).summarise(scope)
    const indexedAt = yield* Clock.currentTimeMillis
    yield* corpus.setRevision(scope, { revision, embedding: model.id, dimensions: model.dimensions, indexedAt })
  }
  const { edges, nodes } = yield* tam.counts(scope)
  const store = yield* VectorStore
  const vectors = (yield* store.count(scope, "Passage")) + (yield* store.count(scope, "Relation"))
  return { changes, count, edges, nodes, revision, vectors, isUnchanged, last }
})

/**
 * Indexes what is named into a scope, which is made if need be, and says what it did. Files that were indexed and are gone from the folders
 * named are removed; what lies elsewhere stays. A second run over unchanged files reads none of them.
 */
export const indexCorpus: (options: IndexOptions) => Effect.Effect<IndexReport, IndexError, IndexServices> = Effect.fn(
  "indexCorpus"
)((options: IndexOptions) => keepingCalls(options.scope, "Index", (spent) => indexed(options, spent)))

const indexed = Effect.fnUntraced(function* (options: IndexOptions, spent: () => Usage) {
  const startedAt = yield* Clock.currentTimeMillis
  const index = yield* VectorIndex
  const listing = yield* (yield* SourceFiles).find(selectionOf(options))
  const { changeSince, value } = yield* watched(embeddingAhead(update(options, listing)))
  const { changes, count, edges, isUnchanged, last, nodes, revision, vectors } = value
  if (!isUnchanged) {
    const change = Option.flatMapNullable(last, (before) => changeSince(before.revision))
    yield* index.build(options.scope, revision, Option.getOrUndefined(change))
  } else if (!(yield* index.status(options.scope)).fresh) yield* index.build(options.scope, revision)
  const report: IndexReport = {
    documents: changes,
    passages: count,
    nodes,
    edges,
    vectors,
    corpusRevision: revision,
    elapsedMs: (yield* Clock.currentTimeMillis) - startedAt,
    usage: spent()
  }
  return report
})

/** What indexing would come to: everything that is named is read and counted; nothing is stored, and no model is called. */
export const estimate: (
  options: IndexOptions
) => Effect.Effect<IndexEstimate, SourceError, SourceFiles | DocumentParser | TokenCounter> = Effect.fn("estimate")(
  function* (options: IndexOptions) {
    const files = yield* SourceFiles
    const parser = yield* DocumentParser
    const progress = yield* Progress
    const count = yield* (yield* TokenCounter).counter
    const { found, skipped } = yield* files.find(selectionOf(options))
    const leftOut: Array<LeftOut> = [...skipped]
    const sums = { documents: 0, passages: 0, tokens: 0 }
    let done = 0
    yield* files.read(found, options.format).pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* (item) {
          yield* progress.report({ label: "reading files", done: ++done, total: found.length })
          if (!isRead(item)) {
            leftOut.push(item)
            return
          }
          const parsed = yield* parser
            .parse(item.source.path, item.format, item.text)
            .pipe(Effect.catchTag("Unparseable", (reason) => Effect.succeed({ documents: [], skipped: [reason] })))
          for (const { path, reason } of parsed.skipped) leftOut.push({ path, reason })
          for (const { blocks, text } of parsed.documents) {
            const cuts = yield* inTurns(passagesInTurns(text, blocks))
            sums.documents++
            sums.passages += cuts.length
            for (const [n, cut] of cuts.entries()) {
              if (n % pageSize === pageSize - 1) yield* pause
              sums.tokens += count(cut.text)
            }
          }
        })
      )
    )
    return { ...sums, calls: 0, skipped: leftOut }
  }
)
