/**
 * What shared memory does in a stream of related, different questions: each is asked with nothing remembered, with a memory of its own, and in a
 * memory that the questions before it have written to. Main tables empty the memory for every question, so that it shows only here.
 *
 *     none      persistence is off: −SMP                 question   empty at the start of each question
 *     stream    one memory for the stream, as the policy keeps it    everything   the same, and every kind of artifact is global
 */
import { Effect } from "effect"
import type { Question } from "../../domain/Dataset.ts"
import type { ScopeKey } from "../../domain/Ids.ts"
import { normalised, recallAt } from "../../domain/Metrics.ts"
import type { Policy } from "../../domain/Policy.ts"
import { answerOf } from "../../domain/Report.ts"
import { generator, type Interval, mean, type Statistics } from "../../domain/Statistics.ts"
import { Progress } from "../../services/Progress.ts"
import { inIsolation } from "../baselines/OneQuestion.ts"
import * as Controller from "../Controller.ts"
import { forgetful } from "./FaultCurves.ts"

/** Those that share a gold document with another question whose answer is a different one. */
export const related = (questions: ReadonlyArray<Question>): ReadonlyArray<Question> => {
  const byGold = new Map<string, Set<string>>()
  const answerTo = ({ answers, id }: Question): string => normalised(answers[0] ?? id)
  for (const question of questions)
    for (const document of question.gold) {
      const answers = byGold.get(document) ?? new Set<string>()
      byGold.set(document, answers.add(answerTo(question)))
    }
  return questions.filter(({ gold }) => gold.some((document) => (byGold.get(document)?.size ?? 0) > 1))
}

/** The items in an order that `seed` names (Fisher and Yates). */
export const shuffled = <A>(items: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const { int } = generator(seed)
  const order = [...items]
  for (let i = order.length - 1; i > 0; i--) {
    const at = int(i + 1)
    const [here, there] = [order[i], order[at]]
    if (here !== undefined && there !== undefined) {
      order[i] = there
      order[at] = here
    }
  }
  return order
}

/** What became of one question. */
export interface Fared {
  readonly cycles: number
  /** Of its gold documents in the terminal evidence: the share, and 100 where all are, in percent. */
  readonly recall: number
  readonly allSupport: number
  /** Items of terminal evidence. */
  readonly items: number
  /** Artifacts in U at the end: what earlier cycles and questions have left for it. */
  readonly exposed: number
}
const measures = ["cycles", "recall", "allSupport", "items", "exposed"] as const
export type Measure = (typeof measures)[number]

const bottom: Fared = { cycles: 0, recall: 0, allSupport: 0, items: 0, exposed: 0 }

const fared = Effect.fnUntraced(function* (
  controller: Effect.Effect.Success<typeof Controller.make>,
  question: Question,
  scope: ScopeKey,
  policy: Policy
) {
  const view = yield* controller
    .run({ question: question.question, scope, policy })
    .pipe(Effect.catchTag("Incomplete", () => Effect.succeed(undefined)))
  // everything may be synchronous: let signals and timers in
  yield* Effect.sleep(0)
  if (view === undefined) return bottom
  const { cycles, evidence } = answerOf(view)
  const documents = evidence.map(({ document }) => document)
  const share = recallAt(question.gold, documents, Number.POSITIVE_INFINITY) ?? 0
  return {
    cycles,
    recall: 100 * share,
    allSupport: share === 1 ? 100 : 0,
    items: evidence.length,
    exposed: view.state.artifacts.length
  } satisfies Fared
})

/** Every kind of artifact for all questions. */
export const everything = (policy: Policy): Policy => {
  const global = { scope: "global", days: null, count: null } as const
  return { ...policy, persistence: { SurfaceForm: global, Bridge: global, FailedRegion: global } }
}

export interface Options {
  readonly questions: ReadonlyArray<Question>
  readonly scope: ScopeKey
  readonly policy: Policy
  /** Each names an order of the stream. */
  readonly seeds: ReadonlyArray<number>
  readonly statistics: Statistics
}

/** Means over the questions; `change` is against `question`, pair by pair. */
export interface Arm {
  readonly memory: "none" | "question" | "stream" | "everything"
  /** The order, where it matters. */
  readonly seed: number | null
  readonly n: number
  readonly means: { readonly [M in Measure]: number }
  readonly change: { readonly [M in Measure]: { readonly mean: number; readonly interval: Interval } }
}

const byMeasure = <A>(of: (measure: Measure) => A): { readonly [M in Measure]: A } => ({
  cycles: of("cycles"),
  recall: of("recall"),
  allSupport: of("allSupport"),
  items: of("items"),
  exposed: of("exposed")
})

export const stream = Effect.fn("Stream.stream")(function* ({ policy, questions, scope, seeds, statistics }: Options) {
  const { report } = yield* Progress
  const total = 2 + 2 * seeds.length
  let done = 0
  const told = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.tap(effect, () => report({ label: "streams", done: ++done, total }))
  /** Each with a memory of its own. */
  const apart = (policy: Policy) =>
    told(
      Effect.forEach(questions, (question) =>
        inIsolation(Effect.flatMap(Controller.make, (controller) => fared(controller, question, scope, policy)))
      )
    )
  /** One after the other in one memory; what became of each, in the order of `questions`. */
  const together = (policy: Policy, seed: number) =>
    told(
      Effect.gen(function* () {
        const controller = yield* Controller.make
        const ended = new Map<string, Fared>()
        for (const question of shuffled(questions, seed))
          ended.set(question.id, yield* fared(controller, question, scope, policy))
        return questions.map(({ id }) => ended.get(id) ?? bottom)
      }).pipe(inIsolation)
    )
  const alone = yield* apart(policy)
  const armOf = (memory: Arm["memory"], seed: number | null, all: ReadonlyArray<Fared>): Arm => ({
    memory,
    seed,
    n: all.length,
    means: byMeasure((measure) => mean(all.map((one) => one[measure]))),
    change: byMeasure((measure) => {
      const differences = all.map((one, i) => one[measure] - (alone[i]?.[measure] ?? 0))
      return { mean: mean(differences), interval: statistics.interval(differences) }
    })
  })
  const arms: Array<Arm> = [armOf("none", null, yield* apart(forgetful(policy))), armOf("question", null, alone)]
  for (const seed of seeds) arms.push(armOf("stream", seed, yield* together(policy, seed)))
  for (const seed of seeds) arms.push(armOf("everything", seed, yield* together(everything(policy), seed)))
  return arms
})
