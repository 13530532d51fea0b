/** What the sources of a blackboard are asked: each sees the whole board and writes on it what it likes. */
import { Schema } from "effect"
import { type Entry, kinds, type Source } from "../../methods/Board.ts"
import { list, text } from "../Bounds.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

export interface Seeing {
  readonly question: string
  readonly entries: ReadonlyArray<Entry>
}

/** Entries that a source writes at a time, at most. */
export const mostWritten = 3
const longestEntry = 300

const Writing = Schema.Struct({
  entries: list(
    Schema.Struct({
      kind: Schema.Literal(...kinds).annotations({
        description: "query: something to look up; finding: something that was learnt; solution: the answer"
      }),
      text: text(longestEntry, "the entry; a solution is as short as it can be said")
    }),
    mostWritten,
    "what is written on the board; empty where there is nothing to say"
  )
}).annotations({ title: "Writing" })

const tasks: { readonly [S in Source]: string } = {
  planner: "You plan: you write queries for what has to be looked up next, by itself findable and with names in full.",
  retriever: "You read the newest passages: you write as findings what they say that the question needs.",
  verifier:
    "You verify: if passages on the board say the answer, you write it as solution; if not, you write as finding what is missing, or as query what would say it."
}

const of = (source: Source) =>
  prompt<Seeing, typeof Writing.Type, typeof Writing.Encoded>({
    role: `blackboard.${source}`,
    instructions: `Several experts answer a question together over one board. Everybody reads all of it and may write entries of any kind; a solution ends the work.
${tasks[source]}
${foreign}`,
    schema: Writing,
    parts: ({ entries, question }) => [
      "The question:",
      { name: "question", text: question },
      entries.length === 0 ? "The board is empty." : "The board:",
      ...entries.map(({ by, kind, text }, i) => ({ name: `${kind}${i + 1}-${by}`, text }))
    ],
    samples: [
      { question: "", entries: [] },
      { question: "", entries: [{ kind: "query", by: "planner", text: "" }] }
    ]
  })

export const prompts = { planner: of("planner"), retriever: of("retriever"), verifier: of("verifier") } as const
