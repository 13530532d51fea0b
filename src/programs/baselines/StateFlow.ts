/**
 * StateFlow (Wu et al. 2024, arXiv 2403.11322): a finite-state controller over the common tools; a prompt a state, heuristic transitions, one
 * shared free-form context that nobody checks. The machine is in `domain/methods/StateFlow.ts`.
 *
 * At most 12 states are entered, one call each; at that limit the last answer given stands, if there is one. The published machines are for
 * SQL, shells and household tasks; this one has their states (Init, Observe, Solve, Verify, Error, End) for questions over a corpus. 150 tokens
 * a state, 600 an observation, so a prompt stays under 12 × 750.
 */
import { Effect } from "effect"
import type { Question } from "../../domain/Dataset.ts"
import { answerOf, next, type Order, orderOf, type State } from "../../domain/methods/StateFlow.ts"
import { prompts } from "../../domain/prompts/methods/StateFlow.ts"
import { askerFor } from "./Asker.ts"
import type { Library, Ranked, Setting } from "./Method.ts"
import * as Tools from "./Tools.ts"
import { distinct, type Walk } from "./Walk.ts"

export const mostStates = 12
const perSearch = 3
const stateTokens = 150
const observationTokens = 600
const passageTokens = observationTokens / perSearch

export const make = Effect.fnUntraced(function* (method: string, setting: Setting, library: Library) {
  const asker = yield* askerFor(method)
  const tools = yield* Tools.make(setting, library)

  const carriedOut = ({ argument, tool }: Order, within: Question["within"]) => {
    switch (tool) {
      case "search":
        return tools.search(argument, perSearch, within)
      case "keyword":
        return Effect.succeed(tools.keywords(argument.split(/\s*[,;]\s*/u), perSearch, within))
      case "page":
        return Effect.succeed(
          tools
            .page(argument, within)
            .slice(0, perSearch)
            .map((passage) => ({ passage, score: 1 }))
        )
    }
  }

  const walk: Walk = Effect.fnUntraced(function* ({ question, within }) {
    const context: Array<string> = []
    const found: Array<Ranked> = []
    let answer: string | null = null
    let state: State = "Observe"
    for (let entered = 0; state !== "End" && entered < mostStates; entered++) {
      const said = (yield* asker.text(prompts[state], { question, context }, stateTokens)).trim()
      if (said !== "") context.push(`${state}: ${tools.clip(said, stateTokens)}`)
      const isLooking = state === "Observe" || state === "Error"
      const order = isLooking ? orderOf(said) : undefined
      const hits: ReadonlyArray<Ranked> = order === undefined ? [] : yield* carriedOut(order, within)
      found.push(...hits)
      if (hits.length > 0)
        context.push(hits.map(({ passage }) => tools.clip(Tools.written(passage), passageTokens)).join("\n\n"))
      else if (isLooking) context.push(order === undefined ? "No order could be read." : "Nothing was found.")
      if (state === "Solve") answer = answerOf(said) ?? answer
      state = next(state, { said, order, found: hits.length > 0 })
    }
    const failure = answer === null ? `no answer within ${mostStates} states` : null
    return { ranked: distinct(found), answer, failure }
  })
  return walk
})
