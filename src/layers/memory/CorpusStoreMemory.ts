/** Documents and passages in the {@link Memory} of this process. */
import { Effect, Layer, Option } from "effect"
import { type Block, type Document, isSliceOf, type Passage, spanKey } from "../../domain/Corpus.ts"
import type { DocumentId, PassageId, ScopeKey } from "../../domain/Ids.ts"
import { CorpusStore, type Revision, type Source } from "../../services/CorpusStore.ts"
import { UnknownScope } from "../../services/StoreError.ts"
import { Memory } from "./Memory.ts"

const by =
  <A>(key: (value: A) => string) =>
  (a: A, b: A): number =>
    key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0

interface Entry {
  readonly document: Document
  readonly passages: ReadonlyArray<PassageId>
  readonly blocks: ReadonlyArray<Block> | undefined
}

const make = Effect.map(Memory, (memory) => {
  const revisions = memory.table<{ readonly scope: ScopeKey; readonly revision: Revision }>()
  const documents = memory.tables<Entry>()
  const passages = memory.tables<Passage>()
  const sources = memory.tables<Source>()

  const scopes = memory.use(() =>
    revisions
      .values()
      .map(({ scope }) => scope)
      .sort(by((scope) => scope))
  )

  /** Removes a document with those passages that are still its own; gives their ids. */
  const drop = (scope: ScopeKey, id: DocumentId): ReadonlyArray<PassageId> => {
    const own = (documents(scope).get(id)?.passages ?? []).filter(
      (passage) => passages(scope).get(passage)?.document === id
    )
    for (const passage of own) passages(scope).delete(passage)
    documents(scope).delete(id)
    return own
  }

  return CorpusStore.of({
    scopes,
    revision: (scope) =>
      Effect.flatMap(
        memory.use(() => revisions.get(scope)),
        (found) =>
          found === undefined
            ? Effect.flatMap(scopes, (known) => new UnknownScope({ scope, known }))
            : Effect.succeed(found.revision)
      ),
    counts: (scope) => memory.use(() => ({ documents: documents(scope).size(), passages: passages(scope).size() })),
    documents: (scope) =>
      memory.use(() =>
        documents(scope)
          .values()
          .map(({ document: { text, ...info } }) => ({ ...info, length: text.length }))
          .sort(by((info) => info.id))
      ),
    sources: (scope) => memory.use(() => [...sources(scope).values()].sort(by((source) => source.path))),
    hashes: (scope, ids) =>
      memory.use(
        () =>
          new Map(
            ids.flatMap((id) => {
              const entry = documents(scope).get(id)
              return entry === undefined ? [] : [[id, entry.document.hash] as const]
            })
          )
      ),
    document: (scope, id) => memory.use(() => Option.fromNullable(documents(scope).get(id)?.document)),
    passages: (scope, ids) => memory.use(() => ids.flatMap((id) => passages(scope).get(id) ?? [])),
    passagesOf: (scope, ids) =>
      memory.use(() =>
        [...new Set(ids)]
          .flatMap((id) => documents(scope).get(id)?.passages ?? [])
          .filter((id) => passages(scope).get(id) !== undefined)
          .sort(by((id) => id))
      ),
    page: (scope, after, limit) =>
      memory.use(() =>
        passages(scope).page(
          Option.getOrElse(after, () => ""),
          limit
        )
      ),
    slices: (scope, spans) =>
      memory.use(
        () =>
          new Map(
            spans.flatMap((span) => {
              const text = documents(scope).get(span.document)?.document.text
              return text === undefined || span.start > span.end || span.end > text.length
                ? []
                : [[spanKey(span), text.slice(span.start, span.end)] as const]
            })
          )
      ),
    blocks: (scope, id) => memory.use(() => Option.fromNullable(documents(scope).get(id)?.blocks)),
    put: (scope, entries) =>
      memory.use(() => {
        for (const { document, passages: slices } of entries) {
          const odd = slices.find((passage) => !isSliceOf(passage, document))
          if (odd !== undefined) throw new Error(`passage ${odd.id} is no slice of ${document.id}`)
        }
        for (const { document } of entries) drop(scope, document.id)
        for (const { blocks, document, passages: slices } of new Map(
          entries.map((entry) => [entry.document.id, entry])
        ).values()) {
          documents(scope).set(document.id, { document, passages: slices.map((passage) => passage.id), blocks })
          for (const passage of slices) passages(scope).set(passage.id, passage)
        }
      }),
    putSources: (scope, files) =>
      memory.use(() => {
        for (const file of files) sources(scope).set(file.path, file)
      }),
    remove: (scope, ids) => memory.use(() => [...new Set(ids)].flatMap((id) => drop(scope, id)).sort(by((id) => id))),
    removeSources: (scope, paths) =>
      memory.use(() => {
        for (const path of paths) sources(scope).delete(path)
      }),
    setRevision: (scope, revision) => memory.use(() => revisions.set(scope, { scope, revision }))
  })
})

export const layer: Layer.Layer<CorpusStore, never, Memory> = Layer.effect(CorpusStore, make)
