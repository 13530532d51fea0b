/**
 * Builds TAM for the corpus that a scope holds now, and puts it in the place of the old graph (C8).
 *
 * The graph is a function of the corpus and the embedding model alone. Work that an earlier build did is kept where it still stands: a
 * Relation whose abstraction has not changed keeps its index entry and its vector. Run inside one transaction with the corpus change, and
 * before the revision is set: `CorpusStore.revision` still names the model of the vectors that are there.
 */
import { Effect, Option } from "effect"
import type { DocumentId, NodeId, PassageId, ScopeKey } from "../domain/Ids.ts"
import { type NodeType, wellFormed } from "../domain/Tam.ts"
import { bondsOf } from "../domain/tam/Bonds.ts"
import { graphOf } from "../domain/tam/Graph.ts"
import { abstractionOf, type Relation, relationsOf } from "../domain/tam/Relations.ts"
import { begin, type Survey } from "../domain/tam/Survey.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Digest } from "../services/Digest.ts"
import { type EmbeddingError, EmbeddingModel } from "../services/EmbeddingModel.ts"
import { LexicalIndex } from "../services/LexicalIndex.ts"
import { Progress } from "../services/Progress.ts"
import type { StoreError } from "../services/StoreError.ts"
import { TamStore } from "../services/TamStore.ts"
import { VectorStore } from "../services/VectorStore.ts"
import { pause } from "./IndexPassages.ts"

const pageSize = 1000
const batchSize = 256

/** What was built. */
export interface TamSummary {
  readonly nodes: { readonly [T in NodeType]: number }
  readonly edges: number
}

const surveyCorpus = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const progress = yield* Progress
  const documents = yield* corpus.documents(scope)
  const { passages: total } = yield* corpus.counts(scope)
  const surveyor = begin(documents.map((document) => document.title))
  let after: Option.Option<PassageId> = Option.none()
  for (let done = 0; ; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) break
    yield* pause
    for (const passage of page) surveyor.add(passage)
    after = Option.some(last.id)
    done += page.length
    yield* progress.report({ label: "reading passages", done, total })
  }
  return surveyor.survey()
})

/** Abstractions of the Relations of the graph that is there now. */
const oldRelations = Effect.fnUntraced(function* (scope: ScopeKey) {
  const tam = yield* TamStore
  const found = new Map<NodeId, string>()
  for (let after = ""; ; ) {
    const page = yield* tam.page(scope, "Relation", after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return found
    for (const node of page) found.set(node.id, node.abstraction)
    after = last.id
  }
})

/** Vectors of unchanged Relations, unless another model made them. */
const keptVectors = Effect.fnUntraced(function* (
  scope: ScopeKey,
  relations: ReadonlyArray<Relation>,
  old: ReadonlyMap<NodeId, string>
) {
  const vectors = yield* VectorStore
  const model = yield* EmbeddingModel
  const kept = new Map<string, Float32Array>()
  const revision = yield* (yield* CorpusStore).revision(scope).pipe(
    Effect.asSome,
    Effect.catchTag("UnknownScope", () => Effect.succeedNone)
  )
  if (Option.isNone(revision) || revision.value.embedding !== model.id) return kept
  const unchanged = relations.filter((relation) => old.get(relation.id) === abstractionOf(relation))
  for (let at = 0; at < unchanged.length; at += pageSize) {
    const ids = unchanged.slice(at, at + pageSize).map(({ id }) => id)
    for (const { id, vector } of yield* vectors.get(scope, "Relation", ids)) {
      if (vector.length === model.dimensions) kept.set(id, vector)
    }
  }
  return kept
})

/** Brings index entries and vectors of the Relations up to date; gives one vector a Relation. */
const indexRelations = Effect.fnUntraced(function* (scope: ScopeKey, relations: ReadonlyArray<Relation>) {
  const lexical = yield* LexicalIndex
  const vectors = yield* VectorStore
  const model = yield* EmbeddingModel
  const progress = yield* Progress
  const old = yield* oldRelations(scope)
  const known = yield* keptVectors(scope, relations, old)
  const current = new Set(relations.map(({ id }) => id))
  const gone = [...old.keys()].filter((id) => !current.has(id))
  if (known.size === 0) {
    yield* lexical.clear(scope, "Relation")
    yield* vectors.clear(scope, "Relation")
  } else if (gone.length > 0) {
    yield* lexical.remove(scope, "Relation", gone)
    yield* vectors.remove(scope, "Relation", gone)
  }
  const changed = relations.filter(({ id }) => !known.has(id))
  for (let at = 0; at < changed.length; at += batchSize) {
    const batch = changed.slice(at, at + batchSize)
    yield* pause
    const made = yield* model.embed(batch.map(abstractionOf))
    const stored = batch.flatMap(({ id }, i) => {
      const vector = made[i]
      return vector === undefined ? [] : [{ id, vector }]
    })
    for (const { id, vector } of stored) known.set(id, vector)
    yield* vectors.put(scope, "Relation", stored)
    const noDocument: DocumentId | null = null
    yield* lexical.put(
      scope,
      "Relation",
      batch.map(({ id, name, rest }) => ({ id, title: name, body: rest, document: noDocument }))
    )
    yield* progress.report({ label: "embedding relations", done: at + batch.length, total: changed.length })
  }
  return relations.map(({ id }) => known.get(id) ?? new Float32Array(model.dimensions))
})

const summaryOf = (graph: ReturnType<typeof graphOf>): TamSummary => {
  const nodes = { Root: 0, Topic: 0, Relation: 0, Evidence: 0 }
  for (const { type } of graph.nodes) nodes[type]++
  return { nodes, edges: graph.edges.length }
}

/**
 * Builds, checks and stores the graph of `scope`. A corpus without passages gives the root alone.
 *
 * A graph that is not well-formed is a bug of this builder, hence a defect.
 */
export const buildTam: (
  scope: ScopeKey
) => Effect.Effect<
  TamSummary,
  StoreError | EmbeddingError,
  CorpusStore | TamStore | LexicalIndex | VectorStore | EmbeddingModel | Digest
> = Effect.fn("buildTam")(function* (scope: ScopeKey) {
  const digest = yield* Digest
  const survey: Survey = yield* surveyCorpus(scope)
  yield* pause
  const bonds = bondsOf(survey)
  yield* pause
  const relations = relationsOf(survey, bonds, digest.hash)
  const vectors = yield* indexRelations(scope, relations)
  yield* pause
  const graph = graphOf(survey, bonds, relations, vectors)
  yield* pause
  const checked = wellFormed(graph, (id) => graph.evidence.has(id))
  if (checked._tag === "Left") return yield* Effect.die(checked.left)
  yield* (yield* TamStore).replace(scope, graph)
  return summaryOf(graph)
})
