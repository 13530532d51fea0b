/** The rankings that need no plan: vectors, vectors with words, document order, and the product's own first retrieval. */
import { Effect } from "effect"
import { PassageId } from "../../domain/Ids.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"
import { Initializer, Reranker } from "../../services/Roles.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { listed, type Rank, type Ranked, type Setting } from "./Method.ts"

/** The constant of reciprocal rank fusion. */
const fusion = 60
/** What is fused from each side. */
const fused = 100
/** Passages that are looked up at a time where only some documents count. */
const nearest = ({ scope }: Setting, limit: number) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    const model = yield* EmbeddingModel
    const index = yield* VectorIndex
    const rank: Rank<never> = Effect.fnUntraced(function* (question, within) {
      const vectors = yield* model.embed([question])
      const among = within && (yield* corpus.passagesOf(scope, within))
      const [hits = []] = yield* index.search(scope, "Passage", vectors, limit, among)
      const scores = new Map(hits.map(({ id, score }) => [id, score]))
      const passages = yield* corpus.passages(
        scope,
        hits.map(({ id }) => PassageId.make(id))
      )
      return passages.map((passage) => ({ passage, score: scores.get(passage.id) ?? 0 }))
    })
    return rank
  })

/** By cosine alone. */
export const dense = (setting: Setting) => nearest(setting, listed)

/** Equal reciprocal rank fusion of two rankings. */
export const fuse = (lists: ReadonlyArray<ReadonlyArray<Ranked>>, limit: number): ReadonlyArray<Ranked> => {
  const byId = new Map<string, Ranked>()
  for (const list of lists)
    list.forEach(({ passage }, rank) => {
      const score = (byId.get(passage.id)?.score ?? 0) + 1 / (fusion + rank + 1)
      byId.set(passage.id, { passage, score })
    })
  return [...byId.values()].sort((x, y) => y.score - x.score || (x.passage.id < y.passage.id ? -1 : 1)).slice(0, limit)
}

/** Words and vectors, by equal reciprocal rank fusion. */
export const hybrid = (setting: Setting, words: Rank<never>) =>
  Effect.map(
    nearest(setting, fused),
    (vectors): Rank<never> =>
      (question, within) =>
        Effect.map(Effect.all([words(question, within), vectors(question, within)]), (lists) => fuse(lists, listed))
  )

/** DOS RAG: what the evidence budget holds of the nearest passages, in the order of the documents. */
export const documentOrder = (setting: Setting) =>
  Effect.map(
    nearest(setting, fused),
    (vectors): Rank<never> =>
      (question, within) =>
        Effect.map(vectors(question, within), (ranked) => {
          let left = setting.policy.evidenceTokens
          const fits = ranked.findIndex(({ passage }) => {
            left -= passage.tokens
            return left < 0
          })
          return [...(fits < 0 ? ranked : ranked.slice(0, fits))].sort(({ passage: x }, { passage: y }) =>
            x.document === y.document ? x.start - y.start : x.document < y.document ? -1 : 1
          )
        })
  )

/** E⁰, in the order of `search`. */
export const first = ({ policy, scope }: Setting) =>
  Effect.gen(function* () {
    const initializer = yield* Initializer
    const { rerank } = yield* Reranker
    const rank: Rank<never> = (question, within) =>
      Effect.map(initializer.rank({ question, scope, policy, within }, listed), (ranked) => rerank(question, ranked))
    return rank
  })
