/**
 * E⁰ (C18): words (BM25) and vectors by the sum of their standard scores, passages whose title the question names, then one step along links.
 *
 *     first(x) = (lexical/σ + w·dense⁺/σ) ÷ max  +  .8/n where x's title stands in the question
 *     E⁰(x)    = first(x) + max over the three best seeds s of first(s) · link(s, x)        out 1·w, in .2·w
 */
import { Effect, Layer } from "effect"
import type { Passage } from "../../../domain/Corpus.ts"
import { entityKey } from "../../../domain/Entities.ts"
import type { PassageId } from "../../../domain/Ids.ts"
import { PassageId as PassageIds } from "../../../domain/Ids.ts"
import { ModelError } from "../../../domain/ModelError.ts"
import { analyse, folded, type Question, standsIn } from "../../../domain/Question.ts"
import { CorpusStore } from "../../../services/CorpusStore.ts"
import { EmbeddingModel } from "../../../services/EmbeddingModel.ts"
import { type Hit, LexicalIndex } from "../../../services/LexicalIndex.ts"
import { Initializer, type Inquiry, type Ranked } from "../../../services/Roles.ts"
import { type Link, TamStore } from "../../../services/TamStore.ts"
import { VectorIndex } from "../../../services/VectorIndex.ts"
import { failing } from "./Failing.ts"
import { limited } from "./Weights.ts"

const width = 200
/** What vectors count beside the 1 that words count: spelling says little that words do not. */
const denseWeight = { Spelling: 0.15, Meaning: 1.5 } as const
const namedWeight = 0.8
const seeds = 3
const onward = 1
const backward = 0.2

interface Candidate {
  readonly id: PassageId
  lexical: number
  dense: number
  named: number
  links: number
}

const deviation = (values: ReadonlyArray<number>): { readonly mean: number; readonly sigma: number } => {
  if (values.length === 0) return { mean: 0, sigma: 1 }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return { mean, sigma: variance > 0 ? Math.sqrt(variance) : 1 }
}

/** Both rankings on one scale: the best candidate's two parts add up to 1. A passage that one of them lacks has nothing from it. */
const fused = (lexical: ReadonlyArray<Hit>, dense: ReadonlyArray<Hit>, weight: number): Map<string, Candidate> => {
  const words = deviation(lexical.map((hit) => hit.score))
  const vectors = deviation(dense.map((hit) => hit.score))
  const byId = new Map<string, Candidate>()
  const at = (id: string): Candidate => {
    const known = byId.get(id)
    if (known !== undefined) return known
    const made = { id: PassageIds.make(id), lexical: 0, dense: 0, named: 0, links: 0 }
    byId.set(id, made)
    return made
  }
  for (const { id, score } of lexical) at(id).lexical = score / words.sigma
  for (const { id, score } of dense) at(id).dense = weight * Math.max(0, (score - vectors.mean) / vectors.sigma)
  let best = 0
  for (const { dense: d, lexical: l } of byId.values()) best = Math.max(best, l + d)
  if (best > 0) {
    for (const candidate of byId.values()) {
      candidate.lexical /= best
      candidate.dense /= best
    }
  }
  return byId
}

const first = (candidate: Candidate): number => candidate.lexical + candidate.dense + candidate.named
const best = (a: readonly [Candidate, number], b: readonly [Candidate, number]): number =>
  b[1] - a[1] || (a[0].id < b[0].id ? -1 : 1)

/** Which titles stand in the question; one that stands there only inside a longer one does not count. */
const namedTitles = (question: Question, passages: ReadonlyArray<Passage>): ReadonlyMap<string, number> => {
  let line = folded(question.text)
  const bearers = new Map<string, number>()
  for (const { title } of passages) {
    const key = entityKey(title)
    if (standsIn(key, line)) bearers.set(key, (bearers.get(key) ?? 0) + 1)
  }
  const found = new Map<string, number>()
  for (const key of [...bearers.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))) {
    if (!standsIn(key, line)) continue
    // a plain word is a name only where the question writes it as one
    if (!key.includes(" ") && !question.entities.some((entity) => standsIn(key, ` ${entity.key} `))) continue
    found.set(key, bearers.get(key) ?? 1)
    line = line.replaceAll(` ${key} `, " \u0000 ")
  }
  return found
}

export const layer: Layer.Layer<
  Initializer,
  never,
  LexicalIndex | VectorIndex | EmbeddingModel | TamStore | CorpusStore
