/** What a method of an evaluation is: a program over the product's own services that lists documents and answers with the one reader. */
import { Effect } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { Question } from "../../domain/Dataset.ts"
import type { RoleFailed } from "../../domain/Errors.ts"
import { type Found, shortAnswer } from "../../domain/EvalResult.ts"
import { type Evidence, itemOf } from "../../domain/Evidence.ts"
import type { ScopeKey } from "../../domain/Ids.ts"
import type { Policy, PolicyError } from "../../domain/Policy.ts"
import type { EmbeddingError } from "../../services/EmbeddingModel.ts"
import { Reader } from "../../services/Roles.ts"
import type { StaleWriter, StoreError, UnknownScope } from "../../services/StoreError.ts"

/** What every method of one evaluation shares. */
export interface Setting {
  readonly scope: ScopeKey
  readonly policy: Policy
  /** Whether every navigation is compared with scoring all Evidence nodes; costs one scan of the graph a cycle. */
  readonly navigation: boolean
}

/** What stops an evaluation; ⊥ does not, it counts as wrong. */
export type Broken = StoreError | StaleWriter | UnknownScope | EmbeddingError | PolicyError

type Detail = Pick<Found, "cycles" | "initial" | "navigation">

export interface Outcome {
  readonly found: Omit<Found, keyof Detail>
  /** What is worth knowing besides; looked up outside the measured time. */
  readonly detail: Effect.Effect<Detail, Broken>
}

export interface Method<R> {
  readonly answer: (question: Question) => Effect.Effect<Outcome, Broken, R>
}

/** A passage with what it is ranked by. */
export interface Ranked {
  readonly passage: Passage
  readonly score: number
}

export type Rank<R> = (question: string) => Effect.Effect<ReadonlyArray<Ranked>, Broken | RoleFailed, R>

/** Passages that a ranking lists; enough for ten distinct documents. */
export const listed = 50

const noDetail: Detail = { cycles: [], initial: [], navigation: [] }
const free = { calls: 0, readerEquivalentTokens: 0 } as const

/** ⊥: nothing found, nothing answered. */
export const incomplete = (reason: string): Outcome => ({
  found: { documents: [], answer: null, short: null, cited: [], outcome: "Incomplete", reason, ...free },
  detail: Effect.succeed(noDetail)
})

/** The first passages that the reader's budget holds whole. */
export const evidenceOf = (ranked: ReadonlyArray<Ranked>, budget: number): Evidence => {
  let left = budget
  const fits = ranked.findIndex(({ passage }) => {
    left -= passage.tokens
    return left < 0
  })
  return (fits < 0 ? ranked : ranked.slice(0, fits)).map(({ passage, score }) => itemOf(passage, score, 0))
}

/** The method of a ranking: its list, and what the reader says to as much of it as the evidence budget holds. */
export const reading = <R>({ policy }: Setting, rank: Rank<R>): Method<R | Reader> => ({
  answer: ({ question }) =>
    Effect.gen(function* () {
      const reader = yield* Reader
      const ranked = yield* rank(question)
      const evidence = evidenceOf(ranked, policy.evidenceTokens)
      const said = evidence.length === 0 ? undefined : yield* reader.read(question, evidence)
      return {
        found: {
          documents: ranked.map(({ passage }) => passage.document),
          answer: said?.text ?? null,
          short: said === undefined ? null : shortAnswer(said),
          cited: said?.citations.map(({ document }) => document) ?? [],
          outcome: "Ranking" as const,
          reason: null,
          ...free
        },
        detail: Effect.succeed(noDetail)
      }
    }).pipe(Effect.catchTag("RoleFailed", (error) => Effect.succeed(incomplete(error.message))))
})
