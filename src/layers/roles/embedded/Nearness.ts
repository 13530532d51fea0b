/**
 * Nearness in meaning beside words, where the corpus' vectors tell meaning (`EmbeddingModel.kind`); where they tell spelling, nothing.
 *
 * g sees text and no index (C12), so the plan names the texts that lie near its queries, by their fingerprints, with what that adds to their
 * raw scores: whoever holds the plan can score a text again without a vector.
 */
import { Effect } from "effect"
import { fingerprint } from "../../../domain/Fingerprint.ts"
import { type NodeId, PassageId, type ScopeKey } from "../../../domain/Ids.ts"
import { type Hypothesis, mostNear } from "../../../domain/Plan.ts"
import { raw } from "../../../domain/Relevance.ts"
import { EmbeddingModel } from "../../../services/EmbeddingModel.ts"
import type { Hit } from "../../../services/LexicalIndex.ts"
import { TamStore } from "../../../services/TamStore.ts"
import { VectorIndex } from "../../../services/VectorIndex.ts"
import { prepared } from "./Prepared.ts"

/** What meaning counts beside the 1 that words count. */
export const meaning = 1.5
/** Passages whose cosines tell what is usual for a query. */
const width = 200
/** The nearest of them, in which the best score is looked for. */
const looked = 10

/** How far each lies above their mean, the best at 1; those below it are left out. */
const aboveMean = (hits: ReadonlyArray<Hit>): ReadonlyMap<string, number> => {
  const mean = hits.reduce((sum, { score }) => sum + score, 0) / Math.max(1, hits.length)
  const most = Math.max(0, ...hits.map(({ score }) => score - mean))
  return new Map(hits.flatMap(({ id, score }) => (score > mean ? [[id, (score - mean) / most] as const] : [])))
}

export type Needs = EmbeddingModel | VectorIndex | TamStore

export const make = Effect.gen(function* () {
  const embedding = yield* EmbeddingModel
  const vectors = yield* VectorIndex
  const tam = yield* TamStore

  /** For each query the passages near it, nearest first, each in (0, 1]; no lists at all where vectors tell spelling. */
  const nearest = Effect.fnUntraced(function* (scope: ScopeKey, queries: ReadonlyArray<string>) {
    if (queries.length === 0 || embedding.kind === "Spelling") return []
    return (yield* vectors.search(scope, "Passage", yield* embedding.embed(queries), width)).map(aboveMean)
  })

  /** a(v) of the Evidence node of each passage. */
  const textsOf = Effect.fnUntraced(function* (scope: ScopeKey, passages: ReadonlyArray<PassageId>) {
    const nodes = yield* tam.evidenceOf(scope, passages)
    const texts = new Map<NodeId, string>()
    for (const { abstraction, id } of yield* tam.nodes(scope, [...new Set(nodes.values())].sort()))
      texts.set(id, abstraction)
    return (passage: PassageId): string | undefined => {
      const node = nodes.get(passage)
      return node === undefined ? undefined : texts.get(node)
    }
  })

  /** Hypotheses that have their words, with the texts that are near, and the best that both reach together. */
  const completed = Effect.fnUntraced(function* (scope: ScopeKey, hypotheses: ReadonlyArray<Hypothesis>) {
    const found = (yield* nearest(
      scope,
      hypotheses.map(({ query }) => query)
    )).map((near) => [...near].slice(0, mostNear).map(([id, share]) => ({ id: PassageId.make(id), share })))
    if (found.length === 0) return hypotheses
    const textOf = yield* textsOf(scope, [...new Set(found.flatMap((near) => near.map(({ id }) => id)))].sort())
    return hypotheses.map((hypothesis, i): Hypothesis => {
      // without a word that the corpus holds, nearness is all there is
      const unit = meaning * (hypothesis.best > 0 ? hypothesis.best : 1)
      let { best } = hypothesis
      const near = (found[i] ?? []).flatMap(({ id, share }, at) => {
        const text = textOf(id)
        if (text === undefined) return []
        const score = unit * share
        best = Math.max(best, score + (at < looked ? raw(hypothesis.terms, prepared(text)) : 0))
        return [{ abstraction: fingerprint(text), score }]
      })
      return { ...hypothesis, best, near }
    })
  })
  return { nearest, completed }
})

export type Nearness = Effect.Effect.Success<typeof make>
