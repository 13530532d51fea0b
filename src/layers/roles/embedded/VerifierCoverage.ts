/**
 * z by coverage (C15): Pass where the evidence holds most of what the question says, every name in it, and the passages that the plan put most on.
 *
 * On Pass the Verifier leaves a Bridge in memory (two places that were needed together), on Fail a FailedRegion, as far as the policy keeps them.
 */
import { Effect, Layer, Option } from "effect"
import type { Payload, Quote } from "../../../domain/Artifact.ts"
import { entityKey } from "../../../domain/Entities.ts"
import type { Evidence, EvidenceItem } from "../../../domain/Evidence.ts"
import { idf, residualShare } from "../../../domain/Idf.ts"
import type { SlotName } from "../../../domain/Ids.ts"
import type { Plan } from "../../../domain/Plan.ts"
import { mostResidual } from "../../../domain/Planning.ts"
import { propose } from "../../../domain/Proposal.ts"
import { analyse, cut, folded, isAbout, type Question, standsIn } from "../../../domain/Question.ts"
import { sentences } from "../../../domain/Sentences.ts"
import type { Verification } from "../../../domain/Verification.ts"
import { Digest } from "../../../services/Digest.ts"
import { LexicalIndex } from "../../../services/LexicalIndex.ts"
import { type Turn, Verifier } from "../../../services/Roles.ts"
import { failing } from "./Failing.ts"
import { failedRegion, remember } from "./Remembering.ts"
import { frequenciesOf } from "./Weights.ts"

/** How many of the plan's strongest starting points must be held. */
const strongest = 2
const quoteLimit = 1000

/** What was seen of the question in the evidence. */
interface Coverage {
  readonly residual: number
  readonly lackingWords: ReadonlyArray<string>
  readonly lackingNames: ReadonlyArray<string>
  readonly lackingStarts: number
}

const coverageOf = (question: Question, plan: Plan, evidence: Evidence, weight: (term: string) => number): Coverage => {
  const line = evidence.map((item) => folded(`${item.title}\n${item.text}`)).join("")
  const has = (term: string) => line.includes(` ${term} `)
  const held = new Set<string>(evidence.map((item) => item.passage))
  const starts = plan.hypotheses
    .flatMap(({ from, weight: w }) => (from === null ? [] : [{ from, w }]))
    .sort((a, b) => b.w - a.w || (a.from < b.from ? -1 : 1))
    .slice(0, strongest)
  return {
    residual: residualShare(question.terms, weight, has),
    lackingWords: question.words
      .filter(({ term }) => !has(term))
      .map(({ end, start }) => question.text.slice(start, end)),
    lackingNames: question.entities.filter((entity) => !standsIn(entity.key, line)).map((entity) => entity.text),
    lackingStarts: starts.filter(({ from }) => !held.has(from)).length
  }
}

const supportOf = (plan: Plan, evidence: Evidence): Verification["justification"]["supported"] =>
  plan.slots.flatMap(({ name }) => {
    const key = entityKey(name)
    const item =
      evidence.find(({ title }) => isAbout(entityKey(title), key)) ??
      evidence.find(({ text, title }) => standsIn(key, folded(`${title}\n${text}`)))
    return item === undefined ? [] : [{ slot: name, passage: item.passage }]
  })

const listed = (names: ReadonlyArray<string>): string => cut(names.slice(0, 12).join(", "), 400)

const judge = (plan: Plan, evidence: Evidence, coverage: Coverage): Verification => {
  const supported = supportOf(plan, evidence).slice(0, 64)
  const { lackingNames, lackingStarts, lackingWords, residual } = coverage
  const faults = [
    ...(evidence.length === 0 ? ["the region held no evidence"] : []),
    ...(lackingNames.length > 0 ? [`no passage names ${listed(lackingNames)}`] : []),
    ...(residual > mostResidual ? [`no passage says: ${listed(lackingWords)}`] : []),
    ...(lackingStarts > 0 ? ["the region lacks passages that the plan starts from"] : [])
  ]
  const found = [...new Set(evidence.map((item) => item.title).filter((title) => title !== ""))]
  const seen = found.length === 0 ? "" : ` Found: ${listed(found)}.`
  // of a share that is not whole, no text says that it is, nor that one is nothing
  const percent = Math.max(1, Math.min(99, Math.round(100 * (1 - residual))))
  const covered =
    residual <= 0
      ? "The evidence holds every word of the question"
      : residual >= 1
        ? "The evidence holds nothing of the question"
        : `The evidence holds ${percent} % of the question, by weight of its words`
  if (faults.length === 0)
    return {
      verdict: "Pass",
      justification: { text: `${covered}, and every name in it.${seen}`, missing: [], supported }
    }
  const absent = new Set(lackingNames.map(entityKey))
  const filled = new Set<SlotName>(supported.map(({ slot }) => slot))
  const missing = plan.slots
    .map((slot) => slot.name)
    .filter((name) => !filled.has(name) || absent.has(entityKey(name)))
    .slice(0, 32)
  return {
    verdict: "Fail",
    justification: {
      text: `${covered}${residual >= 1 ? ":" : ", but"} ${faults.join("; ")}.${seen}`,
      missing,
      supported: supported.filter(({ slot }) => !missing.includes(slot))
    }
  }
}

/** The first sentence of `item` for which `fits` holds, as a quotation. */
const quote = (item: EvidenceItem, fits: (line: string) => boolean): Quote | undefined => {
  for (const { end, start } of sentences(item.text)) {
    const text = cut(item.text.slice(start, end), quoteLimit)
    if (text === "" || !fits(folded(text))) continue
    const from = item.start + start
    return { span: { document: item.document, start: from, end: from + text.length }, text }
  }
  return undefined
}

/** Two items of different documents of which one names the other: where it does, and how the other begins. */
const bridgeOf = (evidence: Evidence): Payload | undefined => {
  for (const from of evidence) {
    for (const to of evidence) {
      const key = entityKey(to.title)
      if (from.document === to.document || key === "") continue
      const here = quote(from, (line) => standsIn(key, line))
      const there = here === undefined ? undefined : quote(to, () => true)
      if (here !== undefined && there !== undefined) return { kind: "Bridge", from: here, to: there }
    }
  }
  return undefined
}

export const layer: Layer.Layer<Verifier, never, LexicalIndex | Digest> = Layer.effect(
  Verifier,
  Effect.gen(function* () {
    const lexical = yield* LexicalIndex
    const digest = yield* Digest

    const verify = Effect.fnUntraced(function* (turn: Turn<"Verifier">) {
      const { scope, state } = turn
      if (Option.isNone(state.plan)) {
        const text = "there is no plan to judge the evidence by"
        return propose("verification", { verdict: "Fail", justification: { text, missing: [], supported: [] } })
      }
      const plan = state.plan.value
      const question = analyse(turn.question)
      const frequencies = yield* frequenciesOf(lexical, scope, question.terms)
      const coverage = coverageOf(question, plan, state.evidence, (term) => idf(frequencies, term))
      const verification = judge(plan, state.evidence, coverage)
      yield* remember(
        turn,
        verification.verdict === "Pass" ? bridgeOf(state.evidence) : failedRegion(digest, turn, plan)
      )
      return propose("verification", verification)
    })
    return { propose: (turn) => failing("Verifier")(verify(turn)) }
  })
)
