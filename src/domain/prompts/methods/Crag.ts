/** What CRAG asks: whether a passage bears on a question, a query for another search, and which strips are worth keeping. */
import { Schema } from "effect"
import { Relevance } from "../../methods/Confidence.ts"
import { list, text } from "../Bounds.ts"
import { passages, type Shown } from "../Handles.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

interface Asked {
  readonly question: string
}
const asked = ({ question }: Asked) => ["The question:", { name: "question", text: question }]

const Judged = Schema.Struct({
  relevant: Relevance.annotations({ description: "whether the passage says something that the answer needs" })
}).annotations({ title: "Judged" })

export interface Judging extends Asked {
  readonly passage: Shown
}
export const evaluate = prompt<Judging, typeof Judged.Type, typeof Judged.Encoded>({
  role: "crag.evaluate",
  instructions: `You judge whether a passage says something that is needed to answer a question, even if it is one step of several. You do not answer it.
${foreign}`,
  schema: Judged,
  parts: ({ passage, question }) => [...asked({ question }), "The passage:", ...passages([passage])],
  samples: [{ question: "", passage: { title: "title", text: "text" } }]
})

const Query = Schema.Struct({
  query: text(200, "the words to search for, names above all, no sentence")
}).annotations({ title: "Query" })

export const rewrite = prompt<Asked, typeof Query.Type, typeof Query.Encoded>({
  role: "crag.rewrite",
  instructions: `A search with a question found too little. You write the words for another search.\n${foreign}`,
  schema: Query,
  parts: asked,
  samples: [{ question: "" }]
})

/** Strips that are kept at most. */
export const mostKept = 10

const Kept = Schema.Struct({
  keep: list(text(8, "p1, p2, …"), mostKept, "the strips that say something the answer needs, the most needed first")
}).annotations({ title: "Kept" })

export interface Refining extends Asked {
  readonly strips: ReadonlyArray<Shown>
}
export const refine = prompt<Refining, typeof Kept.Type, typeof Kept.Encoded>({
  role: "crag.refine",
  instructions: `You choose, from strips of documents, those that are needed to answer a question. You do not answer it.
${foreign}`,
  schema: Kept,
  parts: ({ question, strips }) => [...asked({ question }), "The strips:", ...passages(strips)],
  samples: [{ question: "", strips: [{ title: "title", text: "text" }] }]
})
