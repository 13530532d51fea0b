/**
 * StateRAG with one of its parts taken away, and with another carrier (C31). The papers name −TAM, −MARS and −SMP and measure the carrier as one
 * switch; how each is taken away is ours.
 *
 *     staterag-no-tam    a flat search in place of the typed walk ({@link FlatTam})
 *     staterag-no-mars   no governed cycle: E⁰, or what the compact check takes of it, straight to the reader under the same budget
 *     staterag-no-smp    nothing is remembered, not even from one cycle to the next. Memory is empty for every question of an evaluation, so
 *                        that what it carries from question to question shows in a stream of related ones alone: `npm run bench -- stream`
 *     carrier-…          fields free-form, writes shared, commits unvalidated, each alone and together. Roles that keep the contract fare
 *                        alike in all of them; it takes a model, or `npm run bench -- faults`, to tell them apart
 */
import { Effect } from "effect"
import { shortAnswer } from "../../domain/EvalResult.ts"
import { RunId } from "../../domain/Ids.ts"
import { initial } from "../../domain/State.ts"
import { merge } from "../../domain/TerminalEvidence.ts"
import { Carrier } from "../../services/Carrier.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { CompactEvidenceCheck, Initializer, Reader, Reranker } from "../../services/Roles.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import * as Entry from "../Entry.ts"
import { type CarrierName, carriers, carrying } from "../experiments/Carriers.ts"
import { forgetful } from "../experiments/FaultCurves.ts"
import * as FlatTam from "./FlatTam.ts"
import * as Governed from "./Governed.ts"
import { incomplete, type Make } from "./Method.ts"

const withoutTam: Make = (setting) =>
  Effect.succeed({
    // the graph of one level belongs to one question
    answer: (question) =>
      Effect.flatMap(Governed.ask(setting), (answer) => answer(question)).pipe(Effect.provide(FlatTam.layer))
  })

const withoutMars: Make = ({ policy, scope }) =>
  Effect.gen(function* () {
    const initializer = yield* Initializer
    const reranker = yield* Reranker
    const check = yield* CompactEvidenceCheck
    const carrier = yield* Carrier
    const corpus = yield* CorpusStore
    const reader = yield* Reader
    const count = yield* (yield* TokenCounter).counter
    return {
      answer: ({ question }) =>
        Effect.gen(function* () {
          const { revision } = yield* corpus.revision(scope)
          const inquiry = { run: RunId.make("no-mars"), question, scope, policy, revision, within: undefined }
          const first = yield* Entry.initialEvidence(carrier, initializer, reranker, inquiry)
          const compact =
            policy.compactEvidence === "off"
              ? { matched: false as const }
              : yield* Entry.compactEvidence(carrier, check, inquiry, initial(first, []))
          const evidence = compact.matched ? compact.evidence : merge(first, policy.evidenceTokens, count)
          const said = evidence.length === 0 ? { text: null, citations: [] } : yield* reader.read(question, evidence)
          return {
            found: {
              documents: evidence.map(({ document }) => document),
              answer: said.text,
              short: shortAnswer(said),
              cited: said.citations.map(({ document }) => document),
              outcome: compact.matched ? ("Bypass" as const) : ("Ranking" as const),
              reason: null,
              calls: 0,
              readerEquivalentTokens: 0
            },
            detail: Effect.succeed({ cycles: [], initial: first.map(({ document }) => document), navigation: [] })
          }
        }).pipe(Effect.catchTag("RoleFailed", (error) => Effect.succeed(incomplete(error.message, error.fault))))
    }
  })

const withoutSmp: Make = (setting) =>
  Effect.map(Governed.ask({ ...setting, policy: forgetful(setting.policy) }), (answer) => ({ answer }))

/** StateRAG on another carrier. */
const carriedBy =
  (name: CarrierName): Make =>
  (setting) =>
    Effect.map(Governed.ask(setting), (answer) => ({
      answer: (question) => Effect.provide(answer(question), carrying(carriers[name]))
    }))

export const makers = {
  "staterag-no-tam": withoutTam,
  "staterag-no-mars": withoutMars,
  "staterag-no-smp": withoutSmp,
  "carrier-free": carriedBy("carrier-free"),
  "carrier-shared": carriedBy("carrier-shared"),
  "carrier-unvalidated": carriedBy("carrier-unvalidated"),
  "carrier-free-shared": carriedBy("carrier-free-shared"),
  "carrier-free-unvalidated": carriedBy("carrier-free-unvalidated"),
  "carrier-shared-unvalidated": carriedBy("carrier-shared-unvalidated"),
  "carrier-free-shared-unvalidated": carriedBy("carrier-free-shared-unvalidated")
} as const satisfies Readonly<Record<string, Make>>

/** Those of them that ask a model. */
export const asking: ReadonlyArray<keyof typeof makers> = []
