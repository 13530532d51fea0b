/**
 * The limit: the same contract as one hand-written loop in plain TypeScript, without Effect, Schema or layers.
 *
 * It does the controller's work and nothing else: four asynchronous roles a cycle, each proposal checked by every rule of
 * `src/domain/Rules.ts` (see `plain-checks.ts`) and kept as a frozen copy; the path looked up in the graph; the region opened by the
 * controller; one event for each thing that happens, stamped and numbered, written at each action under a fencing token; artifacts exposed
 * at the start and after Revise; the corpus revision compared; the action table; terminal evidence merged under the budget; the reader
 * admitted in the journal before it is called, and its citations checked against the evidence. `bench.ts` holds its events equal to the
 * product's.
 *
 * What it need not do, because it is one program for one set of roles: fold its events (it keeps the state at hand), offer roles a door to
 * mend a proposal or to the memory, catch their defects, be interrupted, meter calls. Words are folded by the product's own function on both
 * sides.
 */
import type { Citation, Reading } from "../../src/domain/Answer.ts"
import type { Passage } from "../../src/domain/Corpus.ts"
import type { Event } from "../../src/domain/Event.ts"
import type { Evidence, EvidenceItem } from "../../src/domain/Evidence.ts"
import type { ArtifactId, CorpusRevision, NodeId, PassageId } from "../../src/domain/Ids.ts"
import type { Plan } from "../../src/domain/Plan.ts"
import type { Policy } from "../../src/domain/Policy.ts"
import type { Path } from "../../src/domain/Tam.ts"
import { ulid } from "../../src/domain/Ulid.ts"
import type { Verification } from "../../src/domain/Verification.ts"
import { version } from "../../src/domain/Version.ts"
import { contentTerms } from "../../src/domain/Words.ts"
import {
  breaks,
  evidenceOf,
  pathOf,
  planOf,
  refuseEvidence,
  refusePath,
  refusePlan,
  refuseVerification,
  verificationOf
} from "./plain-checks.ts"
import { edges, nodes, passages, question, regions, root, scope, slices } from "./world.ts"

export interface PlainState {
  readonly plan: Plan | null
  readonly path: Path | null
  readonly evidence: Evidence
  readonly verification: Verification
  readonly artifacts: ReadonlyArray<ArtifactId>
}

export interface PlainRoles {
  readonly rank: () => Promise<ReadonlyArray<{ readonly passage: Passage; readonly score: number }>>
  readonly compact: (state: PlainState) => Promise<{ readonly matched: boolean; readonly reason: string }>
  readonly planner: (state: PlainState, cycle: number, feedback: Verification | null) => Promise<unknown>
  readonly navigator: (state: PlainState, cycle: number) => Promise<unknown>
  readonly retriever: (state: PlainState, cycle: number, region: ReadonlyArray<Passage>) => Promise<unknown>
  readonly verifier: (state: PlainState, cycle: number) => Promise<unknown>
  readonly reader: (question: string, evidence: Evidence) => Promise<Reading>
}

/** The journal's two tables: the newest token of each run, and its events. */
export interface PlainJournal {
  tokens: Map<string, number>
  events: Map<string, Array<Event>>
}

export interface PlainSettings {
  readonly policy: Policy
  readonly policyHash: string
  readonly revision: () => CorpusRevision
  readonly expose: (terms: ReadonlyArray<string>) => ReadonlyArray<ArtifactId>
  readonly tokens: (text: string) => number
}

/** What became of a question; `reason` says why it is incomplete. */
export interface PlainResult {
  readonly run: string
  readonly outcome: "Release" | "Fallback" | "Incomplete"
  readonly reason: string | null
  readonly answer: string | null
  readonly state: PlainState
}

const pending: Verification = Object.freeze({
  verdict: "Pending",
  justification: Object.freeze({ text: "", missing: Object.freeze([]), supported: Object.freeze([]) })
})
const actions = { Pass: ["Release", "Release"], Fail: ["Revise", "Fallback"] } as const

type Role = "Planner" | "Navigator" | "Retriever" | "Verifier"
type Unstamped<T> = T extends unknown ? Omit<T, "run" | "sequence" | "at" | "version" | "cycle"> : never

let runs = 0

