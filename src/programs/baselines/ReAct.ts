/**
 * ReAct (Yao et al. 2023, github.com/ysymyth/ReAct, `hotpotqa.ipynb`): a thought, an action, an observation, at most seven times.
 *
 *     step ─▶ an action in it? ─ no ─▶ the action alone, once ─▶ none: "invalid"
 *               Search[name]  the page of that title, else the best passage of the hybrid search with titles like it
 *               Lookup[word]  the next sentence of the current page that has the word, "(Result 1 / 3)"
 *               Finish[text]  the end
 *
 * As published: 7 steps, temperature as set (0), 100 tokens a step, the first five sentences of a page, one more question where no action can
 * be read, and no answer after step 7. At most 14 calls. Deviations: two examples of our own in place of six from HotpotQA's training
 * questions; no stop string, but what follows the first action is not read; `Search` without a page of that name shows a passage beside the
 * similar titles. An observation has at most 300 tokens, so a prompt stays under 7 × 400 beside the question and our words.
 */
import { Effect } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { Question } from "../../domain/Dataset.ts"
import { type Action, parse, stepText } from "../../domain/methods/ReActStep.ts"
import { action, type Made, step } from "../../domain/prompts/methods/ReAct.ts"
import { sentences } from "../../domain/Sentences.ts"
import { askerFor } from "./Asker.ts"
import type { Library, Ranked, Setting } from "./Method.ts"
import * as Tools from "./Tools.ts"
import { distinct, type Walk } from "./Walk.ts"

export const mostSteps = 7
const stepTokens = 100
const observationTokens = 300
const shownSentences = 5
const similar = 4

const said = ({ text }: Passage): ReadonlyArray<string> =>
  sentences(text).map(({ end, start }) => text.slice(start, end))

/** Where the reading of a page is: the sentences that have the word, and how many of them were shown. */
interface Reading {
  readonly page: ReadonlyArray<Passage>
  readonly word: string
  readonly shown: number
}
interface Seen {
  readonly observation: string
  readonly reading: Reading
  readonly found: ReadonlyArray<Ranked>
}

export const make = Effect.fnUntraced(function* (method: string, setting: Setting, library: Library) {
  const asker = yield* askerFor(method)
  const tools = yield* Tools.make(setting, library)

  const opened = (passage: Passage, beside: ReadonlyArray<Ranked>): Seen => {
    const titles = [...new Set(beside.map(({ passage: { title } }) => title))].filter(
      (title) => title !== passage.title
    )
    const start = Tools.written({ title: passage.title, text: said(passage).slice(0, shownSentences).join(" ") })
    return {
      observation: titles.length === 0 ? start : `${start}\nSimilar: ${titles.join("; ")}`,
      reading: { page: tools.pageOf(passage.document), word: "", shown: 0 },
      found: [{ passage, score: 1 }]
    }
  }
  const search = Effect.fnUntraced(function* (name: string, reading: Reading, within: Question["within"]) {
    const [page] = tools.page(name, within)
    if (page !== undefined) return opened(page, [])
    const [best, ...others] = yield* tools.search(name, 1 + similar, within)
    return best === undefined
      ? { observation: `Could not find ${name}.`, reading, found: [] }
      : opened(best.passage, others)
  })
  const lookup = (argument: string, reading: Reading): Seen => {
    const word = argument.toLowerCase()
    const shown = word === reading.word ? reading.shown : 0
    const all = reading.page.flatMap((passage) => said(passage).map((line) => ({ passage, line })))
    const hits = word === "" ? [] : all.filter(({ line }) => line.toLowerCase().includes(word))
    const hit = hits[shown]
    return {
      observation: hit === undefined ? "No more results." : `(Result ${shown + 1} / ${hits.length}) ${hit.line}`,
      reading: { ...reading, word, shown: shown + 1 },
      found: hit === undefined ? [] : [{ passage: hit.passage, score: 1 }]
    }
  }
  const acted = ({ argument, name }: Action, reading: Reading, within: Question["within"]) =>
    name === "Search" ? search(argument, reading, within) : Effect.succeed(lookup(argument, reading))

  const walk: Walk = Effect.fnUntraced(function* ({ question, within }) {
    const made: Array<Made> = []
    const found: Array<Ranked> = []
    let reading: Reading = { page: [], word: "", shown: 0 }
    for (let n = 1; n <= mostSteps; n++) {
      const first = parse(yield* asker.text(step, { question, made }, stepTokens))
      const thought = tools.clip(first.thought, stepTokens)
      const next = first.action ?? parse(yield* asker.text(action, { question, made, thought }, stepTokens)).action
      if (next?.name === "Finish")
        return { ranked: distinct(found), answer: next.argument === "" ? null : next.argument, failure: null }
      if (next === undefined) {
        made.push({
          said: `Thought: ${thought}`,
          observation: "Invalid action: no Search, Lookup or Finish could be read."
        })
        continue
      }
      const seen: Seen = yield* acted(next, reading, within)
      reading = seen.reading
      found.push(...seen.found)
      made.push({ said: stepText(thought, next), observation: tools.clip(seen.observation, observationTokens) })
    }
    return { ranked: distinct(found), answer: null, failure: `no Finish within ${mostSteps} steps` }
  })
  return walk
})
