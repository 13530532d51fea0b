/** Checks the graph: well-formed, and the one that a fresh build of what the corpus holds would give (C5 to C8). */
import { Effect, Either, Option } from "effect"
import type { NodeId, PassageId, ScopeKey } from "../domain/Ids.ts"
import type { Tam } from "../domain/Tam.ts"
import { type Finding, finding } from "../domain/VerifyReport.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { EmbeddingModel } from "../services/EmbeddingModel.ts"
import { type BuiltTam, TamStore } from "../services/TamStore.ts"
import { fromNothing, type Scratch } from "./tam/Scratch.ts"
import { some } from "./VerifyCorpus.ts"

const pageSize = 1000

const keysOf = (tam: Pick<BuiltTam, "nodes" | "edges" | "regions" | "links">): ReadonlyMap<string, string> =>
  new Map([
    ...tam.nodes.map(({ abstraction, id, type }) => [`node ${id}`, `${type} ${abstraction}`] as const),
    ...tam.edges.map(({ from, to }) => [`edge ${from} to ${to}`, ""] as const),
    ...[...tam.regions].map(([node, region]) => [`region of ${node}`, region.join(" ")] as const),
    ...tam.links.map(({ from, to, weight }) => [`link ${from} to ${to}`, String(weight)] as const)
  ])

/** Notes that are not as a fresh build would leave them: the next build after a change goes on from them. */
const strayNotes = Effect.fnUntraced(function* (scope: ScopeKey, want: Scratch["notes"]) {
  const tam = yield* TamStore
  const found: Array<Finding> = []
  for (const [kind, ofKind] of want) {
    const keys = [...ofKind.keys()]
    for (let at = 0; at < keys.length; at += pageSize) {
      const some = keys.slice(at, at + pageSize)
      const stored = yield* tam.notes(scope, kind, some, Number.MAX_SAFE_INTEGER)
      for (const key of some) {
        const have = stored.get(key) ?? []
        const own = ofKind.get(key) ?? new Map<string, string>()
        if (have.length !== own.size || have.some(([item, value]) => own.get(item) !== value))
          found.push(finding("C8", `${kind} ${key}`, "what is noted of it is not what a fresh build notes", "Graph"))
      }
    }
  }
  return found
})

const linksOf = Effect.fnUntraced(function* (scope: ScopeKey) {
  const corpus = yield* CorpusStore
  const tam = yield* TamStore
  const found: Array<BuiltTam["links"][number]> = []
  for (let after = Option.none<PassageId>(); ; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return found
    const ids = page.map(({ id }) => id)
    found.push(...(yield* tam.links(scope, ids)))
    after = Option.some(last.id)
  }
})

const edgesOf = (tam: Tam) =>
  [...tam.children].flatMap(([from, children]) => children.map((to): { from: NodeId; to: NodeId } => ({ from, to })))

/** C5 to C8: the graph is well-formed, its regions resolve, and it is the one that a fresh build gives. */
export const graph = Effect.fnUntraced(function* (scope: ScopeKey) {
  const model = yield* EmbeddingModel
  const corpus = yield* CorpusStore
  const tam = yield* Effect.either((yield* TamStore).load(scope))
  if (Either.isLeft(tam)) {
    if (tam.left._tag === "StoreError") return yield* tam.left
    return { looked: 0, edges: 0, findings: [finding("C5", tam.left.node, tam.left.message, "Graph")] }
  }
  const nodes = [...tam.right.nodes.values()]
  const edges = edgesOf(tam.right)
  const revision = yield* Effect.option(corpus.revision(scope))
  const found: Array<Finding> = []
  // another model would give other vectors, and so another graph
  if (Option.exists(revision, (last) => last.embedding === model.id && last.dimensions === model.dimensions)) {
    const fresh = yield* fromNothing(scope)
    const want = keysOf(fresh)
    const have = keysOf({ nodes, edges, regions: tam.right.regions, links: yield* linksOf(scope) })
    for (const key of new Set([...want.keys(), ...have.keys()]))
      if (want.get(key) !== have.get(key))
        found.push(finding("C8", key, "it is not as a fresh build of these documents makes it", "Graph"))
    found.push(...(yield* strayNotes(scope, fresh.notes)))
  }
  return { looked: nodes.length, edges: edges.length, findings: some(found) }
})