/** Runs one question. */
export const run = async (roles: PlainRoles, journal: PlainJournal, settings: PlainSettings): Promise<PlainResult> => {
  const { policy } = settings
  const revision = settings.revision()
  const id = ulid(Date.now(), [(runs++ % 9973) / 9973, 0.5])
  const unwritten: Array<Event> = []
  let sequence = 0
  let cycle = 0
  let token: number | undefined

  const record = (fact: Unstamped<Event>): void => {
    unwritten.push({ run: id, sequence: sequence++, at: Date.now(), version: 1, cycle, ...fact } as Event)
  }
  const flush = (): void => {
    if (token === undefined) {
      token = (journal.tokens.get(id) ?? 0) + 1
      journal.tokens.set(id, token)
      journal.events.set(id, [])
    }
    const stored = journal.events.get(id)
    if (stored === undefined || journal.tokens.get(id) !== token) throw new Error("stale writer")
    for (const event of unwritten) {
      if (event.sequence !== stored.length || event.run !== id) throw new Error(`gap at ${event.sequence}`)
      stored.push(event)
    }
    unwritten.length = 0
  }

  record({
    tag: "RunStarted",
    question,
    scope,
    policy,
    policyHash: settings.policyHash,
    corpusRevision: revision,
    versions: { staterag: version }
  })
  const exposed = settings.expose(contentTerms(question))
  if (exposed.length > 0) record({ tag: "ArtifactsExposed", ids: exposed })
  const initial = (await roles.rank()).map(firstItem)
  record({ tag: "EvidenceInitialized", evidence: initial })
  let state: PlainState = { plan: null, path: null, evidence: initial, verification: pending, artifacts: exposed }
  const compact = await roles.compact(state)
  if (compact.matched) throw new Error("this world's questions are not settled by compact evidence")
  record({ tag: "BypassDeclined", reason: compact.reason })
  flush()

  const incomplete = (role: Role, reason: string): PlainResult => {
    record({ tag: "ProposalRefused", role, rule: "", reason, context: "" })
    record({ tag: "RunEnded", outcome: "Incomplete", reason: null })
    flush()
    return { run: id, outcome: "Incomplete", reason: `${role}: ${reason}`, answer: null, state }
  }

  const done: Array<Evidence> = []
  const ends: Array<NodeId> = []
  let feedback: Verification | null = null
  let branch: "Release" | "Fallback" | undefined
  while (branch === undefined) {
    cycle = done.length + 1
    record({ tag: "CycleStarted" })
    let staged: PlainState = { ...state, verification: pending }

    const plan = planOf(await roles.planner(staged, cycle, feedback))
    if (plan === undefined) return incomplete("Planner", "is no plan")
    const noPlan = refusePlan(plan, slices, ends)
    if (noPlan !== undefined) return incomplete("Planner", noPlan)
    staged = { ...staged, plan }
    record({ tag: "PlanCommitted", plan })

    const path = pathOf(await roles.navigator(staged, cycle))
    if (path === undefined) return incomplete("Navigator", "is no path")
    const noPath = refusePath(path, root.id, nodes, edges)
    if (noPath !== undefined) return incomplete("Navigator", noPath)
    staged = { ...staged, path }
    const trace = path.map((step) => {
      const node = nodes.get(step)
      return { type: node?.type ?? "", abstraction: node?.abstraction.slice(0, 160) ?? "" }
    })
    record({ tag: "PathCommitted", path, trace })

    const end = path[path.length - 1] ?? path[0]
    const region = new Map<PassageId, Passage>()
    for (const passageId of (regions.get(end) ?? []).slice(0, policy.regionWidth + 1)) {
      const passage = passages.get(passageId)
      if (passage !== undefined) region.set(passageId, passage)
    }
    const evidence = evidenceOf(await roles.retriever(staged, cycle, [...region.values()]))
    if (evidence === undefined) return incomplete("Retriever", "is no evidence")
    const noEvidence = refuseEvidence(evidence, region, cycle)
    if (noEvidence !== undefined) return incomplete("Retriever", noEvidence)
    staged = { ...staged, evidence }
    record({ tag: "EvidenceCommitted", evidence })

    const verification = verificationOf(await roles.verifier(staged, cycle))
    if (verification === undefined) return incomplete("Verifier", "is no verification")
    const noVerdict = refuseVerification(verification, plan, evidence)
    if (noVerdict !== undefined) return incomplete("Verifier", noVerdict)
    staged = { ...staged, verification }
    record({ tag: "VerificationCommitted", verification })

    if (settings.revision() !== revision) return incomplete("Verifier", "the corpus changed")
    const { calls, money, time, tokens } = policy.budget
    if ((calls ?? money ?? time ?? tokens) !== null) throw new Error("this loop has no budgets")
    const verdict = verification.verdict === "Pass" ? "Pass" : "Fail"
    const action: "Release" | "Revise" | "Fallback" = actions[verdict][cycle < policy.maxCycles ? 0 : 1]
    const reason =
      verdict === "Pass" ? "the evidence was verified" : `cycle ${cycle} of ${policy.maxCycles} failed verification`
    record({ tag: "ActionSelected", action, reason })
    state = staged
    done.push(evidence)
    ends.push(end)
    if (action !== "Revise") {
      branch = action
      break
    }
    flush()
    const ids = settings.expose(contentTerms(`${question} ${evidence.map((item) => item.title).join(" ")}`))
    if (ids.length > 0 || state.artifacts.length > 0) record({ tag: "ArtifactsExposed", ids })
    state = { ...state, artifacts: ids }
    feedback = verification
  }

  const selected = branch === "Release" ? state.evidence : merge(done, policy.evidenceTokens, tokensOf(settings.tokens))
  record({ tag: "EvidenceSelected", branch, evidence: selected })
  record({ tag: "ReaderAdmitted", items: selected.length })
  flush()
  const said = await roles.reader(question, selected)
  const supported = said.citations.filter((citation) => isSupported(citation, selected))
  const struck = said.citations.length - supported.length
  const reading = { text: withoutMarkers(said, supported, selected), citations: supported }
  record({ tag: "AnswerRead", reading, unsupported: struck })
  record({ tag: "RunEnded", outcome: branch, reason: null })
  flush()
  return { run: id, outcome: branch, reason: null, answer: reading.text, state }
}

