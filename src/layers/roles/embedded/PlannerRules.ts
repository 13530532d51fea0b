/**
 * p by rules (C11): what kind of answer is wanted, what is known of the names in the question, and where the best passages point to next.
 *
 * The plan is a function of staged state, δ, the exposed artifacts and the corpus. It carries its own statistics (term weights, the best score that
 * the corpus reaches), so that g needs no index (C12).
 */
import { Effect, Layer, Option } from "effect"
import type { Artifact } from "../../../domain/Artifact.ts"
import { entities, entityKey } from "../../../domain/Entities.ts"
import type { EvidenceItem } from "../../../domain/Evidence.ts"
import { type Hop, hopFrom } from "../../../domain/Hop.ts"
import { type Frequencies, idf } from "../../../domain/Idf.ts"
import { type NodeId, PassageId, type ScopeKey, SlotName } from "../../../domain/Ids.ts"
import type { Binding, Frontier, Hypothesis, Plan, Slot, Visit } from "../../../domain/Plan.ts"
import { propose } from "../../../domain/Proposal.ts"
import { analyse, cut, folded, isAbout, type Question, standsIn } from "../../../domain/Question.ts"
import { constants, prepare, raw, type Scored } from "../../../domain/Relevance.ts"
import { sentences } from "../../../domain/Sentences.ts"
import type { State } from "../../../domain/State.ts"
import { terms } from "../../../domain/Words.ts"
import { CorpusStore } from "../../../services/CorpusStore.ts"
import { LexicalIndex } from "../../../services/LexicalIndex.ts"
import { Planner, type Turn } from "../../../services/Roles.ts"
import { type Link, TamStore } from "../../../services/TamStore.ts"
import { failing } from "./Failing.ts"
import { frequenciesOf, weighted } from "./Weights.ts"

/** Items that hypotheses start from, in the first cycle and later. */
const startsFirst = 5
const startsLater = 3
/** The question's own weight, in the first cycle and later. */
const questionFirst = 1
const questionLater = 0.6
/** What is left of the question once evidence has been committed. */
const questionRest = 1
/** A passage that holds nearly all of the question has no second hop to make: below this residual its weight falls. */
const fullResidual = 0.4
const backward = 0.6
const hinted = 0.3
/** Texts in which the best score of a hypothesis is looked for. */
const looked = 10
const mostFrontier = 64
const mostSlots = 25
const textLimit = 4096
const nameLimit = 300

const byScore = (a: EvidenceItem, b: EvidenceItem): number =>
  b.score - a.score || (a.document < b.document ? -1 : a.document > b.document ? 1 : a.start - b.start)

/** The slot of what is asked for. */
export const askedSlot = SlotName.make("what is asked for")

const describe: { readonly [T in Plan["type"]]: string } = {
  Boolean: "whether it is so",
  Comparison: "which of them, and by what",
  Person: "the person asked for",
  Place: "the place asked for",
  Date: "the date asked for",
  Quantity: "the number asked for",
  Definition: "what it is",
  Procedure: "how it is done",
  Entity: "the thing asked for",
  Generic: "what is asked for"
}

/** One slot a name, and one for what is asked for. Names are distinct. */
export const slotsOf = (question: Question): ReadonlyArray<Slot> => {
  const names = new Set<string>([askedSlot])
  const slots: Array<Slot> = []
  for (const { text } of question.entities.slice(0, mostSlots)) {
    const name = SlotName.make(cut(text, 200))
    if (names.has(name)) continue
    names.add(name)
    slots.push({ name, description: `a passage about ${cut(text, 200)}` })
  }
  return [...slots, { name: askedSlot, description: describe[question.type] }]
}

/** The sentence of an item that names a slot, as a binding; undefined where the item does not speak of it. */
const bind = (slot: SlotName, item: EvidenceItem): Binding | undefined => {
  const key = entityKey(slot)
  if (key === "" || !(isAbout(entityKey(item.title), key) || standsIn(key, folded(item.text)))) return undefined
  const all = sentences(item.text)
  const chosen = all.find(({ end, start }) => standsIn(key, folded(item.text.slice(start, end)))) ?? all[0]
  if (chosen === undefined) return undefined
  const text = cut(item.text.slice(chosen.start, chosen.end), textLimit)
  const start = item.start + chosen.start
  return { slot, span: { document: item.document, start, end: start + text.length }, text }
}

/**
 * What is known: what the staged evidence says of a name, and what earlier committed evidence said. What the first plan knew came from E⁰, which
 * no cycle has committed, so it does not last.
 */
const knownOf = (slots: ReadonlyArray<Slot>, state: State): ReadonlyArray<Binding> => {
  const before = Option.match(state.plan, {
    onNone: () => [],
    onSome: (plan) => (plan.visited.length === 0 ? [] : plan.known)
  })
  return slots.flatMap(({ name }) => {
    if (name === askedSlot) return []
    const kept = before.find((binding) => binding.slot === name)
    if (kept !== undefined) return [kept]
    for (const item of state.evidence) {
      const bound = bind(name, item)
      if (bound !== undefined) return [bound]
    }
    return []
  })
}

/** The words of the question that neither the staged evidence nor what is known holds, and the names that are still missing. */
const openTerms = (
  question: Question,
  state: State,
  known: ReadonlyArray<Binding>,
  missing: ReadonlyArray<SlotName>
): ReadonlyArray<string> => {
  const said = [...state.evidence.map((item) => `${item.title}\n${item.text}`), ...known.map((binding) => binding.text)]
  const held = new Set(said.flatMap((text) => terms(text)))
  const names = new Set(missing.filter((name) => name !== askedSlot).flatMap((name) => entityKey(name).split(" ")))
  return question.terms.filter((term) => names.has(term) || !held.has(term))
}

