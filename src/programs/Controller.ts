/**
 * The controller: in what order a question is answered, and nothing else (contract sections 3 and 4).
 *
 *     expose U ─▶ E⁰ ─▶ compact-evidence check ─┬─ match ─────────────────────────────────▶ select E* ─▶ reader ─▶ end
 *                                               └─▶ cycle: Planner ▸ Navigator ▸ Retriever ▸ Verifier ─▶ action
 *                                                     ▲                                              │  Release, Fallback ─▶ select E*
 *                                                     └──────────────── Revise (δ, fresh U) ◀────────┘
 *
 * A role proposes; the controller decodes, looks up the grounds, checks, and commits exactly that field or ends the run in ⊥. The reader is
 * called at most once, after its admission is in the journal, and never for ⊥.
 */
import { Cause, type Clock, Effect, Either, Exit, Option, Random, Schema } from "effect"
import { selectAction, unaffordable } from "../domain/Action.ts"
import { Reading, supportedCitations, withoutUnsupported } from "../domain/Answer.ts"
import { compile } from "../domain/Compiled.ts"
import { RoleFailed } from "../domain/Errors.ts"
import type { Event } from "../domain/Event.ts"
import type { DocumentId, ScopeKey } from "../domain/Ids.ts"
import { type Policy, type PolicyError, settled } from "../domain/Policy.ts"
import type { RunView } from "../domain/Run.ts"
import { ulid } from "../domain/Ulid.ts"
import type { Usage } from "../domain/Usage.ts"
import { version } from "../domain/Version.ts"
import { contentTerms } from "../domain/Words.ts"
import { Carrier } from "../services/Carrier.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Digest } from "../services/Digest.ts"
import { Journal } from "../services/Journal.ts"
import {
  CompactEvidenceCheck,
  Initializer,
  type Inquiry,
  Navigator,
  Planner,
  Reader,
  Reranker,
  Retriever,
  Verifier
} from "../services/Roles.ts"
import { SharedMemoryPool } from "../services/SharedMemoryPool.ts"
import type { UnknownScope } from "../services/StoreError.ts"
import { TamStore } from "../services/TamStore.ts"
import { TokenCounter } from "../services/TokenCounter.ts"
import * as Cycle from "./Cycle.ts"
import * as CycleMemory from "./CycleMemory.ts"
import * as Entry from "./Entry.ts"
import * as Guard from "./Guard.ts"
import * as Ledger from "./Ledger.ts"
import { allowed, evidenceGround, selectEvidence } from "./Lookups.ts"

/** All that a run needs. */
export type Services =
  | Planner
  | Navigator
  | Retriever
  | Verifier
  | Initializer
  | CompactEvidenceCheck
  | Reader
  | Journal
  | SharedMemoryPool
  | CorpusStore
  | TamStore
  | TokenCounter
  | Digest

export interface Request {
  readonly question: string
  readonly scope: ScopeKey
  readonly policy: Policy
  /** Only these documents; all where undefined. */
  readonly within?: ReadonlyArray<DocumentId> | undefined
  /** Is told each event as it is recorded. Must not throw. */
  readonly observe?: ((event: Event) => void) | undefined
}

/** Ids that U holds at most. */
const exposedArtifacts = 32
interface Controller {
  /** Runs one question to its end; ⊥ is an `Incomplete`, and is in the journal. */
  readonly run: (request: Request) => Effect.Effect<RunView, Guard.Failure | UnknownScope | PolicyError>
}

