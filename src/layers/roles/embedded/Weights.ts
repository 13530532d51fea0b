/** The corpus' word statistics, fetched once for many words. */
import { Effect } from "effect"
import { type Frequencies, idf } from "../../../domain/Idf.ts"
import type { ScopeKey } from "../../../domain/Ids.ts"
import type { Hypothesis, WeightedTerm } from "../../../domain/Plan.ts"
import type { LexicalIndex } from "../../../services/LexicalIndex.ts"
import type { StoreError } from "../../../services/StoreError.ts"

/** A query holds at most this many terms, which is also what a plan's hypothesis may hold. */
export const mostTerms = 64
const mostAsked = 512
/** Terms of a hypothesis that an index is asked for: what the others, which stand everywhere, would change is not worth what they cost. */
const mostSought = 8

/** A term as a plan may hold it; longer runs of letters are nobody's word. */
const sayable = (term: string): boolean => term.length <= 300

/** Those of the terms that the corpus holds, the weightiest first, ties by the term, at most {@link mostTerms}. */
export const weighted = (terms: ReadonlyArray<string>, frequencies: Frequencies): ReadonlyArray<WeightedTerm> =>
  [...new Set(terms)]
    .filter((term) => sayable(term) && (frequencies.byTerm.get(term) ?? 0) > 0)
    .map((term) => ({ term, weight: idf(frequencies, term) }))
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
    .slice(0, mostTerms)

/** The weightiest of a hypothesis' terms, to search by. */
export const sought = (hypothesis: Pick<Hypothesis, "terms">): ReadonlyArray<string> =>
  [...hypothesis.terms]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, mostSought)
    .map(({ term }) => term)

/** Statistics of `terms`, of the first {@link mostAsked} where there are more. */
export const frequenciesOf = (
  index: typeof LexicalIndex.Service,
  scope: ScopeKey,
  terms: ReadonlyArray<string>
): Effect.Effect<Frequencies, StoreError> => index.frequencies(scope, terms.filter(sayable).slice(0, mostAsked))

/** The terms themselves where they are few; the rarest that the corpus holds where they are many. */
export const limited = (
  index: typeof LexicalIndex.Service,
  scope: ScopeKey,
  terms: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, StoreError> =>
  terms.length <= mostTerms
    ? Effect.succeed(terms.filter(sayable))
    : Effect.map(frequenciesOf(index, scope, terms), (frequencies) =>
        weighted(terms, frequencies).map(({ term }) => term)
      )
