/**
 * Two hops without a contract: the strongest rival of the governed cycle. It makes the same second query, from every one of the best
 * passages at once, over the whole corpus, and commits nothing.
 *
 *     final(x) = S(x) + max over the five best p of S(p)² · (λ·T^p(x) + μ·link(p, x))        λ .7, μ .8
 *
 * S is the first retrieval without its links, T^p the standard score of p's second query, its positive part divided by its best.
 */
import { Effect } from "effect"
import { hopFrom } from "../../domain/Hop.ts"
import { idf } from "../../domain/Idf.ts"
import { PassageId } from "../../domain/Ids.ts"
import { analyse } from "../../domain/Question.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { type Hit, LexicalIndex } from "../../services/LexicalIndex.ts"
import { Initializer } from "../../services/Roles.ts"
import { TamStore } from "../../services/TamStore.ts"
import { allowed } from "../Lookups.ts"
import { listed, type Rank, type Ranked, type Setting } from "./Method.ts"

const seeds = 5
const second = 0.7
const onward = 0.8
/** A link that leads to a seed counts less than one that leads away from it. */
const backward = 0.375
/** What the first retrieval and each second query contribute at most. */
const width = 200
const hopWidth = 300
const mostTerms = 64

/** Positive parts of the standard scores, divided by the best. */
const standard = (hits: ReadonlyArray<Hit>): ReadonlyMap<string, number> => {
  const average = hits.reduce((sum, { score }) => sum + score, 0) / Math.max(1, hits.length)
  const variance = hits.reduce((sum, { score }) => sum + (score - average) ** 2, 0) / Math.max(1, hits.length)
  const above = hits.map(({ id, score }) => [id, Math.max(0, score - average) / Math.sqrt(variance || 1)] as const)
  const best = Math.max(0, ...above.map(([, score]) => score))
  return new Map(above.map(([id, score]) => [id, best > 0 ? score / best : 0]))
}

export const rank = ({ policy, scope }: Setting) =>
  Effect.gen(function* () {
    const initializer = yield* Initializer
    const lexical = yield* LexicalIndex
    const tam = yield* TamStore
    const corpus = yield* CorpusStore

    const rank: Rank<never> = Effect.fnUntraced(function* (text, within) {
      const question = analyse(text)
      const ranked = yield* initializer.rank({ question: text, scope, policy, within }, width)
      const base = new Map<string, Ranked>(
        ranked.map(({ parts, passage }) => [passage.id, { passage, score: parts.lexical + parts.dense }])
      )
      const best = Math.max(0, ...[...base.values()].map(({ score }) => score))
      const start = [...base.values()]
        .sort((x, y) => y.score - x.score || (x.passage.id < y.passage.id ? -1 : 1))
        .slice(0, seeds)
      const known = yield* lexical.frequencies(scope, question.terms.slice(0, 512))
      const links = yield* tam.links(
        scope,
        start.map(({ passage }) => passage.id)
      )
      const gains = new Map<string, number>()
      for (const { passage, score } of start) {
        const hop = hopFrom(question, (term) => idf(known, term), passage)
        const hits = yield* lexical.search(scope, "Passage", hop.terms.slice(0, mostTerms), hopWidth, within)
        const share = best > 0 ? (score / best) ** 2 : 0
        const own = new Map<string, number>()
        for (const [id, value] of standard(hits)) own.set(id, share * second * value)
        for (const { from, to, weight: strength } of links) {
          const [other, by] = from === passage.id ? [to, strength] : [from, backward * strength]
          if (from === passage.id || to === passage.id) own.set(other, (own.get(other) ?? 0) + share * onward * by)
        }
        own.delete(passage.id)
        for (const [id, gain] of own) gains.set(id, Math.max(gains.get(id) ?? 0, gain))
      }
      const strange = [...gains.keys()].filter((id) => !base.has(id)).map((id) => PassageId.make(id))
      for (const passage of allowed(yield* corpus.passages(scope, strange), within))
        base.set(passage.id, { passage, score: 0 })
      return [...base.values()]
        .map(({ passage, score }) => ({
          passage,
          score: (best > 0 ? score / best : 0) + (gains.get(passage.id) ?? 0)
        }))
        .sort((x, y) => y.score - x.score || (x.passage.id < y.passage.id ? -1 : 1))
        .slice(0, listed)
    })
    return rank
  })
