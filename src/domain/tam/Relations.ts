/**
 * Relation nodes: what passages are about and what they mention.
 *
 *     name      a title or an entity (a rare word where a text has neither): over the passages about it and those that mention it
 *     file      one document, where its title says nothing or is borne by too many passages
 *     section   a heading of one document; refines the document, and is refined by the headings below it
 *     part      a run of consecutive passages, where a Relation would hold too many
 *
 * Every passage hangs under its document's title (by way of file, section or part where that is large), its heading, and up to
 * {@link mostMentioned} things that it mentions. Ids are digests of keys, so they are the same in every build that holds the key.
 */
import { type Passage, splitsSurrogate } from "../Corpus.ts"
import { entityKey } from "../Entities.ts"
import { NodeId } from "../Ids.ts"
import type { Bonds } from "./Bonds.ts"
import type { Survey } from "./Survey.ts"

/** More passages than this directly under one Relation, and it is refined. */
export const mostDirect = 24
const run = 16
const mostMentioned = 12
const deepest = 8
const longest = 400
const describing = 6

/** Hexadecimal digest of the parts. */
export type Hash = (...parts: ReadonlyArray<string>) => string

export interface Relation {
  readonly id: NodeId
  readonly name: string
  /** a(v) without its first line, which is the name. */
  readonly rest: string
  /** Indices of passages, ascending. */
  readonly passages: ReadonlyArray<number>
  /** Indices into the list of relations, ascending. */
  readonly refinements: ReadonlyArray<number>
}

export const abstractionOf = (relation: Pick<Relation, "name" | "rest">): string =>
  relation.rest === "" ? relation.name : `${relation.name}\n${relation.rest}`

interface Draft {
  readonly key: string
  readonly name: string
  /** Where it stands: title and headings above. */
  readonly under: ReadonlyArray<string>
  readonly about: Array<number>
  readonly passages: Set<number>
  readonly refinements: Set<string>
}

const flat = (text: string): string => text.replace(/\s+/gu, " ").trim()

/** At most `length` code units of `text`, cut at a space where there is one in the last third. */
export const clip = (text: string, length: number): string => {
  if (text.length <= length) return text
  const space = text.lastIndexOf(" ", length)
  const end = space > (length * 2) / 3 ? space : splitsSurrogate(text, length) ? length - 1 : length
  return text.slice(0, end)
}

/** The headings of a passage, without one that repeats the title. */
const headingsOf = (passage: Passage): ReadonlyArray<string> => {
  const title = entityKey(passage.title)
  return passage.headings
    .filter((heading, depth) => heading.trim() !== "" && !(depth === 0 && entityKey(heading) === title))
    .slice(0, deepest)
}

const nameKey = (key: string): string => `name\u0000${key}`

class Drafts {
  readonly all = new Map<string, Draft>()

  get(key: string, name: string, under: ReadonlyArray<string>): Draft {
    const known = this.all.get(key)
    if (known !== undefined) return known
    const draft: Draft = { key, name, under, about: [], passages: new Set(), refinements: new Set() }
    this.all.set(key, draft)
    return draft
  }
}

/** Hangs consecutive passages under a draft, by way of part-relations where they are many. */
const hang = (drafts: Drafts, survey: Survey, draft: Draft, list: ReadonlyArray<number>): void => {
  if (list.length <= mostDirect) {
    for (const index of list) draft.passages.add(index)
    return
  }
  let size = run
  while (Math.ceil(list.length / size) > mostDirect) size *= run
  for (let at = 0; at < list.length; at += size) {
    const piece = list.slice(at, at + size)
    const first = survey.passages[piece[0] ?? -1]?.passage
    if (first === undefined) continue
    const part = drafts.get(`part\u0000${size}\u0000${first.id}\u0000${draft.key}`, draft.name, draft.under)
    part.about.push(...piece)
    draft.refinements.add(part.key)
    hang(drafts, survey, part, piece)
  }
}

/** One document's passages (by offset) under its home: sections by depth, and directly what is not too much. */
const hangDocument = (
  drafts: Drafts,
  survey: Survey,
  home: Draft,
  list: ReadonlyArray<number>,
  directly: boolean
): void => {
  const loose: Array<number> = []
  const sections = new Map<Draft, Array<number>>()
  for (const index of list) {
    const passage = survey.passages[index]?.passage
    if (passage === undefined) continue
    const headings = headingsOf(passage)
    let parent = home
    headings.forEach((heading, depth) => {
      const key = ["section", passage.document, ...headings.slice(0, depth + 1)].join("\u0000")
      const section = drafts.get(key, heading, [passage.title, ...headings.slice(0, depth)])
      section.about.push(index)
      parent.refinements.add(key)
      parent = section
    })
    if (parent === home) loose.push(index)
    else sections.set(parent, [...(sections.get(parent) ?? []), index])
  }
  for (const [section, own] of sections) hang(drafts, survey, section, own)
  hang(drafts, survey, home, directly ? list : loose)
}

const documentsOf = (survey: Survey, list: ReadonlyArray<number>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const documents = new Map<string, Array<number>>()
  for (const index of list) {
    const document = survey.passages[index]?.passage.document
    if (document === undefined) continue
    const own = documents.get(document)
    if (own === undefined) documents.set(document, [index])
    else own.push(index)
  }
  return documents
}

