/**
 * A blackboard after Hearsay-II (Erman et al. 1980): a planner, a retriever and a verifier that know nothing of one another write freely to one
 * board; a scheduler calls the one whose trigger holds. It stops on a solution, whoever wrote it, when nobody is triggered, or after 12 calls.
 * The board, its triggers and the scheduler are in `domain/methods/Board.ts`.
 *
 * Ours: Hearsay-II understood speech, by programs; here the sources are one model with a task each, and their ratings are fixed. The retriever
 * searches for the open queries (two of them, three passages each), then writes what it reads. A passage on the board has at most 200 tokens,
 * an entry 300 characters: with 36 passages and 36 entries a prompt stays under 24,000 tokens.
 */
import { Effect } from "effect"
import {
  type Board,
  type Entry,
  empty,
  nextSource,
  openQueries,
  solutionOf,
  written
} from "../../domain/methods/Board.ts"
import { prompts } from "../../domain/prompts/methods/Blackboard.ts"
import { askerFor } from "./Asker.ts"
import type { Library, Ranked, Setting } from "./Method.ts"
import * as Tools from "./Tools.ts"
import { distinct, type Walk } from "./Walk.ts"

export const mostCalls = 12
const perQuery = 3
const mostQueries = 2
const passageTokens = 200

export const make = Effect.fnUntraced(function* (method: string, setting: Setting, library: Library) {
  const asker = yield* askerFor(method)
  const tools = yield* Tools.make(setting, library)

  const walk: Walk = Effect.fnUntraced(function* ({ question, within }) {
    let board: Board = empty
    let found: ReadonlyArray<Ranked> = []
    for (let calls = 0; calls < mostCalls && solutionOf(board) === undefined; calls++) {
      const source = nextSource(board)
      if (source === undefined) break
      const passages: Array<Entry> = []
      if (source === "retriever") {
        const queries = openQueries(board).slice(0, mostQueries)
        const lists = yield* Effect.forEach(queries, (query) => tools.search(query, perQuery, within))
        const fresh = distinct([...found, ...lists.flat()]).slice(found.length)
        found = [...found, ...fresh]
        for (const { passage } of fresh)
          passages.push({ kind: "passage", by: source, text: tools.clip(Tools.written(passage), passageTokens) })
      }
      const { entries } = yield* asker.value(prompts[source], { question, entries: [...board.entries, ...passages] })
      const said = entries.flatMap(({ kind, text }): ReadonlyArray<Entry> => {
        const line = text.trim()
        return line === "" ? [] : [{ kind, by: source, text: line }]
      })
      board = written(board, source, [...passages, ...said])
    }
    const answer = solutionOf(board) ?? null
    return { ranked: found, answer, failure: answer === null ? "no solution on the board" : null }
  })
  return walk
})
