/**
 * A prompt as a pure function: what is asked of a role's model, the Schema of its answer, and a version that says which words asked.
 *
 * The system message holds our own words alone, the same for every question. What is foreign stands in the user's message, fenced.
 */
import type { Schema } from "effect"
import { fingerprint } from "../Fingerprint.ts"
import type { ModelRequest } from "../ModelRequest.ts"
import { fenced, type Hash, type Part } from "./Fence.ts"
import { formOf } from "./Form.ts"

/** How a model is asked, whatever it is asked. */
export interface Manner {
  /** Tokens that the answer may take. */
  readonly maxTokens: number
  readonly temperature: number
  readonly seed: number | null
}
export const manner: Manner = { maxTokens: 2048, temperature: 0, seed: null }

export interface Template<In, A, I> {
  readonly role: string
  readonly instructions: string
  readonly schema: Schema.Schema<A, I>
  readonly parts: (input: In) => ReadonlyArray<Part>
  /** Inputs that between them show every word that `parts` can say. */
  readonly samples: ReadonlyArray<In>
}

export interface Prompt<In, A, I> {
  readonly schema: Schema.Schema<A, I>
  /** Of instructions, form and parts: another wording is another version. */
  readonly version: string
  readonly request: (hash: Hash, input: In, manner: Manner) => ModelRequest
}

export const prompt = <In, A, I>({
  instructions,
  parts,
  role,
  samples,
  schema
}: Template<In, A, I>): Prompt<In, A, I> => {
  const system = `${instructions}\n\n${formOf(schema)}`
  const version = fingerprint(JSON.stringify([role, system, String(schema.ast), samples.map(parts)]))
  return {
    schema,
    version,
    request: (hash, input, { maxTokens, seed, temperature }) => ({
      role,
      promptVersion: version,
      system,
      messages: [{ author: "User", text: fenced(hash, parts(input)) }],
      shape: null,
      maxTokens,
      temperature,
      seed
    })
  }
}

/** The same request once more, with the answer that was given and why it was refused. */
export const again = (hash: Hash, request: ModelRequest, answer: string, objection: string): ModelRequest => ({
  ...request,
  messages: [
    ...request.messages,
    { author: "Model", text: answer },
    {
      author: "User",
      text: fenced(hash, [
        "That answer was refused, for this reason:",
        { name: "reason", text: objection },
        "Answer again, in the same form."
      ])
    }
  ]
})
