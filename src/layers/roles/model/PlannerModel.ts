/**
 * p by a model (C11), on top of the plan of the Planner in its context: that brings the question's own query, what the corpus links to and
 * where earlier cycles ended; the model brings sub-questions, each a slot and a query, and what the evidence says of them.
 *
 * Slots and bindings last: what an earlier cycle has bound stays bound.
 */
import { Effect, Layer, Option } from "effect"
import type { Binding, Hypothesis, Plan, Slot } from "../../../domain/Plan.ts"
import { askedSlot, byScore, frontierOf, nameLimit, objectiveOf, textLimit } from "../../../domain/Planning.ts"
import { propose } from "../../../domain/Proposal.ts"
import * as PlannerPrompt from "../../../domain/prompts/PlannerPrompt.ts"
import { analyse, cut } from "../../../domain/Question.ts"
import { Digest } from "../../../services/Digest.ts"
import { LanguageModel } from "../../../services/LanguageModel.ts"
import { LexicalIndex } from "../../../services/LexicalIndex.ts"
import { Planner, type Turn } from "../../../services/Roles.ts"
import { TamStore } from "../../../services/TamStore.ts"
import { failing } from "../embedded/Failing.ts"
import * as Nearness from "../embedded/Nearness.ts"
import { asking, boundsOf, type Options } from "./Asking.ts"
import { hypothesisOf } from "./Hypotheses.ts"
import { quotedFrom, slotOf } from "./Pointing.ts"

/** Passages that the model is shown: of E⁰, and of a committed cycle. */
const shownFirst = 8
const shownLater = 16
const mostSlots = 31
/** Hypotheses of the Planner underneath that are kept beside the model's. */
const mostBeneath = 8
/** What those keep of their weight where the model has some of its own. */
const behind = 0.5
const beneathBy = (share: number, { hypotheses }: Plan): ReadonlyArray<Hypothesis> =>
  hypotheses.slice(0, mostBeneath).map((hypothesis) => ({ ...hypothesis, weight: share * hypothesis.weight }))
/** How much a name that the model looks out for weighs. */
const named = 0.5

/** Each slot once, the first description of it. */
const distinct = (slots: ReadonlyArray<Slot>): ReadonlyArray<Slot> =>
  slots.filter(({ name }, i) => slots.findIndex((other) => other.name === name) === i)

interface Before {
  readonly slots: ReadonlyArray<Slot>
  readonly known: ReadonlyArray<Binding>
}

/** The plan beneath with what the model said; `queries` are those of its sub-questions that are still open. */
const planned = (
  turn: Turn<"Planner">,
  beneath: Plan,
  before: Before,
  evidence: Turn<"Planner">["state"]["evidence"],
  said: PlannerPrompt.Planned
): { readonly plan: Omit<Plan, "hypotheses">; readonly queries: ReadonlyArray<string> } => {
  const asked = beneath.slots.filter(({ name }) => name === askedSlot)
  const wanted = said.subquestions.map(({ query, question, slot }) => ({
    slot: { name: slotOf(before.slots, slot), description: cut(question.trim() || slot, textLimit) },
    query: query.trim() || question
  }))
  const slots = distinct([...before.slots, ...wanted.map(({ slot }) => slot)].filter(({ name }) => name !== askedSlot))
  const bound = said.bindings.map(({ passage, quotation, slot }): Binding => {
    const { span, text } = quotedFrom(evidence, { passage, quotation })
    return { slot: slotOf(before.slots, slot), span, text }
  })
  const known = [...before.known, ...bound].filter(
    ({ slot }, i, all) => all.findIndex((other) => other.slot === slot) === i
  )
  const all = [...slots.slice(0, mostSlots), ...asked]
  const missing = all.map(({ name }) => name).filter((name) => !known.some(({ slot }) => slot === name))
  const question = analyse(turn.question)
  return {
    plan: {
      ...beneath,
      slots: all,
      known,
      missing,
      objective: objectiveOf(question, missing, turn.cycle),
      frontier: frontierOf([
        ...beneath.frontier,
        ...said.names.map((name) => ({ name: cut(name.trim(), nameLimit), weight: named }))
      ])
    },
    queries: wanted.flatMap(({ query, slot }) => (missing.includes(slot.name) && query.trim() !== "" ? [query] : []))
  }
}

export const layer = (
  options: Options = {}
): Layer.Layer<Planner, never, Planner | LanguageModel | LexicalIndex | Digest | Nearness.Needs> =>
  Layer.effect(
    Planner,
    Effect.gen(function* () {
      const beneath = yield* Planner
      const model = yield* LanguageModel
      const digest = yield* Digest
      const grounded = hypothesisOf(yield* LexicalIndex, yield* TamStore, yield* Nearness.make)
      const prompt = PlannerPrompt.make(boundsOf(options))

      const plan = Effect.fnUntraced(function* (turn: Turn<"Planner">) {
        const { feedback, question, state } = turn
        const { value: base } = yield* beneath.propose(turn)
        const before = Option.match(state.plan, {
          onNone: (): Before => ({ slots: [], known: [] }),
          onSome: ({ known, slots }) => ({ slots: slots.filter(({ name }) => name !== askedSlot), known })
        })
        const evidence = [...state.evidence].sort(byScore).slice(0, Option.isNone(state.plan) ? shownFirst : shownLater)
        const input = { question, slots: before.slots, known: before.known, feedback, evidence }
        return yield* asking("Planner", turn, { model, digest, options }, prompt, input, (said) => {
          const { plan, queries } = planned(turn, base, before, evidence, said)
          return Effect.map(
            failing("Planner")(Effect.forEach(queries, (query) => grounded(turn, query))),
            (hypotheses) => ({
              proposal: propose("plan", {
                ...plan,
                hypotheses: [...beneathBy(hypotheses.length === 0 ? 1 : behind, base), ...hypotheses]
              })
            })
          )
        })
      })
      return { propose: plan }
    })
  )
