/** What prompted CoRAG asks: the next sub-question of a chain of retrievals, and its answer from what was found. */
import { Schema } from "effect"
import { text } from "../Bounds.ts"
import type { Part } from "../Fence.ts"
import { passages, type Shown } from "../Handles.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

export interface Link {
  readonly query: string
  readonly answer: string
}
export interface Chaining {
  readonly question: string
  readonly chain: ReadonlyArray<Link>
  /** Said in an earlier try, and asked before. */
  readonly repeated: ReadonlyArray<string>
}

const SubQuery = Schema.Struct({
  query: text(200, "one simple question that can be looked up by itself, with its names in full")
}).annotations({ title: "SubQuery" })

export const next = prompt<Chaining, typeof SubQuery.Type, typeof SubQuery.Encoded>({
  role: "corag.query",
  instructions: `A question is answered by a chain of simpler questions, each looked up by itself. You write the next one: what has to be known still, given the answers so far. It is not one that was asked already, in other words either.
${foreign}`,
  schema: SubQuery,
  parts: ({ chain, question, repeated }): ReadonlyArray<Part> => [
    "The question:",
    { name: "question", text: question },
    chain.length === 0 ? "Nothing was asked yet." : "Asked and answered so far:",
    ...chain.flatMap(({ answer, query }, i) => [
      { name: `query${i + 1}`, text: query },
      { name: `answer${i + 1}`, text: answer }
    ]),
    ...repeated.flatMap((text) => ["This was asked before, so it is not the next one:", { name: "repeated", text }])
  ],
  samples: [
    { question: "", chain: [], repeated: [] },
    { question: "", chain: [{ query: "", answer: "" }], repeated: [""] }
  ]
})

export const nothing = "No relevant information found"

const SubAnswer = Schema.Struct({
  answer: text(400, `the answer in a few words, or: ${nothing}`)
}).annotations({ title: "SubAnswer" })

export interface SubAsked {
  readonly query: string
  readonly passages: ReadonlyArray<Shown>
}
export const answer = prompt<SubAsked, typeof SubAnswer.Type, typeof SubAnswer.Encoded>({
  role: "corag.answer",
  instructions: `You answer a question from the passages given and from nothing else. Where they do not answer it, you say: ${nothing}
${foreign}`,
  schema: SubAnswer,
  parts: ({ passages: shown, query }) => [
    "The passages:",
    ...passages(shown),
    "The question:",
    { name: "question", text: query }
  ],
  samples: [{ query: "", passages: [{ title: "title", text: "text" }] }]
})
