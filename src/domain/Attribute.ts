/** What a text about someone or something says of it in a fixed form: where and when born or dead, of which country. */
import { country, type Ground, lifetime, sentenceAt, subjectOf } from "./Comparing.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import { dates } from "./Extract.ts"
import type { Question } from "./Question.ts"

export interface Told {
  readonly text: string
  readonly ground: Ground
}

type Read = (item: EvidenceItem) => { readonly text: string; readonly offset: number } | undefined

const place =
  "(?:\\p{Lu}[\\p{L}\\p{M}'\\u2019.-]*(?:(?:\\s+|,\\s+|-\\s?)(?:(?:of|de|la|upon|on|the|le)\\s+)?\\p{Lu}[\\p{L}\\p{M}'\\u2019.-]*){0,3})"
const firstOf =
  (...patterns: ReadonlyArray<RegExp>): Read =>
  ({ text }) => {
    for (const pattern of patterns) {
      const match = pattern.exec(text)
      const found = match?.[1]?.replace(/[.,]$/u, "")
      if (match !== null && found !== undefined) return { text: found, offset: match.index + match[0].indexOf(found) }
    }
    return undefined
  }

const birthPlace = firstOf(
  new RegExp(`\\bborn[^.()]{0,60}?\\b(?:in|at)\\s+(${place})`, "u"),
  new RegExp(`\\(\\s*(?:born\\s+)?[^()\\u2013-]{0,40}?\\d{4},?\\s+(?:in\\s+)?(${place})`, "u"),
  new RegExp(`\\bborn\\b[^()]{0,80}?\\b(?:in|at)\\s+(${place})`, "u"),
  new RegExp(`\\b(?:native of|a native of|from)\\s+(${place})`, "u")
)
const deathPlace = firstOf(
  new RegExp(`\\b(?:died|death|dies)\\b[^.()]{0,60}?\\b(?:in|at)\\s+(${place})`, "u"),
  new RegExp(`[\\u2013-]\\s*[^()]{0,40}?\\d{4},?\\s+(?:in\\s+)?(${place})[^()]*\\)`, "u")
)
const dateOf =
  (which: "birth" | "death"): Read =>
  ({ text }) => {
    const value = lifetime(text)[which]
    const found = value === undefined ? undefined : dates(text.slice(value.offset))[0]
    return value === undefined || found === undefined
      ? undefined
      : { text: found.text, offset: value.offset + found.start }
  }

const reads: ReadonlyArray<readonly [RegExp, Read]> = [
  [/\b(?:place of birth|birthplace|where\b.*\bborn|born where|place\b.*\bborn)\b/iu, birthPlace],
  [/\b(?:place of death|where\b.*\b(?:die|died|death)|place\b.*\bdied)\b/iu, deathPlace],
  [/\b(?:date of birth|birthday|when\b.*\bborn|year\b.*\bborn)\b/iu, dateOf("birth")],
  [/\b(?:date of death|when\b.*\b(?:die|died)|year\b.*\bdied)\b/iu, dateOf("death")],
  [/\b(?:nationality|which country|what country)\b/iu, (item) => country(item)]
]

/** The attribute that a question asks for, of whom it asks it; undefined where it asks for none, or the evidence does not tell. */
export const tell = (question: Question, evidence: Evidence): Told | undefined => {
  const read = reads.find(([asked]) => asked.test(question.text))?.[1]
  const [of] = question.entities
  if (read === undefined || of === undefined) return undefined
  const item = subjectOf(question, evidence, of.text)
  const told = item === undefined ? undefined : read(item)
  return item === undefined || told === undefined || told.text === ""
    ? undefined
    : { text: told.text, ground: sentenceAt(item, told.offset) }
}
