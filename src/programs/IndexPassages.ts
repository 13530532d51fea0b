/** Documents into the stores: cut into passages, indexed by words and by vectors. What has not changed is not embedded again. */
import { Effect, Either, Option } from "effect"
import type { Document, Passage } from "../domain/Corpus.ts"
import { type ContentHash, type DocumentId, PassageId, type ScopeKey } from "../domain/Ids.ts"
import { passagesInTurns } from "../domain/Passages.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import type { Digest } from "../services/Digest.ts"
import { DocumentParser, type ParsedDocument } from "../services/DocumentParser.ts"
import { type EmbeddingError, EmbeddingModel } from "../services/EmbeddingModel.ts"
import { type LexicalEntry, LexicalIndex } from "../services/LexicalIndex.ts"
import type { StoreError } from "../services/StoreError.ts"
import { VectorStore } from "../services/VectorStore.ts"

/** A document with its passages, ready to be stored. */
export interface Entry {
  readonly document: Document
  readonly passages: ReadonlyArray<Passage>
  /** Where the text does not say them again. */
  readonly blocks?: ParsedDocument["blocks"] | undefined
}

/** Whether a document's text is not what was parsed, so that its blocks have to be kept. */
export const keepsBlocks = ({ format }: Pick<Document, "format">): boolean => format === "html"

/** What tells a changed document from an unchanged one: title, text, and blocks where they are kept. */
export const contentHash = (
  { format, text, title }: Pick<Document, "format" | "text" | "title">,
  blocks: ParsedDocument["blocks"],
  hash: Digest["Type"]["hash"]
): ContentHash =>
  keepsBlocks({ format }) ? hash("document", title, text, JSON.stringify(blocks)) : hash("document", title, text)

/** The blocks of a stored document: those that were kept with it, or what its text is parsed to now. */
export const blocksOf: (
  scope: ScopeKey,
  document: Document
) => Effect.Effect<ParsedDocument["blocks"], StoreError, CorpusStore | DocumentParser> = Effect.fnUntraced(function* (
  scope: ScopeKey,
  document: Document
) {
  if (keepsBlocks(document)) {
    return Option.getOrElse(yield* (yield* CorpusStore).blocks(scope, document.id), () => [])
  }
  // a record's text is plain
  const format = document.format === "jsonl" ? "text" : document.format
  const parsed = yield* Effect.either((yield* DocumentParser).parse(document.id, format, document.text))
  return Either.isRight(parsed) ? (parsed.right.documents[0]?.blocks ?? []) : []
})

/** How many passages are embedded at once. */
const batchSize = 200
/** How many are stored at once: each time the word index is written to, it makes a segment, which has to be merged with the others. */
export const storedAtOnce = 2000
const idLength = 32

/** Lets timers and signals in: a fiber that only computes would go on for minutes after Ctrl-C. */
export const pause: Effect.Effect<void> = Effect.sleep(0)

/** Steps between which nothing else gets its turn. */
const together = 256

/** Goes on with a generator to its end, and lets timers and signals in on the way. */
export const inTurns = Effect.fnUntraced(function* <A>(steps: Generator<void, A>) {
  for (let done = 1; ; done++) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (done % together === 0) yield* pause
  }
})

function* passageSteps(
  document: Document,
  blocks: ParsedDocument["blocks"],
  hash: Digest["Type"]["hash"],
  tokens: (text: string) => number
): Generator<void, ReadonlyArray<Passage>> {
  const occurrences = new Map<string, number>()
  const found: Array<Passage> = []
  for (const { text, ...place } of yield* passagesInTurns(document.text, blocks)) {
    const occurrence = (occurrences.get(text) ?? 0) + 1
    occurrences.set(text, occurrence)
    const id = PassageId.make(hash("passage", document.id, text, String(occurrence)).slice(0, idLength))
    found.push({ id, document: document.id, title: document.title, ...place, text, tokens: tokens(text) })
    yield
  }
  return found
}

/** The passages of a document. An id is a digest of document, text and which occurrence of that text it is, so it outlives edits elsewhere. */
export const passagesOf = (...given: Parameters<typeof passageSteps>): Effect.Effect<ReadonlyArray<Passage>> =>
  Effect.suspend(() => inTurns(passageSteps(...given)))

/** What a passage's vector stands for. */
const embedded = (passage: Passage): string => [passage.title, ...passage.headings, passage.text].join("\n")

/** What a passage is found by. */
export const entryOf = ({ document, headings, id, text, title }: Passage): LexicalEntry => ({
  id,
  title: [title, ...headings].join("\n"),
  body: text,
  document
})

/** Embeds passages and stores their vectors. */
export const embed = (
  scope: ScopeKey,
  passages: ReadonlyArray<Passage>
): Effect.Effect<void, StoreError | EmbeddingError, EmbeddingModel | VectorStore> =>
  Effect.gen(function* () {
    const model = yield* EmbeddingModel
    const store = yield* VectorStore
    for (let from = 0; from < passages.length; from += batchSize) {
      const batch = passages.slice(from, from + batchSize)
      yield* pause
      const vectors = yield* model.embed(batch.map(embedded))
      yield* store.put(
        scope,
        "Passage",
        batch.flatMap(({ id }, i) => {
          const vector = vectors[i]
          return vector === undefined ? [] : [{ id, vector }]
        })
      )
    }
  })

/** Takes passages out of both indexes. */
const forget = Effect.fnUntraced(function* (scope: ScopeKey, ids: ReadonlyArray<PassageId>) {
  if (ids.length === 0) return
  yield* (yield* LexicalIndex).remove(scope, "Passage", ids)
  yield* (yield* VectorStore).remove(scope, "Passage", ids)
})

/** Removes documents and all that was made of their passages; gives the ids of these. */
export const remove = (
  scope: ScopeKey,
  documents: ReadonlyArray<DocumentId>
): Effect.Effect<ReadonlyArray<PassageId>, StoreError, CorpusStore | LexicalIndex | VectorStore> =>
  Effect.gen(function* () {
    if (documents.length === 0) return []
    const passages = yield* (yield* CorpusStore).remove(scope, documents)
    yield* forget(scope, passages)
    return passages
  })

const looksSame = (a: Passage, b: Passage): boolean =>
  a.title === b.title && a.headings.length === b.headings.length && a.headings.every((h, i) => h === b.headings[i])

/**
 * Adds or replaces documents. Passages whose text, title and headings are as they were keep their entries and vectors; with `vectors`
 * false, none are made.
 */
export const write = (
  scope: ScopeKey,
  entries: ReadonlyArray<Entry>,
  vectors: boolean
): Effect.Effect<void, StoreError | EmbeddingError, CorpusStore | LexicalIndex | VectorStore | EmbeddingModel> =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    const passages = entries.flatMap((entry) => entry.passages)
    const ids = passages.map(({ id }) => id)
    const before = new Map((yield* corpus.passages(scope, ids)).map((passage) => [passage.id, passage]))
    const replaced = yield* corpus.remove(
      scope,
      entries.map(({ document }) => document.id)
    )
    yield* corpus.put(scope, entries)
    const current = new Set(ids)
    yield* forget(
      scope,
      replaced.filter((id) => !current.has(id))
    )
    const fresh = passages.filter((passage) => {
      const old = before.get(passage.id)
      return old === undefined || !looksSame(old, passage)
    })
    for (let from = 0; from < fresh.length; from += storedAtOnce) {
      if (from > 0) yield* pause
      yield* (yield* LexicalIndex).put(scope, "Passage", fresh.slice(from, from + storedAtOnce).map(entryOf))
    }
    if (vectors) yield* embed(scope, fresh)
  })
