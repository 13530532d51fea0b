/**
 * The compact-evidence check (C19): a comparison or boolean question, each of whose names has a passage about it near the top of E⁰, is settled
 * by those passages if they are few. So is any question of which the first passages of E⁰, all of one document, say most: by that document's
 * passages of E⁰, as far as the reader's budget goes. Neither the Navigator nor a path is involved.
 */
import { Effect, Layer } from "effect"
import type { Passage } from "../../../domain/Corpus.ts"
import { entityKey } from "../../../domain/Entities.ts"
import type { Evidence, EvidenceItem } from "../../../domain/Evidence.ts"
import { hopFrom } from "../../../domain/Hop.ts"
import { type Frequencies, idf, residualShare } from "../../../domain/Idf.ts"
import type { PassageId } from "../../../domain/Ids.ts"
import { analyse, isAbout, type Question } from "../../../domain/Question.ts"
import { terms } from "../../../domain/Words.ts"
import { CorpusStore } from "../../../services/CorpusStore.ts"
import { LexicalIndex } from "../../../services/LexicalIndex.ts"
import { CompactEvidenceCheck, type Inquiry } from "../../../services/Roles.ts"
import { failing } from "./Failing.ts"
import { frequenciesOf } from "./Weights.ts"

/** How far down E⁰ the passages may stand: among this many documents, and of these at most so many passages. As many, of one document, settle. */
const near = 5
const mostPassages = 12
/** The share of the question, by idf, that the passages of one document may lack. */
const mostLacking = 0.5

const declined = (reason: string) => ({ matched: false, reason }) as const

/** The first of `items` that fit the budget together. */
const fitting = (items: Evidence, passages: ReadonlyArray<Passage>, budget: number): Evidence => {
  const tokens = new Map(passages.map((passage) => [passage.id, passage.tokens]))
  let spent = 0
  const end = items.findIndex(({ passage }) => {
    spent += tokens.get(passage) ?? budget + 1
    return spent > budget
  })
  return end < 0 ? items : items.slice(0, end)
}

/** The items that are about what the passages of the subjects say of the question: the director, where one film's is asked for. */
const onward = (
  question: Question,
  frequencies: Frequencies,
  subjects: Evidence,
  evidence: Evidence,
  about: ReadonlyMap<PassageId, ReadonlyArray<string>>
): Evidence => {
  const names = subjects.map((item) => hopFrom(question, (term) => idf(frequencies, term), item).names.map(entityKey))
  const found = names.map((own) =>
    // by title alone: a heading inside another document is not what a name leads to
    own.flatMap((name) => evidence.find((item) => about.get(item.passage)?.[0] === name) ?? [])
  )
  const longest = Math.max(0, ...found.map((items) => items.length))
  // the first name of each subject, then the second of each
  return Array.from({ length: longest }, (_, rank) => found.flatMap((items) => items[rank] ?? [])).flat()
}

export const layer: Layer.Layer<CompactEvidenceCheck, never, CorpusStore | LexicalIndex> = Layer.effect(
  CompactEvidenceCheck,
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    const lexical = yield* LexicalIndex

    /**
     * The document that the first passages of E⁰ are all of, where they say at least half of the question: between documents there is no hop
     * to make, and a cycle, which reads one region, could only take passages away.
     */
    const oneDocument = Effect.fnUntraced(function* (scope: Inquiry["scope"], question: Question, evidence: Evidence) {
      const first = evidence.slice(0, near)
      const document = first[0]?.document
      if (first.length < near || first.some((item) => item.document !== document)) return undefined
      const frequencies = yield* frequenciesOf(lexical, scope, question.terms)
      const held = new Set(first.flatMap(({ text, title }) => terms(`${title}\n${text}`)))
      const lacking = residualShare(
        question.terms,
        (term) => idf(frequencies, term),
        (term) => held.has(term)
      )
      return lacking <= mostLacking ? document : undefined
    })

    const check = Effect.fnUntraced(function* ({ policy, question: asked, scope }: Inquiry, evidence: Evidence) {
      if (policy.compactEvidence === "off") return declined("switched off")
      const budget = policy.compactEvidence === "rule" ? Math.floor(policy.evidenceTokens / 2) : policy.compactEvidence
      const question = analyse(asked)
      const alone = yield* oneDocument(scope, question, evidence)
      if (alone !== undefined) {
        const own = evidence.filter(({ document }) => document === alone)
        const held = yield* corpus.passages(
          scope,
          own.map((item) => item.passage)
        )
        const chosen = fitting(own, held, policy.compactEvidence === "rule" ? policy.evidenceTokens : budget)
        if (chosen.length > 0)
          return {
            matched: true,
            reason: "the passages near the top are of one document, and say most of what is asked",
            evidence: chosen
          } as const
      }
      if (question.type !== "Comparison" && question.type !== "Boolean")
        return declined(`a ${question.type} question may need more than its own passages`)
      if (question.subjects.length === 0) return declined("the question names nothing")
      const documents = [...new Set(evidence.map((item) => item.document))].slice(0, near)
      const top = evidence.slice(0, mostPassages).filter((item) => documents.includes(item.document))
      const passages = yield* corpus.passages(
        scope,
        evidence.map((item) => item.passage)
      )
      const about = new Map(
        passages.map((passage) => [passage.id, [passage.title, ...passage.headings].map(entityKey)] as const)
      )
      const isOf = (item: EvidenceItem, key: string) =>
        (about.get(item.passage) ?? []).some((name) => isAbout(name, key))
      const own = question.subjects.map((entity) => top.find((item) => isOf(item, entity.key)))
      const lacking = question.subjects.find((_, i) => own[i] === undefined)
      if (lacking !== undefined) return declined(`no passage about ${lacking.text} stands near the top`)
      const subjects = own.flatMap((item) => item ?? [])
      const frequencies = yield* frequenciesOf(lexical, scope, question.terms)
      const ordered = new Set([...subjects, ...onward(question, frequencies, subjects, evidence, about), ...top])
      const chosen = fitting([...ordered], passages, budget)
      const settled = question.subjects.every((entity) => chosen.some((item) => isOf(item, entity.key)))
      if (!settled) return declined(`the passages about its names do not fit ${budget} tokens`)
      return {
        matched: true,
        reason: `a ${question.type} question, and passages about ${question.subjects.map((entity) => entity.text).join(", ")} stand near the top`,
        evidence: chosen
      } as const
    })
    return { check: (inquiry, state) => failing("CompactEvidenceCheck")(check(inquiry, state.evidence)) }
  })
)
