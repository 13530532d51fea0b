/**
 * Documents and passages in SQLite.
 *
 * The text of a document is stored once, in pieces; passages are offsets, and a slice is read from the pieces that it touches. So a passage
 * cannot differ from its document, and reading one costs the same in a small and in a large document.
 */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { Block, Document, isSliceOf, spanKey } from "../../domain/Corpus.ts"
import { ContentHash, DocumentId, PassageId, ScopeKey } from "../../domain/Ids.ts"
import { CorpusStore, Counts, DocumentInfo, Revision, Source } from "../../services/CorpusStore.ts"
import { type StoreError, UnknownScope } from "../../services/StoreError.ts"
import { Transaction } from "../../services/Transaction.ts"
import { assemble, grouped, passagesOf, pieceSize, pieces, selectPage, selectPassages } from "./CorpusRows.ts"
import { type Execute, insertRows, type Value } from "./Execute.ts"
import { methods } from "./Methods.ts"
import { by, compile, damaged, decodeRows, integer, parsed, texts } from "./Rows.ts"
import { ensureScope, scope } from "./Scopes.ts"

const fitDocument = compile(Document)
const fitInfo = compile(DocumentInfo)
const fitSource = compile(Source)
const fitRevision = compile(Revision)
const fitCounts = compile(Counts)
const fitScope = compile(ScopeKey)
const fitPassageId = compile(PassageId)
const fitBlocks = compile(Schema.Array(Block))
const fitHash = compile(Schema.Struct({ id: DocumentId, hash: ContentHash }))
const fitRow = compile(Schema.Struct({ row: Schema.Int, id: DocumentId }))

const selectScopes = "SELECT key FROM staterag_scope WHERE revision IS NOT NULL"
const selectRevision = `SELECT revision, embedding, dimensions, indexed_at AS indexedAt FROM staterag_scope
  WHERE key = ?1 AND revision IS NOT NULL`
const selectCounts = `SELECT (SELECT count(*) FROM staterag_document WHERE scope = ${scope}) AS documents,
  (SELECT count(*) FROM staterag_passage WHERE scope = ${scope}) AS passages`
const selectInfos = `SELECT id, title, format, source, hash, length FROM staterag_document WHERE scope = ${scope}`
const selectSources = `SELECT path, root, bytes, modified_at AS modifiedAt, hash FROM staterag_source WHERE scope = ${scope}`
const selectHashes = `SELECT d.id, d.hash FROM json_each(?2) j
  CROSS JOIN staterag_document d ON d.scope = ${scope} AND d.id = j.value`
const selectDocument = `SELECT d.id, d.title, d.format, d.source, d.hash, d.length, t.start AS at, t.text AS piece
  FROM staterag_document d LEFT JOIN staterag_text t ON t.document = d.row WHERE d.scope = ${scope} AND d.id = ?2`

const selectSlices = `SELECT j.key AS n, d.length, t.start AS at, t.text AS piece FROM json_each(?2) j
  CROSS JOIN staterag_document d ON d.scope = ${scope} AND d.id = j.value ->> 0
  LEFT JOIN staterag_text t ON t.document = d.row AND t.start < j.value ->> 2 AND t.start > (j.value ->> 1) - ${pieceSize}`

const selectRows = `SELECT d.row, d.id FROM json_each(?2) j
  CROSS JOIN staterag_document d ON d.scope = ${scope} AND d.id = j.value`
const selectPassageIds = "SELECT id FROM staterag_passage WHERE document IN (SELECT value FROM json_each(?1))"
const selectPassagesOf = `SELECT p.id FROM json_each(?2) j CROSS JOIN staterag_document d ON d.scope = ${scope} AND d.id = j.value
  JOIN staterag_passage p ON p.document = d.row`
const selectLastRow = "SELECT coalesce(max(row), 0) AS row FROM staterag_document"
const deletePassages = "DELETE FROM staterag_passage WHERE document IN (SELECT value FROM json_each(?1))"
const deleteTexts = "DELETE FROM staterag_text WHERE document IN (SELECT value FROM json_each(?1))"
const deleteBlocks = "DELETE FROM staterag_block WHERE document IN (SELECT value FROM json_each(?1))"
const deleteDocuments = "DELETE FROM staterag_document WHERE row IN (SELECT value FROM json_each(?1))"
const deleteSources = `DELETE FROM staterag_source WHERE scope = ${scope} AND path IN (SELECT value FROM json_each(?2))`
const selectBlocks = `SELECT b.blocks FROM staterag_document d JOIN staterag_block b ON b.document = d.row
  WHERE d.scope = ${scope} AND d.id = ?2`
const insertDocument = "staterag_document (row, scope, id, title, format, source, hash, length)"
const insertText = "staterag_text (document, start, text)"
const insertPassage = "staterag_passage (scope, id, document, title, headings, start, finish, line, tokens)"
const passageAgain = `ON CONFLICT (scope, id) DO UPDATE SET document = excluded.document, title = excluded.title,
  headings = excluded.headings, start = excluded.start, finish = excluded.finish, line = excluded.line, tokens = excluded.tokens`
