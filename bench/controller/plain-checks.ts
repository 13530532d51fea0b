/**
 * Every check of `src/domain/Rules.ts` and of the four schemas, written out by hand: shape with excess properties refused and a frozen copy
 * made, then the rules of the field. A shape that does not fit gives undefined, a rule that objects gives its words.
 */
import type { Citation, Reading } from "../../src/domain/Answer.ts"
import type { Passage } from "../../src/domain/Corpus.ts"
import type { Evidence, EvidenceItem } from "../../src/domain/Evidence.ts"
import type { DocumentId, NodeId, PassageId, SlotName } from "../../src/domain/Ids.ts"
import type {
  Binding,
  Frontier,
  Hypothesis,
  Plan,
  QuestionType,
  Slot,
  Visit,
  WeightedTerm
} from "../../src/domain/Plan.ts"
import type { NodeType, Path, TamNode } from "../../src/domain/Tam.ts"
import type { Verdict, Verification } from "../../src/domain/Verification.ts"

type Loose = { readonly [name: string]: unknown }

const record = (input: unknown, size: number): input is Loose =>
  typeof input === "object" && input !== null && !Array.isArray(input) && Object.keys(input).length === size
const text = (input: unknown, least: number, most: number): input is string =>
  typeof input === "string" && input.length >= least && input.length <= most
const passageId = (input: unknown): input is PassageId => text(input, 1, 1024)
const nodeId = (input: unknown): input is NodeId => text(input, 1, 1024)
const documentId = (input: unknown): input is DocumentId => text(input, 1, 1024)
const slotName = (input: unknown): input is SlotName => text(input, 1, 200)
const name = (input: unknown): input is string => text(input, 1, 300)
const mark = (input: unknown): input is string => text(input, 0, 32)
const weight = (input: unknown): input is number => typeof input === "number" && Number.isFinite(input) && input >= 0
const offset = (input: unknown): input is number =>
  typeof input === "number" && Number.isSafeInteger(input) && input >= 0

const list = <A>(input: unknown, most: number, one: (item: unknown) => A | undefined): ReadonlyArray<A> | undefined => {
  if (!Array.isArray(input) || input.length > most) return undefined
  const copy: Array<A> = []
  for (let i = 0; i < input.length; i++) {
    const value = one(input[i])
    if (value === undefined) return undefined
    copy.push(value)
  }
  return Object.freeze(copy)
}
const only =
  <A>(is: (input: unknown) => input is A) =>
  (input: unknown): A | undefined =>
    is(input) ? input : undefined
const slotNameOf = only(slotName)
const nameOf = only(name)
const markOf = only(mark)
const nodeIdOf = only(nodeId)

const valueOf = (proposal: unknown, field: string): unknown =>
  record(proposal, 2) && proposal.field === field ? proposal.value : undefined

// ---- plan

const types: ReadonlySet<unknown> = new Set<QuestionType>([
  "Boolean",
  "Comparison",
  "Person",
  "Place",
  "Date",
  "Quantity",
  "Definition",
  "Procedure",
  "Entity",
  "Generic"
])
const questionType = (input: unknown): input is QuestionType => types.has(input)

const slotOf = (input: unknown): Slot | undefined =>
  record(input, 2) && slotName(input.name) && text(input.description, 0, 4096)
    ? Object.freeze({ name: input.name, description: input.description })
    : undefined
const termOf = (input: unknown): WeightedTerm | undefined =>
  record(input, 2) && name(input.term) && weight(input.weight)
    ? Object.freeze({ term: input.term, weight: input.weight })
    : undefined
const hypothesisOf = (input: unknown): Hypothesis | undefined => {
  if (!record(input, 5)) return undefined
  const { best, from, query, weight: share } = input
  if ((from !== null && !passageId(from)) || !weight(share) || !text(query, 0, 4096) || !weight(best)) return undefined
  const terms = list(input.terms, 64, termOf)
  return terms === undefined ? undefined : Object.freeze({ from, weight: share, query, terms, best })
}
const bindingOf = (input: unknown): Binding | undefined => {
  if (!record(input, 3)) return undefined
  const { slot, span, text: said } = input
  if (!slotName(slot) || !text(said, 0, 4096) || !record(span, 3)) return undefined
  const { document, end, start } = span
  if (!documentId(document) || !offset(start) || !offset(end)) return undefined
  return Object.freeze({ slot, span: Object.freeze({ document, start, end }), text: said })
}
const frontierOf = (input: unknown): Frontier | undefined =>
  record(input, 2) && name(input.name) && weight(input.weight)
    ? Object.freeze({ name: input.name, weight: input.weight })
    : undefined