> = Layer.effect(
  Initializer,
  Effect.gen(function* () {
    const lexicalIndex = yield* LexicalIndex
    const vectorIndex = yield* VectorIndex
    const embedding = yield* EmbeddingModel
    const tam = yield* TamStore
    const corpus = yield* CorpusStore

    const documentsOf = Effect.fnUntraced(function* (scope: Inquiry["scope"], ids: ReadonlyArray<PassageId>) {
      return new Map((yield* corpus.passages(scope, ids)).map((passage) => [passage.id, passage]))
    })

    const nearest = Effect.fnUntraced(function* (scope: Inquiry["scope"], text: string, within: Inquiry["within"]) {
      const vectors = yield* embedding.embed([text])
      const among = within && (yield* corpus.passagesOf(scope, within))
      return (yield* vectorIndex.search(scope, "Passage", vectors, width, among))[0] ?? []
    })

    /** Vectors of two models are not compared. */
    const sameModel = Effect.fnUntraced(function* (scope: Inquiry["scope"]) {
      const { dimensions, embedding: made } = yield* corpus.revision(scope)
      if (made === embedding.id && dimensions === embedding.dimensions) return
      const detail = `they were made by ${made} and have ${dimensions} dimensions`
      return yield* new ModelError({ model: embedding.id, fault: "OtherModel", detail })
    })

    const rank = Effect.fnUntraced(function* (
      { question: asked, scope, within }: Pick<Inquiry, "question" | "scope" | "policy" | "within">,
      limit: number
    ) {
      yield* sameModel(scope)
      const question = analyse(asked)
      const terms = yield* limited(lexicalIndex, scope, question.terms)
      const lexical = yield* lexicalIndex.search(scope, "Passage", terms, width, within)
      const dense = yield* nearest(scope, question.text, within)
      const candidates = fused(lexical, dense, denseWeight[embedding.kind])
      const top = [...candidates.values()]
        .map((candidate) => [candidate, first(candidate)] as const)
        .sort(best)
        .slice(0, Math.max(64, limit))
        .map(([candidate]) => candidate)
      const passages = yield* documentsOf(
        scope,
        top.map((candidate) => candidate.id)
      )
      const titles = namedTitles(question, [...passages.values()])
      for (const candidate of top) {
        const key = entityKey(passages.get(candidate.id)?.title ?? "")
        const bearers = titles.get(key)
        // a title that many passages bear tells them apart from other documents, not from one another
        if (bearers !== undefined) candidate.named = namedWeight / titles.size / Math.sqrt(bearers)
      }
      const ranked = top.map((candidate) => [candidate, first(candidate)] as const).sort(best)
      const from = new Map(ranked.slice(0, seeds).map(([candidate, score]) => [candidate.id, score]))
      const links: ReadonlyArray<Link> = from.size === 0 ? [] : yield* tam.links(scope, [...from.keys()])
      const spread = (id: PassageId, amount: number) => {
        let candidate = candidates.get(id)
        if (candidate === undefined) {
          candidate = { id, lexical: 0, dense: 0, named: 0, links: 0 }
          candidates.set(id, candidate)
        }
        candidate.links = Math.max(candidate.links, amount)
      }
      for (const link of links) {
        const out = from.get(link.from)
        if (out !== undefined) spread(link.to, out * onward * link.weight)
        const into = from.get(link.to)
        if (into !== undefined) spread(link.from, into * backward * link.weight)
      }
      const final = [...candidates.values()]
        .map((candidate) => [candidate, first(candidate) + candidate.links] as const)
        .sort(best)
      const allowed = within === undefined ? undefined : new Set(within)
      const found: Array<Ranked> = []
      for (let at = 0; at < final.length && found.length < limit; at += limit) {
        const slice = final.slice(at, at + limit)
        const missing = slice.filter(([candidate]) => !passages.has(candidate.id)).map(([candidate]) => candidate.id)
        if (missing.length > 0)
          for (const [id, passage] of yield* documentsOf(scope, missing)) passages.set(id, passage)
        for (const [candidate, score] of slice) {
          const passage = passages.get(candidate.id)
          if (passage === undefined || passage.text === "" || (allowed !== undefined && !allowed.has(passage.document)))
            continue
          const { dense: d, lexical: l, links: onwards, named } = candidate
          found.push({ passage, score, parts: { lexical: l + named, dense: d, links: onwards } })
        }
      }
      return found.slice(0, limit)
    })
    return { rank: (inquiry, limit) => failing("Initializer")(rank(inquiry, limit)) }
  })
)
