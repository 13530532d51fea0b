/** C2: compiled with the tests, never run: what must not type-check. */
import { Effect, Layer } from "effect"
import type { Evidence } from "../src/domain/Evidence.ts"
import type { NodeId, PassageId, ScopeKey } from "../src/domain/Ids.ts"
import type { Plan } from "../src/domain/Plan.ts"
import { type ProposalOf, propose } from "../src/domain/Proposal.ts"
import { check, type Grounds, type Rule } from "../src/domain/Rules.ts"
import { commit, initial, type State } from "../src/domain/State.ts"
import { type Path, rootId } from "../src/domain/Tam.ts"
import { pending } from "../src/domain/Verification.ts"
import { Navigator, Planner, type Reader, Retriever, Verifier } from "../src/services/Roles.ts"

declare const plan: Plan
declare const path: Path
declare const evidence: Evidence
declare const state: State
declare const grounds: Grounds
declare const passage: PassageId

// each role may write its own field
Layer.succeed(Planner, { propose: () => Effect.succeed(propose("plan", plan)) })
Layer.succeed(Navigator, { propose: () => Effect.succeed(propose("path", path)) })
Layer.succeed(Retriever, { propose: () => Effect.succeed(propose("evidence", evidence)) })
Layer.succeed(Verifier, { propose: () => Effect.succeed(propose("verification", pending)) })

// @ts-expect-error a Planner writes no path
Layer.succeed(Planner, { propose: () => Effect.succeed(propose("path", path)) })
// @ts-expect-error a Planner writes no verdict
Layer.succeed(Planner, { propose: () => Effect.succeed(propose("verification", pending)) })
// @ts-expect-error a Navigator writes no plan
Layer.succeed(Navigator, { propose: () => Effect.succeed(propose("plan", plan)) })
// @ts-expect-error a Navigator writes no evidence
Layer.succeed(Navigator, { propose: () => Effect.succeed(propose("evidence", evidence)) })
// @ts-expect-error a Retriever writes no verdict
Layer.succeed(Retriever, { propose: () => Effect.succeed(propose("verification", pending)) })
// @ts-expect-error a Verifier writes no evidence
Layer.succeed(Verifier, { propose: () => Effect.succeed(propose("evidence", evidence)) })
// @ts-expect-error a role hands over a proposal, not a bare value
Layer.succeed(Retriever, { propose: () => Effect.succeed(evidence) })
// @ts-expect-error a role hands over a proposal, not a whole state
Layer.succeed(Planner, { propose: () => Effect.succeed(state) })
// @ts-expect-error nobody proposes U
propose("artifacts", [])
// @ts-expect-error a value fits its own field alone
propose("plan", path)
// @ts-expect-error the label of a proposal is part of its type
const forged: ProposalOf<"Planner"> = propose("verification", pending)

// @ts-expect-error the fold writes U through no commit
commit(state, "artifacts", [])
// @ts-expect-error a commit takes the field's own type
commit(state, "evidence", plan)
// @ts-expect-error a state cannot be written to
state.verification = pending
// @ts-expect-error evidence cannot be added to in place
state.evidence.push()
// @ts-expect-error what is committed cannot be changed in place
plan.missing.length = 0
// @ts-expect-error a state starts without a plan
initial(plan, [])

// @ts-expect-error a rule for one field does not judge another
const misplaced: Rule<"path"> = {} as Rule<"plan">
// @ts-expect-error a value is checked on the grounds of its own field
check("evidence", evidence, state, grounds.path)

// @ts-expect-error the reader is given the question and the evidence, never the state (C3)
const readsState = (reader: typeof Reader.Service) => reader.read("q", state)
// @ts-expect-error and nothing beside them
const readsMore = (reader: typeof Reader.Service) => reader.read("q", evidence, state)

// @ts-expect-error a passage is no node
const node: NodeId = passage
// @ts-expect-error a plain string is no scope key (C27)
const scope: ScopeKey = "default"
// @ts-expect-error a path is not empty
const nowhere: Path = []

export const usedSoThatNothingIsUnused = [forged, misplaced, node, scope, nowhere, rootId, readsState, readsMore]
