/**
 * IRCoT (Trivedi et al. 2023, github.com/StonyBrookNLP/ircot): one sentence of reasoning, one retrieval with it, in turn; what was found is
 * read at the end.
 *
 *     passages of the question ─▶ next sentence ─ "answer is", 15 passages, 8 sentences, or nothing said ─▶ the reader
 *              ▲─────────── passages of the sentence ◀─┘
 *
 * At most 8 calls and the reader's. As published: 4 passages a retrieval (of 2, 4, 6, 8), a cap of 15, the first sentence of what is said.
 * Deviations: instructions in place of examples; hybrid search in place of BM25; with 15 passages it stops, since nothing that is
 * thought afterwards reaches the reader. A passage is shown by 250 tokens, a sentence has 100.
 */
import { Effect } from "effect"
import { firstSentence, isLast } from "../../domain/methods/Thought.ts"
import { think } from "../../domain/prompts/methods/Ircot.ts"
import { askerFor } from "./Asker.ts"
import type { Library, Ranked, Setting } from "./Method.ts"
import * as Tools from "./Tools.ts"
import { distinct, type Walk } from "./Walk.ts"

export const mostPassages = 15
export const mostThoughts = 8
const perRetrieval = 4
const thoughtTokens = 100
const passageTokens = 250

export const make = Effect.fnUntraced(function* (method: string, setting: Setting, library: Library) {
  const asker = yield* askerFor(method)
  const tools = yield* Tools.make(setting, library)

  const walk: Walk = Effect.fnUntraced(function* ({ question, within }) {
    const thoughts: Array<string> = []
    let ranked: ReadonlyArray<Ranked> = []
    for (let query = question; ; ) {
      ranked = distinct([...ranked, ...(yield* tools.search(query, perRetrieval, within))]).slice(0, mostPassages)
      if (ranked.length === mostPassages || thoughts.length === mostThoughts) break
      const passages = ranked.map(({ passage }) => tools.shown(passage, passageTokens))
      const said = firstSentence(yield* asker.text(think, { question, passages, thoughts }, thoughtTokens))
      if (said === "" || isLast(said)) break
      query = tools.clip(said, thoughtTokens)
      thoughts.push(query)
    }
    return { ranked, answer: null, failure: null }
  })
  return walk
})
