/**
 * Questions that ask one thing of something, directly or by way of others: when X was born, where the director of X died, who the paternal
 * grandfather of X is. Each step is a sentence of the evidence.
 */
import { belongings } from "./Countries.ts"
import { dates, lifetime } from "./Dates.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import type { Question } from "./Question.ts"
import { follow, type Relation } from "./Relations.ts"
import { about, type Ground, type Mention, mentioned, type Subject, sentenceAt } from "./Subjects.ts"
import { isStopWord, terms } from "./Words.ts"

export interface Told {
  readonly text: string
  readonly grounds: ReadonlyArray<Ground>
}

interface Reads {
  readonly text: string
  readonly offset: number
}
type Read = (item: EvidenceItem) => Reads | undefined

const word = "\\p{Lu}[\\p{L}\\p{M}'\\u2019-]*"
const place = `((?:(?:St|Mt|Ft)\\.\\s+)?${word}(?:(?:\\s+|-\\s?)(?:(?:of|de|la|upon|on|the|le|du|am|an der|der)\\s+)?${word}){0,3})`
const firstOf = (...patterns: ReadonlyArray<string>): Read => {
  const made = patterns.map((pattern) => new RegExp(pattern, "gu"))
  return ({ text }) => {
    for (const pattern of made) {
      for (const match of text.matchAll(pattern)) {
        const said = match[1]
        if (
          said !== undefined &&
          !/^(?:January|February|March|April|May|June|July|August|September|October|November|December|He|She|His|Her|The)\b/u.test(
            said
          )
        )
          return { text: said, offset: match.index + match[0].lastIndexOf(said) }
      }
    }
    return undefined
  }
}

