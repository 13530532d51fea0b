/**
 * MemoRAG in its Lite form (Qian et al. 2024; qhjqhj00/MemoRAG): gists of the corpus are the memory, and what is recalled from it searches.
 *
 *     passages ─ pieces of 4,096 tokens ─▶ a gist each ─▶ memory
 *     question + memory ─ clues, surrogate questions ─┐
 *                              question ──────────────┴─▶ 3 nearest passages each ─▶ document order ─▶ reader
 *
 * Deviations: the passages of the corpus for its chunks of 512 tokens; a piece is whole passages in document order. The memory of a large
 * corpus may be longer than its model takes: then the question has no answer, which counts.
 */
import { Effect } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import { PassageId } from "../../domain/Ids.ts"
import { clues, gist, surrogates } from "../../domain/prompts/methods/MemoRag.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { askerFor } from "./Asker.ts"
import type { Library, Ranked, Setting } from "./Method.ts"
import { byReader } from "./Walk.ts"

export const pieceTokens = 4096
const gistTokens = 1024
const each = 3
/** Lines of fewer words say too little to search with. */
const fewestWords = 4
const concurrency = 4

const inOrder = (x: Passage, y: Passage): number =>
  x.document === y.document ? x.start - y.start : x.document < y.document ? -1 : 1

export const piecesOf = (passages: ReadonlyArray<Passage>): ReadonlyArray<ReadonlyArray<Passage>> => {
  const found: Array<Array<Passage>> = []
  let left = 0
  for (const passage of [...passages].sort(inOrder)) {
    const last = found.at(-1)
    if (last === undefined || passage.tokens > left) {
      found.push([passage])
      left = pieceTokens - passage.tokens
    } else {
      last.push(passage)
      left -= passage.tokens
    }
  }
  return found
}

export const make = (setting: Setting, { passages }: Library) =>
  Effect.gen(function* () {
    const { value } = yield* askerFor("memorag")
    const corpus = yield* CorpusStore
    const index = yield* VectorIndex
    const model = yield* EmbeddingModel
    const { scope } = setting
    const gists = yield* Effect.forEach(
      piecesOf(yield* passages),
      (piece) => Effect.map(value(gist, { piece }, gistTokens), ({ gist }) => gist),
      { concurrency }
    )
    const memory = gists.join("\n\n")
    return byReader(
      setting,
      ({ question }) =>
        Effect.gen(function* () {
          const recalled = [
            ...(yield* value(clues, { question, memory })).lines,
            ...(yield* value(surrogates, { question, memory })).lines
          ].filter((line) => line.trim().split(/\s+/).length >= fewestWords)
          const queries = yield* model.embed([...new Set([...recalled, question])])
          const scores = new Map<string, number>()
          for (const hits of yield* index.search(scope, "Passage", queries, each))
            for (const { id, score } of hits) scores.set(id, Math.max(score, scores.get(id) ?? 0))
          const found = yield* corpus.passages(
            scope,
            [...scores.keys()].map((id) => PassageId.make(id))
          )
          const ranked = [...found]
            .sort(inOrder)
            .map((passage): Ranked => ({ passage, score: scores.get(passage.id) ?? 0 }))
          return { ranked, answer: null, failure: null }
        }),
      "gists for the trained memory"
    )
  })
