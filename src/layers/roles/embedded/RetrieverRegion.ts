/**
 * E from R alone (C14): the best passage of the region by g, then the others by g and by what a second hop from it (and from the rest of its
 * document) adds, sections by turns, as many as the cycle may bring and the reader's budget holds.
 */
import { Effect, Layer, Option } from "effect"
import { lineBreaks, type Passage } from "../../../domain/Corpus.ts"
import { entityKey } from "../../../domain/Entities.ts"
import type { EvidenceItem } from "../../../domain/Evidence.ts"
import { hopFrom } from "../../../domain/Hop.ts"
import { idf } from "../../../domain/Idf.ts"
import type { Plan, WeightedTerm } from "../../../domain/Plan.ts"
import { propose } from "../../../domain/Proposal.ts"
import { analyse, standsIn } from "../../../domain/Question.ts"
import { constants, raw, type Scored, scorer } from "../../../domain/Relevance.ts"
import { narrow } from "../../../domain/Window.ts"
import { LexicalIndex } from "../../../services/LexicalIndex.ts"
import { Retriever, type Turn } from "../../../services/Roles.ts"
import { TamStore } from "../../../services/TamStore.ts"
import { TokenCounter } from "../../../services/TokenCounter.ts"
import { failing } from "./Failing.ts"
import * as Nearness from "./Nearness.ts"
import { prepared } from "./Prepared.ts"
import { frequenciesOf, weighted } from "./Weights.ts"

/** How much the second hop inside R adds. */
const hopWeight = 0.5
/** What a hop adds to one passage at most. */
const mostGain = constants.second + constants.frontier
/** Passages of the best one's document that lead on, itself included. */
const mostStarts = 4
/** What a passage still counts for each one of its section that is chosen before it. */
const again = 0.5

interface Entry {
  readonly passage: Passage
  readonly text: Scored
  readonly score: number
}

const byScore = (a: Entry, b: Entry): number =>
  b.score - a.score || (a.passage.id < b.passage.id ? -1 : a.passage.id > b.passage.id ? 1 : 0)

const sectionOf = ({ document, headings }: Passage): string => [document, ...headings].join("\n")

/** The entries in the order in which they are taken, each with what it then counts; the first stays first. */
const byTurns = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const left = [...entries]
  const taken = new Map<string, number>()
  const ordered: Array<Entry> = []
  while (left.length > 0) {
    const counted = left.map((entry) => ({
      ...entry,
      score: entry.score * again ** (taken.get(sectionOf(entry.passage)) ?? 0)
    }))
    const next = counted.reduce((best, entry) => (entry.score > best.score ? entry : best))
    left.splice(counted.indexOf(next), 1)
    const section = sectionOf(next.passage)
    taken.set(section, (taken.get(section) ?? 0) + 1)
    ordered.push(next)
  }
  return ordered
}

/** A passage as a text to score, where the graph has no node of its own for it. */
const plainly = (passage: Passage): string => [passage.title, ...passage.headings, passage.text].join("\n")

const item = (passage: Passage, from: number, to: number, value: number, cycle: number): EvidenceItem => ({
  passage: passage.id,
  document: passage.document,
  title: passage.title,
  start: passage.start + from,
  end: passage.start + to,
  line: passage.line + lineBreaks(passage.text, 0, from),
  text: passage.text.slice(from, to),
  score: value,
  cycle
})

