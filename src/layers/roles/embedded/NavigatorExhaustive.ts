/** Every Evidence node is scored (C12): the oracle of the other two, and good enough for small corpora. */
import { Effect, type Layer } from "effect"
import type { TamNode } from "../../../domain/Tam.ts"
import type { Navigator } from "../../../services/Roles.ts"
import { TamStore } from "../../../services/TamStore.ts"
import { make, type Search, type Stores } from "./Navigating.ts"

const page = 1000

export const search: Effect.Effect<Search, never, TamStore> = Effect.gen(function* () {
  const tam = yield* TamStore
  return {
    explore: Effect.fnUntraced(function* ({ scope }) {
      const evidence: Array<TamNode> = []
      let after = ""
      for (;;) {
        const nodes = yield* tam.page(scope, "Evidence", after, page)
        evidence.push(...nodes)
        const last = nodes[nodes.length - 1]
        if (last === undefined || nodes.length < page) return evidence
        after = last.id
      }
    }),
    fallback: () => Effect.succeed([])
  }
})

export const layer: Layer.Layer<Navigator, never, Stores> = make(search)
