/**
 * GraphRAG's global search (Edge et al. 2024; microsoft/graphrag), over {@link import("./EntityGraph.ts")}.
 *
 *     question ─ every batch of reports, 12,000 tokens ─▶ points with scores ─▶ the best that the budget holds ─▶ answer
 *
 * A point lists the passages that most relationships of its reports stand in. Deviations: reports of the finest communities. Without a
 * model, the reports nearest to the question by vector stand for the points.
 */
import { Effect, Option } from "effect"
import type { Question } from "../../domain/Dataset.ts"
import type { Evidence } from "../../domain/Evidence.ts"
import type { ModelError } from "../../domain/ModelError.ts"
import { type Told, toldItems, toldPassages, toldText, written } from "../../domain/methods/Told.ts"
import { held } from "../../domain/prompts/Handles.ts"
import * as prompts from "../../domain/prompts/methods/GraphRag.ts"
import { generator } from "../../domain/Statistics.ts"
import type { EmbeddingError } from "../../services/EmbeddingModel.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { askerFor } from "./Asker.ts"
import { reading } from "./Budget.ts"
import { build } from "./EntityGraph.ts"
import { type Library, listed, type Ranked, type Setting } from "./Method.ts"
import { cosines, embedAll, embedder, greatest } from "./Vectors.ts"
import { byItself, byReader, type Walk } from "./Walk.ts"

const batchTokens = 12_000
/** Passages that a cited report lists. */
const eachReport = 3
const concurrency = 4

type Find = (
  question: Question
) => Effect.Effect<{ readonly ranked: ReadonlyArray<Ranked>; readonly evidence: Evidence }, EmbeddingError | ModelError>

/** The places of a list in an order that `seed` names, so that no batch is of one region of the graph. */
const shuffled = (length: number, seed: number): ReadonlyArray<number> => {
  const { int } = generator(seed)
  const order = Array.from({ length }, (_, at) => at)
  for (let at = length - 1; at > 0; at--) {
    const other = int(at + 1)
    const [x = 0, y = 0] = [order[at], order[other]]
    order[at] = y
    order[other] = x
  }
  return order
}

/** Batches that a map call holds each; what is longer is a batch of its own. */
const batchesOf = (
  order: ReadonlyArray<number>,
  tokens: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<number>> => {
  const found: Array<Array<number>> = []
  let left = 0
  for (const at of order) {
    const own = tokens[at] ?? 0
    const last = found.at(-1)
    if (last === undefined || own > left) {
      found.push([at])
      left = batchTokens - own
    } else {
      last.push(at)
      left -= own
    }
  }
  return found
}

const walkOf = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const graph = yield* build("graphrag-global", setting, library)
    const asker = yield* Effect.option(askerFor("graphrag-global"))
    const count = yield* (yield* TokenCounter).counter
    const embed = yield* embedder
    const { communities, passages } = graph
    const budget = setting.policy.evidenceTokens

    const reportOf = (at: number): Told => communities[at]?.report ?? written("")

    if (Option.isNone(asker)) {
      const vectors = yield* embedAll(communities.map(({ report }) => toldText(report)))
      const find: Find = ({ question }) =>
        Effect.gen(function* () {
          const query = yield* embed(question)
          const scores = cosines(query, vectors)
          const best = greatest(scores, listed).map((at) => ({ at, score: scores[at] ?? 0 }))
          const ranked = best.flatMap(({ at, score }) =>
            toldPassages(reportOf(at)).map((passage): Ranked => ({ passage, score }))
          )
          const { items: evidence, take } = reading(count)
          take(
            best.map(({ at, score }) => toldItems(reportOf(at), `report:${at}`, score)),
            budget
          )
          return { ranked, evidence }
        })
      return { find, note: `${graph.note}, cosine for the map calls` }
    }

    const batches = batchesOf(
      shuffled(communities.length, setting.seed),
      communities.map(({ report }) => count(toldText(report)))
    )
    const { value } = asker.value
    const find: Find = ({ question }) =>
      Effect.gen(function* () {
        const mapped = yield* Effect.forEach(
          batches,
          (batch) =>
            Effect.map(
              value(prompts.map, { question, reports: batch.map((at) => toldText(reportOf(at))) }, 4096),
              ({ points }) =>
                points.map(({ description, reports, score }) => ({
                  description,
                  score,
                  reports: reports.flatMap((said) => held("report", batch, said) ?? [])
                }))
            ),
          { concurrency }
        )
        const points = mapped
          .flat()
          .filter(({ score }) => score > 0)
          .sort((x, y) => y.score - x.score)
        const ranked = points.flatMap(({ reports, score }) =>
          reports
            .flatMap((at) => communities[at]?.passages.slice(0, eachReport) ?? [])
            .flatMap((place): ReadonlyArray<Ranked> => {
              const passage = passages[place]
              return passage === undefined ? [] : [{ passage, score }]
            })
        )
        const { items: evidence, take } = reading(count)
        take(
          points.map(({ description, score }, at) => toldItems(written(description), `point:${at}`, score)),
          budget
        )
        return { ranked: ranked.slice(0, listed), evidence }
      })
    return { find, note: graph.note }
  })

/** A call for each batch of reports and the reader's. */
export const make = (setting: Setting, library: Library) =>
  Effect.map(walkOf(setting, library), ({ find, note }) =>
    byReader(
      setting,
      (question) => Effect.map(find(question), (found) => ({ ...found, answer: null, failure: null })),
      note
    )
  )

/** A call for each batch of reports, and one that makes an answer of their points. */
export const own = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const { value } = yield* askerFor("graphrag-global-own")
    const { find, note } = yield* walkOf(setting, library)
    const own: Walk = (question) =>
      Effect.gen(function* () {
        const found = yield* find(question)
        if (found.evidence.length === 0) return { ...found, answer: null, failure: null }
        const said = yield* value(prompts.reduce, { question: question.question, known: found.evidence })
        return { ...found, answer: said.answer === "" ? null : said.answer, failure: null }
      })
    return byItself(own, note)
  })