const fileDraft = (drafts: Drafts, document: string, title: string): Draft =>
  drafts.get(`file\u0000${document}`, title.trim() === "" ? document : `${title} (${document})`, [])

const hangTitles = (drafts: Drafts, survey: Survey, bonds: Bonds): void => {
  for (const [title, list] of bonds.bearers) {
    const surface = survey.passages[list[0] ?? -1]?.passage.title ?? ""
    const home = drafts.get(nameKey(survey.keys[title] ?? ""), flat(surface), [])
    home.about.push(...list)
    const documents = documentsOf(survey, list)
    const many = list.length > mostDirect
    for (const [document, own] of documents) {
      if (!many || documents.size === 1) {
        hangDocument(drafts, survey, home, own, !many)
        continue
      }
      const file = fileDraft(drafts, document, surface)
      file.about.push(...own)
      home.refinements.add(file.key)
      hangDocument(drafts, survey, file, own, own.length <= mostDirect)
    }
  }
  const untitled = bonds.places.filter((index) => (survey.passages[index]?.title ?? -1) < 0)
  for (const [document, own] of documentsOf(survey, untitled)) {
    const file = fileDraft(drafts, document, "")
    file.about.push(...own)
    hangDocument(drafts, survey, file, own, own.length <= mostDirect)
  }
}

const hangMentions = (drafts: Drafts, survey: Survey, bonds: Bonds): void => {
  const count = (number: number) => bonds.postings.get(number)?.length ?? 0
  survey.passages.forEach(({ title }, index) => {
    const candidates = (bonds.shared[index] ?? []).filter((number) => number !== title && bonds.telling.has(number))
    candidates.sort((a, b) => count(a) - count(b) || ((survey.keys[a] ?? "") < (survey.keys[b] ?? "") ? -1 : 1))
    for (const number of candidates.slice(0, mostMentioned)) {
      const draft = drafts.get(nameKey(survey.keys[number] ?? ""), flat(survey.surfaces[number] ?? ""), [])
      draft.passages.add(index)
    }
  })
}

/** What the passages of a draft say: the rarest of what they share with others, as first written. */
const specifics = (survey: Survey, bonds: Bonds, draft: Draft, list: ReadonlyArray<number>): string => {
  const count = (number: number) => bonds.postings.get(number)?.length ?? 0
  const numbers = [...new Set(list.slice(0, describing).flatMap((index) => bonds.shared[index] ?? []))]
  numbers.sort((a, b) => count(a) - count(b) || ((survey.keys[a] ?? "") < (survey.keys[b] ?? "") ? -1 : 1))
  const own = entityKey(draft.name)
  return numbers
    .slice(0, 2 * describing)
    .filter((number) => survey.keys[number] !== own)
    .map((number) => flat(survey.surfaces[number] ?? ""))
    .join(", ")
}

/** The words round the first mention of `name` in a text. */
const around = (text: string, name: string): string => {
  const at = text.indexOf(name)
  if (at < 0) return ""
  const from = text.lastIndexOf(" ", Math.max(0, at - 40)) + 1
  return clip(flat(text.slice(from, at + name.length + 80)), 120)
}

const describe = (survey: Survey, bonds: Bonds, draft: Draft): string => {
  const list = draft.about.length > 0 ? draft.about : [...draft.passages].sort((a, b) => a - b)
  const passages = list.slice(0, describing).flatMap((index) => survey.passages[index]?.passage ?? [])
  const lines =
    draft.about.length > 0
      ? [
          draft.under.map(flat).join(" \u203a "),
          clip(flat(passages[0]?.text ?? ""), 200),
          [...new Set(passages.map((passage) => flat(headingsOf(passage).at(-1) ?? "")))].join(", "),
          specifics(survey, bonds, draft, list)
        ]
      : [
          [...new Set(passages.map((passage) => flat(passage.title)))].join(", "),
          ...passages.slice(0, 3).map((passage) => around(passage.text, draft.name)),
          specifics(survey, bonds, draft, list)
        ]
  return clip(lines.filter((line) => line !== "").join("\n"), Math.max(0, longest - draft.name.length - 1))
}

/** Every Relation of a survey, by id. */
export const relationsOf = (survey: Survey, bonds: Bonds, hash: Hash): ReadonlyArray<Relation> => {
  const drafts = new Drafts()
  hangTitles(drafts, survey, bonds)
  hangMentions(drafts, survey, bonds)
  const named = [...drafts.all.values()].map((draft) => ({
    id: NodeId.make(`R:${hash("relation", draft.key).slice(0, 24)}`),
    draft
  }))
  named.sort((a, b) => (a.id < b.id ? -1 : 1))
  const at = new Map(named.map(({ draft }, index) => [draft.key, index]))
  return named.map(({ draft, id }) => ({
    id,
    name: clip(draft.name, 200),
    rest: describe(survey, bonds, draft),
    passages: [...draft.passages].sort((a, b) => a - b),
    refinements: [...draft.refinements].flatMap((key) => at.get(key) ?? []).sort((a, b) => a - b)
  }))
}