const birthPlace = firstOf(
  `\\b[Bb]orn\\b[^.()]{0,70}?\\b(?:in|at|near)\\s+(?:the\\s+)?(?:\\p{Ll}+\\s+(?:of|in)\\s+)?${place}`,
  `\\([^()\\u2013]{0,60}?\\d{4},?\\s+(?:in\\s+)?${place}`,
  `\\b[Bb]orn\\b[^.]{0,90}?\\b(?:in|at)\\s+${place}`,
  `\\b(?:native of|natives? from|hails? from|comes? from|born and raised in)\\s+${place}`,
  `\\bfrom\\s+${place}`
)
const deathPlace = firstOf(
  `\\b(?:died|death|dies|killed|executed|assassinated|passed away)\\b[^.()]{0,90}?\\b(?:in|at|near)\\s+(?:the\\s+)?(?:(?:his|her)\\s+\\p{Ll}+\\s+in\\s+)?${place}`,
  `[\\u2013-]\\s*[^()\\u2013-]{0,40}?\\d{4},?\\s+(?:in\\s+)?${place}[^()]*\\)`,
  `\\b(?:buried|interred)\\b[^.()]{0,60}?\\b(?:in|at)\\s+${place}`
)
const burialPlace = firstOf(
  `\\b(?:buried|interred|entombed|burial)\\b[^.()]{0,80}?\\b(?:in|at|of)\\s+(?:the\\s+)?${place}`,
  `\\b(?:tomb|mausoleum|grave)\\b[^.()]{0,60}?\\b(?:in|at|of)\\s+(?:the\\s+)?${place}`
)
const cause = firstOf(
  "\\b(?:died|dying|death)\\s+(?:suddenly\\s+)?(?:of|from|due to|by)\\s+(?:an?\\s+|the\\s+)?((?:\\p{L}+['\\u2019-]?\\p{L}*\\s?){1,3}?)(?=\\s+(?:in|at|on|while|and|during|after|aged)\\b|[.,;(])",
  "\\b(heart attack|cancer|tuberculosis|pneumonia|stroke|suicide|car accident|traffic accident|murder|drowning|execution|plane crash)\\b"
)
const school = firstOf(
  `\\b(?:studied|educated|graduated|attended|degree|enrolled|student|alumnus|trained)\\b[^.]{0,90}?\\b(?:at|from|of|attended)\\s+(?:the\\s+)?(${word}(?:,?\\s+(?:of|in|for|and|at|de|the)?\\s*${word}){1,5})`,
  `\\battended\\s+(?:the\\s+)?(${word}(?:\\s+(?:of|in|for|and|de|the)?\\s*${word}){1,5})`
)
const workplace = firstOf(
  `\\b(?:worked|works|professor|employed|teaches|taught|fellow)\\b[^.]{0,60}?\\b(?:at|for)\\s+(?:the\\s+)?(${word}(?:\\s+(?:of|in|for)?\\s*${word}){0,4})`
)
const award = firstOf(
  `\\b(?:won|received|awarded|recipient of|winner of)\\b[^.]{0,60}?\\b(?:the\\s+)(${word}(?:\\s+(?:for|of|in)?\\s*${word}){0,6})`
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
const founded: Read = ({ text }) => {
  const at = /\b(?:founded|established|formed|incorporated)\b/iu.exec(text)?.index
  const found = at === undefined ? undefined : dates(text.slice(at))[0]
  return at === undefined || found === undefined ? undefined : { text: found.text, offset: at + found.start }
}
const country: Read = (item) => belongings(item.text)[0]

const attributes: ReadonlyArray<readonly [RegExp, Read]> = [
  [/\b(?:place of birth|birthplace|where\b.*\bborn|born where|(?:place|city|town|country)\b.*\bborn)\b/giu, birthPlace],
  [/\b(?:place of burial|buried)\b/giu, burialPlace],
  [/\b(?:place of death|where\b.*\b(?:die|died|death)|(?:place|city|town)\b.*\bdied?)\b/giu, deathPlace],
  [/\b(?:cause of death|why\b.*\bdied?|how\b.*\bdied?)\b/giu, cause],
  [/\b(?:date of birth|birthday|birth date|when\b.*\bborn|(?:year|date|day)\b.*\bborn)\b/giu, dateOf("birth")],
  [/\b(?:date of death|when\b.*\b(?:die|died)|(?:year|date|day)\b.*\bdied?)\b/giu, dateOf("death")],
  [/\b(?:nationality|(?:which|what) country|country of citizenship|country of origin)\b/giu, country],
  [/\b(?:study|studied|educated|graduated?|attended?|alma mater)\b/giu, school],
  [/\bwhere\b.*\bwork(?:s|ed)?\b/giu, workplace],
  [/\bwhen\b.*\b(?:founded|established|formed)\b(?=\W*$)/giu, founded],
  [/\bawards?\b/giu, award]
]

/** Words for a step, and the ways to take it: the first that leads somewhere counts. */
const steps: ReadonlyArray<readonly [RegExp, ReadonlyArray<ReadonlyArray<Relation>>]> = [
  [/\bpaternal grandfather\b/iu, [["father", "father"], ["grandparent"]]],
  [/\bmaternal grandfather\b/iu, [["mother", "father"], ["grandparent"]]],
  [/\bpaternal grandmother\b/iu, [["father", "mother"], ["grandparent"]]],
  [/\bmaternal grandmother\b/iu, [["mother", "mother"], ["grandparent"]]],
  [/\bgrandfather\b/iu, [["grandparent"], ["father", "father"], ["mother", "father"]]],
  [/\bgrandmother\b/iu, [["grandparent"], ["father", "mother"], ["mother", "mother"]]],
  [/\bfather-in-law\b/iu, [["spouse", "father"]]],
  [/\bmother-in-law\b/iu, [["spouse", "mother"]]],
  [/\b(?:child|son|daughter)-in-law\b/iu, [["child", "spouse"]]],
  [
    /\b(?:sibling|brother|sister)-in-law\b/iu,
    [
      ["spouse", "sibling"],
      ["sibling", "spouse"]
    ]
  ],
  [
    /\b(?:uncle|aunt)\b/iu,
    [
      ["father", "sibling"],
      ["mother", "sibling"]
    ]
  ],
  [/\bstepmother\b/iu, [["stepmother"], ["father", "spouse"]]],
  [/\bstepfather\b/iu, [["stepfather"], ["mother", "spouse"]]],
  [/\bstepchild\b/iu, [["spouse", "child"]]],
  [/\b(?:directors?|directed)\b/iu, [["director"]]],
  [/\b(?:composers?|composed)\b/iu, [["composer"]]],
  [/\b(?:performers?|performed|singers?|sang|sung|sings)\b/iu, [["performer"]]],
  [/\b(?:authors?|writers?|wrote|written)\b/iu, [["author"], ["screenwriter"]]],
  [/\b(?:producers?|produced)\b/iu, [["producer"]]],
  [/\bscreenwriters?\b/iu, [["screenwriter"]]],
  [/\b(?:founders?|founded)\b/iu, [["founder"]]],
  [/\b(?:publishers?|published)\b/iu, [["publisher"]]],
  [/\b(?:presenters?|hosts?|hosted)\b/iu, [["presenter"]]],
  [/\bfather\b/iu, [["father"]]],
  [/\bmother\b/iu, [["mother"]]],
  [/\b(?:husband|wife|spouse|married|marry)\b/iu, [["spouse"]]],
  [/\b(?:child|son|daughter)\b/iu, [["child"]]],
  [/\b(?:sibling|brother|sister)\b/iu, [["sibling"]]]
]

interface Chain {
  readonly ways: ReadonlyArray<ReadonlyArray<Relation>>
  readonly read: Read | undefined
}

/** Words that may stand in such a question without asking for more. */
const idle: ReadonlySet<string> = new Set(
  terms(
    "film films movie song album novel book person people university company band university show series come place year date day"
  )
)

/** The steps that the question takes from a name in it; undefined where it asks for anything besides. */
const chainOf = (text: string, at: Mention): Chain | undefined => {
  const masked = text.slice(0, at.start) + " ".repeat(at.end - at.start) + text.slice(at.end)
  let left = masked.replace(/\([^()]*\)/gu, (aside) => " ".repeat(aside.length))
  const read = attributes.find(([asked]) => {
    asked.lastIndex = 0
    return asked.test(left)
  })
  if (read !== undefined)
    left = left.replace(
      /\b(?:place of|date of|cause of|birthplace|birthday|birth|death|born|buried|burial|died?|where|when|why|nationality|country|citizenship|origin|study|studied|educated|graduated?|attended?|works?|worked|awards?|received?|got|won?)\b/giu,
      (one) => " ".repeat(one.length)
    )
  if (read?.[1] === founded)
    left = left.replace(/\b(?:founded|established|formed)(?=\W*$)/iu, (one) => " ".repeat(one.length))
  const taken: Array<{ readonly at: number; readonly ways: ReadonlyArray<ReadonlyArray<Relation>> }> = []
  for (const [asked, ways] of steps) {
    for (let match = asked.exec(left); match !== null; match = asked.exec(left)) {
      taken.push({ at: match.index, ways })
      left = left.slice(0, match.index) + " ".repeat(match[0].length) + left.slice(match.index + match[0].length)
    }
  }
  if (terms(left).filter((term) => !isStopWord(term) && !idle.has(term) && term !== "s").length > 0) return undefined
  if (taken.length > 3 || (taken.length === 0 && read === undefined)) return undefined
  const before = taken.filter((one) => one.at < at.start).sort((a, b) => b.at - a.at)
  const after = taken.filter((one) => one.at >= at.start).sort((a, b) => a.at - b.at)
  const ways = [...after, ...before].reduce<ReadonlyArray<ReadonlyArray<Relation>>>(
    (paths, one) => paths.flatMap((path) => one.ways.map((way) => [...path, ...way])),
    [[]]
  )
  return { ways, read: read?.[1] }
}

const walk = (
  start: Subject,
  way: ReadonlyArray<Relation>,
  read: Read | undefined,
  evidence: Evidence
): Told | undefined => {
  const passed: [...Array<Subject>, Subject] = [start]
  let subject: Subject | undefined = start
  let name: string | undefined
  const grounds: Array<Ground> = []
  for (const [i, relation] of way.entries()) {
    if (subject === undefined) return undefined
    if (i > 0) passed.push(subject)
    const next = follow(passed, relation, evidence, i < way.length - 1 || read !== undefined)
    if (next === undefined) return undefined
    grounds.push(next.ground)
    subject = next.subject
    name = next.name
  }
  if (read === undefined) return name === undefined ? undefined : { text: name, grounds: [...grounds].reverse() }
  for (const item of subject?.items ?? []) {
    const said = read(item)
    if (said !== undefined && said.text !== "")
      return { text: said.text, grounds: [sentenceAt(item, said.offset), ...grounds] }
  }
  return undefined
}

/** The name that the question starts from: the evidence's, or else the question's first own. */
const startsOf = (question: Question, evidence: Evidence): ReadonlyArray<Mention> => {
  const titled = mentioned(question, evidence)
  if (titled.length > 0) return titled
  return question.entities.flatMap((entity) => {
    const subject = about(evidence, entity.text)
    return subject === undefined ? [] : [{ start: entity.start, end: entity.end, subject }]
  })
}

/** What the question asks for, with the sentence of each step, the last first; undefined where it asks otherwise, or the evidence does not tell. */
export const tell = (question: Question, evidence: Evidence): Told | undefined => {
  for (const start of startsOf(question, evidence)) {
    const chain = chainOf(question.text, start)
    if (chain === undefined) continue
    for (const way of chain.ways) {
      const told = walk(start.subject, way, chain.read, evidence)
      if (told !== undefined) return told
    }
  }
  return undefined
}
