/**
 * What comes of faulty roles, carrier by carrier: the same questions with the same faults under each.
 *
 *     right       an answer in which a gold answer stands (C29's accuracy)          wrong        any other answer
 *     notFound    the reader says that the evidence does not answer the question    incomplete   ⊥: nothing was read
 *
 * The four add up to all questions. Only `wrong` misleads whoever asked. `unsupported` counts the questions whose answer quotes what the
 * corpus does not say at the place that is named, whichever of the first two it is.
 */
import { Effect } from "effect"
import { spanKey } from "../../domain/Corpus.ts"
import type { Question } from "../../domain/Dataset.ts"
import { shortAnswer } from "../../domain/EvalResult.ts"
import type { ScopeKey } from "../../domain/Ids.ts"
import { contained } from "../../domain/Metrics.ts"
import type { Policy } from "../../domain/Policy.ts"
import { answerOf } from "../../domain/Report.ts"
import { type Interval, mean, type Statistics } from "../../domain/Statistics.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { Progress } from "../../services/Progress.ts"
import { inIsolation } from "../baselines/OneQuestion.ts"
import * as Controller from "../Controller.ts"
import { type CarrierName, carriers, carrying } from "./Carriers.ts"
import { type Faulty, faults } from "./Faults.ts"

export interface Ending {
  readonly end: "right" | "wrong" | "notFound" | "incomplete"
  readonly unsupported: boolean
}

/** One question under one carrier, with faulty roles and an empty memory. */
export const endingOf = Effect.fn("FaultCurves.endingOf")(function* (
  { answers, question }: Pick<Question, "question" | "answers">,
  scope: ScopeKey,
  policy: Policy,
  carrier: CarrierName,
  faulty: Faulty
) {
  const corpus = yield* CorpusStore
  const roles = carrying(carriers[carrier], yield* faults(faulty))
  const view = yield* Effect.flatMap(Controller.make, (controller) => controller.run({ question, scope, policy })).pipe(
    Effect.provide(roles),
    inIsolation,
    Effect.catchTag("Incomplete", () => Effect.succeed(undefined))
  )
  if (view === undefined) return { end: "incomplete", unsupported: false } satisfies Ending
  const { answer: text, citations } = answerOf(view)
  const said = yield* corpus.slices(scope, citations)
  const unsupported = citations.some((citation) => said.get(spanKey(citation)) !== citation.text)
  if (text === null) return { end: "notFound", unsupported } satisfies Ending
  const isRight = contained(answers, shortAnswer({ text, citations })) === 1
  return { end: isRight ? "right" : "wrong", unsupported } satisfies Ending
})

const shares = ["right", "wrong", "notFound", "incomplete", "unsupported"] as const
type Share = (typeof shares)[number]

/** One point of the curves: shares of all questions, in percent, with their 95 % bootstrap intervals. */
export type Point = { readonly [S in Share]: number } & {
  readonly n: number
  readonly interval: { readonly [S in Share]: Interval }
  /** How many more answers in a hundred questions are wrong than without faults, pair by pair. */
  readonly more: { readonly wrong: number; readonly interval: Interval }
}

const value = (share: Share, { end, unsupported }: Ending): number =>
  (share === "unsupported" ? unsupported : end === share) ? 100 : 0

const byShare = <A>(of: (share: Share) => A): { readonly [S in Share]: A } => ({
  right: of("right"),
  wrong: of("wrong"),
  notFound: of("notFound"),
  incomplete: of("incomplete"),
  unsupported: of("unsupported")
})

/** Endings of the same questions, with faults and without. */
export const pointOf = (
  endings: ReadonlyArray<Ending>,
  faultless: ReadonlyArray<Ending>,
  { interval }: Statistics
): Point => {
  const of = (share: Share) => endings.map((ending) => value(share, ending))
  const more = endings.map((ending, i) => {
    const before = faultless[i]
    return before === undefined ? 0 : value("wrong", ending) - value("wrong", before)
  })
  return {
    n: endings.length,
    ...byShare((share) => mean(of(share))),
    interval: byShare((share) => interval(of(share))),
    more: { wrong: mean(more), interval: interval(more) }
  }
}

export interface Options extends Omit<Faulty, "rate"> {
  /** Those without answers are left out. */
  readonly questions: ReadonlyArray<Question>
  readonly scope: ScopeKey
  readonly policy: Policy
  readonly carriers: ReadonlyArray<CarrierName>
  /** In [0, 1]; 0 is asked whether it is named or not. */
  readonly rates: ReadonlyArray<number>
  readonly statistics: Statistics
}

export type Curves = { readonly [C in CarrierName]?: Readonly<Record<string, Point>> }

/** Every carrier at every rate; points by the rate as text, `"0.05"`. */
export const curves = Effect.fn("FaultCurves.curves")(function* (options: Options) {
  const { kinds, policy, scope, seed, statistics } = options
  const { report } = yield* Progress
  const questions = options.questions.filter(({ answers }) => answers.length > 0)
  const rates = [...new Set([0, ...options.rates])].sort((a, b) => a - b)
  const total = options.carriers.length * rates.length
  const found: { [C in CarrierName]?: Record<string, Point> } = {}
  let done = 0
  for (const carrier of options.carriers) {
    const points: Record<string, Point> = {}
    let faultless: ReadonlyArray<Ending> = []
    for (const rate of rates) {
      const endings = yield* Effect.forEach(questions, (question) =>
        // everything may be synchronous: let signals and timers in
        Effect.zipLeft(endingOf(question, scope, policy, carrier, { kinds, rate, seed }), Effect.sleep(0))
      )
      if (rate === 0) faultless = endings
      points[String(rate)] = pointOf(endings, faultless, statistics)
      yield* report({ label: `faults under ${carrier}`, done: ++done, total })
    }
    found[carrier] = points
  }
  return found as Curves
})
