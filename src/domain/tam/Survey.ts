/**
 * What stands in one passage. A *name* is the key of its title, of an entity, or of a title that it mentions; a *word* is a content term.
 *
 * It depends on the passage and on the titles that are there, on nothing else; so it is made once for a passage and kept with the graph.
 */
import type { Passage } from "../Corpus.ts"
import { entities, entityKey } from "../Entities.ts"
import { isStopWord, words } from "../Words.ts"
import type { TitleTable } from "./Titles.ts"

/** Lists are ascending and hold nothing twice. */
export interface Surveyed {
  /** The key of its document's title; empty where the title holds no word. */
  readonly title: string
  readonly names: ReadonlyArray<string>
  /** How each name is first written here; empty where it is only a mention. */
  readonly surfaces: ReadonlyArray<string>
  /** The names that are titles of other documents. */
  readonly mentions: ReadonlyArray<string>
  readonly words: ReadonlyArray<string>
}

/** More mentions than this in one passage make a list, not a text about something. */
const mostMentions = 48
/** A longer run of letters is no word. */
const longest = 64

const isSpecific = (term: string): boolean =>
  (term.length > 2 || term.charCodeAt(0) > 127) &&
  term.length <= longest &&
  !isStopWord(term) &&
  !/^\p{N}+$/u.test(term)

export const surveyOf = (passage: Passage, table: TitleTable): Surveyed => {
  const found = words(passage.text)
  const title = entityKey(passage.title)
  const surfaces = new Map<string, string>()
  if (title !== "") surfaces.set(title, passage.title)
  for (const { key, text } of entities(passage.text)) if (!surfaces.has(key)) surfaces.set(key, text)
  const mentions = table
    .mentions(passage.text, found)
    .filter((key) => key !== title)
    .slice(0, mostMentions)
  for (const key of mentions) if (!surfaces.has(key)) surfaces.set(key, "")
  const names = [...surfaces.keys()].sort()
  return {
    title,
    names,
    surfaces: names.map((key) => surfaces.get(key) ?? ""),
    mentions: [...mentions].sort(),
    words: [...new Set(found.map(({ term }) => term))].filter(isSpecific).sort()
  }
}
