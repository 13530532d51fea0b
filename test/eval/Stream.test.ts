/** C22, C24, C33: a stream of related questions in one memory; what each leaves is there for those after it, and for nobody else. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Question } from "../../src/domain/Dataset.ts"
import { DocumentId } from "../../src/domain/Ids.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { defaultSampling, statistics } from "../../src/domain/Statistics.ts"
import { everything, related, shuffled, stream } from "../../src/programs/experiments/Stream.ts"
import { library, scope, shelf } from "../support/Shelf.ts"

const question = (id: string, text: string, answer: string, ...gold: ReadonlyArray<string>): Question => ({
  id,
  line: 1,
  question: text,
  answers: [answer],
  gold: gold.map((document) => DocumentId.make(document)),
  type: null,
  hops: null,
  steps: []
})
const questions = [
  question("city", "In which city was the drummer on the album Counterparts born?", "Hamilton", "d0", "d1"),
  question(
    "hall",
    "When was the drummer on the album Counterparts inducted into the Hall of Fame?",
    "1983",
    "d0",
    "d1"
  ),
  question("again", "In what city was the drummer of Counterparts born?", "The Hamilton", "d1"),
  question("seat", "What is the seat of the county where Van Hook Township is located?", "Stanley", "d7", "d8"),
  question("state", "In which state is the county of Van Hook Township?", "North Dakota", "d7"),
  question("tower", "東京タワーはどこにある？", "港区", "d12")
]

describe("related questions", () => {
  it("share a gold document with one that has another answer", () => {
    expect(related(questions).map(({ id }) => id)).toEqual(["city", "hall", "again", "seat", "state"])
    expect(related([questions[0], questions[2]].flatMap((it) => it ?? []))).toEqual([])
  })
  it("come in an order that the seed names, each once", () => {
    const ids = questions.map(({ id }) => id)
    expect(shuffled(ids, 1)).toEqual(shuffled(ids, 1))
    expect([...shuffled(ids, 1)].sort()).toEqual([...ids].sort())
    expect(new Set([1, 2, 3, 4].map((seed) => shuffled(ids, seed).join(" "))).size).toBeGreaterThan(2)
  })
})

describe("C33 a stream", () => {
  const asked = stream({
    questions: related(questions),
    scope,
    policy: { ...everything(defaultPolicy), compactEvidence: "off" },
    seeds: [1, 2],
    statistics: statistics(defaultSampling)
  }).pipe(Effect.provide(shelf(library)))

  it.effect(
    "exposes to later questions what earlier ones have left, nothing where nothing is kept; same seeds, same figures",
    () =>
      Effect.gen(function* () {
        const arms = yield* asked
        expect(arms.map(({ memory, seed }) => `${memory} ${seed}`)).toEqual([
          "none null",
          "question null",
          "stream 1",
          "stream 2",
          "everything 1",
          "everything 2"
        ])
        const [none, alone, one, two] = arms
        expect(none?.means.exposed).toBe(0)
        expect(alone?.change.allSupport).toEqual({ mean: 0, interval: [0, 0] })
        for (const arm of [one, two]) {
          expect(arm?.n).toBe(5)
          expect(arm?.means.exposed).toBeGreaterThan(alone?.means.exposed ?? 0)
          expect(arm?.change.exposed.mean).toBeCloseTo((arm?.means.exposed ?? 0) - (alone?.means.exposed ?? 0))
        }
        expect(yield* asked).toEqual(arms)
      }),
    120_000
  )
})