const visitOf = (input: unknown): Visit | undefined =>
  record(input, 2) && nodeId(input.node) && mark(input.abstraction)
    ? Object.freeze({ node: input.node, abstraction: input.abstraction })
    : undefined

/** The plan that a proposal holds, copied and frozen. */
export const planOf = (proposal: unknown): Plan | undefined => {
  const input = valueOf(proposal, "plan")
  if (!record(input, 10)) return undefined
  const { objective, type } = input
  if (!questionType(type) || !text(objective, 1, 4096)) return undefined
  const entities = list(input.entities, 32, nameOf)
  const slots = list(input.slots, 32, slotOf)
  const hypotheses = list(input.hypotheses, 16, hypothesisOf)
  const known = list(input.known, 32, bindingOf)
  const missing = list(input.missing, 32, slotNameOf)
  const frontier = list(input.frontier, 64, frontierOf)
  const held = list(input.held, 64, markOf)
  const visited = list(input.visited, 64, visitOf)
  return entities === undefined ||
    slots === undefined ||
    hypotheses === undefined ||
    known === undefined ||
    missing === undefined ||
    frontier === undefined ||
    held === undefined ||
    visited === undefined
    ? undefined
    : Object.freeze({ type, entities, slots, objective, hypotheses, known, missing, frontier, held, visited })
}

/** SlotsAreDistinct, MissingAreSlots, KnownAreSlots, KnownIsVerbatim, VisitedIsTrue. */
export const refusePlan = (
  plan: Plan,
  corpus: ReadonlyMap<string, string>,
  ends: ReadonlyArray<NodeId>
): string | undefined => {
  const names = new Set<string>()
  for (const slot of plan.slots) {
    if (names.has(slot.name)) return `slot ${slot.name} stands twice`
    names.add(slot.name)
  }
  for (const missing of plan.missing) if (!names.has(missing)) return `${missing} is no slot`
  for (const { slot } of plan.known)
    if (!names.has(slot) || plan.missing.includes(slot)) return `${slot} is no slot, or missing`
  for (const { slot, span, text: said } of plan.known)
    if (said === "" || corpus.get(`${span.start}-${span.end}@${span.document}`) !== said)
      return `${slot} is not verbatim`
  if (plan.visited.length !== ends.length) return "a visit was forgotten or made up"
  for (let i = 0; i < ends.length; i++) if (plan.visited[i]?.node !== ends[i]) return "a visit is untrue"
  return undefined
}

// ---- path

const admissible: { readonly [From in NodeType]: ReadonlyArray<NodeType> } = {
  Root: ["Topic"],
  Topic: ["Topic", "Relation"],
  Relation: ["Relation", "Evidence"],
  Evidence: []
}

/** The path that a proposal holds, copied and frozen. */
export const pathOf = (proposal: unknown): Path | undefined => {
  const nodes = list(valueOf(proposal, "path"), 64, nodeIdOf)
  const [head, ...rest] = nodes ?? []
  return head === undefined ? undefined : (Object.freeze<Path>([head, ...rest]) as Path)
}

/** NodesExist, StartsAtRoot, StepsAreAdmissible, StepsAreEdges, EndsAtEvidence. */
export const refusePath = (
  path: Path,
  root: NodeId,
  nodes: ReadonlyMap<NodeId, TamNode>,
  edges: ReadonlySet<string>
): string | undefined => {
  for (const node of path) if (!nodes.has(node)) return `${node} is no node`
  if (path[0] !== root) return "does not start at the root"
  let before: TamNode | undefined
  for (const id of path) {
    const node = nodes.get(id)
    if (node === undefined) return `${id} is no node`
    if (before !== undefined) {
      if (!admissible[before.type].includes(node.type)) return `no step into ${id}`
      if (!edges.has(`${before.id}\u0000${id}`)) return `no edge into ${id}`
    }
    before = node
  }
  return before?.type === "Evidence" ? undefined : "does not end at an Evidence node"
}

// ---- evidence

const itemOf = (input: unknown): EvidenceItem | undefined => {
  if (!record(input, 9)) return undefined
  const { cycle, document, end, line, passage, score, start, text: said, title } = input
  return passageId(passage) &&
    documentId(document) &&
    typeof title === "string" &&
    offset(start) &&
    offset(end) &&
    offset(line) &&
    line > 0 &&
    typeof said === "string" &&
    said.length > 0 &&
    typeof score === "number" &&
    Number.isFinite(score) &&
    offset(cycle)
    ? Object.freeze({ passage, document, title, start, end, line, text: said, score, cycle })
    : undefined
}

/** The evidence that a proposal holds, copied and frozen. */
export const evidenceOf = (proposal: unknown): Evidence | undefined => list(valueOf(proposal, "evidence"), 128, itemOf)

