/** What A-RAG asks: which tool to use next, or the answer; and at the limit, the answer. */
import { Schema } from "effect"
import { list, text } from "../Bounds.ts"
import type { Part } from "../Fence.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

/** A tool that was used, and what it gave. */
export interface Used {
  readonly call: string
  readonly gave: string
}
export interface Looking {
  readonly question: string
  readonly used: ReadonlyArray<Used>
}

/** Chunks that one call reads, and words that one call searches for, at most. */
export const mostNamed = 5
const longestAnswer = 300
const answer = text(longestAnswer, "for answer: the answer, as short as it can be said; else empty")

const Call = Schema.Struct({
  tool: Schema.Literal("keyword_search", "semantic_search", "read_chunk", "answer"),
  keywords: list(text(60, "a word or a name as it is written"), mostNamed, "for keyword_search; else empty"),
  query: text(200, "for semantic_search: what is looked for, in words; else empty"),
  chunks: list(text(8, "c1, c2, …"), mostNamed, "for read_chunk; else empty"),
  answer
}).annotations({ title: "Call" })
export type Call = typeof Call.Type

const before = ({ question, used }: Looking): ReadonlyArray<Part> => [
  "The question:",
  { name: "question", text: question },
  used.length === 0 ? "No tool was used yet." : "The tools that were used, and what they gave:",
  ...used.flatMap(({ call, gave }, i) => [
    { name: `call${i + 1}`, text: call },
    { name: `result${i + 1}`, text: gave }
  ])
]
const samples: ReadonlyArray<Looking> = [
  { question: "", used: [] },
  { question: "", used: [{ call: "", gave: "" }] }
]

export const look = prompt<Looking, Call, typeof Call.Encoded>({
  role: "a-rag.look",
  instructions: `You answer a question over a corpus that is cut into chunks, with tools, one call at a time:
keyword_search finds the chunks that hold words as they are written, and shows the sentences that do; good for names.
semantic_search finds the chunks with the sentences nearest to a query in meaning, and shows these sentences.
read_chunk gives the whole text of chunks by their handles. The sentences of a search are parts only: read what looks promising before you answer. A chunk is read once.
answer ends the task: once what was read says the answer, and not before.
${foreign}`,
  schema: Call,
  parts: before,
  samples
})

const Forced = Schema.Struct({
  answer: text(longestAnswer, "the answer, as short as it can be said; empty where nothing says it")
}).annotations({ title: "Forced" })

export const force = prompt<Looking, typeof Forced.Type, typeof Forced.Encoded>({
  role: "a-rag.answer",
  instructions: `You answered a question with tools over a corpus and have reached the limit of calls. Answer now, from what the tools gave.
${foreign}`,
  schema: Forced,
  parts: before,
  samples
})