/** These terms as the question writes them. */
const wordsOf = (question: Question, wanted: ReadonlyArray<string>): string =>
  cut(
    question.words
      .filter(({ term }) => wanted.includes(term))
      .map(({ end, start }) => question.text.slice(start, end))
      .join(" "),
    textLimit
  )

const objectiveOf = (question: Question, missing: ReadonlyArray<SlotName>, cycle: number): string => {
  const asked = question.text.trim() === "" ? "(an empty question)" : question.text
  const open = missing.filter((name) => name !== askedSlot)
  const rest = cycle > 1 && open.length > 0 ? `\nStill missing: ${cut(open.join("; "), 1000)}` : ""
  return `${cut(asked, textLimit - 1100)}${rest}`
}

/** A start with what it leads to, before it has statistics. */
interface Start {
  readonly item: EvidenceItem
  readonly hop: Hop
  readonly weight: number
}

const startsOf = (
  question: Question,
  items: ReadonlyArray<EvidenceItem>,
  frequencies: Frequencies
): ReadonlyArray<Start> => {
  const weight = (term: string) => idf(frequencies, term)
  const top = Math.max(0, ...items.map((item) => item.score))
  return items.map((item, i) => {
    const hop = hopFrom(question, weight, item)
    const share = top > 0 ? Math.max(0, item.score) / top : 1 / (i + 1)
    return { item, hop, weight: share * Math.min(1, hop.residual / fullResidual) }
  })
}

/** Names to look out for, each once with its greatest weight, weightiest first. */
const frontierOf = (offers: ReadonlyArray<Frontier>): ReadonlyArray<Frontier> => {
  const byKey = new Map<string, Frontier>()
  for (const offer of offers) {
    const name = cut(offer.name, nameLimit)
    const key = entityKey(name)
    const known = byKey.get(key)
    if (key === "" || offer.weight <= 0 || (known !== undefined && known.weight >= offer.weight)) continue
    byKey.set(key, { name, weight: Math.min(1, offer.weight) })
  }
  return [...byKey.values()].sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1)).slice(0, mostFrontier)
}

/** Names that verified runs needed together with what this question asks about. */
const hintsOf = (question: Question, artifacts: ReadonlyArray<Artifact>): ReadonlyArray<Frontier> => {
  const wanted = new Set(question.terms)
  const line = folded(question.text)
  return artifacts.flatMap(({ payload }) => {
    if (payload.kind !== "Bridge") return []
    const said = `${payload.from.text} ${payload.to.text}`
    const share =
      folded(said)
        .trim()
        .split(" ")
        .filter((term) => wanted.has(term)).length / Math.max(1, wanted.size)
    return entities(said)
      .filter((entity) => !standsIn(entity.key, line))
      .slice(0, 4)
      .map((entity) => ({ name: entity.text, weight: hinted * Math.min(1, share) }))
  })
}

export const layer: Layer.Layer<Planner, never, LexicalIndex | TamStore | CorpusStore> = Layer.effect(
  Planner,
  Effect.gen(function* () {
    const lexical = yield* LexicalIndex
    const tam = yield* TamStore
    const corpus = yield* CorpusStore

    const abstractions = Effect.fnUntraced(function* (scope: ScopeKey, nodes: ReadonlyArray<NodeId>) {
      return nodes.length === 0 ? [] : yield* tam.nodes(scope, nodes)
    })

    /** a(v) of the Evidence nodes of these passages. */
    const textsOf = Effect.fnUntraced(function* (scope: ScopeKey, passages: ReadonlyArray<PassageId>) {
      if (passages.length === 0) return []
      const nodes = yield* tam.evidenceOf(scope, passages)
      return (yield* abstractions(scope, [...new Set(nodes.values())].sort())).map((node) => prepare(node.abstraction))
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

    /** The Evidence nodes where earlier cycles ended: those of the last plan, and the end of the path that followed it. */
    const visitsOf = Effect.fnUntraced(function* (scope: ScopeKey, state: State) {
      if (Option.isNone(state.plan) || Option.isNone(state.path)) return []
      const last = state.path.value[state.path.value.length - 1] ?? state.path.value[0]
      const texts = (yield* abstractions(scope, [last])).map((node) => prepare(node.abstraction))
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
        ...(yield* abstractions(scope, failed)).map((node) => prepare(node.abstraction))
      ]

      const rest = isFirst ? [] : openTerms(question, state, known, missing)
      const open: ReadonlyArray<Omit<Hypothesis, "best">> = [
        {
          from: null,
          weight: isFirst ? questionFirst : questionLater,
          query: cut(question.text, textLimit),
          terms: weighted(question.terms, all)
        },
        ...(rest.length === 0
          ? []
          : [{ from: null, weight: questionRest, query: wordsOf(question, rest), terms: weighted(rest, all) }]),
        ...starts.map(({ hop, item, weight }) => ({
          from: item.passage,
          weight,
          query: cut(hop.query, textLimit),
          terms: weighted(hop.terms, all)
        }))
      ]
      const found = new Set<PassageId>()
      for (const { terms } of open) {
        const words = terms.filter(({ term }) => (all.byTerm.get(term) ?? 0) > 0).map(({ term }) => term)
        if (words.length === 0) continue
        for (const { id } of yield* lexical.search(scope, "Passage", words, looked, turn.within))
          found.add(PassageId.make(id))
      }
      const texts = yield* textsOf(scope, [...found].sort())
      const hypotheses = open.map((hypothesis) => ({
        ...hypothesis,
        best: texts.reduce((most, text) => Math.max(most, raw(hypothesis.terms, text)), 0)
      }))

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
        entities: question.entities.map((entity) => cut(entity.text, nameLimit)),
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
