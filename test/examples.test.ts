/** The examples do what they say. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Effect, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { main } from "../examples/own-backend.ts"

const names = ["Harbour", "Lantern", "Meadow", "Quarry", "Orchard", "Summit", "Willow", "Canyon", "Beacon", "Thicket"]
const people = ["Ada Winter", "Jon Field", "Mira Stone", "Tomas Reed", "Lena Brook"]
const places = ["Bremen", "Lisbon", "Tartu", "Graz", "Turku"]

describe("examples/own-backend", () => {
  let folder = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "staterag-example-"))
    for (const [i, name] of names.entries()) {
      const person = people[i % people.length]
      const text = `# ${name}\n\nThe ${name} service is maintained by ${person}. It was started in ${2001 + i}.\n`
      await writeFile(join(folder, `${name.toLowerCase()}.md`), text)
    }
    for (const [i, person] of people.entries())
      await writeFile(join(folder, `person-${i}.md`), `# ${person}\n\n${person} lives in ${places[i]} and likes tea.\n`)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("answers fifty tickets at once, in the application's own database, with its own Planner", async () => {
    const questions = Array.from({ length: 50 }, (_, i) =>
      i % 5 === 4
        ? `Where does ${people[i % people.length]} live?`
        : `Who maintains the ${names[i % names.length]} service?`
    )
    const filename = join(folder, "application.db")
    const { answers, report, tickets } = await main(folder, filename, questions)
    expect(report.documents.added).toBe(names.length + people.length)
    expect(answers.map((answer) => answer.question)).toEqual(questions)
    expect(new Set(answers.map((answer) => answer.run)).size).toBe(50)
    for (const answer of answers) {
      expect(answer.outcome).not.toBe("Incomplete")
      for (const { end, start, text } of answer.citations) expect(text).toHaveLength(end - start)
    }
    expect(answers[0]?.answer).toContain("Ada Winter")
    // one row a ticket, each with the answer of its own question
    expect(tickets).toHaveLength(50)
    const byRun = new Map(answers.map((answer) => [answer.run as string, answer]))
    for (const ticket of tickets) {
      expect(byRun.get(ticket.run)?.question).toBe(ticket.question)
      expect(byRun.get(ticket.run)?.answer).toBe(ticket.answer)
    }
    // the same question has the same answer, whoever asked beside it
    for (const [i, question] of questions.entries())
      expect(answers[questions.indexOf(question)]?.answer).toBe(answers[i]?.answer)

    const seen = await Effect.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tables = yield* sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
        const plans = yield* sql<{ payload: string }>`SELECT payload FROM staterag_event WHERE tag = 'PlanCommitted'`
        return { tables: tables.map((row) => row.name), plans: plans.map((row) => row.payload) }
      }).pipe(Effect.provide(SqliteClient.layer({ filename, readonly: true })))
    )
    expect(seen.tables.filter((name) => !name.startsWith("staterag_") && !name.startsWith("sqlite_"))).toEqual([
      "ticket"
    ])
    const objective = Schema.decodeUnknownSync(
      Schema.parseJson(Schema.Struct({ plan: Schema.Struct({ objective: Schema.String }) }))
    )
    expect(seen.plans.length).toBeGreaterThan(0)
    for (const plan of seen.plans) expect(objective(plan).plan.objective).toMatch(/^ticket: /)
  }, 60_000)
})
