/** L2, C30: any journal that decodes is folded and reported, or is malformed; nothing is thrown. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck, Schema } from "effect"
import { Answer } from "../../src/domain/Answer.ts"
import { Event } from "../../src/domain/Event.ts"
import { decodeEvent, encodeEvent } from "../../src/domain/EventJson.ts"
import { answerOf, statesOf } from "../../src/domain/Report.ts"
import { fold, type RunView } from "../../src/domain/Run.ts"
import { journal } from "../support/Journals.ts"

const isAnswer = Schema.is(Schema.typeSchema(Answer), { onExcessProperty: "error" })

describe("L2 whatever a journal holds", () => {
  it("the views of all prefixes are reported by the schema", () => {
    for (let seed = 0; seed < 300; seed++) {
      const { events } = journal(seed)
      for (let n = 1; n <= events.length; n++)
        expect(isAnswer(answerOf(Either.getOrThrow(fold(events.slice(0, n)))))).toBe(true)
    }
  })

  it("an event of any content, where another stood: reported or malformed", () => {
    const seen = { reported: 0, malformed: 0 }
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 0, max: 999 }),
        FastCheck.nat({ max: 999 }),
        Arbitrary.make(Schema.typeSchema(Event)),
        (seed, place, any) => {
          const { events } = journal(seed)
          const at = place % events.length
          const stood = events[at]
          if (stood === undefined) return
          const { cycle, run, sequence, version } = stood
          const stamped = { ...any, at: stood.at, cycle, run, sequence, version }
          // as a store gives it back
          const read = Either.getOrThrow(Either.flatMap(encodeEvent(stamped), decodeEvent))
          const changed = events.map((event, i) => (i === at ? read : event))
          const views: ReadonlyArray<Either.Either<RunView, unknown>> = [fold(changed), fold(changed.slice(0, at + 1))]
          for (const view of views) {
            seen[Either.isRight(view) ? "reported" : "malformed"]++
            if (Either.isRight(view)) expect(isAnswer(answerOf(view.right))).toBe(true)
          }
          expect(Either.isRight(statesOf(changed))).toBe(views[0] !== undefined && Either.isRight(views[0]))
        }
      ),
      { numRuns: 1_500, seed: 31 }
    )
    expect(seen.reported).toBeGreaterThan(50)
    expect(seen.malformed).toBeGreaterThan(500)
  })

  it("a stage that this version does not know is named as it was written", () => {
    for (let seed = 0; seed < 400; seed++) {
      const { events } = journal(seed)
      const last = events[events.length - 1]
      if (last?.tag !== "RunEnded" || last.outcome !== "Incomplete" || last.reason === null) continue
      const ended = { ...last, reason: { ...last.reason, stage: "Summarizer" } }
      const answer = answerOf(Either.getOrThrow(fold([...events.slice(0, -1), ended])))
      expect(answer.reason).toMatchObject({ stage: "Summarizer", tag: last.reason.cause._tag })
      return
    }
    expect.fail("no journal ends in ⊥")
  })

  it("verified and yet not answered: it is not said that all of the question is covered", () => {
    for (let seed = 0; seed < 400; seed++) {
      const { ending, events } = journal(seed)
      if (ending !== "Release") continue
      const unanswered = events.map((event) =>
        event.tag === "AnswerRead" ? { ...event, reading: { text: null, citations: [] } } : event
      )
      const { answered, missing, outcome } = answerOf(Either.getOrThrow(fold(unanswered)))
      expect({ answered, missing, outcome }).toEqual({
        answered: false,
        missing: "what was found speaks of what is asked, and no sentence of it answers the question",
        outcome: "Release"
      })
      return
    }
    expect.fail("no journal ends in Release")
  })
})
