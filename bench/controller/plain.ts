/**
 * The limit: the same contract as one hand-written loop in plain TypeScript, without Effect, Schema or layers.
 *
 * It does the controller's work and nothing else: four asynchronous roles a cycle, each proposal checked by every rule of
 * `src/domain/Rules.ts` (see `plain-checks.ts`) and kept as a frozen copy; the path looked up in the graph; the region opened by the
 * controller; one event for each thing that happens, stamped and numbered, written at each action under a fencing token; artifacts exposed
 * at the start and after Revise; the corpus revision compared; calls metered and budgets looked at; a role that throws ends the run as
 * incomplete; each role has its door to the memory and to the rules; the action table; terminal evidence merged under the budget; the reader
 * admitted in the journal before it is called, and its citations checked against the evidence. `bench.ts` holds its events equal to the
 * product's.
 *
 * What it does not do: fold its events (it keeps the state at hand), be interrupted, run under a clock, tracer or services of the caller's.
 * Words are folded by the product's own function on both sides.
 */
import type { Citation, Reading } from "../../src/domain/Answer.ts"
import type { Artifact, Draft } from "../../src/domain/Artifact.ts"
import type { Passage } from "../../src/domain/Corpus.ts"
import type { Event } from "../../src/domain/Event.ts"
import type { Evidence, EvidenceItem } from "../../src/domain/Evidence.ts"
import type { ArtifactId, CorpusRevision, NodeId, PassageId } from "../../src/domain/Ids.ts"
import type { Plan } from "../../src/domain/Plan.ts"
import type { Policy } from "../../src/domain/Policy.ts"
import type { Role } from "../../src/domain/State.ts"
import type { Path } from "../../src/domain/Tam.ts"
import { ulid } from "../../src/domain/Ulid.ts"
import type { ModelCall } from "../../src/domain/Usage.ts"
import type { Verification } from "../../src/domain/Verification.ts"
import { version } from "../../src/domain/Version.ts"
import { contentTerms } from "../../src/domain/Words.ts"
import {
  breaks,
  evidenceOf,
  pathOf,
  planOf,
  readingOf,
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

/** What a role is given, besides what it may ask for. */
export interface PlainTurn {
  readonly question: string
  readonly cycle: number
  readonly state: PlainState
  readonly feedback: Verification["justification"] | null
  readonly region: ReadonlyArray<Passage>
  /** The role's door to the memory: it acts as that role. */
  readonly read: (ids: ReadonlyArray<ArtifactId>) => ReadonlyArray<Artifact>
  readonly write: (draft: Draft) => void
  readonly meter: (call: ModelCall) => void
  /** What would be said to a proposal, for mending one's own. */
  readonly judge: (proposal: unknown) => string | undefined
}

export interface PlainRoles {
  readonly rank: () => Promise<ReadonlyArray<{ readonly passage: Passage; readonly score: number }>>
  readonly compact: (state: PlainState) => Promise<{ readonly matched: boolean; readonly reason: string }>
  readonly planner: (turn: PlainTurn) => Promise<unknown>
  readonly navigator: (turn: PlainTurn) => Promise<unknown>
  readonly retriever: (turn: PlainTurn) => Promise<unknown>
  readonly verifier: (turn: PlainTurn) => Promise<unknown>
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
  /** The artifacts that a role may read, of those it names and those exposed. */
  readonly read: (
    role: Role,
    ids: ReadonlyArray<ArtifactId>,
    exposed: ReadonlyArray<ArtifactId>
  ) => ReadonlyArray<Artifact>
  /** Keeps what the roles of a cycle made. */
  readonly keep: (drafts: ReadonlyArray<readonly [Role, Draft]>) => ReadonlyArray<ArtifactId>
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

const nothingMore = { calls: 0, tokens: 0, money: 0, time: 0 }
const none: ReadonlyArray<Passage> = []

type Unstamped<T> = T extends unknown ? Omit<T, "run" | "sequence" | "at" | "version" | "cycle"> : never

let runs = 0

/** Runs one question. */
export const run = async (roles: PlainRoles, journal: PlainJournal, settings: PlainSettings): Promise<PlainResult> => {
  const { policy } = settings
  const revision = settings.revision()
  const startedAt = Date.now()
  const id = ulid(startedAt, [(runs++ % 9973) / 9973, 0.5])
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
  const initial = evidenceOf({ field: "evidence", value: (await roles.rank()).map(firstItem) })
  if (initial === undefined) throw new Error("the first evidence does not fit")
  record({ tag: "EvidenceInitialized", evidence: initial })
  let state: PlainState = { plan: null, path: null, evidence: initial, verification: pending, artifacts: exposed }
  const compact = await roles.compact(lent(state))
  if (compact.matched) throw new Error("this world's questions are not settled by compact evidence")
  record({ tag: "BypassDeclined", reason: compact.reason })
  flush()

  const incomplete = (role: Role, reason: string): PlainResult => {
    record({ tag: "ProposalRefused", role, rule: "", reason, context: "" })
    record({ tag: "RunEnded", outcome: "Incomplete", reason: null })
    flush()
    return { run: id, outcome: "Incomplete", reason: `${role}: ${reason}`, answer: null, state }
  }

  const { calls: mostCalls, money: mostMoney, time: mostTime, tokens: mostTokens } = policy.budget
  const spent = { calls: 0, tokens: 0, money: 0 }
  const dearest = { calls: 0, tokens: 0, money: 0, time: 0 }
  const over = (next: typeof dearest): boolean =>
    (mostCalls !== null && spent.calls + next.calls > mostCalls) ||
    (mostTokens !== null && spent.tokens + next.tokens > mostTokens) ||
    (mostMoney !== null && spent.money + next.money > mostMoney) ||
    (mostTime !== null && Date.now() - startedAt + next.time > mostTime)

  const done: Array<Evidence> = []
  const ends: Array<NodeId> = []
  const drafts: Array<readonly [Role, Draft]> = []
  let feedback: Verification | null = null
  let branch: "Release" | "Fallback" | undefined

  const turn = (
    role: Role,
    staged: PlainState,
    region: ReadonlyArray<Passage>,
    judge: PlainTurn["judge"]
  ): PlainTurn => ({
    question,
    cycle,
    state: lent(staged),
    feedback: feedback?.justification ?? null,
    region,
    read: (ids) => settings.read(role, ids, staged.artifacts),
    write: (draft) => {
      drafts.push([role, draft])
    },
    meter: (call) => {
      spent.calls++
      spent.tokens += call.promptTokens + call.completionTokens
      spent.money += call.money ?? 0
      record({ tag: "ModelCalled", call })
    },
    judge
  })
  /** A role's proposal as a value of its field, or why there is none. */
  const stage = async <A extends object>(
    role: (turn: PlainTurn) => Promise<unknown>,
    given: PlainTurn,
    read: (proposal: unknown) => A | undefined,
    refuse: (value: A) => string | undefined
  ): Promise<A | string> => {
    try {
      const value = read(await role(given))
      if (over(nothingMore)) return "a budget is used up"
      return value === undefined ? "does not fit" : (refuse(value) ?? value)
    } catch (defect) {
      return `died: ${String(defect)}`
    }
  }
  const judging =
    <A>(read: (proposal: unknown) => A | undefined, refuse: (value: A) => string | undefined): PlainTurn["judge"] =>
    (proposal) => {
      const value = read(proposal)
      return value === undefined ? "does not fit" : refuse(value)
    }

  while (branch === undefined) {
    cycle = done.length + 1
    const cycleStartedAt = Date.now()
    const before = { ...spent }
    record({ tag: "CycleStarted" })
    let staged: PlainState = { ...state, verification: pending }

    const refusesPlan = (value: Plan) => refusePlan(value, slices, ends)
    const plan = await stage(
      roles.planner,
      turn("Planner", staged, none, judging(planOf, refusesPlan)),
      planOf,
      refusesPlan
    )
    if (typeof plan === "string") return incomplete("Planner", plan)
    staged = { ...staged, plan }
    record({ tag: "PlanCommitted", plan })

    const refusesPath = (value: Path) => refusePath(value, root.id, nodes, edges)
    const path = await stage(
      roles.navigator,
      turn("Navigator", staged, none, judging(pathOf, refusesPath)),
      pathOf,
      refusesPath
    )
    if (typeof path === "string") return incomplete("Navigator", path)
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
      if (passage !== undefined) region.set(passageId, Object.freeze(passage))
    }
    const refusesEvidence = (value: Evidence) => refuseEvidence(value, region, cycle)
    const evidence = await stage(
      roles.retriever,
      turn("Retriever", staged, Object.freeze([...region.values()]), judging(evidenceOf, refusesEvidence)),
      evidenceOf,
      refusesEvidence
    )
    if (typeof evidence === "string") return incomplete("Retriever", evidence)
    staged = { ...staged, evidence }
    record({ tag: "EvidenceCommitted", evidence })

    const refusesVerification = (value: Verification) => refuseVerification(value, plan, evidence)
    const verification: Verification | string = await stage(
      roles.verifier,
      turn("Verifier", staged, none, judging(verificationOf, refusesVerification)),
      verificationOf,
      refusesVerification
    )
    if (typeof verification === "string") return incomplete("Verifier", verification)
    staged = { ...staged, verification }
    record({ tag: "VerificationCommitted", verification })

    if (settings.revision() !== revision) return incomplete("Verifier", "the corpus changed")
    dearest.calls = Math.max(dearest.calls, spent.calls - before.calls)
    dearest.tokens = Math.max(dearest.tokens, spent.tokens - before.tokens)
    dearest.money = Math.max(dearest.money, spent.money - before.money)
    dearest.time = Math.max(dearest.time, Date.now() - cycleStartedAt)
    const verdict = verification.verdict === "Pass" ? "Pass" : "Fail"
    const last = cycle >= policy.maxCycles || over(dearest)
    const action: "Release" | "Revise" | "Fallback" = actions[verdict][last ? 1 : 0]
    const reason =
      verdict === "Pass" ? "the evidence was verified" : `cycle ${cycle} of ${policy.maxCycles} failed verification`
    record({ tag: "ActionSelected", action, reason })
    if (drafts.length > 0) record({ tag: "ArtifactsPersisted", ids: settings.keep(drafts.splice(0)) })
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
  Object.freeze(selected)
  for (const item of selected) Object.freeze(item)
  record({ tag: "EvidenceSelected", branch, evidence: selected })
  record({ tag: "ReaderAdmitted", items: selected.length })
  flush()
  const said = readingOf(await roles.reader(question, selected))
  if (said === undefined) throw new Error("what the reader said is no reading")
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

/** What is written into a state that was lent is written into a copy; the values of its fields are frozen. */
const lent = ({ artifacts, evidence, path, plan, verification }: PlainState): PlainState => ({
  plan,
  path,
  evidence,
  verification,
  artifacts
})

/** Whole passages have been counted when they were indexed. */
const tokensOf =
  (tokens: PlainSettings["tokens"]) =>
  (item: EvidenceItem): number => {
    const passage = passages.get(item.passage)
    return passage !== undefined && passage.text === item.text ? passage.tokens : tokens(item.text)
  }

/** C20 by hand: the best of each cycle, then the next best, the same span once, overlaps joined, cut before the first that does not fit. */
const merge = (done: ReadonlyArray<Evidence>, budget: number, tokens: (item: EvidenceItem) => number): Evidence => {
  const kept: Array<{ item: EvidenceItem; cost: number }> = []
  const seen = new Set<string>()
  let spent = 0
  const ranked = done.map((evidence) =>
    [...evidence].sort(
      (a, b) =>
        b.score - a.score ||
        (a.document < b.document ? -1 : a.document > b.document ? 1 : a.start - b.start || a.end - b.end)
    )
  )
  const longest = Math.max(0, ...ranked.map((items) => items.length))
  for (let rank = 0; rank < longest; rank++) {
    for (const items of ranked) {
      const candidate = items[rank]
      if (candidate === undefined) continue
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
