/**
 * Relation nodes: what passages are about and what they mention.
 *
 *     name      a title or an entity (a rare word where a text has neither): over the passages about it and those that mention it
 *     file      one document, where its title says nothing or is borne by too many passages
 *     section   a heading of one document; refines the document, and is refined by the headings below it
 *     part      a run of consecutive passages, where a Relation would hold too many
 *
 * Every passage hangs under its document's title (by way of file, section or part where that is large), its heading, and some of what it
 * mentions. Ids are digests of keys, so they are the same in every build that holds the key. What a Relation says depends on the passages
 * that it is about, or the first that mention it, and on nothing that is counted elsewhere.
 */
import { type Passage, splitsSurrogate } from "../Corpus.ts"
import { entityKey } from "../Entities.ts"
import { NodeId, type PassageId } from "../Ids.ts"

/** More passages than this directly under one Relation, and it is refined. */
export const mostDirect = 24
const run = 16
const deepest = 8
const longest = 400
/** How many passages say what a Relation is. */
export const describing = 6

/** Hexadecimal digest of the parts. */
export type Hash = (...parts: ReadonlyArray<string>) => string

/** A Relation before it is known what it says. */
export interface Draft {
  readonly key: string
  readonly name: string
  /** Where it stands: title and headings above. */
  readonly under: ReadonlyArray<string>
  /** The passages that it is about, by place; none where it is only mentioned. */
  readonly about: Array<PassageId>
  readonly passages: Set<PassageId>
  /** Keys of drafts. */
  readonly refinements: Set<string>
}

export const relationId = (key: string, hash: Hash): NodeId => NodeId.make(`R:${hash("relation", key).slice(0, 24)}`)
export const nameKey = (key: string): string => `name\u0000${key}`
const fileKey = (document: string): string => `file\u0000${document}`

export const flat = (text: string): string => text.replace(/\s+/gu, " ").trim()

/** At most `length` code units of `text`, cut at a space where there is one in the last third. */
export const clip = (text: string, length: number): string => {
  if (text.length <= length) return text
  const space = text.lastIndexOf(" ", length)
  const end = space > (length * 2) / 3 ? space : splitsSurrogate(text, length) ? length - 1 : length
  return text.slice(0, end)
}

export const draft = (key: string, name: string, under: ReadonlyArray<string> = []): Draft => ({
  key,
  name,
  under,
  about: [],
  passages: new Set(),
  refinements: new Set()
})

/** The headings of a passage, without one that repeats the title. */
const headingsOf = ({ headings, title }: Pick<Passage, "headings" | "title">): ReadonlyArray<string> => {
  const own = entityKey(title)
  return headings
    .filter((heading, depth) => heading.trim() !== "" && !(depth === 0 && entityKey(heading) === own))
    .slice(0, deepest)
}

class Drafts {
  readonly all = new Map<string, Draft>()

  get(key: string, name: string, under: ReadonlyArray<string>): Draft {
    const known = this.all.get(key)
    if (known !== undefined) return known
    const made = draft(key, name, under)
    this.all.set(key, made)
    return made
  }
}

/** Hangs consecutive passages under a draft, by way of part-relations where they are many. */
const hang = (drafts: Drafts, draft: Draft, list: ReadonlyArray<PassageId>): void => {
  if (list.length <= mostDirect) {
    for (const id of list) draft.passages.add(id)
    return
  }
  let size = run
  while (Math.ceil(list.length / size) > mostDirect) size *= run
  for (let at = 0; at < list.length; at += size) {
    const piece = list.slice(at, at + size)
    const part = drafts.get(`part\u0000${size}\u0000${piece[0]}\u0000${draft.key}`, draft.name, draft.under)
    part.about.push(...piece)
    draft.refinements.add(part.key)
    hang(drafts, part, piece)
  }
}

/** One document's passages (by offset) under its home: sections by depth, and directly what is not too much. */
const hangDocument = (drafts: Drafts, home: Draft, list: ReadonlyArray<Passage>, directly: boolean): void => {
  const loose: Array<PassageId> = []
  const sections = new Map<Draft, Array<PassageId>>()
  for (const passage of list) {
    const headings = headingsOf(passage)
    let parent = home
    headings.forEach((heading, depth) => {
      const key = ["section", passage.document, ...headings.slice(0, depth + 1)].join("\u0000")
      const section = drafts.get(key, heading, [passage.title, ...headings.slice(0, depth)])
      section.about.push(passage.id)
      parent.refinements.add(key)
      parent = section
    })
    if (parent === home) loose.push(passage.id)
    else sections.set(parent, [...(sections.get(parent) ?? []), passage.id])
  }
  for (const [section, own] of sections) hang(drafts, section, own)
  hang(drafts, home, directly ? list.map(({ id }) => id) : loose)
}

