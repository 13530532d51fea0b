/** What a method of an evaluation is: a program over the product's own services that lists documents and answers with the one reader. */
import { Effect, Option, Schema } from "effect"
import type { Passage, Span } from "../../domain/Corpus.ts"
import type { Question } from "../../domain/Dataset.ts"
import type { RoleFailed } from "../../domain/Errors.ts"
import { type Found, shortAnswer } from "../../domain/EvalResult.ts"
import { type Evidence, itemOf } from "../../domain/Evidence.ts"
import type { DocumentId, ScopeKey } from "../../domain/Ids.ts"
import type { ModelError, ModelFault } from "../../domain/ModelError.ts"
import type { Policy, PolicyError } from "../../domain/Policy.ts"
import type { Manner } from "../../domain/prompts/Prompt.ts"
import type { EmbeddingError, EmbeddingModel } from "../../services/EmbeddingModel.ts"
import type { Grouping } from "../../services/Grouping.ts"
import type { LanguageModelShape } from "../../services/LanguageModel.ts"
import type { LexicalIndex } from "../../services/LexicalIndex.ts"
import { MethodModel } from "../../services/MethodModel.ts"
import { Reader } from "../../services/Roles.ts"
import type { StaleWriter, StoreError, UnknownScope } from "../../services/StoreError.ts"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import type { VectorIndex } from "../../services/VectorIndex.ts"
import type { VectorStore } from "../../services/VectorStore.ts"
import type * as Controller from "../Controller.ts"

/** What every method of one evaluation shares. */
export interface Setting {
  readonly scope: ScopeKey
  readonly policy: Policy
  /** Whether every navigation is compared with scoring all Evidence nodes; costs one scan of the graph a cycle. */
  readonly navigation: boolean
  /** Names whatever a method draws at random. */
  readonly seed: number
}

/** What methods may ask of. Model calls are metered, cached and billed by the evaluation, whoever makes them. */
export type Services =
  | Controller.Services
  | EmbeddingModel
  | Grouping
  | LexicalIndex
  | TokenCounter
  | VectorIndex
  | VectorStore

/** What the methods of one evaluation share: the passages of the scope, by id, read when the first method asks for them. */
export interface Library {
  readonly passages: Effect.Effect<ReadonlyArray<Passage>, StoreError>
}

/** Makes a method ready; what it builds for that, an index with model calls perhaps, is reported apart from what its questions cost. */
export type Make = (setting: Setting, library: Library) => Effect.Effect<Method<Services>, Unready, Services>
export type Unready = StoreError | EmbeddingError | ModelError | NeedsModel

/** A method that cannot do without a language model, where none is named. */
export class NeedsModel extends Schema.TaggedError<NeedsModel>()("NeedsModel", { method: Schema.String }) {
  override get message(): string {
    return `${this.method} asks a language model, and none is named`
  }
  get advice(): string {
    return "name one: --model openai:NAME (OPENAI_API_KEY, OPENAI_BASE_URL) or --model gguf:FILE; or leave the method out"
  }
}

/** The model of the evaluation. */
export const modelFor = (
  method: string
): Effect.Effect<{ readonly model: LanguageModelShape; readonly manner: Manner }, NeedsModel> =>
  Effect.flatMap(
    MethodModel,
    Option.match({ onNone: () => new NeedsModel({ method }), onSome: (held) => Effect.succeed(held) })
  )

/** What stops an evaluation; ⊥ does not, it counts as wrong. */
export type Broken = StoreError | StaleWriter | UnknownScope | EmbeddingError | PolicyError

type Detail = Pick<Found, "cycles" | "initial" | "navigation">
type Optional = "evidence" | "money"

export interface Outcome {
  /** `calls` and tokens of models: what the evaluation does not meter itself. */
  readonly found: Omit<Found, keyof Detail | Optional> & Partial<Pick<Found, Optional>>
  /** Of the model that it ended for, where it was that. */
  readonly fault?: ModelFault | undefined
  /** What is worth knowing besides; looked up outside the measured time. */
  readonly detail: Effect.Effect<Detail, Broken>
}

export interface Method<R> {
  /** A `ModelError` costs this question alone, unless every other would meet it too. */
  readonly answer: (question: Question) => Effect.Effect<Outcome, Broken | ModelError, R>
  /** What stands in for a part of the method as it was published, such as `links for OpenIE`. */
  readonly note?: string | undefined
}

/** A passage with what it is ranked by. */
export interface Ranked {
  readonly passage: Passage
  readonly score: number
}

/** Best first; with `within`, passages of these documents alone. */
export type Rank<R> = (
  question: string,
  within?: ReadonlyArray<DocumentId>
) => Effect.Effect<ReadonlyArray<Ranked>, Broken | RoleFailed, R>

/** Passages that a ranking lists; enough for ten distinct documents. */
export const listed = 50

const noDetail: Detail = { cycles: [], initial: [], navigation: [] }
const free = { calls: 0, readerEquivalentTokens: 0 } as const

/** ⊥: nothing found, nothing answered. */
export const incomplete = (reason: string, fault?: ModelFault): Outcome => ({
  fault,
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

/** What the reader says to `evidence`, beside the list that it is from. Without evidence it is not asked. */
export const readingOf = (
  question: string,
  ranked: ReadonlyArray<Ranked>,
  evidence: Evidence
): Effect.Effect<Outcome, RoleFailed, Reader> =>
  Effect.gen(function* () {
    const reader = yield* Reader
    const said = evidence.length === 0 ? undefined : yield* reader.read(question, evidence)
    return {
      found: {
        documents: ranked.map(({ passage }) => passage.document),
        answer: said?.text ?? null,
        short: said === undefined ? null : shortAnswer(said),
        cited: said?.citations.map(({ document }) => document) ?? [],
        evidence: evidence.map(({ document, end, start }) => ({ document, start, end })),
        outcome: "Ranking",
        reason: null,
        ...free
      },
      detail: Effect.succeed(noDetail)
    }
  })

/** The method of a ranking: its list, and what the reader says to as much of it as the evidence budget holds. */
export const reading = <R>({ policy }: Setting, rank: Rank<R>): Method<R | Reader> => ({
  answer: ({ question, within }) =>
    rank(question, within).pipe(
      Effect.flatMap((ranked) => readingOf(question, ranked, evidenceOf(ranked, policy.evidenceTokens))),
      Effect.catchTag("RoleFailed", (error) => Effect.succeed(incomplete(error.message, error.fault)))
    )
})

/** What a method says of itself, without the reader; `failure` is why it came to no end, and then it counts as wrong. */
export interface Said {
  readonly ranked: ReadonlyArray<Ranked>
  /** What its own model was shown of the corpus, in its order. */
  readonly shown: ReadonlyArray<Span>
  readonly answer: string | null
  /** The document of each citation. */
  readonly cited: ReadonlyArray<string>
  readonly failure: string | null
}
export const saying = ({ answer, cited, failure, ranked, shown }: Said): Outcome => ({
  found: {
    documents: ranked.map(({ passage }) => passage.document),
    answer,
    short: answer,
    cited,
    evidence: shown,
    outcome: failure === null ? "Ranking" : "Incomplete",
    reason: failure,
    ...free
  },
  detail: Effect.succeed(noDetail)
})
