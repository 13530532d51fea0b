/**
 * The order of a run, step by step from the phase that it is in: a new run starts at the first, one that is gone on with where it rested.
 *
 *     Opened ─▶ Initialized ─┬─▶ Ready ─▶ cycle, action ─┬─▶ Selecting ─▶ Selected ─▶ Admitted ─▶ Answered ─▶ Ended
 *                            │     ▲───── Revise ────────┤        ▲
 *                            └─────────── match ─────────┴────────┘
 *
 * Each step ends with what is durable or with what the next makes durable; a step that was cut off is done again from its beginning.
 */
import { type Clock, Effect, Either, Option, Schema } from "effect"
import { selectAction, unaffordable } from "../domain/Action.ts"
import { Reading, supportedCitations, withoutUnsupported } from "../domain/Answer.ts"
import type { Artifact } from "../domain/Artifact.ts"
import { compile } from "../domain/Compiled.ts"
import { RoleFailed } from "../domain/Errors.ts"
import type { Evidence } from "../domain/Evidence.ts"
import type { RunView } from "../domain/Run.ts"
import { contentTerms } from "../domain/Words.ts"
import type { CompactEvidenceCheck, Initializer, Inquiry, Reader, Reranker } from "../services/Roles.ts"
import type { SharedMemoryPool } from "../services/SharedMemoryPool.ts"
import type { TokenCounter } from "../services/TokenCounter.ts"
import * as Cycle from "./Cycle.ts"
import type { CycleMemory } from "./CycleMemory.ts"
import * as Entry from "./Entry.ts"
import type { Failure, Guard } from "./Guard.ts"
import type { Ledger } from "./Ledger.ts"
import { allowed, evidenceGround, selectEvidence } from "./Lookups.ts"

/** Who takes part in a run, and what it looks things up in. */
export interface Members extends Cycle.Members {
  readonly initializer: typeof Initializer.Service
  readonly compactEvidence: typeof CompactEvidenceCheck.Service
  readonly reader: typeof Reader.Service
  readonly reranker: typeof Reranker.Service
  readonly pool: typeof SharedMemoryPool.Service
  readonly tokenCounter: typeof TokenCounter.Service
}

/** Ids that U holds at most. */
const exposedArtifacts = 32

