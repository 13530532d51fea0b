/**
 * RAPTOR (Sarthi et al. 2024; parthsarthi03/raptor): a tree of summaries over clusters, searched flat.
 *
 *     passages ─ clusters ─▶ a summary each ─ clusters ─▶ …  up to 5 layers, while a layer has more than 11 nodes
 *     question ─ cosine with every node of every layer ─▶ as many as the evidence budget holds
 *
 * Deviations: the passages of the corpus for its chunks of 100 tokens; principal components for UMAP; diagonal covariance, and BIC tried on
 * sizes that grow by a quarter; a cluster that is all there was is cut in order where it is too long. Where no model is named, the most
 * specific sentences of a cluster, of 100 tokens together, are its summary. A summary that a model wrote is no document: it lists none, and
 * citing it supports nothing. Where a question is asked of some documents, nodes that are made from others have no part.
 */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import { type EvidenceItem, itemOf, mostItems } from "../../domain/Evidence.ts"
import type { DocumentId } from "../../domain/Ids.ts"
import { frequencies, mostSpecific, type Sentence, sentencesOf } from "../../domain/methods/Specific.ts"
import { quoted, type Told, toldItems, toldPassages, toldText, written } from "../../domain/methods/Told.ts"
import { summarise } from "../../domain/prompts/methods/Raptor.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { askerFor } from "./Asker.ts"
import { clusters, dimensions } from "./Clusters.ts"
import { type Library, listed, type Ranked, type Setting } from "./Method.ts"
import { besides, orElse } from "./Substitutes.ts"
import { cosines, embedAll, embedder, greatest, vectorsOf } from "./Vectors.ts"
import { byReader } from "./Walk.ts"

const mostLayers = 5
const summaryTokens = 100
const concurrency = 4

export interface Node {
  /** 0 of a passage. */
  readonly layer: number
  readonly vector: Float32Array
  readonly text: string
  readonly tokens: number
  readonly told: Passage | Told
  /** The documents that it is made from. */
  readonly under: ReadonlySet<DocumentId>
}
const isTold = (told: Passage | Told): told is Told => "_tag" in told

/** The nodes of all layers, leaves first. */
export const grow = Effect.fnUntraced(function* ({ scope, seed }: Setting, { passages }: Library) {
  const asker = yield* Effect.option(askerFor("raptor"))
  const count = yield* (yield* TokenCounter).counter
  const leaves = yield* passages
  const vectors = yield* vectorsOf(scope, leaves)
  const shelf = new Map(leaves.map((passage) => [passage.id, sentencesOf(passage)]))
  const known = frequencies([...shelf.values()])
  const missing = besides()

  const sentencesUnder = ({ told }: Node): ReadonlyArray<Sentence> =>
    !isTold(told) ? (shelf.get(told.id) ?? []) : told._tag === "Quoted" ? told.sentences : []
  const specific = (own: ReadonlyArray<Node>): Told => {
    const sentences = mostSpecific(own.flatMap(sentencesUnder), known, count, summaryTokens)
    // nothing can be quoted of summaries that a model wrote: the first stands for all
    return sentences.length === 0 ? written(own[0]?.text ?? "") : quoted(sentences)
  }
  const summary = (own: ReadonlyArray<Node>) =>
    Option.match(asker, {
      onNone: () => Effect.sync(() => specific(own)),
      onSome: ({ value }) =>
        value(summarise, { texts: own.map(({ text }) => text) }).pipe(
          Effect.map(({ summary }) => written(summary)),
          orElse(missing, () => specific(own))
        )
    })

  const all = leaves.map((told, at): Node => {
    const { text, tokens } = told
    const under = new Set([told.document])
    return { layer: 0, vector: vectors[at] ?? new Float32Array(0), text, tokens, told, under }
  })
  let last: ReadonlyArray<Node> = [...all]
  for (let layer = 1; layer <= mostLayers && last.length > dimensions + 1; layer++) {
    const below = last
    const groups = yield* clusters(below, seed)
    if (groups.length >= below.length) break
    const summaries = yield* Effect.forEach(
      groups,
      (places) => summary(places.flatMap((place) => below[place] ?? [])),
      {
        concurrency
      }
    )
    const texts = summaries.map(toldText)
    const made = yield* embedAll(texts)
    last = summaries.map((told, at) => {
      const text = texts[at] ?? ""
      const under = new Set<DocumentId>((groups[at] ?? []).flatMap((place) => [...(below[place]?.under ?? [])]))
      return { layer, vector: made[at] ?? new Float32Array(0), text, tokens: count(text), told, under }
    })
    for (const node of last) all.push(node)
  }
  const own = Option.isNone(asker) ? "most specific sentences for summaries" : missing.note("summaries")
  return { nodes: all, note: own === undefined ? "PCA for UMAP" : `PCA for UMAP, ${own}` }
})

export const make = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const { nodes, note } = yield* grow(setting, library)
    const embed = yield* embedder
    const vectors = nodes.map(({ vector }) => vector)
    return byReader(
      setting,
      ({ question, within }) =>
        Effect.gen(function* () {
          const allowed = within && new Set(within)
          const isAllowed = (under: ReadonlySet<DocumentId> = new Set()) =>
            allowed === undefined || [...under].every((document) => allowed.has(document))
          const query = yield* embed(question)
          const scores = cosines(query, vectors)
          const ranked: Array<Ranked> = []
          const evidence: Array<EvidenceItem> = []
          let left = setting.policy.evidenceTokens
          const places = greatest(scores, allowed === undefined ? listed : nodes.length)
          for (const place of places.filter((place) => isAllowed(nodes[place]?.under)).slice(0, listed)) {
            const node = nodes[place]
            if (node === undefined) continue
            const score = scores[place] ?? 0
            const { layer, told } = node
            for (const passage of isTold(told) ? toldPassages(told) : [told]) ranked.push({ passage, score })
            left -= node.tokens
            const items = isTold(told) ? toldItems(told, `summary:${layer}.${place}`, score) : [itemOf(told, score, 0)]
            if (left >= 0 && evidence.length + items.length <= mostItems) evidence.push(...items)
          }
          return { ranked, evidence, answer: null, failure: null }
        }),
      note
    )
  })
