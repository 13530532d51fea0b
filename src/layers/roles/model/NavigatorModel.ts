/**
 * π by a model: which of the best completed traces to follow. Off by default, for C12 takes the one with the highest g; the search, A and
 * `within` are those of the Navigator without a model.
 */
import { Effect, Layer, Option } from "effect"
import { RequiredUpdateFailure } from "../../../domain/Errors.ts"
import { NodeId } from "../../../domain/Ids.ts"
import type { Plan } from "../../../domain/Plan.ts"
import { propose } from "../../../domain/Proposal.ts"
import { held } from "../../../domain/prompts/Handles.ts"
import * as NavigatorPrompt from "../../../domain/prompts/NavigatorPrompt.ts"
import { prepare, scorer } from "../../../domain/Relevance.ts"
import { type Path, rootId } from "../../../domain/Tam.ts"
import { CorpusStore } from "../../../services/CorpusStore.ts"
import { Digest } from "../../../services/Digest.ts"
import { LanguageModel } from "../../../services/LanguageModel.ts"
import { Navigator, type Turn } from "../../../services/Roles.ts"
import { TamStore } from "../../../services/TamStore.ts"
import { failing } from "../embedded/Failing.ts"
import type { Stores } from "../embedded/Navigating.ts"
import * as NavigatorBeam from "../embedded/NavigatorBeam.ts"
import * as NavigatorExhaustive from "../embedded/NavigatorExhaustive.ts"
import * as NavigatorIndexed from "../embedded/NavigatorIndexed.ts"
import { complete, inside } from "../embedded/Traces.ts"
import { asking, boundsOf, type Options } from "./Asking.ts"

/** Traces that the model chooses from. */
const offered = 6

export const layer = (
  options: Options = {}
): Layer.Layer<Navigator, never, Stores | NavigatorIndexed.Indexes | LanguageModel | Digest> =>
  Layer.effect(
    Navigator,
    Effect.gen(function* () {
      const tam = yield* TamStore
      const corpus = yield* CorpusStore
      const model = yield* LanguageModel
      const digest = yield* Digest
      const searches = {
        indexed: yield* NavigatorIndexed.search,
        beam: yield* NavigatorBeam.search,
        exhaustive: yield* NavigatorExhaustive.search
      }
      const prompt = NavigatorPrompt.make(boundsOf(options))

      /** The completed traces with the highest g, best first, one an Evidence node. */
      const best = Effect.fnUntraced(function* (turn: Turn<"Navigator">, plan: Plan) {
        const { explore, fallback } = searches[turn.policy.navigator]
        const allowed = Effect.flatMap((nodes: Effect.Effect.Success<ReturnType<typeof explore>>) =>
          inside(tam, corpus, turn.scope, turn.within, nodes)
        )
        let nodes = yield* allowed(explore(turn, plan))
        if (nodes.length === 0) nodes = yield* allowed(fallback(turn, plan))
        const score = scorer(plan)
        const ranked = nodes
          .filter((node) => node.type === "Evidence")
          .map(({ abstraction, id }) => ({ id, score: score(prepare(abstraction)) }))
          .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        const paths: Array<Path> = []
        for (const { id } of ranked) {
          if (paths.length === offered) break
          const trace = yield* complete(tam, turn.scope, plan, [id])
          if (Option.isSome(trace)) paths.push(trace.value.path)
        }
        return paths
      })

      const navigate = Effect.fnUntraced(function* (turn: Turn<"Navigator">) {
        const { plan } = turn.state
        if (Option.isNone(plan)) return yield* new RequiredUpdateFailure({ reason: "there is no plan to follow" })
        const paths = yield* failing("Navigator")(best(turn, plan.value))
        const [only] = paths
        if (only === undefined)
          return yield* new RequiredUpdateFailure({ reason: "no admissible path leads to what answers to the plan" })
        if (paths.length === 1) return propose("path", only)
        const nodes = new Map(
          (yield* failing("Navigator")(tam.nodes(turn.scope, [...new Set(paths.flat())].sort()))).map((node) => [
            node.id,
            node.abstraction
          ])
        )
        const traces = paths.map((path) => path.slice(1).map((node) => nodes.get(node) ?? ""))
        const input = { question: turn.question, objective: plan.value.objective, traces }
        return yield* asking("Navigator", turn, { model, digest, options }, prompt, input, ({ trace }) => {
          const path = held("trace", paths, trace) ?? ([rootId, NodeId.make(trace.trim() || "(unnamed)")] as const)
          return Effect.succeed({ proposal: propose("path", path) })
        })
      })
      return { propose: navigate }
    })
  )
