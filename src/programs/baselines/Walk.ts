/** A method that decides step by step, as the two rows of a report: its passages read by the common reader, or its own answer. */
import { Effect } from "effect"
import type { Question } from "../../domain/Dataset.ts"
import { RoleFailed } from "../../domain/Errors.ts"
import type { Evidence } from "../../domain/Evidence.ts"
import type { ModelError } from "../../domain/ModelError.ts"
import type { Reader } from "../../services/Roles.ts"
import {
  type Broken,
  evidenceOf,
  incomplete,
  type Method,
  type Outcome,
  type Ranked,
  readingOf,
  type Setting,
  saying
} from "./Method.ts"

export interface Walked {
  /** What it found, in its order. */
  readonly ranked: ReadonlyArray<Ranked>
  /** What of it is read, where that is not whole passages. */
  readonly evidence?: Evidence | undefined
  readonly answer: string | null
  /** The passages that the answer names. */
  readonly cited?: ReadonlyArray<Ranked> | undefined
  /** Why it came to no answer. */
  readonly failure: string | null
}

/** Asks nothing of the reader, and keeps nothing from one question to the next. */
export type Walk = (question: Question) => Effect.Effect<Walked, Broken | RoleFailed | ModelError>

/** Each passage once, where it stood first. */
export const distinct = (ranked: ReadonlyArray<Ranked>): ReadonlyArray<Ranked> => {
  const seen = new Set<string>()
  return ranked.filter(({ passage }) => !seen.has(passage.id) && seen.add(passage.id))
}

/** A role that fails costs the question alone. */
const alone = <E, R>(outcome: Effect.Effect<Outcome, E | RoleFailed, R>) =>
  Effect.catchIf(
    outcome,
    (error) => error instanceof RoleFailed,
    (error) => Effect.succeed(incomplete(error.message, error.fault))
  )

/** Its passages, read by the reader that all methods have, within the same budget. */
export const byReader = ({ policy }: Setting, walk: Walk, note?: string): Method<Reader> => ({
  answer: (question) =>
    walk(question).pipe(
      Effect.flatMap(({ evidence, ranked }) =>
        readingOf(question.question, ranked, evidence ?? evidenceOf(ranked, policy.evidenceTokens))
      ),
      alone
    ),
  note
})

/** Its own answer. */
export const byItself = (walk: Walk, note?: string): Method<never> => ({
  answer: (question) =>
    walk(question).pipe(
      Effect.map(({ cited = [], evidence, ranked, ...said }) =>
        saying({
          ...said,
          ranked,
          shown: (evidence ?? ranked.map(({ passage }) => passage)).map(({ document, end, start }) => ({
            document,
            start,
            end
          })),
          cited: cited.map(({ passage }) => passage.document)
        })
      ),
      alone
    ),
  note
})
