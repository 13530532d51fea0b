/**
 * CRAG (Yan et al. 2024, github.com/HuskyInSalt/CRAG): judge what was found, and correct it.
 *
 *     ten passages, each judged ─▶ Correct    any ≥ upper   keep the needed strips of what is not below lower
 *                                  Incorrect  all < lower   a rewritten query, the rest of the corpus, its strips
 *                                  Ambiguous  else          both
 *
 * At most 10 + 1 + 2 calls and the reader's. As published: strips of three sentences, at most ten of them kept; the thresholds of PubQA.
 * Deviations: a prompted judgement of three grades (1, 0, −1) for the trained T5; there is no web, so the search beyond is the hybrid search
 * over the passages that the first one did not bring; one call chooses the strips. Strips are shown by 120 tokens, passages by 400.
 */
import { Effect } from "effect"
import { lineBreaks } from "../../domain/Corpus.ts"
import type { Question } from "../../domain/Dataset.ts"
import { type EvidenceItem, itemOf } from "../../domain/Evidence.ts"
import { confidenceOf, lower, verdictOf } from "../../domain/methods/Confidence.ts"
import { held } from "../../domain/prompts/Handles.ts"
import { evaluate, mostKept, refine, rewrite } from "../../domain/prompts/methods/Crag.ts"
import { sentences } from "../../domain/Sentences.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { askerFor } from "./Asker.ts"
import type { Library, Ranked, Setting } from "./Method.ts"
import * as Tools from "./Tools.ts"
import { distinct, type Walk } from "./Walk.ts"

export const note = "a search in the rest of the corpus for the web"
const mostPassages = 10
const stripSentences = 3
const mostStrips = 40
const stripTokens = 120
const passageTokens = 400

interface Strip extends Ranked {
  readonly item: EvidenceItem
}

/** A passage cut into strips, each a slice of it. */
export const stripsOf = ({ passage, score }: Ranked): ReadonlyArray<Strip> => {
  const all = sentences(passage.text)
  const strips: Array<Strip> = []
  for (let at = 0; at < all.length; at += stripSentences) {
    const some = all.slice(at, at + stripSentences)
    const start = some[0]?.start ?? 0
    const end = some.at(-1)?.end ?? start
    const item = {
      ...itemOf(passage, score, 0),
      start: passage.start + start,
      end: passage.start + end,
      line: passage.line + lineBreaks(passage.text, 0, start),
      text: passage.text.slice(start, end)
    }
    strips.push({ passage, score, item })
  }
  return strips
}

export const make = Effect.fnUntraced(function* (method: string, setting: Setting, library: Library) {
  const asker = yield* askerFor(method)
  const tools = yield* Tools.make(setting, library)
  const { counter } = yield* TokenCounter
  const count = yield* counter

  const refined = Effect.fnUntraced(function* (question: string, ranked: ReadonlyArray<Ranked>) {
    const strips = ranked.flatMap(stripsOf).slice(0, mostStrips)
    if (strips.length === 0) return []
    const shown = strips.map(({ item }) => tools.shown(item, stripTokens))
    const { keep } = yield* asker.value(refine, { question, strips: shown })
    return [...new Set(keep.flatMap((named) => held("passage", strips, named) ?? []))].slice(0, mostKept)
  })
  const beyond = Effect.fnUntraced(function* (
    question: string,
    known: ReadonlyArray<Ranked>,
    within: Question["within"]
  ) {
    const { query } = yield* asker.value(rewrite, { question })
    const ids = new Set(known.map(({ passage }) => passage.id))
    const found = yield* tools.search(query, known.length + mostPassages, within)
    return found.filter(({ passage }) => !ids.has(passage.id)).slice(0, mostPassages)
  })

  const walk: Walk = Effect.fnUntraced(function* ({ question, within }) {
    const first = yield* tools.search(question, mostPassages, within)
    const judged = yield* Effect.forEach(
      first,
      ({ passage }) => Effect.either(asker.value(evaluate, { question, passage: tools.shown(passage, passageTokens) })),
      { concurrency: mostPassages }
    )
    const confidences = (yield* Effect.all(judged)).map(({ relevant }) => confidenceOf(relevant))
    const verdict = verdictOf(confidences)
    const inside = first.filter((_, i) => (confidences[i] ?? lower) >= lower)
    const kept = [
      ...(verdict === "Incorrect" ? [] : yield* refined(question, inside)),
      ...(verdict === "Correct" ? [] : yield* refined(question, yield* beyond(question, first, within)))
    ]
    let left = setting.policy.evidenceTokens
    const evidence = kept.flatMap(({ item }) => {
      left -= count(item.text)
      return left < 0 ? [] : [item]
    })
    return { ranked: distinct(kept), evidence, answer: null, failure: null }
  })
  return walk
})
