/**
 * Reads the files of a plan and keeps the stored documents in step with them.
 *
 * Two records of one id are no two documents: the one whose file comes first by path stays, the other is skipped, whatever was indexed
 * first. A file of which something was skipped is recorded as {@link unsettled}, so the next run reads it again and tells it again.
 */
import { Effect, Schema, Stream } from "effect"
import type { Document, Format } from "../domain/Corpus.ts"
import { DocumentId, type PassageId, type ScopeKey } from "../domain/Ids.ts"
import { CorpusStore, type DocumentInfo, type Source } from "../services/CorpusStore.ts"
import { Digest } from "../services/Digest.ts"
import { DocumentParser, type ParsedDocument } from "../services/DocumentParser.ts"
import { Progress } from "../services/Progress.ts"
import { type Skipped, type SourceFile, SourceFiles } from "../services/SourceFiles.ts"
import { TokenCounter } from "../services/TokenCounter.ts"
import {
  blocksOf,
  contentHash,
  type Entry,
  keepsBlocks,
  passagesOf,
  pause,
  remove,
  storedAtOnce,
  write
} from "./IndexPassages.ts"
import { bySource, type Plan, type Stored, unsettled } from "./IndexPlan.ts"

/** Documents that were written or removed, with their passages now. */
export type Touched = ReadonlyMap<DocumentId, ReadonlyArray<PassageId>>

/** What happened to documents. */
export interface Changes {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  readonly skipped: ReadonlyArray<Skipped>
}

export interface Reading {
  readonly scope: ScopeKey
  readonly plan: Plan
  readonly stored: Stored
  /** Reads every selected file as this, whatever its extension. */
  readonly format: Format | undefined
  /** Cuts and stores every document again, changed or not. */
  readonly again: boolean
  /** Whether vectors are made along the way. */
  readonly vectors: boolean
}

const isDocumentId = Schema.is(DocumentId)

/** Documents between two pauses. */
const pausedAfter = 100

export const isRead = (item: SourceFile | Skipped): item is SourceFile => "source" in item

/** Why a record was left out for another file's. */
const taken = (id: string, other: string): string => `its document ${id} has the id of one in ${other}: give it another`

/** What tells a changed document from an unchanged one. */
const documentOf = (
  parsed: ParsedDocument,
  id: DocumentId,
  source: string,
  hash: Digest["Type"]["hash"]
): Document => ({
  id,
  title: parsed.title,
  format: parsed.format,
  source,
  hash: contentHash(parsed, parsed.blocks, hash),
  text: parsed.text
})

