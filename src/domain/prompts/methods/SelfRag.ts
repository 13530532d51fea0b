/** What prompted Self-RAG asks: whether to retrieve, an answer without passages where not, and a judged answer from one passage. */
import { Schema } from "effect"
import { type Critique, Support, Utility } from "../../methods/Critique.ts"
import { text } from "../Bounds.ts"
import { passages, type Shown } from "../Handles.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

interface Asked {
  readonly question: string
}
const longestAnswer = 300
const answer = text(longestAnswer, "the answer, as short as it can be said; empty where there is none")
const asked = ({ question }: Asked) => ["The question:", { name: "question", text: question }]

const Decision = Schema.Struct({
  retrieve: Schema.Boolean.annotations({ description: "whether documents help to answer it" })
}).annotations({ title: "Decision" })

export const retrieve = prompt<Asked, typeof Decision.Type, typeof Decision.Encoded>({
  role: "self-rag.retrieve",
  instructions: `You judge whether a question needs documents to be looked up, or can be answered without any. Questions about facts need them. You do not answer it.
${foreign}`,
  schema: Decision,
  parts: asked,
  samples: [{ question: "" }]
})

const Plain = Schema.Struct({ answer }).annotations({ title: "Plain" })

export const plain = prompt<Asked, typeof Plain.Type, typeof Plain.Encoded>({
  role: "self-rag.plain",
  instructions: `You answer a question from what you know.\n${foreign}`,
  schema: Plain,
  parts: asked,
  samples: [{ question: "" }]
})

const Judged = Schema.Struct({
  relevant: Schema.Boolean.annotations({ description: "whether the passage helps to answer the question" }),
  answer,
  support: Support.annotations({ description: "how far the passage says what the answer says" }),
  utility: Utility.annotations({ description: "how useful the answer is to who asks, 5 the most" })
}).annotations({ title: "Judged" })

export interface Judging extends Asked {
  readonly passage: Shown
}

export const judge = prompt<Judging, Critique & { readonly answer: string }, typeof Judged.Encoded>({
  role: "self-rag.judge",
  instructions: `You answer a question from one passage, and judge passage and answer. What you remember does not count.
${foreign}`,
  schema: Judged,
  parts: ({ passage, question }) => [...asked({ question }), "The passage:", ...passages([passage])],
  samples: [{ question: "", passage: { title: "title", text: "text" } }]
})
