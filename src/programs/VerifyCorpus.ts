/** Checks what an index holds against what it was made from: texts, passages, words, vectors (C14, C18). */
import { Effect, Either, Option } from "effect"
import type { Document, Passage } from "../domain/Corpus.ts"
import type { DocumentId, PassageId, ScopeKey } from "../domain/Ids.ts"
import { type Derived, type Finding, finding } from "../domain/VerifyReport.ts"
import { terms } from "../domain/Words.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Digest } from "../services/Digest.ts"
import { LexicalIndex } from "../services/LexicalIndex.ts"
import { Progress } from "../services/Progress.ts"
import { StoreError } from "../services/StoreError.ts"
import { TamStore } from "../services/TamStore.ts"
import { TokenCounter } from "../services/TokenCounter.ts"
import { VectorIndex } from "../services/VectorIndex.ts"
import { type VectorKind, VectorStore } from "../services/VectorStore.ts"
import { revisionOf } from "./IndexCorpus.ts"
import { blocksOf, contentHash, entryOf, keepsBlocks, passagesOf } from "./IndexPassages.ts"

const pageSize = 1000
const takenOut = "`staterag verify --repair` takes it out, and indexing its file brings it back"
/** Findings of one kind that are told one by one. */
const told = 20

/** What a check has come to. */
export interface Checked {
  readonly looked: number
  readonly findings: ReadonlyArray<Finding>
  /** Documents whose text is not what was indexed. */
  readonly broken?: ReadonlyArray<DocumentId>
}

/** What cannot be read is a finding too. */
export const readable = <E extends { readonly _tag: string }, R>(
  check: Effect.Effect<Checked, E | StoreError, R>,
  clause: string,
  what: string,
  derived: Derived | null
): Effect.Effect<Checked, E | StoreError, R> =>
  Effect.catchAll(check, (error) =>
    error instanceof StoreError && error.reason === "Unreadable"
      ? Effect.succeed({
          looked: 0,
          findings: [finding(clause, "", `${what} cannot be read: ${error.detail}`, derived)]
        })
      : Effect.fail(error)
  )

/** At most {@link told} of each kind; the rest is one line. */
export const some = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  [...new Set(findings.map(({ derived }) => derived))].flatMap((derived) => {
    const own = findings.filter((one) => one.derived === derived)
    const rest = own.length - told
    const clause = own[0]?.clause ?? ""
    return rest <= 0 ? own : [...own.slice(0, told), finding(clause, "", `and ${rest} more of this kind`, derived)]
  })

/** The passages that a document comes to when it is cut now, and the hash of what it holds. */
export const cut = Effect.fnUntraced(function* (scope: ScopeKey, document: Document) {
  const { hash } = yield* Digest
  const count = yield* (yield* TokenCounter).counter
  const blocks = yield* blocksOf(scope, document)
  return {
    blocks: keepsBlocks(document) ? blocks : undefined,
    hash: contentHash(document, blocks, hash),
    passages: yield* passagesOf(document, blocks, hash, count)
  }
})

/** What tells one passage from another, but for its text, which is a slice of the document. */
const mark = ({ end, headings, id, line, start, title, tokens }: Passage): string =>
  JSON.stringify([id, start, end, line, title, headings, tokens])

/** The stored passages by document, as marks; none where a passage cannot be read. */
const storedMarks = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const marks = new Map<DocumentId, Set<string>>()
  let looked = 0
  for (let after = Option.none<PassageId>(); ; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return { marks, looked }
    for (const passage of page) {
      const own = marks.get(passage.document)
      if (own === undefined) marks.set(passage.document, new Set([mark(passage)]))
      else own.add(mark(passage))
    }
    looked += page.length
    after = Option.some(last.id)
  }
})

/** C14: every text is what its hash says, and every passage is what cutting the text gives: slices, offsets, lines, ids. */
export const documents = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const progress = yield* Progress
  const infos = yield* corpus.documents(scope)
  const counts = yield* corpus.counts(scope)
  const stored = yield* Effect.either(storedMarks(scope))
  if (Either.isLeft(stored) && stored.left.reason !== "Unreadable") return yield* stored.left
  const found: Array<Finding> = []
  const broken: Array<DocumentId> = []
  if (Either.isRight(stored) && stored.right.looked !== counts.passages) {
    const stray = counts.passages - stored.right.looked
    found.push(finding("C14", "", `${stray} passages belong to no document: index into a new folder`))
  }
  for (const [done, { hash: expected, id }] of infos.entries()) {
    yield* progress.report({ label: "checking documents", done: done + 1, total: infos.length })
    const document = yield* Effect.either(corpus.document(scope, id))
    if (Either.isLeft(document)) {
      if (document.left.reason !== "Unreadable") return yield* document.left
      broken.push(id)
      found.push(finding("C14", id, `its stored text is damaged: ${takenOut}`, "Texts"))
      continue
    }
    if (Option.isNone(document.right)) continue
    const now = yield* Effect.either(cut(scope, document.right.value))
    if (Either.isLeft(now) && now.left.reason !== "Unreadable") return yield* now.left
    if (Either.isLeft(now) || now.right.hash !== expected) {
      broken.push(id)
      found.push(finding("C14", id, `its stored text is not what was indexed (the hash differs): ${takenOut}`, "Texts"))
      continue
    }
    const wanted = now.right.passages.map(mark)
    const have = Either.isRight(stored) ? stored.right.marks.get(id) : undefined
    if (wanted.length !== (have?.size ?? 0) || !wanted.every((one) => have?.has(one) === true))
      found.push(finding("C14", id, "its passages are not those that its text comes to", "Passages"))
  }
  return { looked: infos.length, findings: some(found), broken }
})