const firstItem = ({ passage, score }: { readonly passage: Passage; readonly score: number }): EvidenceItem => ({
  passage: passage.id,
  document: passage.document,
  title: passage.title,
  start: passage.start,
  end: passage.end,
  line: passage.line,
  text: passage.text,
  score,
  cycle: 0
})

const isSupported = (citation: Citation, evidence: Evidence): boolean =>
  evidence.some(
    (item) =>
      citation.document === item.document &&
      citation.start >= item.start &&
      citation.end <= item.end &&
      citation.start < citation.end &&
      citation.line === item.line + breaks(item.text, citation.start - item.start) &&
      item.text.slice(citation.start - item.start, citation.end - item.start) === citation.text
  )
/** The text without markers that stand for nothing: of citations struck, or that neither a citation nor the evidence has. */
const withoutMarkers = (said: Reading, supported: ReadonlyArray<Citation>, evidence: Evidence): string | null => {
  const kept = new Set(supported.map((citation) => citation.marker))
  const struck = new Set(said.citations.map((citation) => citation.marker).filter((marker) => !kept.has(marker)))
  return (
    said.text?.replace(/ ?\[(\d+)\]/g, (mark, n: string) => {
      const marker = Number(n)
      return kept.has(marker) || (!struck.has(marker) && evidence.some((item) => item.text.includes(`[${n}]`)))
        ? mark
        : ""
    }) ?? null
  )
}

/** Whole passages have been counted when they were indexed. */
const tokensOf =
  (tokens: PlainSettings["tokens"]) =>
  (item: EvidenceItem): number => {
    const passage = passages.get(item.passage)
    return passage !== undefined && passage.text === item.text ? passage.tokens : tokens(item.text)
  }

/** C20 by hand: oldest cycle first, by score within it, the same span once, overlaps joined, cut before the first item that does not fit. */
const merge = (done: ReadonlyArray<Evidence>, budget: number, tokens: (item: EvidenceItem) => number): Evidence => {
  const kept: Array<{ item: EvidenceItem; cost: number }> = []
  const seen = new Set<string>()
  let spent = 0
  for (const evidence of done) {
    const ranked = [...evidence].sort(
      (a, b) =>
        b.score - a.score ||
        (a.document < b.document ? -1 : a.document > b.document ? 1 : a.start - b.start || a.end - b.end)
    )
    for (const candidate of ranked) {
      const key = `${candidate.start}-${candidate.end}@${candidate.document}`
      if (seen.has(key)) continue
      let item = candidate
      let freed = 0
      let place = kept.length
      const rest: Array<{ item: EvidenceItem; cost: number }> = []
      for (const [index, other] of kept.entries()) {
        if (other.item.document !== item.document || other.item.start >= item.end || item.start >= other.item.end) {
          rest.push(other)
          continue
        }
        const [left, right] = other.item.start <= item.start ? [other.item, item] : [item, other.item]
        const text = right.end <= left.end ? left.text : left.text + right.text.slice(left.end - right.start)
        item = {
          ...left,
          end: Math.max(left.end, right.end),
          text,
          score: Math.max(left.score, right.score),
          cycle: Math.min(left.cycle, right.cycle)
        }
        freed += other.cost
        place = Math.min(place, index)
      }
      const cost = tokens(item)
      if (spent - freed + cost > budget) return kept.map((each) => each.item)
      seen.add(key)
      spent += cost - freed
      if (rest.length === kept.length) kept.push({ item, cost })
      else kept.splice(0, kept.length, ...rest.slice(0, place), { item, cost }, ...rest.slice(place))
    }
  }
  return kept.map((each) => each.item)
}
