/** What the Navigator's model is asked: which of the best completed traces to follow (an extension of C12, off by default). */
import { Schema } from "effect"
import { cut } from "../Question.ts"
import { type Bounds, text } from "./Bounds.ts"
import { handle } from "./Handles.ts"
import { prompt } from "./Prompt.ts"

export interface Navigating {
  readonly question: string
  readonly objective: string
  /** The abstractions along each trace, the root's apart, best first. */
  readonly traces: ReadonlyArray<ReadonlyArray<string>>
}

const instructions = `You choose where a search goes on. Each trace leads from a topic to one passage.
Choose the trace whose end, read together with its neighbours, is likeliest to bring what the search looks for now.`

/** UTF-16 code units of an abstraction that are shown: the last of a trace, and those on the way. */
const shown = { end: 600, way: 80 }

const outcome = (bounds: Bounds) =>
  Schema.Struct({ trace: text(bounds.name, "the trace to follow: t1, t2, …") }).annotations({ title: "Trace" })
export type Navigated = Schema.Schema.Type<ReturnType<typeof outcome>>

export const make = (bounds: Bounds) =>
  prompt<Navigating, Navigated, Navigated>({
    role: "Navigator",
    instructions,
    schema: outcome(bounds),
    parts: ({ objective, question, traces }) => [
      "The question:",
      { name: "question", text: question },
      "What the search looks for now:",
      { name: "objective", text: objective },
      "The traces:",
      ...traces.map((nodes, i) => ({
        name: handle("trace", i),
        text: nodes
          .map((abstraction, at) => cut(abstraction, at === nodes.length - 1 ? shown.end : shown.way))
          .join("\n> ")
      }))
    ],
    samples: [{ question: "", objective: "", traces: [["topic", "evidence"]] }]
  })
