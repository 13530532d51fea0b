/** What GraphRAG asks: entities and relationships of a passage, what was missed, descriptions, reports, points of reports, and answers. */
import { Schema } from "effect"
import { list, text } from "../Bounds.ts"
import type { Part } from "../Fence.ts"
import { handle, passages, type Shown } from "../Handles.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

const most = 32
const sample: Shown = { title: "title", text: "text" }

/** `known` are the names that were found before; empty at first. */
export interface Extracting {
  readonly passage: Shown
  readonly known: ReadonlyArray<string>
}

const Extracted = Schema.Struct({
  entities: list(
    Schema.Struct({
      name: text(120, "as it is written"),
      type: Schema.Literal("organization", "person", "geo", "event"),
      description: text(300, "what the passage says of it")
    }),
    most,
    "who and what the passage is about"
  ),
  relationships: list(
    Schema.Struct({
      source: text(120, "the name of an entity"),
      target: text(120, "the name of another"),
      description: text(300, "what they have to do with one another"),
      strength: Schema.Int.pipe(Schema.between(1, 10)).annotations({ description: "1 to 10" })
    }),
    most,
    "between entities that clearly have to do with one another"
  )
}).annotations({ title: "Extracted" })
export type Extracted = typeof Extracted.Type

const extracting = (instructions: string, role: string) =>
  prompt<Extracting, Extracted, typeof Extracted.Encoded>({
    role,
    instructions: `${instructions}\n${foreign}`,
    schema: Extracted,
    parts: ({ known, passage }): ReadonlyArray<Part> => [
      "The passage:",
      ...passages([passage]),
      ...(known.length === 0 ? [] : ["Found already:", ...known.map((text, i) => ({ name: `name${i + 1}`, text }))])
    ],
    samples: [
      { passage: sample, known: [] },
      { passage: sample, known: ["name"] }
    ]
  })

export const extract = extracting(
  "You write down the entities of a passage (organizations, persons, places, events) and the relationships between them.",
  "graphrag.extract"
)
export const glean = extracting(
  "Entities and relationships of a passage were written down, and some were missed. You write down those that were missed, and nothing else.",
  "graphrag.glean"
)

export interface Describing {
  readonly name: string
  readonly descriptions: ReadonlyArray<string>
}
const Description = Schema.Struct({
  description: text(2000, "one description that holds all of it")
}).annotations({ title: "Description" })

export const describe = prompt<Describing, typeof Description.Type, typeof Description.Encoded>({
  role: "graphrag.describe",
  instructions: `You make one description of several descriptions of the same thing, without losing what they say.\n${foreign}`,
  schema: Description,
  parts: ({ descriptions, name }) => [
    { name: "name", text: name },
    ...descriptions.map((text, i) => ({ name: `description${i + 1}`, text }))
  ],
  samples: [{ name: "", descriptions: [""] }]
})

export interface Reporting {
  readonly entities: ReadonlyArray<string>
  readonly relationships: ReadonlyArray<string>
}
const Report = Schema.Struct({
  title: text(200, "names its most telling entities"),
  summary: text(1500, "what holds the community together"),
  findings: list(text(1000, "one finding with what bears it out"), 8, "five to eight, the most telling first"),
  rating: Schema.Number.pipe(Schema.between(0, 10)).annotations({ description: "how much it matters, 0 to 10" })
}).annotations({ title: "Report" })

export const report = prompt<Reporting, typeof Report.Type, typeof Report.Encoded>({
  role: "graphrag.report",
  instructions: `You write a report on a community of entities from what is known of them and of their relationships.\n${foreign}`,
  schema: Report,
  parts: ({ entities, relationships }) => [
    "The entities:",
    ...entities.map((text, i) => ({ name: `entity${i + 1}`, text })),
    "Their relationships:",
    ...relationships.map((text, i) => ({ name: `relationship${i + 1}`, text }))
  ],
  samples: [{ entities: [""], relationships: [""] }]
})

const asked = (question: string): ReadonlyArray<Part> => ["The question:", { name: "question", text: question }]

export interface Mapping {
  readonly question: string
  readonly reports: ReadonlyArray<string>
}
const Points = Schema.Struct({
  points: list(
    Schema.Struct({
      description: text(600, "what the reports say that helps to answer the question"),
      score: Schema.Int.pipe(Schema.between(0, 100)).annotations({ description: "how much it helps, 0 to 100" }),
      reports: list(text(8, "r1, r2, …"), 5, "the reports that say it")
    }),
    8,
    "empty where the reports say nothing of it"
  )
}).annotations({ title: "Points" })
export type Point = (typeof Points.Type)["points"][number]

export const map = prompt<Mapping, typeof Points.Type, typeof Points.Encoded>({
  role: "graphrag.map",
  instructions: `You write down the points of reports that help to answer a question, each with a score. You do not answer it.\n${foreign}`,
  schema: Points,
  parts: ({ question, reports }) => [
    ...asked(question),
    "The reports:",
    ...reports.map((text, i) => ({ name: handle("report", i), text }))
  ],
  samples: [{ question: "", reports: [""] }]
})

export interface Answering {
  readonly question: string
  readonly known: ReadonlyArray<Shown>
}
const Answer = Schema.Struct({
  answer: text(300, "the answer, as short as it can be said; empty where it is not known")
}).annotations({ title: "Answer" })

const answering = (role: string, from: string) =>
  prompt<Answering, typeof Answer.Type, typeof Answer.Encoded>({
    role,
    instructions: `You answer a question from ${from}, and from nothing else.\n${foreign}`,
    schema: Answer,
    parts: ({ known, question }) => [...asked(question), "What is known:", ...passages(known)],
    samples: [{ question: "", known: [sample] }]
  })

export const local = answering("graphrag.local", "reports, entities, relationships and passages")
export const reduce = answering("graphrag.reduce", "points that were taken from reports, the most helpful first")
