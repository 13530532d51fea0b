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
import { Cause, type Clock, Effect, Either, Exit, Random } from "effect"
import type { Event } from "../domain/Event.ts"
import type { DocumentId, RunId, ScopeKey } from "../domain/Ids.ts"
import { noPast, type Past, pastOf } from "../domain/Past.ts"
import { type Policy, type PolicyError, settled } from "../domain/Policy.ts"
import { isResumable, type MalformedJournal, type RunView } from "../domain/Run.ts"
import { ulid } from "../domain/Ulid.ts"
import { version } from "../domain/Version.ts"
import { Carrier } from "../services/Carrier.ts"
import { CorpusStore } from "../services/CorpusStore.ts"
import { Digest } from "../services/Digest.ts"
import { Journal } from "../services/Journal.ts"
import { ModelCalls } from "../services/ModelCalls.ts"
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
import type { UnknownRun, UnknownScope } from "../services/StoreError.ts"
import { TamStore } from "../services/TamStore.ts"
import { TokenCounter } from "../services/TokenCounter.ts"
import * as Conduct from "./Conduct.ts"
import * as CycleMemory from "./CycleMemory.ts"
import * as Guard from "./Guard.ts"
import * as Ledger from "./Ledger.ts"
import * as Recorder from "./Recorder.ts"
import * as Resume from "./Resume.ts"

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

export interface ResumeRequest {
  readonly run: RunId
  readonly scope: ScopeKey
  /** Is told each event as it is recorded, from `RunResumed` on. Must not throw. */
  readonly observe?: ((event: Event) => void) | undefined
}

interface Controller {
  /** Runs one question to its end; ⊥ is an `Incomplete`, and is in the journal. */
  readonly run: (request: Request) => Effect.Effect<RunView, Guard.Failure | UnknownScope | PolicyError>
  /**
   * Takes a run over and goes on with it, on the answers that were recorded: the open cycle is done again (C30). A run that has come to its
   * end is given as it is. Where another process still asks it, this is a `StaleWriter`; otherwise whoever wrote it until then is one.
   */
  readonly resume: (request: ResumeRequest) => Effect.Effect<RunView, Guard.Failure | UnknownRun | MalformedJournal>
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

  const members: Conduct.Members = {
    planner,
    navigator,
    retriever,
    verifier,
    initializer,
    compactEvidence,
    reader,
    reranker,
    pool,
    corpus,
    tam,
    tokenCounter,
    carrier
  }

  /** Goes on with what the ledger holds until it has ended; `before` are the events of a run that is gone on with. */
  const conduct = (
    inquiry: Inquiry,
    ledger: Ledger.Ledger,
    clock: Clock.Clock,
    past: Past,
    recorded: Recorder.Recorded,
    first: (guard: Guard.Guard) => Effect.Effect<void, Guard.Failure>
  ) => {
    const recorder = Recorder.make(journal, clock, ledger, recorded)
    const guard = Guard.make(corpus, inquiry, ledger, recorder, clock, past)
    const memory = CycleMemory.make(pool, corpus, tam, digest, clock, inquiry, () => ledger.view().state.artifacts)
    const interrupted = Effect.catchAll(ledger.interrupted, (error) =>
      Effect.logError(`run ${inquiry.run} was interrupted, and the journal could not say so: ${error.message}`)
    )
    const left = Effect.catchAll(ledger.left, (error) =>
      Effect.logDebug(`run ${inquiry.run} could not be left to others: ${error.message}`)
    )
    return Effect.zipRight(first(guard), Conduct.conduct(members, guard, inquiry, ledger, memory, clock)).pipe(
      Effect.provideService(ModelCalls, recorder.calls),
      // whatever else went wrong while it was interrupted: `onInterrupt` asks for nothing else
      Effect.onExit((exit) =>
        Exit.isSuccess(exit) ? Effect.void : Cause.isInterrupted(exit.cause) ? interrupted : left
      )
    )
  }

  const run = Effect.fnUntraced(
    function* ({ observe, policy: given, question, scope, within }: Request) {
      const { hash, policy } = yield* settle(given)
      const clock = yield* Effect.clock
      const { revision } = yield* corpus.revision(scope)
      const id = ulid(clock.unsafeCurrentTimeMillis(), [yield* Random.next, yield* Random.next])
      const only = within && Object.freeze([...within])
      const inquiry: Inquiry = Object.freeze({ run: id, question, scope, policy, revision, within: only })
      const started = {
        run: id,
        question,
        scope,
        policy,
        policyHash: hash,
        corpusRevision: revision,
        versions: { staterag: version },
        ...(only === undefined ? {} : { within: only })
      }
      const ledger = Ledger.make(journal, carrier, clock, started, observe)
      return yield* conduct(inquiry, ledger, clock, noPast, Recorder.nothingRecorded, () => Effect.void)
    },
    Effect.withSpan("staterag.run", { captureStackTrace: false })
  )

  const resume = Effect.fnUntraced(
    function* ({ observe, run: id, scope }: ResumeRequest) {
      const before = yield* Resume.standing(journal, scope, id)
      if (!isResumable(before.view)) return yield* Resume.ended(before.view)
      const clock = yield* Effect.clock
      const token = yield* journal.takeOver(id)
      // what its writer has written until then
      const { events, started, view } = yield* Resume.standing(journal, scope, id)
      if (!isResumable(view)) return yield* Resume.ended(view)
      const recorded = Recorder.recordedIn(events, yield* journal.calls(scope, id))
      const { corpusRevision: revision, policy, question } = view
      const inquiry: Inquiry = Object.freeze({ run: id, question, scope, policy, revision, within: started.within })
      const ledger = Ledger.resume(journal, carrier, clock, view, token, observe)
      ledger.record({ tag: "RunResumed" })
      const stage = Resume.stageOf(ledger.view().phase)
      return yield* conduct(inquiry, ledger, clock, pastOf(events), recorded, (guard) =>
        Effect.zipRight(ledger.flush([]), stage === undefined ? Effect.void : guard.unchanged(stage))
      )
    },
    Effect.withSpan("staterag.resume", { captureStackTrace: false })
  )
  return { run, resume }
})
