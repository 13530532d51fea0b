/** Which of two things a question means: the first, the larger, the one of which the evidence says what is asked. */
import { firstDate, lifetime, numbers, type Value } from "./Dates.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import type { Question } from "./Question.ts"
import { comparedBy, firstOf, predicateOf, type Settled, type Side, saying, sidesOf } from "./Sides.ts"
import { about, sentenceAt } from "./Subjects.ts"

interface Measure {
  /** Whether it is read of the thing itself, though the question speaks of its director, composer… */
  readonly own?: true
  readonly read: (item: EvidenceItem) => Value | undefined
  readonly greater: boolean
}

const counted =
  (verb: RegExp) =>
  (item: EvidenceItem): Value | undefined => {
    const match = verb.exec(item.text)
    if (match === null) return undefined
    const from = match.index + match[0].length
    const list =
      /^(?:(?!\s(?:and\s+)?(?:starring|written|produced|with|which|who|that|from|for|in|based|about|as)\b)[^.;(])*/u.exec(
        item.text.slice(from)
      )
    return { value: 1 + (list?.[0].match(/,|\band\b|&/gu)?.length ?? 0), offset: match.index }
  }

/** When a text says that something began. */
const begun = (text: string): Value | undefined => {
  const at =
    /\b(?:founded|established|formed|started|opened|built|launched|created|(?:first|was) published|began|since)\b/iu.exec(
      text
    )?.index
  const value = at === undefined ? undefined : firstDate(text.slice(at, at + 120))
  return at === undefined || value === undefined ? undefined : { value: value.value, offset: value.offset + at }
}

/** What is compared: where the number stands in an item's text, and whether the greater or the lesser wins; undefined where it is no number. */
const measureOf = (q: string): Measure | undefined => {
  const latest = /\b(?:later|last|latest|younger|youngest|newer|newest|recent|recently)\b/.test(q)
  const earliest = /\b(?:first|earlier|earliest|older|oldest|elder|before|prior)\b/.test(q)
  if (/\blived? longer\b|\blonger life/.test(q)) {
    const read = ({ text }: EvidenceItem) => {
      const { birth, death } = lifetime(text)
      return birth === undefined || death === undefined
        ? undefined
        : { value: death.value - birth.value, offset: death.offset }
    }
    return { read, greater: true }
  }
  if (/\b(?:died|death|die|passed away)\b/.test(q) && (latest || earliest))
    return { read: ({ text }) => lifetime(text).death, greater: latest }
  if (/\b(?:born|older|younger|oldest|youngest|elder|birth|age)\b/.test(q) && (latest || earliest))
    return { read: ({ text }) => lifetime(text).birth, greater: latest }
  if (/\b(?:more|most)\s+directors\b/.test(q))
    return { own: true, read: counted(/\bdirected(?:\s+and\s+\w+)*\s+by\s/iu), greater: true }
  if (
    /\b(?:founded|established|formed|started|opened|built|launched|created|published)\b/.test(q) &&
    (latest || earliest)
  )
    return { read: ({ text }) => begun(text) ?? firstDate(text), greater: latest }
  if (latest || earliest || /\b(?:longer|newer)\b.*\b(?:running|existence)\b/.test(q))
    return { read: ({ text }) => firstDate(text), greater: latest }
  if (
    /\b(?:larger|largest|bigger|higher|highest|taller|longer|greater|more|most)\b.*\b(?:population|people|students|inhabitants|members|seats|height|tall|area|storeys|floors|feet|long|length|employees|stores|species)\b|\b(?:larger|bigger|taller|higher|highest|longest)\b/.test(
      q
    )
  ) {
    const read = ({ text }: EvidenceItem) => {
      const most = numbers(text)
        .map((found) => ({ value: Number(found.text.replace(/[^\d.]/g, "")), offset: found.start }))
        .filter(({ value }) => Number.isFinite(value) && (value < 1000 || value > 2100))
      return most.length === 0 ? undefined : most.reduce((a, b) => (b.value > a.value ? b : a))
    }
    return { read, greater: true }
  }
  return undefined
}

/** Which of its two choices a comparison means; undefined where the evidence does not say. */
export const choose = (question: Question, evidence: Evidence): Settled | undefined => {
  const sides = sidesOf(question, evidence)
  if (sides === undefined) return chooseKnown(question, evidence)
  const [a, b] = sides
  const by = comparedBy(question, evidence, sides)
  let masked = question.text
  for (const { text } of sides) masked = masked.replace(text, " ")
  const measure = measureOf(masked.toLowerCase())
  if (measure !== undefined) {
    const of = measure.own ? ({ subject }: Side) => subject : by
    const [u, v] = [firstOf(of(a), measure.read), firstOf(of(b), measure.read)]
    if (u === undefined || v === undefined || u.value.value === v.value.value) return undefined
    return {
      text: u.value.value > v.value.value === measure.greater ? a.text : b.text,
      grounds: [sentenceAt(u.item, u.value.offset), sentenceAt(v.item, v.value.offset)]
    }
  }
  const predicate = predicateOf(question, sides)
  const [x, y] = [saying(a.subject, predicate), saying(b.subject, predicate)]
  if (x.held.size === y.held.size) return undefined
  return x.held.size > y.held.size
    ? { text: a.text, grounds: [x.ground, y.ground] }
    : { text: b.text, grounds: [y.ground, x.ground] }
}

/** Where the evidence is about one of the two alone, and says most of what is asked, that one. */
const chooseKnown = (question: Question, evidence: Evidence): Settled | undefined => {
  const known = question.choices.flatMap((text) => {
    const subject = about(evidence, text)
    return subject === undefined ? [] : [{ text, subject }]
  })
  const [one, other] = known
  if (one === undefined || other !== undefined) return undefined
  const predicate = predicateOf(question, [one, one])
  const { ground, held } = saying(one.subject, predicate)
  return predicate.length > 1 && held.size >= 0.6 * predicate.length ? { text: one.text, grounds: [ground] } : undefined
}