export const layer: Layer.Layer<Retriever, never, LexicalIndex | TokenCounter | Nearness.Needs> = Layer.effect(
  Retriever,
  Effect.gen(function* () {
    const lexical = yield* LexicalIndex
    const tam = yield* TamStore
    const tokenCounter = yield* TokenCounter
    const nearness = yield* Nearness.make

    /** The region by g, each text prepared once. */
    const ranked = Effect.fnUntraced(function* (
      scope: Turn<"Retriever">["scope"],
      plan: Plan,
      region: ReadonlyArray<Passage>
    ) {
      const ids = yield* tam.evidenceOf(
        scope,
        region.map((passage) => passage.id)
      )
      const nodes = new Map(
        (yield* tam.nodes(scope, [...new Set(ids.values())].sort())).map((node) => [node.id, node.abstraction])
      )
      const score = scorer(plan)
      return region
        .filter((passage) => passage.text !== "")
        .map((passage): Entry => {
          const node = ids.get(passage.id)
          const text = prepared((node === undefined ? undefined : nodes.get(node)) ?? plainly(passage))
          return { passage, text, score: score(text) }
        })
        .sort(byScore)
    })

    /** How well entries answer to a query, in [0, 1]: by its words, and by nearness where vectors tell meaning. */
    const likenessOf = Effect.fnUntraced(function* (
      scope: Turn<"Retriever">["scope"],
      query: string,
      terms: ReadonlyArray<WeightedTerm>,
      entries: ReadonlyArray<Entry>
    ) {
      const parted = (part: (entry: Entry) => number) => {
        const most = Math.max(0, ...entries.map(part))
        return (entry: Entry) => (most > 0 ? part(entry) / most : 0)
      }
      const words = parted((entry) => raw(terms, entry.text))
      const [near] = yield* nearness.nearest(scope, [query])
      if (near === undefined) return words
      const meaning = parted(({ passage }) => near.get(passage.id) ?? 0)
      return parted((entry) => words(entry) + Nearness.meaning * meaning(entry))
    })

    /** What hops from `starts` add to each of `others`, in [0, mostGain]: the most that one of them does. */
    const gainsOf = Effect.fnUntraced(function* (
      { question: asked, scope }: Turn<"Retriever">,
      best: Entry,
      starts: ReadonlyArray<Entry>,
      others: ReadonlyArray<Entry>
    ) {
      const question = analyse(asked)
      const known = yield* frequenciesOf(lexical, scope, question.terms)
      const gains = new Map<Entry, number>()
      for (const start of starts) {
        const hop = hopFrom(question, (term) => idf(known, term), start.passage)
        const terms = weighted(hop.terms, yield* frequenciesOf(lexical, scope, hop.terms))
        const likeness = yield* likenessOf(scope, hop.query, terms, others)
        const keys = hop.names.map(entityKey)
        const part = best.score > 0 ? start.score / best.score : 0
        for (const entry of others) {
          if (entry === start) continue
          const share = likeness(entry)
          const title = entityKey(entry.passage.title)
          // a document's own title leads nowhere
          const named =
            title !== "" &&
            entry.passage.document !== start.passage.document &&
            (keys.includes(title) || standsIn(title, start.text.line))
          const gain = part * (constants.second * share * share + (named ? constants.frontier : 0))
          gains.set(entry, Math.max(gain, gains.get(entry) ?? 0))
        }
      }
      return gains
    })

    const choose = Effect.fnUntraced(function* (turn: Turn<"Retriever"> & { readonly region: ReadonlyArray<Passage> }) {
      const { cycle, policy, region, scope, state } = turn
      if (Option.isNone(state.plan)) return propose("evidence", [])
      const entries = yield* ranked(scope, state.plan.value, region)
      const [best] = entries
      let chosen: ReadonlyArray<Entry> = entries
      if (best !== undefined && entries.length > 1) {
        const starts = entries.filter(({ passage }) => passage.document === best.passage.document).slice(0, mostStarts)
        const others = entries.slice(1)
        const gains = yield* gainsOf(turn, best, starts, others)
        const gained = others.map((entry) => ({
          ...entry,
          score: entry.score + hopWeight * best.score * (gains.get(entry) ?? 0)
        }))
        // what the others may have gained: the best stays first, in a merge and in the next plan too
        chosen = byTurns([{ ...best, score: best.score * (1 + hopWeight * mostGain) }, ...gained.sort(byScore)])
      }
      const most = policy.itemsPerCycle[Math.min(cycle, policy.itemsPerCycle.length) - 1] ?? policy.itemsPerCycle[0]
      const items: Array<EvidenceItem> = []
      let left = policy.evidenceTokens
      for (const entry of chosen) {
        if (items.length >= most || left <= 0) break
        const { passage } = entry
        if (passage.tokens <= left) {
          items.push(item(passage, 0, passage.text.length, entry.score, cycle))
          left -= passage.tokens
        } else if (items.length === 0) {
          const count = yield* tokenCounter.counter
          const window = narrow(passage.text, new Set(analyse(turn.question).terms), (text) => count(text) <= left)
          if (window !== undefined) items.push(item(passage, window.start, window.end, entry.score, cycle))
          left = 0
        }
      }
      return propose("evidence", items)
    })
    return { propose: (turn) => failing("Retriever")(choose(turn)) }
  })
)
