/** Queries as hypotheses of a plan: their words with the corpus' weights, and the best that any text of it reaches for them (C12). */
import { Effect } from "effect"
import { PassageId } from "../../../domain/Ids.ts"
import type { Hypothesis } from "../../../domain/Plan.ts"
import { textLimit } from "../../../domain/Planning.ts"
import { cut } from "../../../domain/Question.ts"
import { prepare, raw } from "../../../domain/Relevance.ts"
import { contentTerms } from "../../../domain/Words.ts"
import type { LexicalIndex } from "../../../services/LexicalIndex.ts"
import type { Turn } from "../../../services/Roles.ts"
import type { TamStore } from "../../../services/TamStore.ts"
import type * as Nearness from "../embedded/Nearness.ts"
import { frequenciesOf, weighted } from "../embedded/Weights.ts"

/** Texts in which the best score of a query is looked for. */
const looked = 10

export const hypothesisOf = (
  lexical: typeof LexicalIndex.Service,
  tam: typeof TamStore.Service,
  nearness: Nearness.Nearness
) =>
  Effect.fnUntraced(function* ({ scope, within }: Turn<"Planner">, query: string) {
    const frequencies = yield* frequenciesOf(lexical, scope, contentTerms(query))
    const terms = weighted(contentTerms(query), frequencies)
    const words = terms.filter(({ term }) => (frequencies.byTerm.get(term) ?? 0) > 0).map(({ term }) => term)
    const hits = words.length === 0 ? [] : yield* lexical.search(scope, "Passage", words, looked, within)
    const nodes =
      hits.length === 0
        ? []
        : yield* tam.nodes(
            scope,
            [
              ...new Set(
                (yield* tam.evidenceOf(
                  scope,
                  hits.map(({ id }) => PassageId.make(id))
                )).values()
              )
            ].sort()
          )
    const best = nodes.reduce((most, { abstraction }) => Math.max(most, raw(terms, prepare(abstraction))), 0)
    const worded: Hypothesis = { from: null, weight: 1, query: cut(query, textLimit), terms, best }
    const [hypothesis = worded] = yield* nearness.completed(scope, [worded])
    return hypothesis
  })
