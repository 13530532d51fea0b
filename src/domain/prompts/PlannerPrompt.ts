/** What the Planner's model is asked (C11): to take a question apart, and to say which parts the passages at hand settle. */
import { Option, Schema } from "effect"
import { DocumentId, SlotName } from "../Ids.ts"
import type { Binding, Slot } from "../Plan.ts"
import type { Justification } from "../Verification.ts"
import { type Bounds, list, text } from "./Bounds.ts"
import { handle, passages, type Shown, slots } from "./Handles.ts"
import { prompt } from "./Prompt.ts"

export interface Planning {
  readonly question: string
  /** Slots of the plan before, what is asked for apart; none in the first cycle. */
  readonly slots: ReadonlyArray<Slot>
  readonly known: ReadonlyArray<Binding>
  /** δ of the failed cycle. */
  readonly feedback: Option.Option<Justification>
  readonly evidence: ReadonlyArray<Shown>
}

const instructions = `You plan a search through a collection of documents, so that a question can be answered from them.
Take the question apart into the fewest sub-questions that one passage each can answer. Each stands alone: it names what it is about, without pronouns and without pointing to another sub-question. Where one needs what another finds out, put in what the passages say already; where they do not say it yet, ask for that first.
Fill a slot only with words that a passage here says, copied exactly. Do not answer from what you remember.
Leave out sub-questions whose slot is filled. Where earlier searches failed, search for what is missing in other words.`

const outcome = (bounds: Bounds) =>
  Schema.Struct({
    bindings: list(
      Schema.Struct({
        slot: text(bounds.name, "which slot it fills: s1, s2, …, or the name of a new one"),
        passage: text(bounds.name, "which passage says it: p1, p2, …"),
        quotation: text(bounds.quotation, "the words of the passage that say it, copied exactly")
      }),
      bounds.items,
      "slots that the passages here fill; empty where they fill none"
    ),
    subquestions: list(
      Schema.Struct({
        slot: text(bounds.name, "s1, s2, … of the slot that it is to fill, or a short name for a new one"),
        question: text(bounds.text, "the sub-question, complete in itself"),
        query: text(bounds.text, "the words to search for: names and telling words that the passage will hold")
      }),
      bounds.items,
      "what is still to be found, the most urgent first"
    ),
    names: list(
      text(bounds.name, "a name"),
      bounds.items,
      "persons, places, works and things that the passages here point to and that the search should look at next"
    )
  }).annotations({ title: "Plan" })
export type Planned = Schema.Schema.Type<ReturnType<typeof outcome>>

const slot = SlotName.make("slot")
const nothing: Planning = { question: "", slots: [], known: [], feedback: Option.none(), evidence: [] }
const everything: Planning = {
  question: "",
  slots: [{ name: slot, description: "" }],
  known: [{ slot, span: { document: DocumentId.make("document"), start: 0, end: 0 }, text: "" }],
  feedback: Option.some({ text: "", missing: [slot], supported: [] }),
  evidence: [{ title: "title", text: "text" }]
}

export const make = (bounds: Bounds) =>
  prompt<Planning, Planned, Planned>({
    role: "Planner",
    instructions,
    schema: outcome(bounds),
    parts: ({ evidence, feedback, known, question, slots: named }) => [
      "The question:",
      { name: "question", text: question },
      ...(named.length === 0 ? [] : ["The slots of the search so far:", ...slots(named)]),
      ...known.flatMap(({ slot, text: said }) => {
        const at = named.findIndex(({ name }) => name === slot)
        return at < 0
          ? []
          : [`${handle("slot", at)} is filled, by these words:`, { name: handle("slot", at), text: said }]
      }),
      ...Option.match(feedback, {
        onNone: () => [],
        onSome: ({ missing, text: said }) => {
          const open = named.flatMap(({ name }, at) => (missing.includes(name) ? [handle("slot", at)] : []))
          return [
            "The last search failed. What was said of it:",
            { name: "verification", text: said },
            ...(open.length === 0 ? [] : [`Still missing: ${open.join(", ")}.`])
          ]
        }
      }),
      evidence.length === 0 ? "Nothing has been found yet." : "The passages found so far:",
      ...passages(evidence)
    ],
    samples: [nothing, everything]
  })
