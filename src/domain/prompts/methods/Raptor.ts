/** What RAPTOR asks: the summary of a cluster of texts. */
import { Schema } from "effect"
import { text } from "../Bounds.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

export interface Cluster {
  readonly texts: ReadonlyArray<string>
}

const Summary = Schema.Struct({
  summary: text(600, "the summary, at most a hundred words")
}).annotations({ title: "Summary" })

export const summarise = prompt<Cluster, typeof Summary.Type, typeof Summary.Encoded>({
  role: "raptor.summarise",
  instructions: `You write one summary of several texts that lie near one another, with as many key details as it holds: names in full, numbers, who did what.
${foreign}`,
  schema: Summary,
  parts: ({ texts }) => ["The texts:", ...texts.map((text, i) => ({ name: `text${i + 1}`, text }))],
  samples: [{ texts: ["text"] }]
})