/** Goes on with a run until it has ended. */
export const conduct = (
  members: Members,
  guard: Guard,
  inquiry: Inquiry,
  ledger: Ledger,
  memory: CycleMemory,
  clock: Clock.Clock
): Effect.Effect<RunView, Failure> => {
  const { carrier, compactEvidence, corpus, initializer, pool, reader, reranker, tokenCounter } = members
  const { policy, question, run, scope } = inquiry
  const { asked, fail, unchanged } = guard
  const cycle = Cycle.make(members, guard, inquiry, ledger, memory)
  /** What the last cycle has made: it is persisted with the cycle's action (C24). */
  let made: ReadonlyArray<Artifact> = []
  const flush = Effect.suspend(() => {
    const artifacts = made
    made = []
    return ledger.flush(artifacts)
  })

  const expose = Effect.fnUntraced(function* (terms: ReadonlyArray<string>) {
    const ids = yield* pool.expose(scope, run, terms, exposedArtifacts, clock.unsafeCurrentTimeMillis())
    if (ids.length > 0 || ledger.view().state.artifacts.length > 0)
      ledger.record({ tag: "ArtifactsExposed", ids: Object.freeze([...ids]) })
  })

  /** U and E⁰ (C18). */
  const initialize = Effect.gen(function* () {
    yield* expose(contentTerms(question))
    const initial = yield* asked("Initializer", () => Entry.initialEvidence(carrier, initializer, reranker, inquiry))
    ledger.record({ tag: "EvidenceInitialized", evidence: initial })
  })

  /** The compact-evidence check, once (C19). */
  const check = Effect.gen(function* () {
    const compact =
      policy.compactEvidence === "off"
        ? { matched: false as const, reason: "switched off" }
        : yield* asked("CompactEvidenceCheck", () =>
            Entry.compactEvidence(carrier, compactEvidence, inquiry, ledger.view().state)
          )
    if (!compact.matched) {
      ledger.record({ tag: "BypassDeclined", reason: compact.reason })
      return yield* flush
    }
    const named = compact.evidence.map((item) => item.passage)
    const ground = evidenceGround(allowed(yield* corpus.passages(scope, named), inquiry.within), 0)
    yield* unchanged("CompactEvidenceCheck")
    const objection = Entry.noBypass(carrier, compact.evidence, ledger.view().state, ground)
    if (Option.isSome(objection)) return yield* fail("CompactEvidenceCheck", objection.value)
    ledger.record({ tag: "BypassMatched", reason: compact.reason, evidence: compact.evidence })
  })

  /** One cycle, after Revise with fresh U (C25), and d^{t+1} (C16, C35) with its one transaction (C24, C30). */
  const turn = Effect.gen(function* () {
    const before = ledger.view()
    if (before.cycles.length > 0)
      yield* expose(contentTerms(`${question} ${before.state.evidence.map((item) => item.title).join(" ")}`))
    const startedAt = clock.unsafeCurrentTimeMillis()
    const { verdict } = yield* cycle
    yield* unchanged("Action")
    guard.noteCycle(before.usage, clock.unsafeCurrentTimeMillis() - startedAt)
    const completed = before.cycles.length + 1
    const short = unaffordable(policy, guard.spending())
    const maxCycles = short === undefined ? policy.maxCycles : Math.min(policy.maxCycles, completed)
    // Pending never passes VerdictIsReached; a carrier that lets it through cannot make it pass
    const action = selectAction(verdict === "Pass" ? "Pass" : "Fail", completed, maxCycles)
    const because =
      verdict === "Pass" ? "the evidence was verified" : `cycle ${completed} of ${policy.maxCycles} failed verification`
    ledger.record({
      tag: "ActionSelected",
      action,
      reason:
        maxCycles < policy.maxCycles && action === "Fallback"
          ? `${because}; the ${short} budget pays no other`
          : because
    })
    made = memory.take()
    if (made.length > 0) ledger.record({ tag: "ArtifactsPersisted", ids: made.map((artifact) => artifact.id) })
    if (action === "Revise") yield* flush
  })

  /** E* by equation (7) (C20). */
  const select = Effect.gen(function* () {
    const view = ledger.view()
    const branch = Option.getOrThrow(view.branch)
    const cycles = view.cycles.map((done) => done.evidence)
    const evidence = yield* selectEvidence(corpus, tokenCounter, inquiry, { branch, bypass: view.bypass, cycles })
    // the reader is given it, and its citations are judged by it
    Object.freeze(evidence)
    for (const item of evidence) Object.freeze(item)
    ledger.record({ tag: "EvidenceSelected", branch, evidence })
  })

  const selected = (): Evidence => Option.getOrThrow(ledger.view().selected)

  const answer = (reading: Reading): void => {
    const evidence = selected()
    const { unsupported } = supportedCitations(reading, evidence)
    ledger.record({
      tag: "AnswerRead",
      reading: withoutUnsupported(reading, evidence),
      unsupported: unsupported.length
    })
  }

  /** The reader's admission is durable before it is asked (C21); of no evidence nothing is read. */
  const admit = Effect.gen(function* () {
    const items = selected().length
    if (items > 0) ledger.record({ tag: "ReaderAdmitted", items })
    yield* flush
    if (items === 0) answer({ text: null, citations: [] })
  })

  const read = Effect.gen(function* () {
    answer(yield* asked("Reader", () => Effect.flatMap(reader.read(question, selected()), readingOf)))
  })

  const end = Effect.suspend(() => {
    ledger.record({ tag: "RunEnded", outcome: Option.getOrThrow(ledger.view().branch), reason: null })
    return flush
  })

  return Effect.gen(function* () {
    for (;;) {
      const view = ledger.view()
      switch (view.phase) {
        case "Opened":
          yield* initialize
          break
        case "Initialized":
          yield* check
          break
        case "Ready":
          yield* turn
          break
        case "Selecting":
          yield* select
          break
        case "Selected":
          yield* admit
          break
        case "Admitted":
          yield* read
          break
        case "Answered":
          yield* end
          break
        case "Ended":
          return view
        // a step that leaves a cycle open, or a refusal unsaid, would go round for ever
        case "Staging":
        case "Refused":
          return yield* Effect.dieMessage(`a run stands still while ${view.phase}`)
      }
    }
  })
}

const fitting = compile(Schema.typeSchema(Reading))
/** What a reader said, as a reading. */
const readingOf = ({ citations, text }: Reading): Either.Either<Reading, RoleFailed> =>
  Either.fromOption(
    fitting({ text, citations }),
    () => new RoleFailed({ role: "Reader", reason: "Failed", detail: "what it said is no reading" })
  )
