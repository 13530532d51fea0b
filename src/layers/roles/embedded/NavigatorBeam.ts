/** Navigation from the root (C12): step by step down admissible edges, the best `beamWidth` nodes a step, at most `beamDepth` steps. */
import { Effect, type Layer } from "effect"
import type { NodeId } from "../../../domain/Ids.ts"
import { rootId, type TamNode } from "../../../domain/Tam.ts"
import type { Navigator } from "../../../services/Roles.ts"
import { TamStore } from "../../../services/TamStore.ts"
import { make, type Search, type Stores } from "./Navigating.ts"
import { below, fitOf } from "./Traces.ts"

export const search: Effect.Effect<Search, never, TamStore> = Effect.gen(function* () {
  const tam = yield* TamStore
  return {
    explore: Effect.fnUntraced(function* ({ policy, scope }, plan) {
      const suits = fitOf(plan)
      const evidence: Array<TamNode> = []
      const known = new Set<NodeId>([rootId])
      let level: ReadonlyArray<TamNode> = yield* tam.nodes(scope, [rootId])
      for (let step = 0; step < policy.beamDepth && level.length > 0; step++) {
        const next = yield* below(tam, scope, level, known)
        for (const node of next) {
          if (node.type !== "Evidence") continue
          known.add(node.id)
          evidence.push(node)
        }
        const onward = next.filter((node) => node.type !== "Evidence").map((node) => [node, suits(node)] as const)
        onward.sort((a, b) => b[1] - a[1] || (a[0].id < b[0].id ? -1 : 1))
        level = onward.slice(0, policy.beamWidth).map(([node]) => node)
        for (const node of level) known.add(node.id)
      }
      return evidence
    }),
    fallback: () => Effect.succeed([])
  }
})

export const layer: Layer.Layer<Navigator, never, Stores> = make(search)
