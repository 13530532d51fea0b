/** What IRCoT asks: the next sentence of a chain of thought, from the passages that were found so far. */
import { passages, type Shown } from "../Handles.ts"
import { foreign, spoken } from "./Spoken.ts"

export interface Thinking {
  readonly question: string
  readonly passages: ReadonlyArray<Shown>
  /** The sentences so far. */
  readonly thoughts: ReadonlyArray<string>
}

export const think = spoken<Thinking>({
  role: "ircot.think",
  instructions: `You reason towards the answer of a question, one sentence at a time, from passages.
Write the next sentence of the reasoning and nothing else: one fact that the passages say and the question needs, with the names in full, or what has to be found next. Once the reasoning is complete, the sentence is: So the answer is: … .
${foreign}`,
  parts: ({ passages: shown, question, thoughts }) => [
    "The passages:",
    ...passages(shown),
    "The question:",
    { name: "question", text: question },
    thoughts.length === 0 ? "Nothing is thought yet." : "The reasoning so far:",
    ...thoughts.map((text, i) => ({ name: `thought${i + 1}`, text })),
    "Write the next sentence."
  ],
  samples: [
    { question: "", passages: [], thoughts: [] },
    { question: "", passages: [{ title: "title", text: "text" }], thoughts: [""] }
  ]
})
