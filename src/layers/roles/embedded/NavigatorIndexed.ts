/**
 * Navigation by way of the indexes (C12): for each query of the plan a few Relations by words and as many by vector, then down admissible edges to
 * Evidence nodes, and the trace of the best of them back up to the root.
 */
import { Effect, type Layer } from "effect"
import { type DocumentId, NodeId, PassageId, type ScopeKey } from "../../../domain/Ids.ts"
import type { Plan } from "../../../domain/Plan.ts"
import type { TamNode } from "../../../domain/Tam.ts"
import { contentTerms } from "../../../domain/Words.ts"
import { EmbeddingModel } from "../../../services/EmbeddingModel.ts"
import { LexicalIndex } from "../../../services/LexicalIndex.ts"
import type { Navigator } from "../../../services/Roles.ts"
import { TamStore } from "../../../services/TamStore.ts"
import { VectorIndex } from "../../../services/VectorIndex.ts"
import { make, type Search, type Stores } from "./Navigating.ts"
import { below, fitOf } from "./Traces.ts"
import { sought } from "./Weights.ts"

/** Names of the frontier that are entries, the weightiest, and Relations entered for each. */
const mostNames = 3
const perName = 2

export type Indexes = LexicalIndex | VectorIndex | EmbeddingModel

/** The search itself: Evidence nodes that the plan's queries lead to. */
export const search: Effect.Effect<Search, never, TamStore | Indexes> = Effect.gen(function* () {
  const tam = yield* TamStore
  const lexical = yield* LexicalIndex
  const vectors = yield* VectorIndex
  const embedding = yield* EmbeddingModel

  const entries = Effect.fnUntraced(function* (scope: ScopeKey, plan: Plan, width: number) {
    const found = new Set<string>()
    for (const hypothesis of plan.hypotheses) {
      const words = sought(hypothesis)
      if (words.length === 0) continue
      for (const { id } of yield* lexical.search(scope, "Relation", words, width)) found.add(id)
    }
    // the plan's frontier is a query too: the Relations of the names that it looks out for most
    for (const { name } of plan.frontier.slice(0, mostNames)) {
      for (const { id } of yield* lexical.search(scope, "Relation", contentTerms(name), perName)) found.add(id)
    }
    const queries = plan.hypotheses.map(({ query }) => query).filter((query) => query.trim() !== "")
    if (queries.length > 0) {
      const embedded = yield* embedding.embed(queries)
      for (const hits of yield* vectors.search(scope, "Relation", embedded, width))
        for (const { id } of hits) found.add(id)
    }
    const nodes = yield* tam.nodes(
      scope,
      [...found].sort().map((id) => NodeId.make(id))
    )
    return nodes.filter((node) => node.type === "Relation")
  })

  /** Where only some documents are asked about and no entry leads into them: the Evidence nodes of their own best passages. */
  const direct = Effect.fnUntraced(function* (
    scope: ScopeKey,
    plan: Plan,
    width: number,
    within: ReadonlyArray<DocumentId>
  ) {
    const found = new Set<PassageId>()
    for (const hypothesis of plan.hypotheses) {
      const words = sought(hypothesis)
      if (words.length === 0) continue
      for (const { id } of yield* lexical.search(scope, "Passage", words, width, within)) found.add(PassageId.make(id))
    }
    if (found.size === 0) return []
    const nodes = yield* tam.evidenceOf(scope, [...found].sort())
    return yield* tam.nodes(scope, [...new Set(nodes.values())].sort())
  })

  return {
    explore: Effect.fnUntraced(function* ({ policy, scope }, plan) {
      const width = policy.entryRelations
      const suits = fitOf(plan)
      const evidence: Array<TamNode> = []
      const known = new Set<NodeId>()
      let level: ReadonlyArray<TamNode> = yield* entries(scope, plan, width)
      for (const node of level) known.add(node.id)
      while (level.length > 0) {
        const next = yield* below(tam, scope, level, known)
        for (const node of next) known.add(node.id)
        for (const node of next) if (node.type === "Evidence") evidence.push(node)
        const onward = next.filter((node) => node.type === "Relation").map((node) => [node, suits(node)] as const)
        onward.sort((a, b) => b[1] - a[1] || (a[0].id < b[0].id ? -1 : 1))
        level = onward.slice(0, 2 * width).map(([node]) => node)
      }
      return evidence
    }),
    fallback: ({ policy, scope, within }, plan) =>
      within === undefined ? Effect.succeed([]) : direct(scope, plan, policy.entryRelations, within)
  }
})

export const layer: Layer.Layer<Navigator, never, Stores | Indexes> = make(search)
