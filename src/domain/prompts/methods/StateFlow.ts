/** What StateFlow asks in each of its states: other instructions over the same context, which grows and is never checked. */
import type { Asking } from "../../methods/StateFlow.ts"
import { foreign, type Spoken, spoken } from "./Spoken.ts"

export interface Flowing {
  readonly question: string
  /** What states said and tools gave so far, oldest first. */
  readonly context: ReadonlyArray<string>
}

const orders = `Say one line:
search: words      passages by words and meaning
page: title        the page of that title
keyword: words     passages that hold these words as they are written`

const instructions: { readonly [S in Asking]: string } = {
  Observe: `You look up, one step at a time, what a question needs. Say what to look up next.\n${orders}`,
  Error: `The last look-up found nothing, or could not be read. Look for it in other words, or for something else that the question needs.\n${orders}`,
  Solve: `You answer a question from the context. If it says the answer, write one line "Answer: …", as short as it can be said. If it does not, say in one sentence what is missing.`,
  Verify: `You check the last answer against the context. If the context says it and it answers the question, write: correct. If not, say in one sentence what is wrong or missing.`
}

const of = (state: Asking): Spoken<Flowing> =>
  spoken<Flowing>({
    role: `stateflow.${state.toLowerCase()}`,
    instructions: `${instructions[state]}\n${foreign}`,
    parts: ({ context, question }) => [
      "The question:",
      { name: "question", text: question },
      context.length === 0 ? "The context is empty." : "The context:",
      ...context.map((text, i) => ({ name: `context${i + 1}`, text }))
    ],
    samples: [
      { question: "", context: [] },
      { question: "", context: [""] }
    ]
  })

export const prompts: { readonly [S in Asking]: Spoken<Flowing> } = {
  Observe: of("Observe"),
  Error: of("Error"),
  Solve: of("Solve"),
  Verify: of("Verify")
}
