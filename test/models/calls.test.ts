/** C10, C28: how often models are asked, over 200 questions: three plans, three verdicts and one reading a question at most, repairs apart. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { ModelRequest } from "../../src/domain/ModelRequest.ts"
import { type Said, scripted } from "../../src/layers/model/Scripted.ts"
import * as Ask from "../../src/programs/Ask.ts"
import { latest, policy, questions, scope, sensible, world } from "../support/ModelWorld.ts"
import { random } from "../support/Random.ts"

/** Asked for the first time: without an answer that was refused. */
const isRepair = ({ messages }: ModelRequest): boolean => messages.length > 1

const count = (asked: ReadonlyArray<ModelRequest>, role?: string) =>
  asked.filter((request) => role === undefined || request.role === role).length

/** Each question with what was asked for its sake. */
const each = (asked: ReadonlyArray<string>, answer: (request: ModelRequest, call: number) => Said) => {
  const model = scripted(answer)
  return Effect.gen(function* () {
    const rows: Array<{
      readonly question: string
      readonly first: ReadonlyArray<ModelRequest>
      readonly repairs: ReadonlyArray<ModelRequest>
      readonly exit: Exit.Exit<{ readonly answered: boolean; readonly answer: string | null }, unknown>
      readonly metered: number
    }> = []
    for (const question of asked) {
      const before = model.asked().length
      const exit = yield* Effect.exit(Ask.ask(question, { scope, policy }))
      const made = model.asked().slice(before)
      const metered = (yield* latest).filter(({ tag }) => tag === "ModelCalled").length
      rows.push({
        question,
        first: made.filter((request) => !isRepair(request)),
        repairs: made.filter(isRepair),
        exit,
        metered
      })
    }
    return rows
  }).pipe(Effect.provide(world(model)))
}

describe("C28 calls a question", () => {
  it.live(
    "of an honest model: at most seven, without repairs; what it says is answered",
    () =>
      Effect.gen(function* () {
        const rows = yield* each(questions, sensible)
        let answered = 0
        for (const { exit, first, metered, question, repairs } of rows) {
          expect(count(first), question).toBeLessThanOrEqual(7)
          expect(count(first, "Planner"), question).toBeLessThanOrEqual(3)
          expect(count(first, "Verifier"), question).toBeLessThanOrEqual(3)
          expect(count(first, "Reader"), question).toBeLessThanOrEqual(1)
          expect(repairs, question).toEqual([])
          expect(metered, question).toBe(first.length)
          expect(Exit.isSuccess(exit), question).toBe(true)
          if (Exit.isSuccess(exit) && exit.value.answered) answered++
        }
        // each of twenty questions is about what no document says
        expect(answered).toBeGreaterThan(170)
        expect(answered).toBeLessThanOrEqual(180)
        expect(Math.max(...rows.map(({ first }) => first.length))).toBe(7)
      }),
    120_000
  )

  it.live(
    "of one that says anything: as many at most, each with its repairs; every call is metered, and every end has its reason",
    () =>
      Effect.gen(function* () {
        const r = random(6)
        const spoil = (text: string): Said =>
          r.pick<() => Said>([
            () => text,
            () => text,
            () => text,
            () => `Of course!\n\`\`\`json\n${text}\n\`\`\``,
            () => text.slice(0, -3),
            () => "I cannot say.",
            () => "{}",
            () => ({ text: text.slice(0, 20), finish: "Length" }),
            () => ({ text: "No.", finish: "Refusal" }),
            () => text.replaceAll('"p1"', '"p99"'),
            () => text.replace(/"slot":"[^"]+"/g, '"slot":"s77"'),
            () => text.replace(/"quotation":"[^"]+"/g, '"quotation":"as everybody knows"'),
            () => text.replace('"Fail"', '"Pass"'),
            () => text.replace('"Pass"', '"Pending"'),
            () => text.replace(/"justification":"[^"]*"/, '"justification":""').replace('"Pass"', '"Fail"'),
            () => text.replace(/"missing":\[[^\]]*\]/, '"missing":["s1","s2","s9"]')
          ])()
        const rows = yield* each(questions.slice(0, 120), (request) => spoil(sensible(request)))
        const { repairAttempts } = policy
        const ends = { answered: 0, bottom: 0 }
        for (const { exit, first, metered, question, repairs } of rows) {
          expect(count(first), question).toBeLessThanOrEqual(7)
          expect(count(first, "Reader"), question).toBeLessThanOrEqual(1)
          // what does not parse is asked for once more, and so is what would be refused
          expect(repairs.length, question).toBeLessThanOrEqual(first.length * (2 * (repairAttempts + 1) - 1))
          expect(metered, question).toBe(first.length + repairs.length)
          if (Exit.isSuccess(exit)) ends.answered++
          else {
            ends.bottom++
            expect(JSON.stringify(exit.cause), question).toMatch(/"_tag":"Incomplete"/)
          }
        }
        expect(ends.answered).toBeGreaterThan(30)
        expect(ends.bottom).toBeGreaterThan(30)
      }),
    120_000
  )
})
