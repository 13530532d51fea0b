/**
 * A help desk that answers its tickets from its own documents: staterag inside somebody else's backend.
 *
 * - one ManagedRuntime serves every request;
 * - the database is the application's: its table `ticket` stands beside ours, which are prefixed `staterag_`;
 * - one role is replaced by providing its tag; what it proposes is checked like everything else.
 *
 * `npx tsx examples/own-backend.ts FOLDER` indexes FOLDER in memory and answers fifty tickets at once. In an application of its own, the
 * import is `from "staterag"`.
 */
import { pathToFileURL } from "node:url"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { Ask, Embedded, Ids, IndexCorpus, Planner, Proposal, Words } from "../src/index.ts"

/** A Planner of our own: looks for the question's words, and says truly where the run has been. */
const PlannerByWords = Layer.succeed(Planner, {
  propose: ({ question, state: { path, plan } }) => {
    const slot = Ids.SlotName.make("answer")
    const before = Option.match(plan, { onNone: () => [], onSome: ({ visited }) => visited })
    const visited = Option.match(path, {
      onNone: () => before,
      onSome: (nodes) => [...before, { node: nodes[nodes.length - 1] ?? nodes[0], abstraction: "" }]
    })
    const query = question.slice(0, 1000)
    const terms = Words.contentTerms(query).map((term) => ({ term, weight: 1 }))
    return Effect.succeed(
      Proposal.propose("plan", {
        type: "Generic",
        entities: [],
        slots: [{ name: slot, description: "what the ticket asks for" }],
        objective: `ticket: ${query}`,
        hypotheses: [{ from: null, weight: 1, query, terms: terms.slice(0, 64), best: 2 * terms.length }],
        known: [],
        missing: [slot],
        frontier: [],
        held: [],
        visited
      })
    )
  }
})

/** The application's own table, and its own work on it. */
export class Tickets extends Effect.Service<Tickets>()("examples/Tickets", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE IF NOT EXISTS ticket (id INTEGER PRIMARY KEY, question TEXT NOT NULL, answer TEXT, run TEXT)`
    return {
      open: (question: string) =>
        Effect.map(
          sql<{ id: number }>`INSERT INTO ticket (question) VALUES (${question}) RETURNING id`,
          ([row]) => row?.id ?? 0
        ),
      close: (id: number, answer: string | null, run: string) =>
        sql`UPDATE ticket SET answer = ${answer}, run = ${run} WHERE id = ${id}`,
      all: sql<{ id: number; question: string; answer: string | null; run: string }>`SELECT * FROM ticket ORDER BY id`
    }
  })
}) {}

const scope = Ids.ScopeKey.make("help-desk")

/** Everything over one client: our stores and the application's table, with the Planner replaced. */
export const layer = (filename: string) =>
  Layer.mergeAll(Embedded.layerOver, Tickets.Default).pipe(
    (services) => Layer.merge(services, PlannerByWords),
    Layer.provideMerge(SqliteClient.layer({ filename }))
  )

/** What a request handler does: the ticket is written down, answered under the contract, and closed. */
export const answerTicket = Effect.fn("answerTicket")(function* (question: string) {
  const tickets = yield* Tickets
  const id = yield* tickets.open(question)
  const answer = yield* Ask.ask(question, { scope })
  yield* tickets.close(id, answer.answer, answer.run)
  return answer
})

/** Indexes `folder` into the database and answers all `questions` at once, each as a request of its own. */
export const main = async (folder: string, filename: string, questions: ReadonlyArray<string>) => {
  const runtime = ManagedRuntime.make(layer(filename))
  try {
    const report = await runtime.runPromise(IndexCorpus.indexCorpus({ scope, paths: [folder] }))
    const answers = await Promise.all(questions.map((question) => runtime.runPromise(answerTicket(question))))
    const tickets = await runtime.runPromise(Effect.flatMap(Tickets, ({ all }) => all))
    return { report, answers, tickets }
  } finally {
    await runtime.dispose()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const questions = Array.from({ length: 50 }, (_, i) => `What do the documents say about topic ${i + 1}?`)
  const { answers, report } = await main(process.argv[2] ?? "docs", ":memory:", questions)
  console.log(`${report.passages} passages indexed, ${answers.length} tickets answered`)
  for (const { answer, citations, outcome, question } of answers.slice(0, 3))
    console.log(`${question}\n  ${outcome}: ${answer ?? "not found"} (${citations.length} quotations)`)
}
