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
import { type FaultKind, type Faulty, faults, isHarmed } from "./Faults.ts"

/** Nothing is remembered: the pool checks what it is given to quote, and would see some faults in the place of the carrier. */
export const forgetful = (policy: Policy): Policy => {
  const off = { scope: "off", days: null, count: null } as const
  return { ...policy, persistence: { SurfaceForm: off, Bridge: off, FailedRegion: off } }
}

export interface Ending {
  readonly end: "right" | "wrong" | "notFound" | "incomplete"
  readonly unsupported: boolean
  /** Cycles that it may have taken: none where the question was bypassed. */
  readonly cycles: number
}

/** One question under one carrier, with faulty roles and without memory. */
export const endingOf = Effect.fn("FaultCurves.endingOf")(function* (
  { answers, question }: Pick<Question, "question" | "answers">,
  scope: ScopeKey,
  policy: Policy,
  carrier: CarrierName,
  faulty: Faulty
) {
  const corpus = yield* CorpusStore
  const roles = carrying(carriers[carrier], yield* faults(faulty))
  const view = yield* Effect.flatMap(Controller.make, (controller) =>
    controller.run({ question, scope, policy: forgetful(policy) })
  ).pipe(
    Effect.provide(roles),
    inIsolation,
    Effect.catchTag("Incomplete", () => Effect.succeed(undefined))
  )
  if (view === undefined) return { end: "incomplete", unsupported: false, cycles: policy.maxCycles } satisfies Ending
  const { answer: text, citations, cycles } = answerOf(view)
  const said = yield* corpus.slices(scope, citations)
  const unsupported = citations.some((citation) => said.get(spanKey(citation)) !== citation.text)
  if (text === null) return { end: "notFound", unsupported, cycles } satisfies Ending
  const isRight = contained(answers, shortAnswer({ text, citations })) === 1
  return { end: isRight ? "right" : "wrong", unsupported, cycles } satisfies Ending
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
  /** In [0, 1]; without faults is asked whether 0 is named or not. */
  readonly rates: ReadonlyArray<number>
  /** Each of these alone, at the highest rate. */
  readonly alone: ReadonlyArray<FaultKind>
  readonly statistics: Statistics
}

export interface Curve {
  /** By the rate in percent. */
  readonly mixed: Readonly<Record<string, Point>>
  readonly alone: { readonly [K in FaultKind]?: Point }
}
export type Curves = { readonly [C in CarrierName]?: Curve }

/** Every carrier at every rate, and under each kind of fault alone. */
export const curves = Effect.fn("FaultCurves.curves")(function* (options: Options) {
  const { alone, kinds, policy, scope, seed, statistics } = options
  const { report } = yield* Progress
  const questions = options.questions.filter(({ answers }) => answers.length > 0)
  const rates = [...new Set(options.rates)].filter((rate) => rate > 0).sort((a, b) => a - b)
  const total = options.carriers.length * (1 + rates.length + alone.length)
  const found: { [C in CarrierName]?: Curve } = {}
  let done = 0
  for (const carrier of options.carriers) {
    const endings = Effect.fnUntraced(function* (faulty: Faulty, before: ReadonlyArray<Ending>) {
      const all: Array<Ending> = []
      for (const [i, question] of questions.entries()) {
        const faultless = before[i]
        // where nothing goes wrong in the cycles that it takes, a question ends as it does without faults
        const isSame = faultless !== undefined && !isHarmed(faulty, question.question, faultless.cycles)
        const ending: Ending = isSame ? faultless : yield* endingOf(question, scope, policy, carrier, faulty)
        all.push(ending)
        // everything may be synchronous: let signals and timers in
        yield* Effect.sleep(0)
      }
      yield* report({ label: `faults under ${carrier}`, done: ++done, total })
      return all
    })
    const faultless = yield* endings({ kinds, rate: 0, seed }, [])
    const point = (faulty: Faulty) =>
      Effect.map(endings(faulty, faultless), (harmed) => pointOf(harmed, faultless, statistics))
    const mixed: Record<string, Point> = { 0: pointOf(faultless, faultless, statistics) }
    for (const rate of rates) mixed[String(Math.round(100 * rate))] = yield* point({ kinds, rate, seed })
    const single: { [K in FaultKind]?: Point } = {}
    for (const kind of alone) single[kind] = yield* point({ kinds: [kind], rate: Math.max(0, ...rates), seed })
    found[carrier] = { mixed, alone: single }
  }
  return found as Curves
})
