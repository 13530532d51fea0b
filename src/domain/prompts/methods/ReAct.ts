/** What ReAct's model is asked, step by step: a thought and an action, and where no action can be read, the action alone. */
import type { Part } from "../Fence.ts"
import { foreign, spoken } from "./Spoken.ts"

/** A step that was made: the thought with its action, and what that gave. */
export interface Made {
  readonly said: string
  readonly observation: string
}
export interface Stepping {
  readonly question: string
  readonly made: ReadonlyArray<Made>
}
export interface Acting extends Stepping {
  readonly thought: string
}

const actions = `The actions are:
Search[name]: the page of that name, or else the page that fits it best, with names that are like it.
Lookup[word]: the next sentence of the current page that has the word.
Finish[answer]: the answer, as short as it can be said; it ends the task.`

const examples = `Thought 1: I need the river on which Lower Brinmouth lies, then the length of that river. First Lower Brinmouth.
Action 1: Search[Lower Brinmouth]
(Observation 1: Lower Brinmouth is a market town on the Ware, founded in 1240.)
Thought 2: It lies on the Ware. I need the length of the Ware.
Action 2: Search[Ware (river)]
(Observation 2: The Ware is a river of the Brin Hills, which has its source at Holm.)
Thought 3: The page does not say the length yet. I look for "km".
Action 3: Lookup[km]
(Observation 3: (Result 1 / 1) It is 84 km long.)
Thought 4: The Ware is 84 km long.
Action 4: Finish[84 km]

Thought 1: I need when The Glass Orchard and when Nine Ferries came out. First The Glass Orchard.
Action 1: Search[The Glass Orchard]
(Observation 1: The Glass Orchard is a novel of 1931 by Ilse Maren.)
Thought 2: 1931. Now Nine Ferries.
Action 2: Search[Nine Ferries]
(Observation 2: Nine Ferries is a novel of 1928.)
Thought 3: 1928 is before 1931, so it is Nine Ferries.
Action 3: Finish[Nine Ferries]`

const before = ({ made, question }: Stepping): ReadonlyArray<Part> => [
  "The question:",
  { name: "question", text: question },
  ...made.flatMap(
    ({ observation, said }, i): ReadonlyArray<Part> => [
      `Step ${i + 1}, as you said it:`,
      { name: `step${i + 1}`, text: said },
      `Observation ${i + 1}:`,
      { name: `observation${i + 1}`, text: observation }
    ]
  )
]
const sample: Acting = { question: "", made: [{ said: "", observation: "" }], thought: "" }

export const step = spoken<Stepping>({
  role: "react.step",
  instructions: `You answer a question in steps of a thought and an action; the observation that an action gives is shown to you.
${actions}
Write one thought and one action, in two lines, and nothing else: no observation, no second step. ${foreign}

So it looks (observations are not yours to write):

${examples}`,
  parts: (input) => [...before(input), `Write Thought ${input.made.length + 1} and Action ${input.made.length + 1}.`],
  samples: [sample]
})

/** Asked where a step has no action that can be read. */
export const action = spoken<Acting>({
  role: "react.action",
  instructions: `You answer a question in steps of a thought and an action. The thought is there already; the action is missing.
${actions}
Write the action alone, in one line, such as: Search[Lower Brinmouth]
${foreign}`,
  parts: (input) => [
    ...before(input),
    `Thought ${input.made.length + 1}:`,
    { name: "thought", text: input.thought },
    `Write Action ${input.made.length + 1}.`
  ],
  samples: [sample]
})