const joins = /^(?:\p{M}|\u200d|[\ufe0e\ufe0f]|[\u{1f3fb}-\u{1f3ff}])/u
const parts = (said: string, at: number): boolean => {
  if (at <= 0 || at >= said.length) return false
  const before = said.charCodeAt(at - 1)
  const after = said.charCodeAt(at)
  if (before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff) return true
  return after > 0x2ff && joins.test(String.fromCodePoint(said.codePointAt(at) ?? 0))
}
/** Lines that end in `said[0, to)`. */
export const breaks = (said: string, to: number): number => {
  let count = 0
  for (let i = 0; i < to; i++) {
    const unit = said.charCodeAt(i)
    if (unit === 10 || (unit === 13 && said.charCodeAt(i + 1) !== 10)) count++
  }
  return count
}

/** WithinRegion, NamesItsPlace, NamesItsCycle, CutsNoCharacter, IsVerbatim, SpansAreDistinct. */
export const refuseEvidence = (
  evidence: Evidence,
  region: ReadonlyMap<PassageId, Passage>,
  cycle: number
): string | undefined => {
  const seen = new Set<string>()
  for (const item of evidence) {
    const passage = region.get(item.passage)
    if (passage === undefined || item.start < passage.start || item.end > passage.end || item.start >= item.end)
      return `${item.passage} lies outside the region`
    const from = item.start - passage.start
    const to = item.end - passage.start
    if (item.document !== passage.document || item.title !== passage.title) return `${item.passage} misnames its place`
    if (item.line !== passage.line + breaks(passage.text, from)) return `${item.passage} misnames its line`
    if (item.cycle !== cycle) return `${item.passage} claims cycle ${item.cycle}`
    if (parts(passage.text, from) || parts(passage.text, to)) return `${item.passage} cuts a character`
    if (passage.text.slice(from, to) !== item.text) return `${item.passage} is not verbatim`
    const key = `${item.start}-${item.end}@${item.document}`
    if (seen.has(key)) return `${key} stands twice`
    seen.add(key)
  }
  return undefined
}

// ---- verification

const verdict = (input: unknown): input is Verdict => input === "Pending" || input === "Pass" || input === "Fail"
const supportOf = (input: unknown): Verification["justification"]["supported"][number] | undefined =>
  record(input, 2) && slotName(input.slot) && passageId(input.passage)
    ? Object.freeze({ slot: input.slot, passage: input.passage })
    : undefined

/** The verification that a proposal holds, copied and frozen. */
export const verificationOf = (proposal: unknown): Verification | undefined => {
  const input = valueOf(proposal, "verification")
  if (!record(input, 2) || !verdict(input.verdict) || !record(input.justification, 3)) return undefined
  const said = input.justification.text
  const missing = list(input.justification.missing, 32, slotNameOf)
  const supported = list(input.justification.supported, 64, supportOf)
  return !text(said, 0, 4096) || missing === undefined || supported === undefined
    ? undefined
    : Object.freeze({
        verdict: input.verdict,
        justification: Object.freeze({ text: said, missing, supported })
      })
}

/** VerdictIsReached, FailSaysWhy, PassLacksNothing, LacksAreSlots, SupportIsHeld. */
export const refuseVerification = (
  { justification, verdict: reached }: Verification,
  plan: Plan,
  evidence: Evidence
): string | undefined => {
  if (reached === "Pending") return "Pending is no verdict"
  if (reached === "Fail" && justification.text.trim() === "") return "Fail without a reason"
  if (reached === "Pass" && justification.missing.length > 0) return "Pass, and something is missing"
  const slots = new Set<string>(plan.slots.map((slot) => slot.name))
  for (const missing of justification.missing) if (!slots.has(missing)) return `${missing} is no slot`
  const held = new Set<string>(evidence.map((item) => item.passage))
  for (const { passage, slot } of justification.supported) {
    if (!slots.has(slot)) return `${slot} is no slot`
    if (!held.has(passage)) return `${passage} is not held`
  }
  return undefined
}

// ---- what the reader says

const citationOf = (input: unknown): Citation | undefined => {
  if (!record(input, 6)) return undefined
  const { document, end, line, marker, start, text: said } = input
  return offset(marker) &&
    marker > 0 &&
    documentId(document) &&
    offset(start) &&
    offset(end) &&
    offset(line) &&
    line > 0 &&
    typeof said === "string"
    ? Object.freeze({ marker, document, start, end, line, text: said })
    : undefined
}

/** What the reader said, copied and frozen. */
export const readingOf = (input: unknown): Reading | undefined => {
  if (!record(input, 2) || (input.text !== null && typeof input.text !== "string")) return undefined
  const citations = list(input.citations, Number.POSITIVE_INFINITY, citationOf)
  return citations === undefined ? undefined : Object.freeze({ text: input.text, citations })
}
