/**
 * Whole runs as journals that the contract allows, each with what its fold must hold after every event, kept here by a bookkeeping of its
 * own: five variables and the rule that a cycle shows when its action is selected.
 */
import type { Branch } from "../../src/domain/Action.ts"
import { type IncompleteCause, ProposalRefused, RequiredUpdateFailure, RoleFailed } from "../../src/domain/Errors.ts"
import { type Event, eventVersion, type Fact } from "../../src/domain/Event.ts"
import { ArtifactId, CorpusRevision, RunId, ScopeKey } from "../../src/domain/Ids.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { commit, initial, roles, type State, stages } from "../../src/domain/State.ts"
import { type Random, random } from "./Random.ts"
import { world } from "./Worlds.ts"

export const endings = [
  "Bypass",
  "Release",
  "Fallback",
  "Refused",
  "RequiredUpdateFailure",
  "ReaderFailed",
  "Interrupted",
  "Killed"
] as const
export type Ending = (typeof endings)[number]

export interface Journal {
  readonly ending: Ending
  readonly events: ReadonlyArray<Event>
  /** The live state after each event: s^t, whatever is staged meanwhile. */
  readonly states: ReadonlyArray<State>
  /** How many cycles are completed after each event. */
  readonly completed: ReadonlyArray<number>
}

const run = RunId.make("01J0000000000000000000TEST")

