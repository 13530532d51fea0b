/**
 * HippoRAG 2 (Gutiérrez et al. 2025; OSU-NLP-Group/HippoRAG): a walk from the facts that a question recalls.
 *
 *     question ─ 5 nearest facts ─ recognition ─▶ 5 phrases ─┐
 *              └ every passage, by vector × .05 ─────────────┴▶ personalised PageRank, damping .5 ─▶ passages
 *
 * A phrase starts with the mean, over its facts, of the fact's score (cosine, brought to [0, 1]) divided by the number of passages that have
 * the phrase. Where recognition keeps no fact, that is said (`RecognitionEmpty`), and passages are ranked by vector.
 *
 * Deviations: see {@link import("./FactGraph.ts")}; the filter names facts by handle, so nothing is matched by likeness. Without a model
 * there is no filter. The common reader is given what the evidence budget holds, its own prompt the five best passages.
 */
import { Effect, Option, Schema } from "effect"
import type { Question } from "../../domain/Dataset.ts"
import { itemOf } from "../../domain/Evidence.ts"
import { pageRank } from "../../domain/PageRank.ts"
import { held } from "../../domain/prompts/Handles.ts"
import { answer, recognise } from "../../domain/prompts/methods/HippoRag.ts"
import { askerFor } from "./Asker.ts"
import { build } from "./FactGraph.ts"
import {
  evidenceOf,
  incomplete,
  type Library,
  listed,
  type Outcome,
  readingOf,
  type Setting,
  saying
} from "./Method.ts"
import { cosines, embedder, greatest, normalised, vectorsOf } from "./Vectors.ts"

/** Facts that a question recalls, phrases that a walk starts from, and passages that the method reads itself. */
const linked = 5
const passageWeight = 0.05
const damping = 0.5

/** No fact was kept, so passages were ranked by vector alone. */
export const RecognitionEmpty = Schema.TaggedStruct("RecognitionEmpty", { offered: Schema.NonNegativeInt })
export type RecognitionEmpty = typeof RecognitionEmpty.Type

const asksOf = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const graph = yield* build(library)
    const { passages } = graph
    const vectors = yield* vectorsOf(setting.scope, passages)
    const asker = yield* Effect.option(askerFor("hipporag2"))
    const embed = yield* embedder

    const recognised = (question: string, offered: ReadonlyArray<number>) =>
      Option.match(asker, {
        onNone: () => Effect.succeed(offered),
        onSome: ({ value }) =>
          offered.length === 0
            ? Effect.succeed(offered)
            : Effect.map(
                value(recognise, { question, facts: offered.map((fact) => graph.facts[fact]?.text ?? "") }),
                ({ facts }) => [...new Set(facts.flatMap((said) => held("fact", offered, said) ?? []))]
              )
      })

    /** What a walk starts from: the best phrases of these facts, and every passage. */
    const startOf = (facts: ReadonlyArray<number>, scores: Float64Array, dense: Float64Array): Float64Array => {
      const weights = new Map<number, { sum: number; facts: number }>()
      for (const fact of facts)
        for (const phrase of new Set(graph.facts[fact]?.phrases)) {
          const own = weights.get(phrase) ?? { sum: 0, facts: 0 }
          own.sum += (scores[fact] ?? 0) / Math.max(1, graph.spread[phrase] ?? 1)
          own.facts++
          weights.set(phrase, own)
        }
      const start = new Float64Array(graph.phrases + passages.length)
      const best = [...weights].map(([phrase, { facts, sum }]) => [phrase, sum / facts] as const)
      for (const [phrase, weight] of best.sort(([x, a], [y, b]) => b - a || x - y).slice(0, linked))
        start[phrase] = weight
      dense.forEach((score, at) => {
        start[graph.phrases + at] = passageWeight * score
      })
      return start
    }

    const rank = ({ question, within }: Question) =>
      Effect.gen(function* () {
        const query = yield* embed(question)
        const dense = normalised(cosines(query, vectors))
        const scores = normalised(cosines(query, graph.factVectors))
        const offered = greatest(scores, linked)
        const kept = yield* recognised(question, offered)
        const empty: RecognitionEmpty | undefined =
          kept.length === 0 ? { _tag: "RecognitionEmpty", offered: offered.length } : undefined
        const ranks =
          empty === undefined
            ? pageRank(graph.adjacency, startOf(kept, scores, dense), damping).subarray(graph.phrases)
            : dense
        const allowed = within && new Set(within)
        const ranked = greatest(ranks, allowed === undefined ? listed : passages.length)
          .flatMap((at) => {
            const passage = passages[at]
            const isAllowed = passage !== undefined && (allowed === undefined || allowed.has(passage.document))
            return isAllowed ? [{ passage, score: ranks[at] ?? 0 }] : []
          })
          .slice(0, listed)
        return { ranked, empty }
      })
    return { rank, note: graph.note }
  })

const telling =
  (empty: RecognitionEmpty | undefined) =>
  (outcome: Outcome): Outcome =>
    empty === undefined
      ? outcome
      : { ...outcome, found: { ...outcome.found, reason: `${empty._tag}: none of ${empty.offered} facts` } }

/** Its passages, read by the common reader: two calls a question with a model, of which the reader's is one. */
export const make = (setting: Setting, library: Library) =>
  Effect.map(asksOf(setting, library), ({ note, rank }) => ({
    answer: (question: Question) =>
      rank(question).pipe(
        Effect.flatMap(({ empty, ranked }) =>
          Effect.map(
            readingOf(question.question, ranked, evidenceOf(ranked, setting.policy.evidenceTokens)),
            telling(empty)
          )
        ),
        Effect.catchTag("RoleFailed", (error) => Effect.succeed(incomplete(error.message, error.fault)))
      ),
    note
  }))

/** Its own prompt, reasoning first, over the five best passages. */
export const own = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const { value } = yield* askerFor("hipporag2-own")
    const { note, rank } = yield* asksOf(setting, library)
    return {
      answer: (question: Question) =>
        rank(question).pipe(
          Effect.flatMap(({ empty, ranked }) => {
            const evidence = ranked.slice(0, linked).map(({ passage, score }) => itemOf(passage, score, 0))
            return Effect.map(value(answer, { question: question.question, evidence }), (said) =>
              telling(empty)(
                saying({
                  ranked,
                  shown: evidence.map(({ document, end, start }) => ({ document, start, end })),
                  answer: said.answer === "" ? null : said.answer,
                  cited: [],
                  failure: null
                })
              )
            )
          })
        ),
      note
    }
  })
