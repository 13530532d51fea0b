/**
 * Roles that have read the gold: each says how much a perfect role in that place would be worth, the others staying as they are. All of them
 * are Layers over the product's own roles, and are judged by the same controller.
 */
import { Effect, Layer } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { GoldStep, Question } from "../../domain/Dataset.ts"
import { RoleFailed } from "../../domain/Errors.ts"
import { itemOf } from "../../domain/Evidence.ts"
import { idf } from "../../domain/Idf.ts"
import { PassageId, type ScopeKey } from "../../domain/Ids.ts"
import type { Hypothesis } from "../../domain/Plan.ts"
import { propose } from "../../domain/Proposal.ts"
import { prepare, raw } from "../../domain/Relevance.ts"
import { contentTerms } from "../../domain/Words.ts"
import { LexicalIndex } from "../../services/LexicalIndex.ts"
import { CompactEvidenceCheck, Initializer, Planner, Retriever, Verifier } from "../../services/Roles.ts"
import { TamStore } from "../../services/TamStore.ts"

/** Passages of a scope by document. */
export type Shelf = ReadonlyMap<string, ReadonlyArray<Passage>>

const goldPassages = (shelf: Shelf, { gold }: Question): ReadonlyArray<Passage> =>
  gold.flatMap((document) => shelf.get(document) ?? [])

/** Pass if and only if the evidence holds every gold document; what it says of the evidence is the product's own. */
export const verdict = ({ gold }: Question): Layer.Layer<Verifier, never, Verifier> =>
  Layer.effect(
    Verifier,
    Effect.map(Verifier, (verifier) => ({
      propose: (turn) =>
        Effect.map(verifier.propose(turn), ({ value }) => {
          const held = new Set<string>(turn.state.evidence.map(({ document }) => document))
          const missing = gold.filter((document) => !held.has(document))
          const { justification } = value
          if (missing.length === 0)
            return propose("verification", { verdict: "Pass", justification: { ...justification, missing: [] } })
          const text = `${missing.length} of ${gold.length} documents are not held. ${justification.text}`
          return propose("verification", { verdict: "Fail", justification: { ...justification, text } })
        })
    }))
  )

const looked = 10
const mostHypotheses = 8

/**
 * The product's plan with other hypotheses: the gold sub-questions, answers of earlier ones filled in, whose document no cycle has committed
 * yet. Where all are held, or none is known, the plan stays.
 */
export const plan = (
  scope: ScopeKey,
  shelf: Shelf,
  question: Question
): Layer.Layer<Planner, never, Planner | LexicalIndex | TamStore> =>
  Layer.effect(
    Planner,
    Effect.gen(function* () {
      const planner = yield* Planner
      const lexical = yield* LexicalIndex
      const tam = yield* TamStore
      const seen = new Set<string>()

      const hypothesis = Effect.fnUntraced(function* ({ document, query }: GoldStep) {
        const words = contentTerms(query).slice(0, 64)
        const known = yield* lexical.frequencies(scope, words)
        const hits = yield* lexical.search(scope, "Passage", words, looked)
        const nodes = yield* tam.evidenceOf(
          scope,
          hits.map(({ id }) => PassageId.make(id))
        )
        const terms = words.map((term) => ({ term, weight: idf(known, term) }))
        const texts = (yield* tam.nodes(scope, [...new Set(nodes.values())])).map(({ abstraction }) =>
          prepare(abstraction)
        )
        const best = texts.reduce((most, text) => Math.max(most, raw(terms, text)), 0)
        const from = shelf.get(document)?.[0]?.id ?? null
        return { from, weight: 1, query: query.slice(0, 4096), terms, best } satisfies Hypothesis
      })

      return {
        propose: (turn) =>
          Effect.gen(function* () {
            const { value } = yield* planner.propose(turn)
            if (turn.cycle > 1) for (const { document } of turn.state.evidence) seen.add(document)
            const open = question.steps.filter(({ document }) => !seen.has(document)).slice(0, mostHypotheses)
            if (open.length === 0) return propose("plan", value)
            const hypotheses = yield* Effect.forEach(open, hypothesis).pipe(
              Effect.mapError((error) => new RoleFailed({ role: "Planner", reason: "Failed", detail: error.message }))
            )
            return propose("plan", { ...value, hypotheses, frontier: [] })
          })
      }
    })
  )

/** What is gold in the opened region, then what the product would take, as many as the cycle may bring: C14 holds. */
export const region = ({ gold }: Question): Layer.Layer<Retriever, never, Retriever> =>
  Layer.effect(
    Retriever,
    Effect.map(Retriever, (retriever) => ({
      propose: (turn) =>
        Effect.map(retriever.propose(turn), ({ value }) => {
          const { cycle, policy } = turn
          const wanted = new Set<string>(gold)
          const most = policy.itemsPerCycle[Math.min(cycle, policy.itemsPerCycle.length) - 1] ?? policy.itemsPerCycle[0]
          const top = Math.max(0, ...value.map(({ score }) => score))
          const first = turn.region
            .filter(({ document, text }) => wanted.has(document) && text !== "")
            .map((passage, i) => itemOf(passage, top + 1 / (i + 1), cycle))
          const taken = new Set(first.map(({ passage }) => passage))
          const all = [...first, ...value.filter(({ passage }) => !taken.has(passage))].slice(0, most)
          const tokens = new Map(turn.region.map(({ id, tokens }) => [id, tokens]))
          let left = policy.evidenceTokens
          const fits = all.findIndex(({ passage }) => {
            left -= tokens.get(passage) ?? 0
            return left < 0
          })
          return propose("evidence", fits < 0 ? all : all.slice(0, Math.max(1, fits)))
        })
    }))
  )

/** E⁰ is the gold and the compact check takes all of it: the reader's own ceiling, and 100 for every figure of retrieval. */
export const evidence = (shelf: Shelf, question: Question): Layer.Layer<Initializer | CompactEvidenceCheck> =>
  Layer.merge(
    Layer.succeed(Initializer, {
      rank: () =>
        Effect.succeed(
          goldPassages(shelf, question)
            .filter(({ text }) => text !== "")
            .slice(0, 128)
            .map((passage, i) => ({ passage, score: 1 / (i + 1), parts: { lexical: 1 / (i + 1), dense: 0, links: 0 } }))
        )
    }),
    Layer.succeed(CompactEvidenceCheck, {
      check: (_, { evidence }) =>
        Effect.succeed(
          evidence.length === 0
            ? { matched: false as const, reason: "no gold is known" }
            : { matched: true as const, reason: "these are the gold documents", evidence }
        )
    })
  )
