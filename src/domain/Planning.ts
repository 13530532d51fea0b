/**
 * The parts of a plan that need no index: slots and what fills them, what is still open, where to start from, what to look out for (C11).
 */
import { Option } from "effect"
import type { Artifact, Bridge } from "./Artifact.ts"
import { entities, entityKey, withoutAside } from "./Entities.ts"
import type { EvidenceItem } from "./Evidence.ts"
import { type Hop, hopFrom } from "./Hop.ts"
import { type Frequencies, idf, residualShare } from "./Idf.ts"
import { SlotName } from "./Ids.ts"
import type { Binding, Frontier, Plan, Slot } from "./Plan.ts"
import { cut, folded, isAbout, type Question, standsIn } from "./Question.ts"
import { sentences } from "./Sentences.ts"
import type { State } from "./State.ts"
import { terms } from "./Words.ts"

/** A passage that holds nearly all of the question has no second hop to make: below this residual its weight falls. */
const fullResidual = 0.4
/** The share of the question, by idf, that evidence may lack and still be verified. */
export const mostResidual = 0.4
const hinted = 0.3
const mostSlots = 25
/** Names that a plan looks out for at most. */
export const mostFrontier = 64
/** Names of the question that a plan holds at most. */
const mostNames = 32
/** UTF-16 code units of a plan's texts and names at most. */
export const textLimit = 4096
export const nameLimit = 300

/** Best first; ties by place. */
export const byScore = (a: EvidenceItem, b: EvidenceItem): number =>
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
export const knownOf = (slots: ReadonlyArray<Slot>, state: State): ReadonlyArray<Binding> => {
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
export const openTerms = (
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
export const wordsOf = (question: Question, wanted: ReadonlyArray<string>): string =>
  cut(
    question.words
      .filter(({ term }) => wanted.includes(term))
      .map(({ end, start }) => question.text.slice(start, end))
      .join(" "),
    textLimit
  )

export const objectiveOf = (question: Question, missing: ReadonlyArray<SlotName>, cycle: number): string => {
  const asked = question.text.trim() === "" ? "(an empty question)" : question.text
  const open = missing.filter((name) => name !== askedSlot)
  const rest = cycle > 1 && open.length > 0 ? `\nStill missing: ${cut(open.join("; "), 1000)}` : ""
  return `${cut(asked, textLimit - 1100)}${rest}`
}

/** A start with what it leads to, before it has statistics. */
export interface Start {
  readonly item: EvidenceItem
  readonly hop: Hop
  readonly weight: number
}

export const startsOf = (
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
export const frontierOf = (offers: ReadonlyArray<Frontier>): ReadonlyArray<Frontier> => {
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

/**
 * Whom or what the question names: titles that stand in it word for word and hold one of its names, the longest first (a title without its
 * disambiguation where the question has none), then its names that lie in none of these.
 */
export const namesIn = (question: Question, titles: ReadonlyArray<string>): ReadonlyArray<string> => {
  let line = folded(question.text)
  const offered = new Map<string, string>()
  for (const title of titles) {
    const whole = folded(title).trim()
    const [key, name] = standsIn(whole, line) ? [whole, title] : [entityKey(title), withoutAside(title)]
    if (standsIn(key, line) && !offered.has(key)) offered.set(key, name)
  }
  const found = new Map<string, string>()
  for (const [key, name] of [...offered].sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))) {
    if (!standsIn(key, line) || !question.entities.some((entity) => standsIn(entity.key, ` ${key} `))) continue
    found.set(key, name)
    line = line.replaceAll(` ${key} `, " \u0000 ")
  }
  const others = question.entities.filter(
    (entity) => ![...found.keys()].some((key) => standsIn(entity.key, ` ${key} `))
  )
  return [...found.values(), ...others.map(({ text }) => text)].slice(0, mostNames).map((name) => cut(name, nameLimit))
}

/** Bridges whose two quotes hold every name of the question and most of its words: what verified then would for this question too. */
export const anchored = (
  question: Question,
  artifacts: ReadonlyArray<Artifact>,
  weight: (term: string) => number
): ReadonlyArray<Bridge> =>
  question.entities.length === 0
    ? []
    : artifacts.flatMap(({ payload }) => {
        if (payload.kind !== "Bridge") return []
        const line = folded(`${payload.from.text}\n${payload.to.text}`)
        const lacks = residualShare(question.terms, weight, (term) => line.includes(` ${term} `))
        return lacks <= mostResidual && question.entities.every(({ key }) => standsIn(key, line)) ? [payload] : []
      })

/** Names that verified runs needed together with what this question asks about. */
export const hintsOf = (question: Question, artifacts: ReadonlyArray<Artifact>): ReadonlyArray<Frontier> => {
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