const insertSource = "staterag_source (scope, path, root, bytes, modified_at, hash)"
const sourceAgain = `ON CONFLICT (scope, path) DO UPDATE SET root = excluded.root, bytes = excluded.bytes,
  modified_at = excluded.modified_at, hash = excluded.hash`
const updateRevision = `UPDATE staterag_scope SET revision = ?2, embedding = ?3, dimensions = ?4, indexed_at = ?5 WHERE key = ?1`

/** The rows of those documents that are there. */
const rowsOf = Effect.fnUntraced(function* (
  method: string,
  run: Execute,
  key: ScopeKey,
  ids: ReadonlyArray<DocumentId>
): Effect.fn.Return<ReadonlyMap<string, number>, StoreError> {
  const rows = yield* run(selectRows, [key, JSON.stringify(ids)])
  const found = yield* decodeRows(method, "staterag_document", fitRow, rows)
  return new Map(found.map(({ id, row }) => [id, row]))
})

/** Removes documents with their texts and passages, inside the caller's transaction. */
const deleteRows = (run: Execute, rows: ReadonlyArray<number>): Effect.Effect<void, StoreError> =>
  Effect.forEach(
    rows.length === 0 ? [] : [deletePassages, deleteTexts, deleteBlocks, deleteDocuments],
    (statement) => run(statement, [JSON.stringify(rows)]),
    { discard: true }
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { atomically } = yield* Transaction
  const at = methods(sql, "CorpusStore", [
    "scopes",
    "revision",
    "counts",
    "documents",
    "sources",
    "hashes",
    "document",
    "passages",
    "passagesOf",
    "page",
    "slices",
    "blocks",
    "put",
    "putSources",
    "remove",
    "removeSources",
    "setRevision"
  ])

  const scopes = Effect.gen(function* () {
    const { method, run } = at.scopes
    const keys = yield* texts(method, "staterag_scope", yield* run(selectScopes, []))
    const fitting = keys.flatMap((key) => Option.toArray(fitScope(key)))
    if (fitting.length < keys.length) return yield* damaged(method, "staterag_scope", keys)
    return fitting.sort(by((key) => key))
  })

  return CorpusStore.of({
    scopes,
    revision: Effect.fnUntraced(function* (key) {
      const { method, run } = at.revision
      const [revision] = yield* decodeRows(method, "staterag_scope", fitRevision, yield* run(selectRevision, [key]))
      return revision ?? (yield* new UnknownScope({ scope: key, known: yield* scopes }))
    }),
    counts: Effect.fnUntraced(function* (key) {
      const { method, run } = at.counts
      const [counts] = yield* decodeRows(method, "staterag_document", fitCounts, yield* run(selectCounts, [key]))
      return counts ?? { documents: 0, passages: 0 }
    }),
    documents: Effect.fnUntraced(function* (key) {
      const { method, run } = at.documents
      const infos = yield* decodeRows(method, "staterag_document", fitInfo, yield* run(selectInfos, [key]))
      return [...infos].sort(by((info) => info.id))
    }),
    sources: Effect.fnUntraced(function* (key) {
      const { method, run } = at.sources
      const found = yield* decodeRows(method, "staterag_source", fitSource, yield* run(selectSources, [key]))
      return [...found].sort(by((source) => source.path))
    }),
    hashes: Effect.fnUntraced(function* (key, documents) {
      const { method, run } = at.hashes
      if (documents.length === 0) return new Map()
      const rows = yield* run(selectHashes, [key, JSON.stringify([...new Set(documents)])])
      const found = yield* decodeRows(method, "staterag_document", fitHash, rows)
      return new Map(found.map(({ id, hash }) => [id, hash]))
    }),
    document: Effect.fnUntraced(function* (key, wanted) {
      const { method, run } = at.document
      const rows = yield* run(selectDocument, [key, wanted])
      if (rows[0] === undefined) return Option.none()
      const { id, title, format, source, hash, length } = rows[0]
      const text = typeof length === "number" ? assemble(rows, 0, length) : undefined
      const document = fitDocument({ id, title, format, source, hash, text })
      return Option.isSome(document) ? document : yield* damaged(method, "staterag_document", id)
    }),
    passages: Effect.fnUntraced(function* (key, ids) {
      const { method, run } = at.passages
      if (ids.length === 0) return []
      const rows = yield* run(selectPassages, [key, JSON.stringify([...new Set(ids)])])
      const found = yield* passagesOf(method, rows)
      return ids.flatMap((id) => found.get(id) ?? [])
    }),
    passagesOf: Effect.fnUntraced(function* (key, documents) {
      const { method, run } = at.passagesOf
      const rows = yield* run(selectPassagesOf, [key, JSON.stringify([...new Set(documents)])])
      const ids = yield* texts(method, "staterag_passage", rows)
      return ids.flatMap((id) => Option.toArray(fitPassageId(id))).sort(by((id) => id))
    }),
    page: Effect.fnUntraced(function* (key, after, limit) {
      const { method, run } = at.page
      const rows = yield* run(selectPage, [key, Option.getOrElse(after, () => ""), limit])
      return [...(yield* passagesOf(method, rows)).values()]
    }),
    slices: Effect.fnUntraced(function* (key, spans) {
      const { method, run } = at.slices
      const found = new Map<string, string>()
      if (spans.length === 0) return found
      const wanted = JSON.stringify(spans.map((span) => [span.document, span.start, span.end]))
      for (const [n, group] of grouped(yield* run(selectSlices, [key, wanted]), "n")) {
        const span = spans[Number(n)]
        if (span === undefined || span.start > span.end || span.end > Number(group[0].length)) continue
        const text = assemble(group, span.start, span.end)
        if (text === undefined) return yield* damaged(method, "staterag_text", span.document)
        found.set(spanKey(span), text)
      }
      return found
    }),
    blocks: Effect.fnUntraced(function* (key, wanted) {
      const { method, run } = at.blocks
      const [row] = yield* run(selectBlocks, [key, wanted])
      if (row === undefined) return Option.none()
      const blocks = fitBlocks(parsed(row.blocks))
      return Option.isSome(blocks) ? blocks : yield* damaged(method, "staterag_block", wanted)
    }),
    put: Effect.fnUntraced(function* (key, entries) {
      const { method, run } = at.put
      for (const { document, passages } of entries) {
        const odd = passages.find((passage) => !isSliceOf(passage, document))
        if (odd !== undefined) return yield* Effect.dieMessage(`passage ${odd.id} is no slice of ${document.id}`)
      }
      const byId = new Map(entries.map((entry) => [entry.document.id, entry]))
      yield* atomically(
        Effect.gen(function* () {
          const number = yield* ensureScope(run, method, key)
          const old = yield* rowsOf(method, run, key, [...byId.keys()])
          yield* deleteRows(run, [...old.values()])
          let last = yield* integer(method, "staterag_document", yield* run(selectLastRow, []))
          const documents: Array<ReadonlyArray<Value>> = []
          const parts: Array<ReadonlyArray<Value>> = []
          const slices: Array<ReadonlyArray<Value>> = []
          const structures: Array<ReadonlyArray<Value>> = []
          for (const { blocks, document, passages } of byId.values()) {
            const row = old.get(document.id) ?? ++last
            const { id, title, format, source, hash, text } = document
            documents.push([row, number, id, title, format, source, hash, text.length])
            if (blocks !== undefined) structures.push([row, JSON.stringify(blocks)])
            for (const piece of pieces(text)) parts.push([row, piece.start, piece.text])
            for (const passage of passages) {
              slices.push([
                number,
                passage.id,
                row,
                passage.title === title ? null : passage.title,
                JSON.stringify(passage.headings),
                passage.start,
                passage.end,
                passage.line,
                passage.tokens
              ])
            }
          }
          yield* insertRows(run, insertDocument, documents)
          yield* insertRows(run, insertText, parts)
          yield* insertRows(run, "staterag_block (document, blocks)", structures)
          yield* insertRows(run, insertPassage, slices, passageAgain)
        })
      )
    }),
    putSources: Effect.fnUntraced(function* (key, sources) {
      const { method, run } = at.putSources
      yield* atomically(
        Effect.gen(function* () {
          const number = yield* ensureScope(run, method, key)
          const rows = sources.map(({ path, root, bytes, modifiedAt, hash }) => [
            number,
            path,
            root,
            bytes,
            modifiedAt,
            hash
          ])
          yield* insertRows(run, insertSource, rows, sourceAgain)
        })
      )
    }),
    remove: Effect.fnUntraced(function* (key, documents) {
      const { method, run } = at.remove
      return yield* atomically(
        Effect.gen(function* () {
          const rows = [...(yield* rowsOf(method, run, key, documents)).values()]
          const ids = yield* run(selectPassageIds, [JSON.stringify(rows)])
          yield* deleteRows(run, rows)
          const gone = (yield* texts(method, "staterag_passage", ids)).flatMap((id) => Option.toArray(fitPassageId(id)))
          return gone.sort(by((id) => id))
        })
      )
    }),
    removeSources: (key, paths) => Effect.asVoid(at.removeSources.run(deleteSources, [key, JSON.stringify(paths)])),
    setRevision: Effect.fnUntraced(function* (key, { revision, embedding, dimensions, indexedAt }) {
      const { method, run } = at.setRevision
      yield* atomically(
        Effect.zipRight(
          ensureScope(run, method, key),
          run(updateRevision, [key, revision, embedding, dimensions, indexedAt])
        )
      )
    })
  })
})

export const layer: Layer.Layer<CorpusStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(CorpusStore, make)
