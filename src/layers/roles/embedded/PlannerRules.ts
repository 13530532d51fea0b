/**
 * p by rules (C11): what kind of answer is wanted, what is known of the names in the question, and where the best passages point to next.
 *
 * The plan is a function of staged state, δ, the exposed artifacts and the corpus. It carries its own statistics (term weights, the best score that
 * the corpus reaches), so that g needs no index (C12).
 */
import { Effect, Layer, Option } from "effect"
import type { Bridge } from "../../../domain/Artifact.ts"
import { entityKey } from "../../../domain/Entities.ts"
import { idf, residualShare } from "../../../domain/Idf.ts"
import { type NodeId, PassageId, type ScopeKey } from "../../../domain/Ids.ts"
import type { Hypothesis, Plan, Visit } from "../../../domain/Plan.ts"
import {
  anchored,
  askedSlot,
  byScore,
  frontierOf,
  hintsOf,
  knownOf,
  mostFrontier,
  nameLimit,
  namesIn,
  objectiveOf,
  openTerms,
  type Start,
  slotsOf,
  startsOf,
  textLimit,
  wordsOf
} from "../../../domain/Planning.ts"
import { propose } from "../../../domain/Proposal.ts"
import { analyse, cut } from "../../../domain/Question.ts"
import { constants, raw, type Scored } from "../../../domain/Relevance.ts"
import type { State } from "../../../domain/State.ts"
import { contentTerms } from "../../../domain/Words.ts"
import { CorpusStore } from "../../../services/CorpusStore.ts"
import { LexicalIndex } from "../../../services/LexicalIndex.ts"
import { Planner, type Turn } from "../../../services/Roles.ts"
import { type Link, TamStore } from "../../../services/TamStore.ts"
import { failing } from "./Failing.ts"
import * as Nearness from "./Nearness.ts"
import { prepared } from "./Prepared.ts"
import { frequenciesOf, mostTerms, sought, weighted } from "./Weights.ts"

/** Items that hypotheses start from, in the first cycle and later. */
const startsFirst = 5
const startsLater = 3
/** The question's own weight, in the first cycle and later. */
const questionFirst = 1
const questionLater = 0.6
/** What is left of the question once evidence has been committed, where a name is missing. */
const questionRest = 1
const backward = 0.6
/** Bridges of earlier questions that a plan begins with at most. */
const mostBridges = 4
/** Texts in which the best score of a hypothesis is looked for. */
const looked = 10

