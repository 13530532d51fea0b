/** What the controller looks up in the corpus so that a proposal can be judged, and the region that a committed path opens. */
import { Effect } from "effect"
import type { Passage } from "../domain/Corpus.ts"
import type { Evidence } from "../domain/Evidence.ts"
import type { NodeId, PassageId } from "../domain/Ids.ts"
import type { Plan } from "../domain/Plan.ts"
import type { Grounds } from "../domain/Rules.ts"
import type { Path } from "../domain/Tam.ts"
import { type Terminal, terminalEvidence } from "../domain/TerminalEvidence.ts"
import type { CorpusStore } from "../services/CorpusStore.ts"
import type { Inquiry } from "../services/Roles.ts"
import type { StoreError } from "../services/StoreError.ts"
import type { TamStore } from "../services/TamStore.ts"
import type { TokenCounter } from "../services/TokenCounter.ts"

const nothing: ReadonlyMap<string, string> = new Map()

/** The corpus' own words at the spans that a plan names. */
export const planGround = (
  corpus: typeof CorpusStore.Service,
  inquiry: Inquiry,
  plan: Plan,
  visited: ReadonlyArray<NodeId>
): Effect.Effect<Grounds["plan"], StoreError> =>
  plan.known.length === 0
    ? Effect.succeed({ quoted: nothing, visited })
    : Effect.map(
        corpus.slices(
          inquiry.scope,
          plan.known.map((binding) => binding.span)
        ),
        (quoted) => ({ quoted, visited })
      )

/**
 * R = ρ(last π) (C13): the node's own passage and its `regionWidth` nearest neighbours, of these documents only where the inquiry says so.
 * With the extension `regionIncludesInitial`, the regions of E⁰ as well.
 */
export const openRegion = Effect.fnUntraced(function* (
  corpus: typeof CorpusStore.Service,
  tam: typeof TamStore.Service,
  inquiry: Inquiry,
  path: Path,
  initial: Evidence
) {
  const { policy, scope, within } = inquiry
  const width = policy.regionWidth + 1
  const ids = new Set<PassageId>((yield* tam.region(scope, path[path.length - 1] ?? path[0])).slice(0, width))
  if (policy.regionIncludesInitial) {
    const nodes = yield* tam.evidenceOf(
      scope,
      initial.map((item) => item.passage)
    )
    for (const node of nodes.values()) for (const id of (yield* tam.region(scope, node)).slice(0, width)) ids.add(id)
  }
  return allowed(yield* corpus.passages(scope, [...ids]), within)
})

/** The passages of the inquiry's documents, frozen: whoever is handed them is judged by them. */
export const allowed = (passages: ReadonlyArray<Passage>, within: Inquiry["within"]): ReadonlyArray<Passage> => {
  const documents = within && new Set(within)
  const kept: Array<Passage> = []
  for (const passage of passages)
    if (documents === undefined || documents.has(passage.document)) kept.push(Object.freeze(passage))
  return Object.freeze(kept)
}

/**
 * E* by equation (7). Indexing has counted the tokens of whole passages; the vocabulary, which is slow to load, is wanted only where a
 * merge meets another text.
 */
export const selectEvidence = Effect.fnUntraced(function* (
  corpus: typeof CorpusStore.Service,
  tokenCounter: typeof TokenCounter.Service,
  inquiry: Inquiry,
  terminal: Terminal
) {
  const { policy, scope } = inquiry
  const counts = new Map<string, number>()
  if (terminal.branch === "Fallback") {
    const ids = new Set<PassageId>()
    for (const evidence of terminal.cycles) for (const item of evidence) ids.add(item.passage)
    for (const { text, tokens } of yield* corpus.passages(scope, [...ids])) counts.set(text, tokens)
  }
  let unknown = 0
  const selected = terminalEvidence(terminal, policy, (text) => {
    const known = counts.get(text)
    if (known === undefined) unknown++
    return known ?? 0
  })
  if (unknown === 0) return selected
  const count = yield* tokenCounter.counter
  return terminalEvidence(terminal, policy, (text) => counts.get(text) ?? count(text))
})

/** The region by passage, as the rules of evidence want it. */
export const evidenceGround = (region: ReadonlyArray<Passage>, cycle: number): Grounds["evidence"] => ({
  region: new Map(region.map((passage) => [passage.id, passage])),
  cycle
})
