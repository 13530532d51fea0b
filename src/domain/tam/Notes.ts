/** What is kept of each passage beside the graph, so that a change elsewhere needs neither its text nor its neighbours. */
import { Option, Schema } from "effect"
import * as Compiled from "../Compiled.ts"
import { DocumentId, PassageId } from "../Ids.ts"
import type { Surveyed } from "./Survey.ts"

/** How a passage holds a name: its own text writes it, or it is the title of another document that it mentions. */
export const named = 1
export const mentioned = 2

/** How a passage holds a word that binds: it stands there, it was picked, it was picked among the rarest. */
export const worded = 1
export const picked = 2
export const tells = 4

export interface Note extends Omit<Surveyed, "words"> {
  /** Joined by spaces: most of them are never looked at one by one. */
  readonly words: string
  readonly document: DocumentId
  /** How many of its names bind. */
  readonly known: number
  /** Words that stand for it where names are few; the first `telling` are worth a Relation. */
  readonly picks: ReadonlyArray<string>
  readonly telling: number
  /** Names and words that bind it to others, ascending. */
  readonly shared: ReadonlyArray<string>
  /** Those of them under whose Relation it hangs. */
  readonly hung: ReadonlyArray<string>
}

/** The words of a passage, ascending. */
export const wordsOf = (note: Pick<Note, "words"> | undefined): ReadonlyArray<string> =>
  note === undefined || note.words === "" ? [] : note.words.split(" ")

/** How the title is written where a passage stands; undefined where nothing is known of it, or it holds no word. */
export const titleOf = (note: Note | undefined): string | undefined =>
  note === undefined || note.title === "" ? undefined : note.surfaces[note.names.indexOf(note.title)]

/** A document's passages in order, each with a number that those under the same headings share. */
export interface Doc {
  readonly title: string
  readonly passages: ReadonlyArray<readonly [id: PassageId, under: number]>
  /** The Relations that are its own, by their keys' digests, and how many stand above one another. */
  readonly relations: ReadonlyArray<string>
  readonly chain: number
}

const Texts = Schema.Array(Schema.String)
const Stored = Schema.Tuple(
  DocumentId,
  Schema.String,
  Texts,
  Texts,
  Texts,
  Schema.String,
  Schema.Int,
  Texts,
  Schema.Int,
  Texts,
  Texts
)
const StoredDoc = Schema.Tuple(Schema.String, Schema.Array(Schema.Tuple(PassageId, Schema.Int)), Texts, Schema.Int)
const acceptNote = Compiled.compile(Schema.typeSchema(Stored))
const acceptDoc = Compiled.compile(Schema.typeSchema(StoredDoc))

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const encodeNote = (note: Note): string =>
  JSON.stringify([
    note.document,
    note.title,
    note.names,
    note.surfaces,
    note.mentions,
    note.words,
    note.known,
    note.picks,
    note.telling,
    note.shared,
    note.hung
  ])

export const decodeNote = (text: string): Option.Option<Note> =>
  Option.map(
    acceptNote(parsed(text)),
    ([document, title, names, surfaces, mentions, words, known, picks, telling, shared, hung]) => ({
      document,
      title,
      names,
      surfaces,
      mentions,
      words,
      known,
      picks,
      telling,
      shared,
      hung
    })
  )

export const encodeDoc = ({ chain, passages, relations, title }: Doc): string =>
  JSON.stringify([title, passages, relations, chain])

export const decodeDoc = (text: string): Option.Option<Doc> =>
  Option.map(acceptDoc(parsed(text)), ([title, passages, relations, chain]) => ({ title, passages, relations, chain }))
