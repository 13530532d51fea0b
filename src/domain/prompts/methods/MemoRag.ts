/** What MemoRAG asks in its Lite form: the gist of a piece of the corpus, and from the memory of all gists, clues and other questions. */
import { Schema } from "effect"
import { list, text } from "../Bounds.ts"
import { passages, type Shown } from "../Handles.ts"
import { prompt } from "../Prompt.ts"
import { foreign } from "./Spoken.ts"

const mostLines = 8

export interface Piece {
  readonly piece: ReadonlyArray<Shown>
}
export interface Remembering {
  readonly question: string
  readonly memory: string
}

const Gist = Schema.Struct({
  gist: text(3000, "the gist: who, what, where and when, names in full")
}).annotations({ title: "Gist" })

export const gist = prompt<Piece, typeof Gist.Type, typeof Gist.Encoded>({
  role: "memorag.gist",
  instructions: `You write the gist of a part of a corpus, from which one can tell later what stands there.\n${foreign}`,
  schema: Gist,
  parts: ({ piece }) => ["The part:", ...passages(piece)],
  samples: [{ piece: [{ title: "title", text: "text" }] }]
})

const parts = ({ memory, question }: Remembering) => [
  "What is remembered of the corpus:",
  { name: "memory", text: memory },
  "The question:",
  { name: "question", text: question }
]
const samples = [{ question: "", memory: "" }]
const Lines = Schema.Struct({
  lines: list(text(300, "one of them, understandable by itself"), mostLines, "one or more")
}).annotations({ title: "Lines" })

export const clues = prompt<Remembering, typeof Lines.Type, typeof Lines.Encoded>({
  role: "memorag.clues",
  instructions: `From what is remembered of a corpus you write clues: phrases that the corpus is likely to say where it answers the question.\n${foreign}`,
  schema: Lines,
  parts,
  samples
})

export const surrogates = prompt<Remembering, typeof Lines.Type, typeof Lines.Encoded>({
  role: "memorag.surrogates",
  instructions: `From what is remembered of a corpus you write simpler questions whose answers together answer the question.\n${foreign}`,
  schema: Lines,
  parts,
  samples
})