/** In how many passages each term stands, counted from the passages. */
const countTerms = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const counts = new Map<string, number>()
  for (let after = Option.none<PassageId>(); ; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return counts
    for (const { body, title } of page.map(entryOf))
      for (const term of new Set([...terms(title), ...terms(body)])) counts.set(term, (counts.get(term) ?? 0) + 1)
    after = Option.some(last.id)
  }
})

/** Every passage and every Relation can be found by its words, and every term is counted as often as it stands. */
export const words = Effect.fnUntraced(function* (scope: ScopeKey) {
  const lexical = yield* LexicalIndex
  const { passages } = yield* (yield* CorpusStore).counts(scope)
  const { nodes } = yield* (yield* TamStore).counts(scope)
  const found: Array<Finding> = []
  const compare = (kind: string, have: number, want: number, derived: Derived) => {
    if (have !== want)
      found.push(
        finding("C18", kind, `${have} of ${want} can be found by their words: answers would miss some`, derived)
      )
  }
  compare("passages", yield* lexical.count(scope, "Passage"), passages, "Words")
  compare("relations", yield* lexical.count(scope, "Relation"), nodes.Relation, "Graph")
  const counts = yield* countTerms(scope)
  const known = [...counts.keys()].sort()
  for (let at = 0; at < known.length; at += pageSize) {
    const { byTerm } = yield* lexical.frequencies(scope, known.slice(at, at + pageSize))
    for (const [term, have] of byTerm)
      if (have !== counts.get(term))
        found.push(
          finding("C18", term, `the word index has this word in ${have} passages, not in ${counts.get(term)}`, "Words")
        )
  }
  return { looked: passages + nodes.Relation, findings: some(found) }
})

const idsOf = Effect.fnUntraced(function* (scope: ScopeKey, kind: VectorKind) {
  const ids = new Set<string>()
  if (kind === "Relation") {
    const tam = yield* TamStore
    for (let after = ""; ; ) {
      const page = yield* tam.page(scope, "Relation", after, pageSize)
      const last = page.at(-1)
      if (last === undefined) return ids
      for (const { id } of page) ids.add(id)
      after = last.id
    }
  }
  const corpus = yield* CorpusStore
  for (let after = Option.none<PassageId>(); ; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return ids
    for (const { id } of page) ids.add(id)
    after = Option.some(last.id)
  }
})

const isUnit = (vector: Float32Array): boolean => {
  let square = 0
  for (const part of vector) square += part * part
  return Number.isFinite(square) && Math.abs(square - 1) < 1e-3
}

/** One finite vector of length 1 for each passage and each Relation, of the revision's dimensions. */
export const vectors = (kind: VectorKind, derived: Derived) =>
  Effect.fnUntraced(function* (scope: ScopeKey) {
    const store = yield* VectorStore
    const { dimensions } = yield* Effect.catchTag((yield* CorpusStore).revision(scope), "UnknownScope", () =>
      Effect.succeed({ dimensions: 0 })
    )
    const missing = yield* idsOf(scope, kind)
    const found: Array<Finding> = []
    let looked = 0
    for (let after = Option.none<string>(); ; ) {
      const page = yield* store.page(scope, kind, after, pageSize)
      const last = page.at(-1)
      if (last === undefined) break
      for (const { id, vector } of page) {
        if (!missing.delete(id)) found.push(finding("C18", id, "its vector stands for nothing that is there", derived))
        else if (vector.length !== dimensions)
          found.push(finding("C18", id, `its vector has ${vector.length} parts, not ${dimensions}`, derived))
        else if (!isUnit(vector)) found.push(finding("C18", id, "its vector is not finite or not of length 1", derived))
      }
      looked += page.length
      after = Option.some(last.id)
    }
    for (const id of [...missing].sort()) found.push(finding("C18", id, "it has no vector", derived))
    return { looked, findings: some(found) }
  })

/** The revision is the digest of what is there, and the vector files are of it. */
export const revision = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const { hash } = yield* Digest
  const last = yield* corpus.revision(scope)
  const found: Array<Finding> = []
  if (revisionOf(yield* corpus.documents(scope), last, hash) !== last.revision)
    found.push(
      finding(
        "C34",
        last.revision,
        "the revision is not that of the documents: runs cannot tell what they read",
        "Revision"
      )
    )
  const { fresh } = yield* (yield* VectorIndex).status(scope)
  if (!fresh)
    found.push(
      finding(
        "C8",
        "vectors/",
        "the vector files are missing, damaged or of another revision; they are made again when they are needed",
        "VectorFiles"
      )
    )
  return { looked: 0, findings: found }
})
