/**
 * RAPTOR (Sarthi et al. 2024; parthsarthi03/raptor): a tree of summaries over clusters, searched flat.
 *
 *     passages ─ clusters ─▶ a summary each ─ clusters ─▶ …  up to 5 layers, while a layer has more than 11 nodes
 *     question ─ cosine with every node of every layer ─▶ as many as the evidence budget holds
 *
 * Deviations: the passages of the corpus for its chunks of 100 tokens; principal components for UMAP; diagonal covariance, and BIC tried on
 * sizes that grow by a quarter; a cluster that is all there was is cut in order where it is too long. Where no model is named, the most
 * specific sentences of a cluster, of 100 tokens together, are its summary. A summary that a model wrote is no document: it lists none, and
 * citing it supports nothing.
 */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import { type Evidence, type EvidenceItem, itemOf, mostItems } from "../../domain/Evidence.ts"
import { DocumentId, PassageId } from "../../domain/Ids.ts"
import {
  evidenceOf,
  frequencies,
  mostSpecific,
  type Sentence,
  sentencesOf,
  textOf
} from "../../domain/methods/Specific.ts"
import { summarise } from "../../domain/prompts/methods/Raptor.ts"
import type { EmbeddingModel } from "../../services/EmbeddingModel.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { askerFor } from "./Asker.ts"
import { clusters, dimensions } from "./Clusters.ts"
import { type Library, listed, type Ranked, type Setting } from "./Method.ts"
import { besides, orElse } from "./Substitutes.ts"
import { cosines, embedAll, greatest, vectorsOf } from "./Vectors.ts"
import { byReader } from "./Walk.ts"

const mostLayers = 5
const summaryTokens = 100
const concurrency = 4

type Told =
  | { readonly _tag: "Passage"; readonly passage: Passage }
  | { readonly _tag: "Quoted"; readonly sentences: ReadonlyArray<Sentence> }
  | { readonly _tag: "Written" }

export interface Node {
  /** 0 of a passage. */
  readonly layer: number
  readonly vector: Float32Array
  readonly text: string
  readonly tokens: number
  readonly told: Told
}

/** The nodes of all layers, leaves first, and how many summaries no model wrote though one was asked. */
export const grow = Effect.fnUntraced(function* ({ scope, seed }: Setting, { passages }: Library) {
  const asker = yield* Effect.option(askerFor("raptor"))
  const count = yield* (yield* TokenCounter).counter
  const leaves = yield* passages
  const vectors = yield* vectorsOf(scope, leaves)
  const shelf = new Map(leaves.map((passage) => [passage.id, sentencesOf(passage)]))
  const known = frequencies([...shelf.values()])
  const missing = besides()

  const sentencesUnder = ({ told }: Node): ReadonlyArray<Sentence> =>
    told._tag === "Passage" ? (shelf.get(told.passage.id) ?? []) : told._tag === "Quoted" ? told.sentences : []
  const quoted = (own: ReadonlyArray<Node>) => {
    // nothing can be quoted of summaries that a model wrote: their first words stand for them
    const sentences = mostSpecific(own.flatMap(sentencesUnder), known, count, summaryTokens)
    if (sentences.length === 0) return { text: own[0]?.text ?? "", told: { _tag: "Written" } as const }
    return { text: sentences.map(textOf).join(" "), told: { _tag: "Quoted", sentences } as const }
  }
  const summary = (own: ReadonlyArray<Node>) =>
    Option.match(asker, {
      onNone: () => Effect.sync(() => quoted(own)),
      onSome: ({ value }) =>
        value(summarise, { texts: own.map(({ text }) => text) }).pipe(
          Effect.map(({ summary }) => ({ text: summary, told: { _tag: "Written" } as const })),
          orElse(missing, () => quoted(own))
        )
    })

  const all = leaves.map(
    (passage, at): Node => ({
      layer: 0,
      vector: vectors[at] ?? new Float32Array(0),
      text: passage.text,
      tokens: passage.tokens,
      told: { _tag: "Passage", passage }
    })
  )
  let last: ReadonlyArray<Node> = [...all]
  for (let layer = 1; layer <= mostLayers && last.length > dimensions + 1; layer++) {
    const below = last
    const groups = yield* clusters(below, seed)
    if (groups.length >= below.length) break
    const summaries = yield* Effect.forEach(
      groups,
      (places) => summary(places.flatMap((place) => below[place] ?? [])),
      { concurrency }
    )
    const made = yield* embedAll(summaries.map(({ text }) => text))
    last = summaries.map((own, at) => ({
      ...own,
      layer,
      vector: made[at] ?? new Float32Array(0),
      tokens: count(own.text)
    }))
    for (const node of last) all.push(node)
  }
  return {
    nodes: all,
    note: Option.isNone(asker) ? "most specific sentences for summaries" : missing.note("summaries")
  }
})

/** A node as what the reader is shown of it. */
const itemsOf = (node: Node, place: number, score: number): ReadonlyArray<EvidenceItem> => {
  const { layer, text, told } = node
  if (told._tag === "Passage") return [itemOf(told.passage, score, 0)]
  if (told._tag === "Quoted") return told.sentences.map((sentence) => evidenceOf(sentence, score))
  const id = `summary:${layer}.${place}`
  const named = { passage: PassageId.make(id), document: DocumentId.make(id), title: "" }
  return text === "" ? [] : [{ ...named, start: 0, end: text.length, line: 1, text, score, cycle: 0 }]
}

export const make = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const { nodes, note } = yield* grow(setting, library)
    const context = yield* Effect.context<EmbeddingModel>()
    const vectors = nodes.map(({ vector }) => vector)
    return byReader(
      setting,
      ({ question }) =>
        Effect.gen(function* () {
          const [query = new Float32Array(0)] = yield* embedAll([question])
          const scores = cosines(query, vectors)
          const ranked: Array<Ranked> = []
          const evidence: Array<EvidenceItem> = []
          let left = setting.policy.evidenceTokens
          for (const place of greatest(scores, listed)) {
            const node = nodes[place]
            if (node === undefined) continue
            const score = scores[place] ?? 0
            const { told } = node
            if (told._tag === "Passage") ranked.push({ passage: told.passage, score })
            if (told._tag === "Quoted") for (const { passage } of told.sentences) ranked.push({ passage, score })
            left -= node.tokens
            const items = itemsOf(node, place, score)
            if (left >= 0 && evidence.length + items.length <= mostItems) evidence.push(...items)
          }
          return { ranked, evidence: evidence satisfies Evidence, answer: null, failure: null }
        }).pipe(Effect.provide(context)),
      note === undefined ? "PCA for UMAP" : `PCA for UMAP, ${note}`
    )
  })
