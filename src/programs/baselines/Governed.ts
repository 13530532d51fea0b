/** StateRAG itself, as an evaluation asks it: the whole contract under the given policy, shared memory empty for every question. */
import { Effect, Option } from "effect"
import { type NavigationDetail, shortAnswer } from "../../domain/EvalResult.ts"
import type { NodeId } from "../../domain/Ids.ts"
import { g } from "../../domain/Relevance.ts"
import { answerOf } from "../../domain/Report.ts"
import type { RunView } from "../../domain/Run.ts"
import { type ModelCall, metered, noUsage, type Usage } from "../../domain/Usage.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { Navigator } from "../../services/Roles.ts"
import { Scoring } from "../../services/Scoring.ts"
import { TamStore } from "../../services/TamStore.ts"
import * as Controller from "../Controller.ts"
import { openRegion } from "../Lookups.ts"
import { incomplete, type Method, type Outcome, type Setting } from "./Method.ts"
import { inIsolation } from "./OneQuestion.ts"

/** A Navigator that is compared, turn by turn, with the one that scores every Evidence node. */
const watched = (into: Array<NavigationDetail>) =>
  Effect.gen(function* () {
    const navigator = yield* Navigator
    const tam = yield* TamStore
    return Navigator.of({
      propose: (turn) =>
        Effect.gen(function* () {
          let scored = 0
          let total = 0
          const proposal = yield* Effect.provideService(navigator.propose(turn), Scoring, {
            scored: (nodes) => {
              scored += nodes
            }
          })
          const best = yield* Effect.provideService(
            navigator.propose({ ...turn, policy: { ...turn.policy, navigator: "exhaustive" } }),
            Scoring,
            {
              scored: (nodes) => {
                total += nodes
              }
            }
          )
          const gOf = (path: ReadonlyArray<NodeId>) =>
            Effect.match(tam.nodes(turn.scope, path.slice(-1)), {
              onFailure: () => Number.NaN,
              onSuccess: ([last]) =>
                last === undefined || Option.isNone(turn.state.plan)
                  ? Number.NaN
                  : g(turn.question, turn.state.plan.value, last.abstraction)
            })
          const [here, there] = [yield* gOf(proposal.value), yield* gOf(best.value)]
          into.push({ agrees: here >= there, scored, total })
          return proposal
        })
    })
  })

/** The documents of a run's terminal evidence, in the order of `ask --json`, and what it says. */
const foundOf = (view: RunView, billed: Usage): Outcome["found"] => {
  const { answer, citations, evidence, outcome, reason, usage } = answerOf(view)
  return {
    evidence: evidence.map(({ document, end, start }) => ({ document, start, end })),
    documents: evidence.map(({ document }) => document),
    answer,
    short: shortAnswer({ text: answer, citations }),
    cited: citations.map(({ document }) => document),
    outcome,
    reason: reason?.message ?? null,
    // what roles metered themselves: the evaluation has the rest
    calls: usage.calls - billed.calls,
    readerEquivalentTokens: usage.readerEquivalentTokens - billed.readerEquivalentTokens
  }
}

/** Asks with the roles that are in the context. */
export const ask = (setting: Setting) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    const tam = yield* TamStore
    const { policy, scope } = setting

    const answer: Method<Controller.Services>["answer"] = ({ question, within }) => {
      let billed = noUsage
      const bill = (call: ModelCall) => {
        billed = metered(billed, call)
      }
      return Effect.gen(function* () {
        const navigation: Array<NavigationDetail> = []
        const controller = yield* setting.navigation
          ? Effect.provideServiceEffect(Controller.make, Navigator, watched(navigation))
          : Controller.make
        const view = yield* controller.run({ question, scope, policy, within })
        const inquiry = { run: view.run, question, scope, policy, revision: view.corpusRevision, within }
        const detail = Effect.gen(function* () {
          const cycles = yield* Effect.forEach(view.cycles, ({ evidence, path, verification }) =>
            Effect.map(openRegion(corpus, tam, inquiry, path, view.initial), (region) => ({
              verdict: verification.verdict === "Pass" ? ("Pass" as const) : ("Fail" as const),
              region: region.map(({ document }) => document),
              evidence: evidence.map(({ document }) => document)
            }))
          )
          return { cycles, initial: view.initial.map(({ document }) => document), navigation }
        })
        return { found: foundOf(view, billed), detail }
      }).pipe(
        (run) => inIsolation(run, bill),
        Effect.catchTag("Incomplete", ({ cause, stage }) =>
          Effect.succeed(incomplete(`${stage}: ${cause.message}`, "fault" in cause ? cause.fault : undefined))
        )
      )
    }
    return answer
  })
