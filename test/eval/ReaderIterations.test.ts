/** C33: a reader that is asked again while it finds nothing; C21's entry stays one. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import type { Reading } from "../../src/domain/Answer.ts"
import type { Evidence, EvidenceItem } from "../../src/domain/Evidence.ts"
import { DocumentId, PassageId } from "../../src/domain/Ids.ts"
import { layer, servings } from "../../src/programs/experiments/ReaderIterations.ts"
import { Reader } from "../../src/services/Roles.ts"

const evidence = (count: number): Evidence =>
  Array.from({ length: count }, (_, n): EvidenceItem => {
    const text = `Item ${n}.`
    const [passage, document] = [PassageId.make(`p${n}`), DocumentId.make("d")]
    return {
      passage,
      document,
      title: "d",
      start: 10 * n,
      end: 10 * n + text.length,
      line: n + 1,
      text,
      score: 1,
      cycle: 1
    }
  })
const answer: Reading = { text: "so", citations: [] }
const notFound: Reading = { text: null, citations: [] }

/** Answers where the evidence has at most so many items; notes how many it was given. */
const answersUpTo = (most: number, given: Array<number>) =>
  Layer.succeed(Reader, {
    read: (_, items) =>
      Effect.sync(() => {
        given.push(items.length)
        return items.length <= most ? answer : notFound
      })
  })
const readings = (count: number, most: number, times: number) => {
  const given: Array<number> = []
  return Effect.flatMap(Reader, ({ read }) => read("?", evidence(count))).pipe(
    Effect.map((reading) => ({ given, reading })),
    Effect.provide(Layer.provide(layer(times), answersUpTo(most, given)))
  )
}

describe("C33 reader iterations", () => {
  it.effect.each([
    { count: 9, most: 9, times: 3, given: [9], found: true },
    { count: 9, most: 4, times: 3, given: [9, 4], found: true },
    { count: 9, most: 0, times: 3, given: [9, 4, 2], found: false },
    { count: 9, most: 0, times: 9, given: [9, 4, 2, 1], found: false },
    { count: 9, most: 4, times: 1, given: [9], found: false },
    { count: 0, most: -1, times: 3, given: [0], found: false }
  ])("$count items, answered from $most on, $times readings", ({ count, found, given, most, times }) =>
    Effect.gen(function* () {
      expect(yield* readings(count, most, times)).toEqual({ given, reading: found ? answer : notFound })
    })
  )

  it("each serving is a beginning of the one before, and never empty where there is evidence", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 8 }), (count, times) => {
        const served = servings(evidence(count), times)
        expect(served.length).toBeLessThanOrEqual(times)
        served.forEach((part, i) => {
          expect(part).toEqual((served[i - 1] ?? part).slice(0, part.length))
          if (count > 0) expect(part.length).toBeGreaterThan(0)
        })
      })
    )
  })
})
