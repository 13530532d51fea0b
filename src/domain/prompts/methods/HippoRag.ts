/** What HippoRAG 2 asks: the names in a passage, the facts about them, which facts bear on a question, and its own answer. */
import { Schema } from "effect"
import { list, text } from "../Bounds.ts"
import { handle, passages, type Shown } from "../Handles.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

const mostNames = 32
const mostFacts = 32
/** Facts that the recognition filter keeps, at most. */
export const mostKept = 4

export interface Reading {
  readonly passage: Shown
}
export interface Knowing extends Reading {
  readonly names: ReadonlyArray<string>
}
export interface Recognising {
  readonly question: string
  readonly facts: ReadonlyArray<string>
}
export interface Answering {
  readonly question: string
  readonly evidence: ReadonlyArray<Shown>
}
const sample: Shown = { title: "title", text: "text" }

const Names = Schema.Struct({
  names: list(
    text(120, "a name as it is written"),
    mostNames,
    "people, places, organisations, works, dates, and the like"
  )
}).annotations({ title: "Names" })

export const names = prompt<Reading, typeof Names.Type, typeof Names.Encoded>({
  role: "hipporag.names",
  instructions: `You write down the named entities of a passage, each once.\n${foreign}`,
  schema: Names,
  parts: ({ passage }) => ["The passage:", ...passages([passage])],
  samples: [{ passage: sample }]
})

const Facts = Schema.Struct({
  facts: list(
    Schema.Struct({
      subject: text(120, "who or what"),
      relation: text(120, "what it has to do with the object, in a few words"),
      object: text(120, "whom or what")
    }),
    mostFacts,
    "what the passage says"
  )
}).annotations({ title: "Facts" })

export const facts = prompt<Knowing, typeof Facts.Type, typeof Facts.Encoded>({
  role: "hipporag.facts",
  instructions: `You write down what a passage says as facts of subject, relation and object. Each has at least one of the names given, better two. Write names out where the passage says he, she or it.
${foreign}`,
  schema: Facts,
  parts: ({ names, passage }) => [
    "The passage:",
    ...passages([passage]),
    "The names:",
    ...names.map((text, i) => ({ name: `name${i + 1}`, text }))
  ],
  samples: [{ passage: sample, names: ["name"] }]
})

const Kept = Schema.Struct({
  facts: list(text(8, "f1, f2, …"), mostKept, "the facts that help to answer the question; empty where none does")
}).annotations({ title: "Kept" })

export const recognise = prompt<Recognising, typeof Kept.Type, typeof Kept.Encoded>({
  role: "hipporag.recognise",
  instructions: `You choose, from a few facts, those that help to find the answer of a question, perhaps as one step of several.\n${foreign}`,
  schema: Kept,
  parts: ({ facts, question }) => [
    "The question:",
    { name: "question", text: question },
    "The facts:",
    ...facts.map((text, i) => ({ name: handle("fact", i), text }))
  ],
  samples: [{ question: "", facts: ["fact"] }]
})

const Answer = Schema.Struct({
  thought: text(600, "the reasoning, step by step"),
  answer: text(300, "the answer, as short as it can be said")
}).annotations({ title: "Answer" })

export const answer = prompt<Answering, typeof Answer.Type, typeof Answer.Encoded>({
  role: "hipporag.answer",
  instructions: `You answer a question from passages: first the reasoning, then the answer alone.\n${foreign}`,
  schema: Answer,
  parts: ({ evidence, question }) => [
    "The passages:",
    ...passages(evidence),
    "The question:",
    { name: "question", text: question }
  ],
  samples: [{ question: "", evidence: [sample] }]
})
