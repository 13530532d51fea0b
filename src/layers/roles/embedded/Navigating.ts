/** The Navigator around a search: A first, then `within`, then g, then the whole trace (C12). */
import { Effect, Layer, Option } from "effect"
import { RequiredUpdateFailure } from "../../../domain/Errors.ts"
import type { Plan } from "../../../domain/Plan.ts"
import { propose } from "../../../domain/Proposal.ts"
import { scorer } from "../../../domain/Relevance.ts"
import type { TamNode } from "../../../domain/Tam.ts"
import { CorpusStore } from "../../../services/CorpusStore.ts"
import type { EmbeddingError } from "../../../services/EmbeddingModel.ts"
import { Navigator, type Turn } from "../../../services/Roles.ts"
import { Scoring } from "../../../services/Scoring.ts"
import type { StoreError } from "../../../services/StoreError.ts"
import { TamStore } from "../../../services/TamStore.ts"
import { failing } from "./Failing.ts"
import { prepared } from "./Prepared.ts"
import { best, inside } from "./Traces.ts"

export type Stores = TamStore | CorpusStore

type Found = Effect.Effect<ReadonlyArray<TamNode>, StoreError | EmbeddingError>

/** A way to find Evidence nodes by admissible steps. */
export interface Search {
  readonly explore: (turn: Turn<"Navigator">, plan: Plan) => Found
  /** Where nothing that `explore` found may be used: other Evidence nodes to try. */
  readonly fallback: (turn: Turn<"Navigator">, plan: Plan) => Found
}

/** The proposal of a Navigator that looks where `search` looks. */
export const navigate = (tam: typeof TamStore.Service, corpus: typeof CorpusStore.Service) =>
  Effect.fnUntraced(function* (search: Search, turn: Turn<"Navigator">) {
    const { scope, state, within } = turn
    if (Option.isNone(state.plan)) return yield* new RequiredUpdateFailure({ reason: "there is no plan to follow" })
    const plan = state.plan.value
    const allowed = (nodes: ReadonlyArray<TamNode>) => failing("Navigator")(inside(tam, corpus, scope, within, nodes))
    let nodes = yield* allowed(yield* failing("Navigator")(search.explore(turn, plan)))
    if (nodes.length === 0) nodes = yield* allowed(yield* failing("Navigator")(search.fallback(turn, plan)))
    const score = scorer(plan)
    const candidates = nodes
      .filter((node) => node.type === "Evidence")
      .map((node) => ({ node: node.id, score: score(prepared(node.abstraction)) }))
    ;(yield* Scoring).scored(candidates.length)
    const trace = yield* failing("Navigator")(best(tam, scope, plan, candidates))
    if (Option.isNone(trace)) {
      return yield* new RequiredUpdateFailure({
        reason:
          candidates.length === 0
            ? "nothing in the graph answers to the plan's queries"
            : "no admissible path leads to what was found"
      })
    }
    return propose("path", trace.value.path)
  })

/** A Navigator that always searches in one way. */
export const make = <R>(search: Effect.Effect<Search, never, R>): Layer.Layer<Navigator, never, Stores | R> =>
  Layer.effect(
    Navigator,
    Effect.gen(function* () {
      const propose = navigate(yield* TamStore, yield* CorpusStore)
      const how = yield* search
      return { propose: (turn) => propose(how, turn) }
    })
  )
