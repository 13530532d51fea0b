/**
 * GraphRAG's local search (Edge et al. 2024; microsoft/graphrag), over {@link import("./EntityGraph.ts")}.
 *
 *     question ─ 20 nearest entities ─▶ their reports .15, themselves and their relationships .35, their passages .5 of the budget
 *
 * (Its ten entities are over-sampled by two, and all of them are used.) Deviations: the common evidence budget for a context of 12,000
 * tokens. The common reader is given that context whole; what a model wrote of it lists no document.
 */
import { Effect } from "effect"
import type { Question } from "../../domain/Dataset.ts"
import { itemOf } from "../../domain/Evidence.ts"
import { type Told, toldItems, written } from "../../domain/methods/Told.ts"
import * as prompts from "../../domain/prompts/methods/GraphRag.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { askerFor } from "./Asker.ts"
import { reading } from "./Budget.ts"
import { build } from "./EntityGraph.ts"
import { type Library, listed, type Ranked, type Setting } from "./Method.ts"
import { cosines, embedder, greatest } from "./Vectors.ts"
import { byItself, byReader, type Walk } from "./Walk.ts"

const nearest = 20
const relationshipsEach = 10
const shares = { reports: 0.15, graph: 0.35 } as const

const walkOf = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const graph = yield* build("graphrag-local", setting, library)
    const count = yield* (yield* TokenCounter).counter
    const embed = yield* embedder
    const { communities, entities, passages, relationships } = graph
    const linksOf = entities.map((): Array<number> => [])
    relationships.forEach(({ ends }, at) => {
      for (const end of ends) linksOf[end]?.push(at)
    })
    const communityOf = new Map(communities.flatMap((own, at) => own.entities.map((entity) => [entity, at] as const)))

    /** Relationships of these entities: between two of them first, then those whose other end is linked to most of them. */
    const around = (chosen: ReadonlyArray<number>): ReadonlyArray<number> => {
      const inside = new Set(chosen)
      const all = [...new Set(chosen.flatMap((entity) => linksOf[entity] ?? []))]
      const shared = new Map<number, number>()
      const outer = (at: number) => relationships[at]?.ends.find((end) => !inside.has(end))
      for (const at of all) {
        const other = outer(at)
        if (other !== undefined) shared.set(other, (shared.get(other) ?? 0) + 1)
      }
      const keys = new Map(
        all.map((at) => {
          const other = outer(at)
          const degrees = (relationships[at]?.ends ?? []).reduce((sum, end) => sum + (linksOf[end]?.length ?? 0), 0)
          const links = other === undefined ? Number.POSITIVE_INFINITY : (shared.get(other) ?? 0)
          return [at, [links, degrees]] as const
        })
      )
      const key = (at: number, n: 0 | 1): number => keys.get(at)?.[n] ?? 0
      const better = (x: number, y: number) =>
        (key(x, 0) === key(y, 0) ? key(y, 1) - key(x, 1) : key(y, 0) - key(x, 0)) || x - y
      return all.sort(better).slice(0, relationshipsEach * chosen.length)
    }

    /** Passages of these entities, entity by entity, those in which more of its relationships stand first. */
    const unitsOf = (chosen: ReadonlyArray<number>): ReadonlyArray<number> => {
      const found = new Set<number>()
      for (const entity of chosen) {
        const times = new Map(entities[entity]?.passages.map((place) => [place, 0]))
        for (const at of linksOf[entity] ?? [])
          for (const place of relationships[at]?.passages ?? [])
            if (times.has(place)) times.set(place, (times.get(place) ?? 0) + 1)
        for (const [place] of [...times].sort(([x, a], [y, b]) => b - a || x - y)) found.add(place)
      }
      return [...found]
    }

    const walk = ({ question }: Question) =>
      Effect.gen(function* () {
        const query = yield* embed(question)
        const scores = cosines(query, graph.vectors)
        const chosen = greatest(scores, nearest)
        const matched = new Map<number, number>()
        for (const entity of chosen) {
          const own = communityOf.get(entity)
          if (own !== undefined) matched.set(own, (matched.get(own) ?? 0) + 1)
        }
        const reports = [...matched].sort(([x, a], [y, b]) => b - a || x - y).map(([at]) => at)
        const ranked = unitsOf(chosen)
          .slice(0, listed)
          .flatMap((place, at): ReadonlyArray<Ranked> => {
            const passage = passages[place]
            return passage === undefined ? [] : [{ passage, score: 1 / (at + 1) }]
          })
        const items = (told: Told | undefined, name: string) => toldItems(told ?? written(""), name, 0)
        const { items: evidence, take } = reading(count)
        const budget = setting.policy.evidenceTokens
        const reportsLeft = take(
          reports.map((at) => items(communities[at]?.report, `report:${at}`)),
          budget * shares.reports
        )
        const graphLeft = take(
          chosen.map((at) => items(entities[at]?.told, `entity:${at}`)),
          budget * shares.graph
        )
        const rest = take(
          around(chosen).map((at) => items(relationships[at]?.told, `relationship:${at}`)),
          graphLeft
        )
        take(
          ranked.map(({ passage, score }) => [itemOf(passage, score, 0)]),
          budget * (1 - shares.reports - shares.graph) + reportsLeft + rest
        )
        return { ranked, evidence }
      })
    return { walk, note: graph.note }
  })

/** One call a question: the reader's. */
export const make = (setting: Setting, library: Library) =>
  Effect.map(walkOf(setting, library), ({ note, walk }) =>
    byReader(
      setting,
      (question) => Effect.map(walk(question), (found) => ({ ...found, answer: null, failure: null })),
      note
    )
  )

/** One call a question: its own. */
export const own = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const { value } = yield* askerFor("graphrag-local-own")
    const { note, walk } = yield* walkOf(setting, library)
    const own: Walk = (question) =>
      Effect.gen(function* () {
        const found = yield* walk(question)
        const said = yield* value(prompts.local, { question: question.question, known: found.evidence })
        return { ...found, answer: said.answer === "" ? null : said.answer, failure: null }
      })
    return byItself(own, note)
  })
