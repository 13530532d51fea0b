/**
 * A-RAG (Du et al. 2026, github.com/Ayanami0730/arag): an agent with three views of one corpus, words, meaning and whole chunks.
 *
 *     call ─▶ keyword_search | semantic_search | read_chunk ─▶ what it gave ─▶ call … 15 at most ─▶ the answer is forced
 *        └──▶ answer
 *
 * At most 15 calls and one for the answer: the forced one, or the common reader's. As published: Σ count × length for words, chunks by their
 * best sentence for meaning, five chunks a search, no chunk read twice. Deviations: one tool a call, in JSON; the sentences that meaning is
 * compared with are those of the 20 nearest passages; each result has at most 1,000 tokens, so that a prompt stays under 15 × 1,200 (the
 * published budget of 128,000 can't be struck). The common reader is given what was read, then what was only found.
 */
import { Effect } from "effect"
import type { Question } from "../../domain/Dataset.ts"
import { type Call, force, look, mostNamed, type Used } from "../../domain/prompts/methods/ARag.ts"
import { askerFor } from "./Asker.ts"
import type { Library, Ranked, Setting } from "./Method.ts"
import * as Tools from "./Tools.ts"
import { distinct, type Walk } from "./Walk.ts"

export const note = "sentences of the 20 nearest passages for all sentences"
export const mostCalls = 15
const perSearch = 5
const resultTokens = 1000
const sentenceTokens = 80
const chunkTokens = resultTokens / mostNamed

const spoken = (answer: string): string | null => (answer.trim() === "" ? null : answer.trim())
const writtenCall = ({ chunks, keywords, query, tool }: Call): string =>
  `${tool}(${tool === "keyword_search" ? keywords.join("; ") : tool === "semantic_search" ? query : chunks.join(", ")})`

/** `answers` is whether the answer is forced at the limit; where the common reader answers, it need not be. */
export const make = Effect.fnUntraced(function* (
  method: string,
  setting: Setting,
  library: Library,
  { answers }: { readonly answers: boolean }
) {
  const asker = yield* askerFor(method)
  const tools = yield* Tools.make(setting, library)

  const walk: Walk = Effect.fnUntraced(function* ({ question, within }: Question) {
    /** Handles in the order in which chunks were first shown: c1, c2, … */
    const known: Array<Ranked> = []
    const read: Array<Ranked> = []
    const used: Array<Used> = []
    const handleOf = (ranked: Ranked): string => {
      const at = known.findIndex(({ passage }) => passage.id === ranked.passage.id)
      return `c${at < 0 ? known.push(ranked) : at + 1}`
    }
    const listed = (found: ReadonlyArray<Tools.Told>): string =>
      found.length === 0
        ? "Nothing was found."
        : found
            .map((told) => {
              const lines = told.said.map((line) => `  ${tools.clip(line, sentenceTokens)}`)
              return [`${handleOf(told)} (${tools.clip(told.passage.title, sentenceTokens)})`, ...lines].join("\n")
            })
            .join("\n")
    const opened = (named: string): string => {
      const digits = /^\W*c?(\d{1,4})\W*$/iu.exec(named)?.[1]
      const chunk = digits === undefined ? undefined : known[Number(digits) - 1]
      if (chunk === undefined) return "There is no such chunk."
      const handle = handleOf(chunk)
      if (read.some(({ passage }) => passage.id === chunk.passage.id)) return `${handle} was read already.`
      read.push(chunk)
      return tools.clip(`${handle} ${Tools.written(chunk.passage)}`, chunkTokens)
    }
    const result = ({ chunks, keywords, query, tool }: Call) => {
      switch (tool) {
        case "keyword_search":
          return Effect.succeed(listed(tools.keywords(keywords, perSearch, within)))
        case "semantic_search":
          return Effect.map(tools.sentences(query, perSearch, within), listed)
        default:
          return Effect.succeed(chunks.length === 0 ? "No chunk was named." : chunks.map(opened).join("\n\n"))
      }
    }
    let answer: string | null | undefined
    while (answer === undefined && used.length < mostCalls) {
      const call = yield* asker.value(look, { question, used })
      if (call.tool === "answer") answer = spoken(call.answer)
      else used.push({ call: writtenCall(call), gave: tools.clip(yield* result(call), resultTokens) })
    }
    if (answer === undefined && answers) answer = spoken((yield* asker.value(force, { question, used })).answer)
    return { ranked: distinct([...read, ...known]), answer: answer ?? null, failure: null }
  })
  return walk
})
