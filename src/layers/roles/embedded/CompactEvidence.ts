/**
 * The compact-evidence check (C19): a comparison or boolean question, each of whose names has a passage about it near the top of E⁰, is settled
 * by those passages if they are few. Neither the Navigator nor a path is involved.
 */
import { Effect, Layer } from "effect"
import { entityKey } from "../../../domain/Entities.ts"
import type { Evidence } from "../../../domain/Evidence.ts"
import { analyse, isAbout } from "../../../domain/Question.ts"
import { CorpusStore } from "../../../services/CorpusStore.ts"
import { CompactEvidenceCheck, type Inquiry } from "../../../services/Roles.ts"
import { failing } from "./Failing.ts"

/** How far down E⁰ the passages may stand: among this many documents, and of these at most so many passages. */
const near = 5
const mostPassages = 12

const declined = (reason: string) => ({ matched: false, reason }) as const

export const layer: Layer.Layer<CompactEvidenceCheck, never, CorpusStore> = Layer.effect(
  CompactEvidenceCheck,
  Effect.gen(function* () {
    const corpus = yield* CorpusStore

    const check = Effect.fnUntraced(function* ({ policy, question: asked, scope }: Inquiry, evidence: Evidence) {
      if (policy.compactEvidence === "off") return declined("switched off")
      const budget = policy.compactEvidence === "rule" ? Math.floor(policy.evidenceTokens / 2) : policy.compactEvidence
      const question = analyse(asked)
      if (question.type !== "Comparison" && question.type !== "Boolean")
        return declined(`a ${question.type} question may need more than its own passages`)
      if (question.subjects.length === 0) return declined("the question names nothing")
      const documents = [...new Set(evidence.map((item) => item.document))].slice(0, near)
      const top = evidence.slice(0, mostPassages).filter((item) => documents.includes(item.document))
      const passages = yield* corpus.passages(
        scope,
        top.map((item) => item.passage)
      )
      const about = new Map(
        passages.map((passage) => [passage.id, [passage.title, ...passage.headings].map(entityKey)] as const)
      )
      const lacking = question.subjects.find(
        (entity) => !top.some((item) => (about.get(item.passage) ?? []).some((key) => isAbout(key, entity.key)))
      )
      if (lacking !== undefined) return declined(`no passage about ${lacking.text} stands near the top`)
      const tokens = new Map(passages.map((passage) => [passage.id, passage.tokens]))
      const chosen: Array<Evidence[number]> = []
      let spent = 0
      for (const item of top) {
        const cost = tokens.get(item.passage) ?? budget + 1
        if (spent + cost > budget) break
        spent += cost
        chosen.push(item)
      }
      const settled = question.subjects.every((entity) =>
        chosen.some((item) => (about.get(item.passage) ?? []).some((key) => isAbout(key, entity.key)))
      )
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
