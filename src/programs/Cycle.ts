/**
 * One cycle: Planner ▸ Navigator ▸ Retriever ▸ Verifier, one stage each on the latest staged state (C9, C10).
 *
 *     turn ──▶ role ──▶ proposal ──▶ decode ──▶ look up the grounds ──▶ check ──▶ commit that field, or ⊥
 */
import { Effect, Either, Option, Schema } from "effect"
import { type IncompleteCause, ProposalRefused, RoleFailed } from "../domain/Errors.ts"
import type { Grounds } from "../domain/Rules.ts"
import { type RunView, terminals } from "../domain/Run.ts"
import { type Field, type Fields, lent, type Role } from "../domain/State.ts"
import { ModelCall } from "../domain/Usage.ts"
import type { Verification } from "../domain/Verification.ts"
import type { CarrierShape } from "../services/Carrier.ts"
import type { CorpusStore } from "../services/CorpusStore.ts"
import type { Inquiry, Navigator, Planner, Retriever, Turn, Verifier } from "../services/Roles.ts"
import type { StoreError } from "../services/StoreError.ts"
import type { TamStore } from "../services/TamStore.ts"
import type { CycleMemory } from "./CycleMemory.ts"
import type { Failure, Guard } from "./Guard.ts"
import type { Ledger } from "./Ledger.ts"
import { evidenceGround, openRegion, planGround } from "./Lookups.ts"

/** Who takes part, and what they are judged by. */
export interface Members {
  readonly planner: typeof Planner.Service
  readonly navigator: typeof Navigator.Service
  readonly retriever: typeof Retriever.Service
  readonly verifier: typeof Verifier.Service
  readonly corpus: typeof CorpusStore.Service
  readonly tam: typeof TamStore.Service
  readonly carrier: CarrierShape
}

/** The cycle of a run, to be run as often as the controller says; it ends with the committed verification. */
export const make = (
  { carrier, corpus, navigator, planner, retriever, tam, verifier }: Members,
  { asked, fail, struck, unchanged }: Guard,
  inquiry: Inquiry,
  ledger: Ledger,
  memory: CycleMemory
): Effect.Effect<Verification, Failure> => {
  const { policy, question, revision, run, scope, within } = inquiry

  const turn = <R extends Role, F extends Field>(
    role: R,
    field: F,
    ground: (value: Fields[F]) => Effect.Effect<Grounds[F], StoreError>
  ): Turn<R> => {
    const view = ledger.view()
    const last = view.cycles[view.cycles.length - 1]
    return {
      run,
      question,
      scope,
      policy,
      revision,
      within,
      cycle: view.cycles.length + 1,
      state: lent(stagedState(view)),
      feedback: last === undefined ? Option.none() : Option.some(last.verification.justification),
      memory: memory.as(role),
      meter: (call) =>
        Option.match(modelCall(call), {
          onNone: () => Effect.dieMessage("what was metered is no model call"),
          onSome: (known) => Effect.sync(() => ledger.record({ tag: "ModelCalled", call: known }))
        }),
      judge: (proposal) =>
        Either.match(carrier.decode(field, proposal), {
          onLeft: (refusal) => Effect.succeed(Option.some(refusal)),
          onRight: (value) =>
            Effect.matchEffect(ground(value), {
              onFailure: (error) => Effect.fail(new RoleFailed({ role, reason: "Failed", detail: error.message })),
              onSuccess: (grounds) => Effect.succeed(carrier.check(field, value, stagedState(ledger.view()), grounds))
            })
        })
    }
  }

  /** One stage: the role's proposal, and α ∈ {0, 1} against the staged state; the value where it is to be committed (C9). */
  const stage = Effect.fnUntraced(function* <R extends Role, F extends Field>(
    role: R,
    field: F,
    propose: (turn: Turn<R>) => Effect.Effect<unknown, IncompleteCause>,
    ground: (value: Fields[F]) => Effect.Effect<Grounds[F], StoreError>
  ) {
    // decoded where the role is asked: a proposal that throws when it is looked at is the role's own defect
    const { decoded, proposal } = yield* asked(role, () =>
      Effect.map(propose(turn(role, field, ground)), (proposal) => ({
        proposal,
        decoded: carrier.decode(field, proposal)
      }))
    )
    const exhausted = struck()
    if (exhausted !== undefined) return yield* fail(role, exhausted)
    const refusal = Either.isLeft(decoded)
      ? Option.some(decoded.left)
      : carrier.check(field, decoded.right, stagedState(ledger.view()), yield* ground(decoded.right))
    if (Either.isRight(decoded) && Option.isNone(refusal)) return decoded.right
    // a proposal may be wrong only because the corpus has moved on under it
    yield* unchanged(role)
    const { reason, rule } = Option.getOrElse(refusal, () => ({ rule: "", reason: "" }))
    return yield* fail(role, new ProposalRefused({ role, rule, reason }), preview(proposal))
  })

  /** p ▸ π ▸ E ▸ z on the staged state (C9): each value is committed before the next role is asked. */
  return Effect.gen(function* () {
    ledger.record({ tag: "CycleStarted" })
    const number = ledger.view().cycles.length + 1

    const plan = yield* stage("Planner", "plan", planner.propose, (value) =>
      planGround(corpus, inquiry, value, terminals(ledger.view()))
    )
    ledger.record({ tag: "PlanCommitted", plan })

    const path = yield* stage("Navigator", "path", navigator.propose, (value) => tam.ground(scope, value))
    const trace = yield* tam.nodes(scope, path)
    ledger.record({
      tag: "PathCommitted",
      path,
      trace: trace.map(({ abstraction, type }) => ({ type, abstraction: abstraction.slice(0, 160) }))
    })

    const region = yield* openRegion(corpus, tam, inquiry, path, ledger.view().initial)
    const ground = Effect.succeed(evidenceGround(region, number))
    const evidence = yield* stage(
      "Retriever",
      "evidence",
      (turn) => retriever.propose({ ...turn, region }),
      () => ground
    )
    ledger.record({ tag: "EvidenceCommitted", evidence })

    const verification = yield* stage("Verifier", "verification", verifier.propose, () => Effect.succeed({}))
    ledger.record({ tag: "VerificationCommitted", verification })
    return verification
  })
}

const modelCall = Schema.validateOption(ModelCall, { onExcessProperty: "error" })

const stagedState = (view: RunView) => Option.getOrElse(view.staged, () => view.state)

/** A refused proposal for the journal. A value that is no JSON (a cycle, a bigint, no end of nesting) is named by its kind. */
const preview = (proposal: unknown): string =>
  Either.getOrElse(
    Either.try(() => JSON.stringify(proposal) ?? typeof proposal),
    (error) => `no JSON: ${String(error)}`
  ).slice(0, 2000)
