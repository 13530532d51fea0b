/**
 * CoRAG, prompted (Wang et al. 2025, github.com/microsoft/LMOps/tree/main/corag): a chain of retrievals, greedy, of length 3.
 *
 *     next sub-question ─▶ five passages ─▶ its answer ─▶ … three times ─▶ the reader
 *
 * At most 6 calls and the reader's. A sub-question that was asked before is not asked again. Deviations: no trained weights; a repeat uses up
 * its step, and is shown to the model (the code asks up to four times a step, hotter), so that the number of calls is bounded; the common
 * reader is given the passages of the question and of each sub-question, fused by rank, and not the sub-answers; hybrid search for E5. A
 * passage is shown by 300 tokens.
 */
import { Effect } from "effect"
import { answer, type Link, next, nothing } from "../../domain/prompts/methods/Corag.ts"
import { terms } from "../../domain/Words.ts"
import { askerFor } from "./Asker.ts"
import { type Library, listed, type Ranked, type Setting } from "./Method.ts"
import { fuse } from "./Rankings.ts"
import * as Tools from "./Tools.ts"
import type { Walk } from "./Walk.ts"

export const mostLinks = 3
const perRetrieval = 5
const passageTokens = 300

/** The same question in other letters is the same question. */
const wordsOf = (query: string): string => terms(query).join(" ")

export const make = Effect.fnUntraced(function* (method: string, setting: Setting, library: Library) {
  const asker = yield* askerFor(method)
  const tools = yield* Tools.make(setting, library)

  const walk: Walk = Effect.fnUntraced(function* ({ question, within }) {
    const chain: Array<Link> = []
    const repeated: Array<string> = []
    const lists: Array<ReadonlyArray<Ranked>> = [yield* tools.search(question, perRetrieval, within)]
    for (let n = 0; n < mostLinks; n++) {
      const { query } = yield* asker.value(next, { question, chain, repeated })
      if (query.trim() === "" || chain.some((link) => wordsOf(link.query) === wordsOf(query))) {
        repeated.push(query)
        continue
      }
      const found = yield* tools.search(query, perRetrieval, within)
      lists.push(found)
      const passages = found.map(({ passage }) => tools.shown(passage, passageTokens))
      const said = found.length === 0 ? nothing : (yield* asker.value(answer, { query, passages })).answer
      chain.push({ query, answer: said })
    }
    return { ranked: fuse(lists, listed), answer: null, failure: null }
  })
  return walk
})