/** The journal of a seed. */
export const journal = (seed: number): Journal => {
  const r = random(seed + 77_777)
  const ending = r.pick(endings)
  const maxCycles = 1 + r.int(3)
  const policy: Policy = { ...defaultPolicy, maxCycles }
  const events: Array<Event> = []
  const states: Array<State> = []
  const completed: Array<number> = []
  let state: State = initial([], [])
  let open = false
  let done = 0

  const record = (fact: Fact) => {
    events.push({
      run,
      sequence: events.length,
      at: 1_700_000_000_000 + events.length,
      version: eventVersion,
      cycle: done + (open ? 1 : 0),
      ...fact
    } as Event)
    states.push(state)
    completed.push(done)
  }
  const calls = () => {
    while (r.chance(0.25)) record({ tag: "ModelCalled", call: callOf(r) })
  }
  const expose = () => {
    const ids = r.some([ArtifactId.make("a1"), ArtifactId.make("a2"), ArtifactId.make("a3")], 0, 3)
    state = { ...state, artifacts: ids }
    record({ tag: "ArtifactsExposed", ids })
  }
  /** Killed and gone on with, or interrupted first. */
  const resumed = () => {
    if (!r.chance(0.15)) return
    if (r.chance(0.5)) record({ tag: "RunEnded", outcome: "Interrupted", reason: null })
    record({ tag: "RunResumed" })
  }
  const end = (outcome: Branch | "Interrupted") => record({ tag: "RunEnded", outcome, reason: null })
  const incomplete = (stage: string, cause: IncompleteCause) => {
    record(
      cause._tag === "ProposalRefused"
        ? { tag: "ProposalRefused", role: cause.role, rule: cause.rule, reason: cause.reason, context: "{}" }
        : { tag: "StageFailed", stage, cause }
    )
    record({ tag: "RunEnded", outcome: "Incomplete", reason: { stage, cause } })
  }
  const read = (branch: Branch) => {
    const { evidence } = branch === "Bypass" ? (states[states.length - 1] ?? state) : state
    const selected = r.chance(0.1) ? [] : evidence
    record({ tag: "EvidenceSelected", branch, evidence: selected })
    if (selected.length > 0) {
      record({ tag: "ReaderAdmitted", items: selected.length })
      resumed()
      calls()
      if (ending === "ReaderFailed")
        return incomplete("Reader", new RoleFailed({ role: "Reader", reason: "Failed", detail: "no answer" }))
    }
    record({ tag: "AnswerRead", reading: { text: r.pick(["yes", null]), citations: [] }, unsupported: 0 })
    end(branch)
  }
  const finished = (): Journal => ({ ending, events, states, completed })

  record({
    tag: "RunStarted",
    question: "Who maintains the parser?",
    scope: ScopeKey.make("default"),
    policy,
    policyHash: "policy",
    corpusRevision: CorpusRevision.make("revision"),
    versions: { staterag: "0.1.0" }
  })
  if (r.chance(0.5)) expose()
  calls()
  const zero = world(seed % 500).staged.plan.evidence.map((item) => ({ ...item, cycle: 0 }))
  state = { ...state, evidence: zero }
  record({ tag: "EvidenceInitialized", evidence: zero })
  if (ending === "Bypass") {
    record({ tag: "BypassMatched", reason: "it is settled", evidence: zero })
    read("Bypass")
    return finished()
  }
  record({ tag: "BypassDeclined", reason: "it is not settled" })

  const last = ending === "Fallback" ? maxCycles : 1 + r.int(maxCycles)
  for (let cycle = 1; ; cycle++) {
    resumed()
    if (r.chance(0.4)) expose()
    const { valid } = world((seed + cycle * 101) % 500)
    const before = state
    open = true
    record({ tag: "CycleStarted" })
    const stopsAt = cycle === last && !["Release", "Fallback", "ReaderFailed"].includes(ending) ? r.int(5) : 9
    const stops = (at: number): boolean => {
      if (at !== stopsAt) return false
      const { role = "Verifier" } = stages[at] ?? {}
      if (ending === "Refused") incomplete(role, new ProposalRefused({ role, rule: "FitsSchema", reason: "no" }))
      if (ending === "RequiredUpdateFailure") incomplete(role, new RequiredUpdateFailure({ reason: "Q_L is empty" }))
      if (ending === "Interrupted") {
        open = false
        end("Interrupted")
      }
      return true
    }
    const passes = cycle === last && ending !== "Fallback"
    const verification = {
      verdict: passes ? ("Pass" as const) : ("Fail" as const),
      justification: { text: "because", missing: [], supported: valid.verification.justification.supported }
    }
    const evidence = valid.evidence.map((item) => ({ ...item, cycle }))
    const trace = valid.path.map(() => ({ type: "Topic", abstraction: "a" }))
    const facts: ReadonlyArray<Fact> = [
      { tag: "PlanCommitted", plan: valid.plan },
      { tag: "PathCommitted", path: valid.path, trace },
      { tag: "EvidenceCommitted", evidence },
      { tag: "VerificationCommitted", verification }
    ]
    for (const [at, fact] of facts.entries()) {
      calls()
      if (stops(at)) return finished()
      record(fact)
    }
    // a proposal is refused before the last stage is over; whatever else stops a cycle may still stop it here
    if (stopsAt === 4 && ending === "Refused") return finished()
    if (stops(4)) return finished()
    open = false
    done = cycle
    const planned = commit(before, "plan", valid.plan)
    state = commit(commit(commit(planned, "path", valid.path), "evidence", evidence), "verification", verification)
    const action = passes ? "Release" : cycle === last ? "Fallback" : "Revise"
    record({ tag: "ActionSelected", action, reason: "by the table" })
    if (r.chance(0.3)) record({ tag: "ArtifactsPersisted", ids: [ArtifactId.make(`b${cycle}`)] })
    if (action !== "Revise") {
      read(action)
      return finished()
    }
  }
}

const callOf = (r: Random) => ({
  role: r.pick([...roles, "Reader", "constructor", "__proto__"]),
  model: "m",
  promptTokens: r.int(900),
  completionTokens: r.int(90),
  sizeRatio: r.pick([1, 0.5, 0.25, 2]),
  money: r.pick([null, 0.5, 0.25]),
  cached: r.chance(0.3),
  estimated: r.chance(0.1)
})

/** One event of every kind, as it stands in some journal; to be stamped anew. */
export const oneOfEach = (): ReadonlyMap<Event["tag"], Event> => {
  const found = new Map<Event["tag"], Event>()
  for (let seed = 0; seed < 300; seed++)
    for (const event of journal(seed).events) if (!found.has(event.tag)) found.set(event.tag, event)
  const [started] = journal(0).events
  if (started !== undefined)
    found.set("AnswerDelta", { ...stampOf(started), tag: "AnswerDelta", text: "y", attempt: 0 })
  return found
}

const stampOf = ({ at, cycle, run, sequence, version }: Event) => ({ at, cycle, run, sequence, version })

/** The events with their sequence numbers made good, as a careful forger would. */
export const restamped = (events: ReadonlyArray<Event>): ReadonlyArray<Event> =>
  events.map((event, sequence) => ({ ...event, sequence }))