/** Reads, parses, cuts and stores; at most one batch of passages and the files being read are held at a time. */
export const readFiles = Effect.fn("readFiles")(function* ({ again, format, plan, scope, stored, vectors }: Reading) {
  const corpus = yield* CorpusStore
  const parser = yield* DocumentParser
  const { hash } = yield* Digest
  const progress = yield* Progress
  const count = yield* (yield* TokenCounter).counter

  const gone = new Set(plan.gone.map(({ path }) => path))
  const documents = bySource(stored.documents)
  const known = new Map(stored.sources.filter(({ path }) => !gone.has(path)).map((source) => [source.path, source]))
  const infos = new Map(stored.documents.filter(({ source }) => !gone.has(source)).map((info) => [info.id, info]))
  const owners = new Map([...infos.values()].map((info) => [info.id, info.source]))
  const toRead = new Set(plan.read.map(({ path }) => path))
  const skipped: Array<Skipped> = [...plan.skipped]
  const touched = new Map<DocumentId, ReadonlyArray<PassageId>>()
  const tally = { added: 0, changed: 0, unchanged: 0, removed: 0 }

  const drop = Effect.fnUntraced(function* (ids: ReadonlyArray<DocumentId>) {
    for (const id of ids) {
      owners.delete(id)
      touched.set(id, [])
    }
    tally.removed += ids.length
    yield* remove(scope, ids)
  })

  let batch: Array<Entry> = []
  let batched = 0
  let added = 0
  let sources: Array<Source> = []
  const flush = Effect.suspend(() => {
    const entries = batch
    const files = sources
    batch = []
    sources = []
    batched = 0
    return Effect.zipRight(
      entries.length === 0 ? Effect.void : write(scope, entries, vectors),
      files.length === 0 ? Effect.void : corpus.putSources(scope, files)
    )
  })
  const add = Effect.fnUntraced(function* (document: Document, blocks: ParsedDocument["blocks"]) {
    const passages = yield* passagesOf(document, blocks, hash, count)
    batch.push({ document, passages, ...(keepsBlocks(document) ? { blocks } : {}) })
    batched += passages.length
    touched.set(
      document.id,
      passages.map(({ id }) => id)
    )
    if (++added % pausedAfter === 0) yield* pause
    if (batched >= storedAtOnce) yield* flush
  })

  /** Whether the document of `path` may have the id; if an owner further down the order has it, that one loses it. */
  const claim = (id: DocumentId, path: string): boolean => {
    const owner = owners.get(id)
    if (owner !== undefined && owner < path) return false
    const loser = owner === undefined || owner === path || toRead.has(owner) ? undefined : known.get(owner)
    if (loser !== undefined) {
      sources.push({ ...loser, modifiedAt: unsettled })
      skipped.push({ path: loser.path, reason: taken(id, path) })
    }
    owners.set(id, path)
    return true
  }

  const take = Effect.fnUntraced(function* (parsed: ParsedDocument, path: string) {
    const { id } = parsed
    if (!isDocumentId(id)) {
      skipped.push({ path, reason: "has a name of more than 1024 characters: shorten it" })
      return false
    }
    if (!claim(id, path)) {
      skipped.push({ path, reason: taken(id, owners.get(id) ?? path) })
      return false
    }
    const info = infos.get(id)
    const document = documentOf(parsed, id, path, hash)
    const isSame = info?.hash === document.hash && info.source === path && info.format === document.format
    tally[info === undefined ? "added" : isSame ? "unchanged" : "changed"]++
    if (!isSame || again) yield* add(document, parsed.blocks)
    return true
  })

  const readOne = Effect.fnUntraced(function* (file: SourceFile) {
    const { path } = file.source
    const before = documents.get(path) ?? []
    const own: ReadonlyArray<DocumentInfo> = gone.has(path) ? [] : before.filter(({ id }) => owners.get(id) === path)
    const last = known.get(path)
    const isSame = last?.hash === file.source.hash && last.modifiedAt !== unsettled
    const hasAll = own.length > 0 && own.length === before.length
    if (!again && isSame && hasAll && own.every((info) => info.format === file.format)) {
      tally.unchanged += own.length
      sources.push(file.source)
      return
    }
    const parsed = yield* parser
      .parse(path, file.format, file.text)
      .pipe(Effect.catchTag("Unparseable", (reason) => Effect.succeed({ documents: [], skipped: [reason] })))
    for (const reason of parsed.skipped) skipped.push({ path: reason.path, reason: reason.reason })
    const kept = new Set<string>(parsed.documents.map(({ id }) => id))
    yield* drop(own.filter(({ id }) => !kept.has(id)).map(({ id }) => id))
    let isWhole = parsed.skipped.length === 0
    for (const document of parsed.documents) isWhole = (yield* take(document, path)) && isWhole
    sources.push(isWhole ? file.source : { ...file.source, modifiedAt: unsettled })
  })

  yield* drop(plan.gone.flatMap(({ path }) => (documents.get(path) ?? []).map(({ id }) => id)))
  yield* corpus.removeSources(scope, [...gone])
  let done = 0
  yield* (yield* SourceFiles).read(plan.read, format).pipe(
    Stream.runForEach(
      Effect.fnUntraced(function* (item) {
        if (isRead(item)) yield* readOne(item)
        else {
          // what cannot be read any more is no part of the corpus; a fresh index would not hold it either
          skipped.push(item)
          yield* drop(
            (documents.get(item.path) ?? []).filter(({ id }) => owners.get(id) === item.path).map(({ id }) => id)
          )
          yield* corpus.removeSources(scope, [item.path])
        }
        done++
        yield* progress.report({ label: "reading files", done, total: plan.read.length })
      })
    )
  )
  yield* flush
  for (const { path } of plan.keep) {
    tally.unchanged += (documents.get(path) ?? []).filter(({ id }) => owners.get(id) === path).length
  }
  const changes: Changes = { ...tally, skipped }
  const read: { readonly changes: Changes; readonly touched: Touched } = { changes, touched }
  return read
})

/** Cuts and stores the documents of files that this run does not read: the rules of cutting have changed since. */
export const recut = Effect.fn("recut")(function* (scope: ScopeKey, ids: ReadonlyArray<DocumentId>, vectors: boolean) {
  const corpus = yield* CorpusStore
  const { hash } = yield* Digest
  const count = yield* (yield* TokenCounter).counter
  for (const id of ids) {
    const found = yield* corpus.document(scope, id)
    if (found._tag === "None") continue
    const document = found.value
    const blocks = yield* blocksOf(scope, document)
    const passages = yield* passagesOf(document, blocks, hash, count)
    yield* write(scope, [{ document, passages, ...(keepsBlocks(document) ? { blocks } : {}) }], vectors)
  }
})