/** Takes the services once, so that a run looks nothing up. */
export const make: Effect.Effect<Controller, never, Services> = Effect.gen(function* () {
  const planner = yield* Planner
  const navigator = yield* Navigator
  const retriever = yield* Retriever
  const verifier = yield* Verifier
  const initializer = yield* Initializer
  const compactEvidence = yield* CompactEvidenceCheck
  const reader = yield* Reader
  const reranker = yield* Reranker
  const journal = yield* Journal
  const pool = yield* SharedMemoryPool
  const corpus = yield* CorpusStore
  const tam = yield* TamStore
  const tokenCounter = yield* TokenCounter
  const digest = yield* Digest
  const carrier = yield* Carrier

  /** Policies as runs hold them, with their hashes, by the policy that was given. */
  const policies = new WeakMap<Policy, { readonly policy: Policy; readonly hash: string }>()
  const settle = (given: Policy) => {
    const known = policies.get(given)
    if (known !== undefined) return Either.right(known)
    return Either.map(settled(given), (policy) => {
      const made = { policy, hash: digest.hash("policy", JSON.stringify(policy)).slice(0, 16) }
      policies.set(given, made)
      return made
    })
  }

  /** The order of a run, once it has an id and a ledger. */
  const conduct = Effect.fnUntraced(function* (inquiry: Inquiry, ledger: Ledger.Ledger, clock: Clock.Clock) {
    const { policy, question, run, scope } = inquiry
    const guard = Guard.make(corpus, inquiry, ledger, clock)
    const { asked, fail, unchanged } = guard
    const memory = CycleMemory.make(pool, corpus, tam, digest, clock, inquiry, () => ledger.view().state.artifacts)
    const cycle = Cycle.make(
      { planner, navigator, retriever, verifier, corpus, tam, carrier },
      guard,
      inquiry,
      ledger,
      memory
    )

    /** d^{t+1} of a completed cycle (C16, C35), and its one transaction (C24, C30). */
    const act = Effect.fnUntraced(function* (verdict: "Pass" | "Fail", usageBefore: Usage, cycleStartedAt: number) {
      yield* unchanged("Action")
      const view = ledger.view()
      guard.noteCycle(usageBefore, clock.unsafeCurrentTimeMillis() - cycleStartedAt)
      const completed = view.cycles.length + 1
      const short = unaffordable(policy, guard.spending())
      const maxCycles = short === undefined ? policy.maxCycles : Math.min(policy.maxCycles, completed)
      const action = selectAction(verdict, completed, maxCycles)
      const because =
        verdict === "Pass"
          ? "the evidence was verified"
          : `cycle ${completed} of ${policy.maxCycles} failed verification`
      ledger.record({
        tag: "ActionSelected",
        action,
        reason:
          maxCycles < policy.maxCycles && action === "Fallback"
            ? `${because}; the ${short} budget pays no other`
            : because
      })
      const artifacts = memory.take()
      if (artifacts.length > 0)
        ledger.record({ tag: "ArtifactsPersisted", ids: artifacts.map((artifact) => artifact.id) })
      if (action === "Revise") {
        yield* ledger.flush(artifacts)
        yield* expose(contentTerms(`${question} ${view.state.evidence.map((item) => item.title).join(" ")}`))
      } else yield* conclude(artifacts)
      return action
    })

    const expose = Effect.fnUntraced(function* (terms: ReadonlyArray<string>) {
      const ids = yield* pool.expose(scope, run, terms, exposedArtifacts, clock.unsafeCurrentTimeMillis())
      if (ids.length > 0 || ledger.view().state.artifacts.length > 0)
        ledger.record({ tag: "ArtifactsExposed", ids: Object.freeze([...ids]) })
    })

    /** E* by equation (7), the admission, the one reading, the end (C20, C21). */
    const conclude = Effect.fnUntraced(function* (artifacts: Parameters<Ledger.Ledger["flush"]>[0]) {
      const view = ledger.view()
      const branch = Option.getOrThrow(view.branch)
      const cycles = view.cycles.map((done) => done.evidence)
      const evidence = yield* selectEvidence(corpus, tokenCounter, inquiry, { branch, bypass: view.bypass, cycles })
      // the reader is given it, and its citations are judged by it
      Object.freeze(evidence)
      for (const item of evidence) Object.freeze(item)
      ledger.record({ tag: "EvidenceSelected", branch, evidence })
      let reading: Reading = { text: null, citations: [] }
      if (evidence.length > 0) {
        ledger.record({ tag: "ReaderAdmitted", items: evidence.length })
        yield* ledger.flush(artifacts)
        reading = yield* asked("Reader", () => Effect.flatMap(reader.read(question, evidence), readingOf))
      } else yield* ledger.flush(artifacts)
      const { unsupported } = supportedCitations(reading, evidence)
      ledger.record({
        tag: "AnswerRead",
        reading: withoutUnsupported(reading, evidence),
        unsupported: unsupported.length
      })
      ledger.record({ tag: "RunEnded", outcome: branch, reason: null })
      yield* ledger.flush([])
    })

    yield* expose(contentTerms(question))
    const initial = yield* asked("Initializer", () => Entry.initialEvidence(carrier, initializer, reranker, inquiry))
    ledger.record({ tag: "EvidenceInitialized", evidence: initial })
    const compact =
      policy.compactEvidence === "off"
        ? { matched: false as const, reason: "switched off" }
        : yield* asked("CompactEvidenceCheck", () =>
            Entry.compactEvidence(carrier, compactEvidence, inquiry, ledger.view().state)
          )
    if (compact.matched) {
      const named = compact.evidence.map((item) => item.passage)
      const ground = evidenceGround(allowed(yield* corpus.passages(scope, named), inquiry.within), 0)
      yield* unchanged("CompactEvidenceCheck")
      const objection = Entry.noBypass(carrier, compact.evidence, ledger.view().state, ground)
      if (Option.isSome(objection)) return yield* fail("CompactEvidenceCheck", objection.value)
      ledger.record({ tag: "BypassMatched", reason: compact.reason, evidence: compact.evidence })
      yield* conclude([])
      return ledger.view()
    }
    ledger.record({ tag: "BypassDeclined", reason: compact.reason })
    yield* ledger.flush([])
    for (;;) {
      const usageBefore = ledger.view().usage
      const cycleStartedAt = clock.unsafeCurrentTimeMillis()
      const { verdict } = yield* cycle
      // Pending never passes VerdictIsReached; a carrier that lets it through cannot make it pass
      const action = yield* act(verdict === "Pass" ? "Pass" : "Fail", usageBefore, cycleStartedAt)
      if (action !== "Revise") return ledger.view()
    }
  })

  const run = Effect.fnUntraced(
    function* (request: Request) {
      const { question, scope, within } = request
      const { hash, policy } = yield* settle(request.policy)
      const clock = yield* Effect.clock
      const { revision } = yield* corpus.revision(scope)
      const id = ulid(clock.unsafeCurrentTimeMillis(), [yield* Random.next, yield* Random.next])
      const inquiry: Inquiry = Object.freeze({
        run: id,
        question,
        scope,
        policy,
        revision,
        within: within && Object.freeze([...within])
      })
      const started = {
        run: id,
        question,
        scope,
        policy,
        policyHash: hash,
        corpusRevision: revision,
        versions: { staterag: version }
      }
      const ledger = Ledger.make(journal, carrier, clock, started, request.observe)
      const interrupted = Effect.catchAll(ledger.interrupted, (error) =>
        Effect.logError(`run ${id} was interrupted, and the journal could not say so: ${error.message}`)
      )
      // whatever else went wrong while it was interrupted: `onInterrupt` asks for nothing else
      return yield* Effect.onExit(conduct(inquiry, ledger, clock), (exit) =>
        Exit.isFailure(exit) && Cause.isInterrupted(exit.cause) ? interrupted : Effect.void
      )
    },
    Effect.withSpan("staterag.run", { captureStackTrace: false })
  )
  return { run }
})

const fitting = compile(Schema.typeSchema(Reading))
/** What a reader said, as a reading. */
const readingOf = ({ citations, text }: Reading): Either.Either<Reading, RoleFailed> =>
  Either.fromOption(
    fitting({ text, citations }),
    () => new RoleFailed({ role: "Reader", reason: "Failed", detail: "what it said is no reading" })
  )
