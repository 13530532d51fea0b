/** The two things that a question puts side by side, and how much of what it asks the evidence says of each. */
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import { kindred } from "./Kin.ts"
import type { Question } from "./Question.ts"
import { sentencesOf } from "./Reading.ts"
import { follow, type Relation } from "./Relations.ts"
import { about, type Ground, type Mention, mentioned, openingOf, type Subject } from "./Subjects.ts"
import { isStopWord, terms } from "./Words.ts"

export interface Settled {
  /** `Yes`, `No`, or one of the question's choices as the question writes it. */
  readonly text: string
  readonly grounds: ReadonlyArray<Ground>
}

/** One side of a comparison: as the question writes it, and what the evidence holds about it. */
export interface Side {
  readonly text: string
  readonly subject: Subject
}

const joins = /^[\s"'\u201c\u201d,()?\w-]{0,30}?\s(?:or|and)\s(?:the\s|is\s|are\s)?["'\u201c\s(]*$/iu

/** The two things that a question puts side by side: titles of the evidence joined by or, and; or else its choices or names. */
export const sidesOf = (question: Question, evidence: Evidence): readonly [Side, Side] | undefined => {
  const titled = mentioned(question, evidence)
  const side = ({ end, start, subject }: Mention): Side => ({ text: question.text.slice(start, end), subject })
  for (const [i, b] of titled.entries()) {
    const a = titled[i - 1]
    if (a !== undefined && joins.test(question.text.slice(a.end, b.start))) return [side(a), side(b)]
  }
  const named = (question.choices.length === 2 ? question.choices : question.entities.map(({ text }) => text)).flatMap(
    (text) => {
      const subject = about(evidence, text)
      return subject === undefined ? [] : [{ text, subject }]
    }
  )
  const sides: Array<Side> = []
  for (const one of question.choices.length === 2 && named.length === 2 ? named : [...titled.map(side), ...named])
    if (!sides.some((other) => other.subject.items[0] === one.subject.items[0])) sides.push(one)
  const [a, b] = sides
  return a === undefined || b === undefined ? undefined : [a, b]
}

const roles: ReadonlyArray<readonly [RegExp, Relation]> = [
  [/\bdirectors?\b|\bdirected\b/iu, "director"],
  [/\bcomposers?\b/iu, "composer"],
  [/\b(?:performers?|singers?)\b/iu, "performer"],
  [/\b(?:authors?|writers?)\b/iu, "author"],
  [/\bproducers?\b/iu, "producer"],
  [/\bscreenwriters?\b/iu, "screenwriter"],
  [/\bfounders?\b/iu, "founder"],
  [/\b(?:husband|wife|spouse)s?\b/iu, "spouse"],
  [/\bfathers?\b/iu, "father"],
  [/\bmothers?\b/iu, "mother"]
]

/** Whom the question compares by: the thing itself or, where it asks about its director, composer…, that one. Undefined where it does not say. */
export const comparedBy = (question: Question, evidence: Evidence, [a, b]: readonly [Side, Side]) => {
  let text = question.text
  for (const { text: name } of [a, b]) text = text.replace(name, " ")
  const role = roles.find(([word]) => word.test(text))?.[1]
  if (role === undefined) return (side: Side): Subject | undefined => side.subject
  return (side: Side): Subject | undefined => follow([side.subject], role, evidence, true)?.subject
}

/** The first of the evidence about a subject from which something can be read. */
export const firstOf = <A>(subject: Subject | undefined, read: (item: EvidenceItem) => A | undefined) => {
  for (const item of subject?.items ?? []) {
    const value = read(item)
    if (value !== undefined) return { item, value }
  }
  return undefined
}

export const comparing: ReadonlySet<string> = new Set(
  terms(
    "who which what or of the between one two has have had more most both also either same share known name only person"
  )
)

/** The words of a question that are not its sides' names, and say something. */
export const predicateOf = (question: Question, sides: readonly [Side, Side]): ReadonlyArray<string> => {
  let text = question.text
  for (const { text: name } of sides) text = text.replace(name, " ")
  return [...new Set(terms(text))].filter((term) => !isStopWord(term) && !comparing.has(term))
}

/** How much of some words a subject's evidence says, and its sentence that says most. */
export const saying = (subject: Subject, predicate: ReadonlyArray<string>) => {
  let most = -1
  let ground = openingOf(subject.items[0])
  const held = new Set<string>()
  for (const item of subject.items) {
    const title = new Set(terms(item.title))
    for (const { end, start, telling, terms: said } of sentencesOf(item)) {
      if (!telling) continue
      const own = { has: (term: string) => said.has(term) || title.has(term) }
      const shared = predicate.filter((term) => kindred(own, term))
      // a title alone says nothing
      if (!predicate.some((term) => kindred(said, term))) continue
      for (const term of shared) held.add(term)
      if (shared.length > most) {
        most = shared.length
        ground = { item, start, end }
      }
    }
  }
  return { held, most, ground }
}
