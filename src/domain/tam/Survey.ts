/**
 * What one walk over a corpus leaves behind: for each passage the names and words that stand in it, as small numbers.
 *
 * A *name* is a title key, the key of an entity, or a title that is mentioned; a *word* is a content term. Both are numbered in order of
 * first sight. The walk goes by passage id, so the numbers are a function of the corpus alone and not of how it came about.
 */
import type { Passage } from "../Corpus.ts"
import { entities, entityKey } from "../Entities.ts"
import { isStopWord, words } from "../Words.ts"
import { type TitleTable, titleTable } from "./Titles.ts"

/** A passage and what stands in it. Kept beside the passage's own text: about 4 bytes a distinct word, 400 bytes for 100 words. */
export interface Surveyed {
  readonly passage: Passage
  /** The number of its document's title key; -1 where the title holds no word. */
  readonly title: number
  /** Names, ascending: entities, mentioned titles and its own title. */
  readonly names: Int32Array
  /** Titles of other documents that it mentions. */
  readonly mentions: Int32Array
  /** Content words, ascending. */
  readonly words: Int32Array
}

export interface Survey {
  /** By passage id. */
  readonly passages: ReadonlyArray<Surveyed>
  /** The folded form behind each number. */
  readonly keys: ReadonlyArray<string>
  /** How each number was first written. */
  readonly surfaces: ReadonlyArray<string>
}

export interface Surveyor {
  /** Takes the next passage; passages come in the order of their ids. */
  readonly add: (passage: Passage) => void
  readonly survey: () => Survey
}

/** More mentions than this in one passage make a list, not a text about something. */
const mostMentions = 48

const ascending = (numbers: Iterable<number>): Int32Array => Int32Array.from(numbers).sort()

const isSpecific = (term: string): boolean =>
  !isStopWord(term) && (term.length > 2 || term.charCodeAt(0) > 127) && !/^\p{N}+$/u.test(term)

/** Begins a walk over a corpus whose documents bear `titles`. */
export const begin = (titles: Iterable<string>): Surveyor => {
  const table: TitleTable = titleTable(titles)
  const numbers = new Map<string, number>()
  const keys: Array<string> = []
  const surfaces: Array<string> = []
  const isName: Array<boolean> = []
  const passages: Array<Surveyed> = []
  const specific = new Map<string, boolean>()

  const number = (key: string, surface: string, name: boolean): number => {
    const known = numbers.get(key)
    if (known !== undefined) {
      if (name && !isName[known]) {
        surfaces[known] = surface
        isName[known] = true
      }
      return known
    }
    const next = keys.length
    numbers.set(key, next)
    keys.push(key)
    surfaces.push(surface)
    isName.push(name)
    return next
  }
  const tells = (term: string): boolean => {
    let told = specific.get(term)
    if (told === undefined) {
      told = isSpecific(term)
      specific.set(term, told)
    }
    return told
  }

  return {
    add: (passage) => {
      const found = words(passage.text)
      const titleKey = entityKey(passage.title)
      const title = titleKey === "" ? -1 : number(titleKey, passage.title, true)
      const names = new Set<number>()
      if (title >= 0) names.add(title)
      for (const entity of entities(passage.text)) names.add(number(entity.key, entity.text, true))
      const mentions = new Set<number>()
      for (const key of table.mentions(passage.text, found)) {
        if (key !== titleKey && mentions.size < mostMentions) mentions.add(number(key, key, false))
      }
      for (const mention of mentions) names.add(mention)
      const content = new Set<number>()
      for (const { end, start, term } of found) {
        if (tells(term)) content.add(numbers.get(term) ?? number(term, passage.text.slice(start, end), false))
      }
      passages.push({
        passage,
        title,
        names: ascending(names),
        mentions: ascending(mentions),
        words: ascending(content)
      })
    },
    survey: () => ({ passages, keys, surfaces })
  }
}

/** The survey of passages in any order. */
export const surveyOf = (passages: ReadonlyArray<Passage>): Survey => {
  const surveyor = begin(passages.map((passage) => passage.title))
  for (const passage of [...passages].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))) surveyor.add(passage)
  return surveyor.survey()
}
