/** Whom or what a question speaks of, found in the evidence: by titles that stand in the question, or else by the question's own names. */
import { entityKey } from "./Entities.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import { folded, isAbout, type Question, standsIn } from "./Question.ts"
import { sentencesOf } from "./Reading.ts"
import type { Stretch } from "./Sentences.ts"
import { isStopWord, type Word, words } from "./Words.ts"

/** A sentence that an answer rests on. */
export interface Ground extends Stretch {
  readonly item: EvidenceItem
}

export interface Subject {
  readonly name: string
  readonly key: string
  /** The evidence about it, in the order of the evidence; never empty. */
  readonly items: readonly [EvidenceItem, ...ReadonlyArray<EvidenceItem>]
}

/** A subject and where the question names it. */
export interface Mention extends Stretch {
  readonly subject: Subject
}

/** A title without the remark in brackets at its end. */
export const plainTitle = (title: string): string => title.replace(/\s*\([^()]*\)\s*$/u, "") || title

export const sentenceAt = (item: EvidenceItem, offset: number): Ground => {
  const stretch = sentencesOf(item).find(({ end, start }) => offset >= start && offset < end)
  return { item, start: stretch?.start ?? 0, end: stretch?.end ?? item.text.length }
}

/** The first sentence that says something. */
export const openingOf = (item: EvidenceItem): Ground => {
  const stretch = sentencesOf(item).find(({ telling }) => telling)
  return { item, start: stretch?.start ?? 0, end: stretch?.end ?? item.text.length }
}

const subject = (name: string, key: string, items: ReadonlyArray<EvidenceItem>): Subject | undefined => {
  const [first, ...others] = items
  return first === undefined ? undefined : { name, key, items: [first, ...others] }
}

/** The evidence about what is called `name`: under that title, under one that holds it, or else what first speaks of it in its opening. */
export const about = (evidence: Evidence, name: string): Subject | undefined => {
  const key = entityKey(name)
  if (key === "") return undefined
  const titled = evidence.filter((item) => entityKey(item.title) === key)
  const held = titled.length > 0 ? titled : evidence.filter((item) => isAbout(entityKey(item.title), key))
  if (held.length > 0) return subject(plainTitle(held[0]?.title ?? name), key, held)
  const opened = evidence.find((item) => standsIn(key, folded(item.text.slice(0, 300))))
  const spoken = opened ?? evidence.find((item) => standsIn(key, folded(item.text)))
  return spoken === undefined ? undefined : subject(name, key, [spoken])
}

const found = (key: ReadonlyArray<string>, line: ReadonlyArray<Word>, from: number): boolean =>
  key.every((term, i) => line[from + i]?.term === term)

/** The titles of the evidence that stand in the question as names, longest first where two overlap; in the question's order. */
export const mentioned = (question: Question, evidence: Evidence): ReadonlyArray<Mention> => {
  const line = words(question.text)
  const byKey = new Map<string, Array<EvidenceItem>>()
  for (const item of evidence) {
    const key = entityKey(item.title)
    const held = byKey.get(key)
    if (held === undefined) byKey.set(key, [item])
    else held.push(item)
  }
  const mentions: Array<Mention> = []
  for (const [key, items] of [...byKey].sort(([a], [b]) => b.length - a.length)) {
    const parts = key.split(" ")
    if (key === "" || parts.every(isStopWord)) continue
    for (let i = 0; i + parts.length <= line.length; i++) {
      const start = line[i]?.start ?? 0
      const end = line[i + parts.length - 1]?.end ?? 0
      if (!found(parts, line, i) || !/^[^\p{Ll}]/u.test(question.text.slice(start, end))) continue
      if (mentions.some((other) => start < other.end && other.start < end)) continue
      const [item] = items
      const made = item === undefined ? undefined : subject(plainTitle(item.title), key, items)
      if (made !== undefined) mentions.push({ start, end, subject: made })
      break
    }
  }
  return mentions.sort((a, b) => a.start - b.start)
}