/** Whether a title's documents each have a file of their own below it. */
export const isSpread = (passages: number, documents: number): boolean => passages > mostDirect && documents > 1

/** A document that is its own home: its title says nothing, or many bear it. */
export const fileOf = (passages: ReadonlyArray<Passage>): ReadonlyArray<Draft> => {
  const [first] = passages
  if (first === undefined) return []
  const drafts = new Drafts()
  const { document, title } = first
  const file = drafts.get(fileKey(document), title.trim() === "" ? document : `${title} (${document})`, [])
  for (const { id } of passages) file.about.push(id)
  hangDocument(drafts, file, passages, passages.length <= mostDirect)
  return [...drafts.all.values()]
}

/** The home of a title whose documents have files of their own; `opening` is the first passages about it. */
export const spreadHome = (title: string, documents: ReadonlyArray<string>, opening: ReadonlyArray<Passage>): Draft => {
  const home = draft(nameKey(title), flat(opening[0]?.title ?? ""))
  for (const { id } of opening) home.about.push(id)
  for (const document of documents) home.refinements.add(fileKey(document))
  return home
}

/** The home of a title with all that is below it, first the home; documents in their order. */
export const homeOf = (title: string, documents: ReadonlyArray<ReadonlyArray<Passage>>): ReadonlyArray<Draft> => {
  const drafts = new Drafts()
  const all = documents.flat()
  const home = drafts.get(nameKey(title), flat(all[0]?.title ?? ""), [])
  for (const { id } of all) home.about.push(id)
  for (const own of documents) hangDocument(drafts, home, own, all.length <= mostDirect)
  return [...drafts.all.values()]
}

/** How many Relations stand above one another, from the first draft down. */
export const chainOf = (drafts: ReadonlyArray<Draft>): number => {
  const byKey = new Map(drafts.map((one) => [one.key, one]))
  const below = (one: Draft): number =>
    1 + Math.max(0, ...Array.from(one.refinements, (key) => byKey.get(key)).map((next) => (next ? below(next) : 1)))
  return drafts[0] === undefined ? 0 : below(drafts[0])
}

/** A passage as far as it says what a Relation is. */
export interface Content extends Pick<Passage, "headings" | "text" | "title"> {
  /** The names that its own text writes, by their keys. */
  readonly names: ReadonlyMap<string, string>
}

/** The names that most of the passages write; of those, the longest. */
const namesIn = (passages: ReadonlyArray<Content>, own: string): string => {
  const found = new Map<string, { readonly surface: string; times: number }>()
  for (const { names } of passages) {
    for (const [key, surface] of names) {
      const known = found.get(key)
      if (known === undefined) found.set(key, { surface, times: 1 })
      else known.times++
    }
  }
  found.delete(own)
  return [...found]
    .sort(([a, x], [b, y]) => y.times - x.times || b.length - a.length || (a < b ? -1 : 1))
    .slice(0, 2 * describing)
    .map(([, { surface }]) => flat(surface))
    .join(", ")
}

/** The words round the first mention of `name` in a text. */
const around = (text: string, name: string): string => {
  const at = text.indexOf(name)
  if (at < 0) return ""
  const from = text.lastIndexOf(" ", Math.max(0, at - 40)) + 1
  return clip(flat(text.slice(from, at + name.length + 80)), 120)
}

/** The passages that say what a Relation is, in their order. */
export const tellersOf = (draft: Draft): ReadonlyArray<PassageId> =>
  (draft.about.length > 0 ? draft.about : [...draft.passages].sort()).slice(0, describing)

/** a(v), as a name and the rest; `tellers` are {@link tellersOf} it. */
export const describe = (
  { about, name, under }: Draft,
  tellers: ReadonlyArray<Content>
): { readonly name: string; readonly rest: string } => {
  const names = namesIn(tellers, entityKey(name))
  const lines =
    about.length > 0
      ? [
          under.map(flat).join(" \u203a "),
          clip(flat(tellers[0]?.text ?? ""), 200),
          [...new Set(tellers.map((passage) => flat(headingsOf(passage).at(-1) ?? "")))].join(", "),
          names
        ]
      : [
          [...new Set(tellers.map((passage) => flat(passage.title)))].join(", "),
          ...tellers.slice(0, 3).map((passage) => around(passage.text, name)),
          names
        ]
  const rest = clip(lines.filter((line) => line !== "").join("\n"), Math.max(0, longest - name.length - 1))
  return { name: clip(flat(name), 200), rest }
}

export const abstractionOf = (said: { readonly name: string; readonly rest: string }): string =>
  said.rest === "" ? said.name : `${said.name}\n${said.rest}`

export const nameIn = (abstraction: string): string => abstraction.split("\n", 1)[0] ?? ""