export const layer: Layer.Layer<Planner, never, LexicalIndex | CorpusStore | Nearness.Needs> = Layer.effect(
  Planner,
  Effect.gen(function* () {
    const lexical = yield* LexicalIndex
    const tam = yield* TamStore
    const corpus = yield* CorpusStore
    const nearness = yield* Nearness.make

    const abstractions = Effect.fnUntraced(function* (scope: ScopeKey, nodes: ReadonlyArray<NodeId>) {
      return nodes.length === 0 ? [] : yield* tam.nodes(scope, nodes)
    })

    /** a(v) of the Evidence nodes of these passages. */
    const textsOf = Effect.fnUntraced(function* (scope: ScopeKey, passages: ReadonlyArray<PassageId>) {
      if (passages.length === 0) return []
      const nodes = yield* tam.evidenceOf(scope, passages)
      return (yield* abstractions(scope, [...new Set(nodes.values())].sort())).map((node) => prepared(node.abstraction))
    })

    /** Titles that the starts link to, and less so that link to them. */
    const linked = Effect.fnUntraced(function* (scope: ScopeKey, starts: ReadonlyArray<Start>) {
      if (starts.length === 0) return []
      const weights = new Map(starts.map(({ item, weight }) => [item.passage, weight]))
      const links: ReadonlyArray<Link> = yield* tam.links(scope, [...weights.keys()])
      const reach = new Map<PassageId, number>()
      const offer = (id: PassageId, weight: number) => {
        if (weight > (reach.get(id) ?? 0)) reach.set(id, weight)
      }
      for (const link of links) {
        const out = weights.get(link.from)
        if (out !== undefined) offer(link.to, out * link.weight)
        const into = weights.get(link.to)
        if (into !== undefined) offer(link.from, into * backward * link.weight)
      }
      const nearest = [...reach].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 2 * mostFrontier)
      const passages = yield* corpus.passages(
        scope,
        nearest.map(([id]) => id)
      )
      return passages.flatMap(({ id, title }) => (title === "" ? [] : [{ name: title, weight: reach.get(id) ?? 0 }]))
    })

    /** Titles of the passages that begin bridges: their regions hold both ends. */
    const beginnings = Effect.fnUntraced(function* (scope: ScopeKey, bridges: ReadonlyArray<Bridge>) {
      const found = new Set<PassageId>()
      for (const { from } of bridges.slice(0, mostBridges)) {
        const words = contentTerms(from.text).slice(0, mostTerms)
        for (const { id } of yield* lexical.search(scope, "Passage", words, 1, [from.span.document]))
          found.add(PassageId.make(id))
      }
      const passages = found.size === 0 ? [] : yield* corpus.passages(scope, [...found].sort())
      return passages.flatMap(({ title }) => (title === "" ? [] : [cut(title, nameLimit)]))
    })

    /** The Evidence nodes where earlier cycles ended: those of the last plan, and the end of the path that followed it. */
    const visitsOf = Effect.fnUntraced(function* (scope: ScopeKey, state: State) {
      if (Option.isNone(state.plan) || Option.isNone(state.path)) return []
      const last = state.path.value[state.path.value.length - 1] ?? state.path.value[0]
      const texts = (yield* abstractions(scope, [last])).map((node) => prepared(node.abstraction))
      const visit: Visit = { node: last, abstraction: texts[0]?.fingerprint ?? "" }
      return [...state.plan.value.visited, visit]
    })

    const plan = Effect.fnUntraced(function* (turn: Turn<"Planner">) {
      const { cycle, scope, state } = turn
      const question = analyse(turn.question)
      const isFirst = Option.isNone(state.plan)
      const artifacts = state.artifacts.length === 0 ? [] : yield* turn.memory.read(state.artifacts)
      const frequencies = yield* frequenciesOf(lexical, scope, question.terms)
      const items = [...state.evidence].sort(byScore).slice(0, isFirst ? startsFirst : startsLater)
      const starts = startsOf(question, items, frequencies)
      const all = yield* frequenciesOf(lexical, scope, [
        ...new Set([...question.terms.slice(0, 256), ...starts.flatMap(({ hop }) => hop.terms)])
      ])

      // the titles that E⁰ brought tell what the question's names are; later evidence brings others
      const names = Option.match(state.plan, {
        onNone: () =>
          namesIn(
            question,
            state.evidence.map((item) => item.title)
          ),
        onSome: ({ entities }) => entities
      })
      // where a verified run began with the same, that is asked about too
      const begun = isFirst
        ? yield* beginnings(
            scope,
            anchored(question, artifacts, (term) => idf(frequencies, term))
          )
        : []
      const entities = [...new Set([...names, ...begun])]
      const slots = slotsOf(question)
      const known = knownOf(slots, state)
      const missing = slots.map((slot) => slot.name).filter((name) => !known.some((binding) => binding.slot === name))
      const visited = yield* visitsOf(scope, state)
      const failed = artifacts.flatMap(({ payload }) => (payload.kind === "FailedRegion" ? [payload.node] : []))
      const held: ReadonlyArray<Scored> = [
        ...(isFirst
          ? []
          : yield* textsOf(
              scope,
              state.evidence.map((item) => item.passage)
            )),
        ...(yield* abstractions(scope, failed)).map((node) => prepared(node.abstraction))
      ]

      const rest = isFirst ? [] : openTerms(question, state, known, missing)
      // a missing name is worth a search of its own; common words that are left stand everywhere, and count by their share of the question
      const lacksName = missing.some((name) => name !== askedSlot)
      const shareLeft = residualShare(
        question.terms,
        (term) => idf(all, term),
        (term) => !rest.includes(term)
      )
      const restWeight = lacksName ? questionRest : questionLater * shareLeft
      const open: ReadonlyArray<Omit<Hypothesis, "best">> = [
        {
          from: null,
          weight: isFirst ? questionFirst : questionLater,
          query: cut(question.text, textLimit),
          terms: weighted(question.terms, all)
        },
        ...(rest.length === 0
          ? []
          : [{ from: null, weight: restWeight, query: wordsOf(question, rest), terms: weighted(rest, all) }]),
        ...starts.map(({ hop, item, weight }) => ({
          from: item.passage,
          weight,
          query: cut(hop.query, textLimit),
          terms: weighted(hop.terms, all)
        }))
      ]
      const found = new Set<PassageId>()
      for (const hypothesis of open) {
        const words = sought(hypothesis)
        if (words.length === 0) continue
        for (const { id } of yield* lexical.search(scope, "Passage", words, looked, turn.within))
          found.add(PassageId.make(id))
      }
      const texts = yield* textsOf(scope, [...found].sort())
      const hypotheses = yield* nearness.completed(
        scope,
        open.map((hypothesis) => ({
          ...hypothesis,
          best: texts.reduce((most, text) => Math.max(most, raw(hypothesis.terms, text)), 0)
        }))
      )

      const before = Option.match(state.plan, { onNone: () => [], onSome: (last) => last.held })
      const unnamed = question.entities.filter((entity) => missing.some((name) => entityKey(name) === entity.key))
      const named = constants.named / constants.frontier / Math.max(1, question.entities.length)
      const frontier = frontierOf([
        ...(yield* linked(scope, starts)),
        ...unnamed.map((entity) => ({ name: entity.text, weight: named })),
        ...hintsOf(question, artifacts)
      ])
      const value: Plan = {
        type: question.type,
        entities,
        slots,
        objective: objectiveOf(question, missing, cycle),
        hypotheses,
        known,
        missing,
        frontier,
        held: [...new Set([...before, ...held.map((text) => text.fingerprint)])].slice(-64),
        visited
      }
      return propose("plan", value)
    })
    return { propose: (turn) => failing("Planner")(plan(turn)) }
  })
)
