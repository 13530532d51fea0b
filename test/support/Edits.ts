/** Random histories of a library: documents come, change, are retitled, renamed, forgotten and come again. */
import { Effect, Option } from "effect"
import type { DocumentId, PassageId } from "../../src/domain/Ids.ts"
import { noteKinds } from "../../src/domain/tam/Graph.ts"
import { decodeNote, wordsOf } from "../../src/domain/tam/Notes.ts"
import { buildTam, type ChangedDocuments } from "../../src/programs/BuildTam.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { VectorStore } from "../../src/services/VectorStore.ts"
import { graph, put, scope } from "./Building.ts"
import { type Book, book, library, type Manner, manners } from "./Libraries.ts"
import type { Random } from "./Random.ts"

/** What is there after a step: documents by id. */
export type Shelf = ReadonlyMap<DocumentId, Book>

const piecesOf = ({ passages }: Book) => passages.map(({ headings, text }) => ({ headings, text }))

/** The same document, with something about it changed. */
const changed = (r: Random, one: Book, others: ReadonlyArray<Book>): Book => {
  const { id, title } = one.document
  const pieces = piecesOf(one)
  const other = r.pick(others)
  const more = piecesOf(r.pick(others))
  const at = r.int(pieces.length + 1)
  switch (r.int(7)) {
    case 0:
      return book(id, title, [...pieces.slice(0, at), ...more.slice(0, 1 + r.int(3)), ...pieces.slice(at)])
    case 1:
      return book(id, title, pieces.length > 1 ? pieces.slice(1) : more)
    case 2:
      return book(id, other.document.title, pieces)
    case 3:
      return book(id, `${title} ${other.document.title}`.trim().toUpperCase(), pieces)
    case 4:
      return book(
        id,
        title,
        pieces.map(({ text }, n) => ({ text, headings: n % 2 === 0 ? [] : [other.document.title || "Part", "More"] }))
      )
    case 5:
      return book(
        id,
        title,
        pieces.map(({ headings, text }) => ({
          headings,
          text: `${text.split(". ").slice(1).join(". ")} See ${other.document.title}. ${more[0]?.text ?? ""}`
        }))
      )
    default:
      return book(
        id,
        title,
        pieces.map(({ headings, text }) => ({ headings, text: text.toLowerCase() }))
      )
  }
}

/** Some documents of several manners, to be edited. */
export const pool = (r: Random, size: number): ReadonlyArray<Book> => {
  const first = r.pick(manners)
  const second: Manner = r.chance(0.5) ? first : r.pick(manners)
  const books = [...library(r.int(1_000_000), size, first), ...library(r.int(1_000_000), Math.ceil(size / 3), second)]
  return [...new Map(books.map((one) => [one.document.id, one])).values()]
}

/** The shelf after one more step, never empty. */
export const edited = (r: Random, shelf: Shelf, all: ReadonlyArray<Book>): Shelf => {
  const next = new Map(shelf)
  const edits = r.chance(0.2) ? Math.ceil(all.length / 2) : 1 + r.int(3)
  for (let n = 0; n < edits; n++) {
    const there = [...next.values()]
    const one = r.pick(r.chance(0.5) && there.length > 0 ? there : all)
    const kind = r.int(5)
    if (kind === 0) next.delete(one.document.id)
    else if (kind === 1 && next.has(one.document.id)) {
      // renamed: the same text under another id
      next.delete(one.document.id)
      const moved = book(`${one.document.id}-moved`, one.document.title, piecesOf(one))
      next.set(moved.document.id, moved)
    } else if (kind === 2) next.set(one.document.id, all.find(({ document }) => document.id === one.document.id) ?? one)
    else {
      const other = changed(r, one, all)
      next.set(other.document.id, other)
    }
  }
  if (next.size === 0) next.set(all[0]?.document.id ?? ("none" as DocumentId), all[0] ?? r.pick(all))
  return next
}

/** Brings the stores from one shelf to the next, and the graph with them. */
export const step = Effect.fnUntraced(function* (from: Shelf, to: Shelf, isFresh: boolean) {
  const corpus = yield* CorpusStore
  const come = [...to.values()].filter((one) => from.get(one.document.id) !== one)
  const gone = [...from.keys()].filter((id) => !to.has(id))
  const touched = [...gone, ...come.map(({ document }) => document.id)]
  const removed = yield* corpus.remove(scope, touched)
  yield* (yield* LexicalIndex).remove(scope, "Passage", removed)
  yield* put(come)
  const changes: ChangedDocuments = new Map<DocumentId, ReadonlyArray<PassageId>>([
    ...gone.map((id) => [id, []] as const),
    ...come.map(({ document, passages }) => [document.id, passages.map(({ id }) => id)] as const)
  ])
  return yield* buildTam(scope, isFresh ? undefined : changes)
})

/** All that is kept of the graph: the graph itself, its notes, its vectors, and what its Relations are found by. */
export const kept = Effect.gen(function* () {
  const tam = yield* TamStore
  const vectors = yield* VectorStore
  const lexical = yield* LexicalIndex
  const whole = yield* graph
  const passages = [...whole.evidence.keys()]
  const notes = yield* tam.notes(scope, "note", passages, 1e9)
  const texts = [...notes.values()].flatMap(([line]) => Option.toArray(decodeNote(line?.[1] ?? "")))
  const keys = [
    ...passages,
    ...texts.flatMap((note) => [note.document, note.title, ...note.names, ...wordsOf(note)]),
    ...texts.flatMap(({ names }) => names.flatMap((name) => name.split(" "))),
    ...whole.nodes.map(({ id }) => id),
    ...Array.from({ length: 64 }, (_, n) => String(n)),
    ""
  ]
  const all = yield* Effect.forEach(noteKinds, (kind) => tam.notes(scope, kind, [...new Set(keys)].sort(), 1e9))
  const relations = whole.nodes.filter(({ type }) => type === "Relation")
  const words = relations.slice(0, 20).flatMap(({ abstraction }) => abstraction.toLowerCase().match(/[a-z]+/g) ?? [])
  return {
    nodes: whole.nodes,
    edges: whole.edges.map(({ from, to }) => `${from} ${to}`),
    regions: [...whole.regions],
    links: whole.links,
    evidence: [...whole.evidence],
    counts: yield* tam.counts(scope),
    notes: all.map((found) =>
      [...found].map(([key, lines]) => [key, [...lines].sort()] as const).sort(([a], [b]) => (a < b ? -1 : 1))
    ),
    vectors: (yield* vectors.page(scope, "Relation", Option.none(), 100_000)).map(({ id, vector }) => [
      id,
      [...vector].join()
    ]),
    hits: yield* lexical.search(scope, "Relation", words, 500),
    found: yield* lexical.count(scope, "Relation")
  }
})
