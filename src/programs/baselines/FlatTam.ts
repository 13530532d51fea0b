/**
 * StateRAG without TAM: a flat search in the place of the typed walk, and neither links in E⁰ nor ρ. Everything else is the product's own:
 * Planner, Verifier, Retriever, contract, budgets, reader.
 *
 *     Root ─▶ one Topic ─▶ one Relation ─▶ every passage's Evidence node          R = what the flat search of this cycle's plan ranks first
 *
 * The search takes the passages that words and vectors find for each hypothesis of the plan, and ranks them by g over their text without the titles
 * that they link to; R is as wide as ρ. E⁰ is ranked without its part from links, and the plan's frontier holds no name that a link has
 * brought. Deviation: the Planner's best scores and the Retriever's g still read a(v), in which those titles stand.
 */
import { Effect, Layer, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import { entityKey } from "../../domain/Entities.ts"
import { RequiredUpdateFailure, RoleFailed } from "../../domain/Errors.ts"
import { fingerprint } from "../../domain/Fingerprint.ts"
import { NodeId, PassageId } from "../../domain/Ids.ts"
import type { Plan } from "../../domain/Plan.ts"
import { propose } from "../../domain/Proposal.ts"
import { prepare, type Scored, scorer } from "../../domain/Relevance.ts"
import { edgeKey, type NodeType, rootId, type TamNode } from "../../domain/Tam.ts"
import { evidenceAbstraction, evidenceId } from "../../domain/tam/Graph.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"
import { LexicalIndex } from "../../services/LexicalIndex.ts"
import { Initializer, Navigator, Planner, type Turn } from "../../services/Roles.ts"
import { TamStore } from "../../services/TamStore.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { allowed } from "../Lookups.ts"

const topic = NodeId.make("flat-topic")
const relation = NodeId.make("flat-relation")
const trunk = [rootId, topic, relation] as const
const trunkTypes: ReadonlyMap<NodeId, NodeType> = new Map([
  [rootId, "Root"],
  [topic, "Topic"],
  [relation, "Relation"]
])

/** What E⁰ is ranked from before its links are taken away. */
const width = 200
/** Passages by words, and as many by vector, for each hypothesis. */
const perHypothesis = 50
const mostTerms = 64

/** The first retrieval without what links add. */
const initializer = Layer.effect(
  Initializer,
  Effect.map(Initializer, ({ rank }) => ({
    rank: (inquiry, limit) =>
      Effect.map(rank(inquiry, Math.max(width, limit)), (ranked) =>
        ranked
          .map(({ parts: { dense, lexical }, passage }) => ({
            passage,
            score: lexical + dense,
            parts: { lexical, dense, links: 0 }
          }))
          .filter(({ score }) => score > 0)
          .sort((x, y) => y.score - x.score || (x.passage.id < y.passage.id ? -1 : 1))
          .slice(0, limit)
      )
  }))
)

/** Without the names that links have brought: those of the question stay. */
const unlinked = (plan: Plan): Plan => {
  const own = new Set([...plan.entities, ...plan.slots.map(({ name }) => name)].map(entityKey))
  return { ...plan, frontier: plan.frontier.filter(({ name }) => own.has(entityKey(name))) }
}

const planner = Layer.effect(
  Planner,
  Effect.map(Planner, (base) => ({
    propose: (turn) => Effect.map(base.propose(turn), ({ value }) => propose("plan", unlinked(value)))
  }))
)

/** The text without what it links to; by its fingerprint the plan knows it as a(v). */
const plainly = (passage: Passage, node: TamNode | undefined): Scored => {
  const text = prepare(evidenceAbstraction(passage, []))
  return node === undefined ? text : { ...text, fingerprint: fingerprint(node.abstraction) }
}

/** The graph of one level and the Navigator on it, for one question: what was ranked last is what the next path opens. */
const walk = Layer.unwrapEffect(
  Effect.gen(function* () {
    const tam = yield* TamStore
    const corpus = yield* CorpusStore
    const lexical = yield* LexicalIndex
    const vectors = yield* VectorIndex
    const embedding = yield* EmbeddingModel
    const regions = new Map<NodeId, ReadonlyArray<PassageId>>()

    const ranked = Effect.fnUntraced(function* ({ policy, scope, within }: Turn<"Navigator">, plan: Plan) {
      const found = new Set<PassageId>()
      for (const { terms } of plan.hypotheses) {
        const words = [...terms].sort((x, y) => y.weight - x.weight || (x.term < y.term ? -1 : 1))
        const wanted = words.slice(0, mostTerms).map(({ term }) => term)
        for (const { id } of yield* lexical.search(scope, "Passage", wanted, perHypothesis, within))
          found.add(PassageId.make(id))
      }
      const queries = plan.hypotheses.map(({ query }) => query).filter((query) => query.trim() !== "")
      const embedded = queries.length === 0 ? [] : yield* embedding.embed(queries)
      for (const hits of yield* vectors.search(scope, "Passage", embedded, perHypothesis))
        for (const { id } of hits) found.add(PassageId.make(id))
      const passages = allowed(yield* corpus.passages(scope, [...found].sort()), within)
      const nodes = yield* tam.nodes(
        scope,
        passages.map(({ id }) => evidenceId(id))
      )
      const byId = new Map(nodes.map((node) => [node.id, node]))
      const score = scorer(plan)
      return passages
        .map((passage) => ({ id: passage.id, score: score(plainly(passage, byId.get(evidenceId(passage.id)))) }))
        .sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1))
        .slice(0, policy.regionWidth + 1)
        .map(({ id }) => id)
    })

    const navigate = Effect.fnUntraced(function* (turn: Turn<"Navigator">) {
      if (Option.isNone(turn.state.plan)) return yield* new RequiredUpdateFailure({ reason: "there is no plan" })
      const region = yield* ranked(turn, turn.state.plan.value)
      const [first] = region
      if (first === undefined) return yield* new RequiredUpdateFailure({ reason: "no passage answers to the plan" })
      const last = evidenceId(first)
      regions.set(last, region)
      return propose("path", [...trunk, last])
    })

    return Layer.merge(
      Layer.succeed(Navigator, {
        propose: (turn) =>
          Effect.mapError(navigate(turn), (error) =>
            error._tag === "RequiredUpdateFailure"
              ? error
              : new RoleFailed({ role: "Navigator", reason: "Failed", detail: error.message })
          )
      }),
      Layer.succeed(TamStore, {
        ...tam,
        region: (_, node) => Effect.succeed(regions.get(node) ?? []),
        links: () => Effect.succeed([]),
        ground: (scope, path) =>
          Effect.map(tam.ground(scope, path), ({ types }) => {
            const known = new Map([...types, ...trunkTypes])
            const hangs = [...types].flatMap(([node, type]) => (type === "Evidence" ? [edgeKey(relation, node)] : []))
            return {
              root: rootId,
              types: known,
              edges: new Set([edgeKey(rootId, topic), edgeKey(topic, relation), ...hangs])
            }
          })
      })
    )
  })
)

/** Provided to one question. */
export const layer = Layer.mergeAll(initializer, planner, walk)
