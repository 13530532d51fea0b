/**
 * Self-RAG, prompted (Asai et al. 2024, github.com/AkariAsai/self-rag, `run_short_form.py`).
 *
 *     retrieve? ─ no ─▶ an answer without passages
 *         └ yes ─▶ ten passages, each with an answer and a judgement ─▶ the best by relevance + support + utility
 *
 * 11 calls, or 2. Deviations: no trained weights, so the judgements are 0 or 1 where the published ones are probabilities of reflection
 * tokens, and the term of the sequence's probability is left out; the decision to retrieve is a yes or no in place of a threshold of 0.2; ten
 * passages of the hybrid search. The passages of the common reader stand in the order of their scores. A passage is shown by 400 tokens.
 */
import { Effect } from "effect"
import { critiqueScore } from "../../domain/methods/Critique.ts"
import { judge, plain, retrieve } from "../../domain/prompts/methods/SelfRag.ts"
import { askerFor } from "./Asker.ts"
import type { Library, Setting } from "./Method.ts"
import * as Tools from "./Tools.ts"
import type { Walk } from "./Walk.ts"

const mostPassages = 10
const passageTokens = 400

const spoken = (answer: string): string | null => (answer.trim() === "" ? null : answer.trim())

/** `answers` is whether a question that needs no passages is answered without: the common reader has nothing to read then. */
export const make = Effect.fnUntraced(function* (
  method: string,
  setting: Setting,
  library: Library,
  { answers }: { readonly answers: boolean }
) {
  const asker = yield* askerFor(method)
  const tools = yield* Tools.make(setting, library)

  const walk: Walk = Effect.fnUntraced(function* ({ question, within }) {
    const decision = yield* asker.value(retrieve, { question })
    if (!decision.retrieve) {
      const answer = answers ? spoken((yield* asker.value(plain, { question })).answer) : null
      return { ranked: [], answer, failure: null }
    }
    const passages = yield* tools.search(question, mostPassages, within)
    // all of them, even where one fails: what a question costs does not hang on which fails first
    const judged = yield* Effect.forEach(
      passages,
      ({ passage }) => Effect.either(asker.value(judge, { question, passage: tools.shown(passage, passageTokens) })),
      { concurrency: mostPassages }
    )
    const critiques = yield* Effect.all(judged)
    const ranked = passages
      .map(({ passage }, i) => {
        const critique = critiques[i]
        return {
          passage,
          answer: critique?.answer ?? "",
          score: critique === undefined ? 0 : critiqueScore(critique),
          i
        }
      })
      .sort((x, y) => y.score - x.score || x.i - y.i)
    const [best] = ranked
    const answer = best === undefined ? null : spoken(best.answer)
    return { ranked, answer, cited: best === undefined || answer === null ? [] : [best], failure: null }
  })
  return walk
})
