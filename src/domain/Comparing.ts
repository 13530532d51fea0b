/** Questions that the evidence settles by putting two things side by side: which was first, which is larger, are they the same, is it so. */
import { entities, entityKey } from "./Entities.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import { dates, dateValue, numbers } from "./Extract.ts"
import { folded, isAbout, type Question, standsIn } from "./Question.ts"
import { isTelling, type Stretch, sentences } from "./Sentences.ts"
import { fold, isStopWord, terms } from "./Words.ts"

/** A sentence that an answer rests on. */
export interface Ground extends Stretch {
  readonly item: EvidenceItem
}

export interface Settled {
  /** `Yes`, `No`, or one of the question's choices as the question writes it. */
  readonly text: string
  readonly grounds: ReadonlyArray<Ground>
}

const about = (evidence: Evidence, name: string): EvidenceItem | undefined => {
  const key = entityKey(name)
  return (
    evidence.find((item) => entityKey(item.title) === key) ??
    evidence.find((item) => isAbout(entityKey(item.title), key)) ??
    evidence.find((item) => standsIn(key, folded(item.text)))
  )
}

export const sentenceAt = (item: EvidenceItem, offset: number): Ground => {
  const stretch = sentences(item.text).find(({ end, start }) => offset >= start && offset < end)
  return { item, start: stretch?.start ?? 0, end: stretch?.end ?? item.text.length }
}

const relation =
  /\b(director|composer|performer|author|writer|singer|producer|creator|founder|screenwriter|husband|wife|spouse|mother|father|son|daughter|child|lyricist|editor|discoverer)\b/iu

/**
 * The item that the question compares by: the one about `name`, or, where it asks about a director, composer… of `name`, the one about whom that
 * item names as such.
 */
export const subjectOf = (question: Question, evidence: Evidence, name: string): EvidenceItem | undefined => {
  const item = about(evidence, name)
  const role = relation.exec(question.text)?.[1]
  if (item === undefined || role === undefined) return item
  const stem = fold(role).slice(0, 5)
  let best: { readonly item: EvidenceItem; readonly distance: number } | undefined
  const at = item.text.toLowerCase().indexOf(stem)
  for (const entity of entities(item.text)) {
    const other = evidence.find((one) => one !== item && isAbout(entityKey(one.title), entity.key))
    if (other === undefined) continue
    const distance = at < 0 ? entity.start : Math.abs(entity.start - at)
    if (best === undefined || distance < best.distance) best = { item: other, distance }
  }
  return best?.item
}

interface Value {
  readonly value: number
  readonly offset: number
}

export const lifetime = (text: string): { readonly birth: Value | undefined; readonly death: Value | undefined } => {
  const head = text.slice(0, 400)
  const value = (
    found: { readonly text: string; readonly start: number } | undefined,
    offset = 0
  ): Value | undefined =>
    found === undefined ? undefined : { value: dateValue(found.text), offset: found.start + offset }
  const bracket = /\(([^()]*\d{4}[^()]*)\)/u.exec(head)
  const inside = bracket === null ? [] : dates(bracket[1] ?? "")
  const shift = bracket === null ? 0 : bracket.index + 1
  const after = (word: RegExp): Value | undefined => {
    const match = word.exec(text)
    return match === null ? undefined : value(dates(text.slice(match.index))[0], match.index)
  }
  const died = inside.length === 1 && /\b(?:died|d\.)/iu.test(bracket?.[1] ?? "")
  return {
    birth: (died ? undefined : value(inside[0], shift)) ?? after(/\bborn\b/iu) ?? value(dates(head)[0]),
    death: value(died ? inside[0] : inside[1], shift) ?? after(/\b(?:died|death)\b/iu)
  }
}

/** What is compared: where the number stands in an item's text, and whether the greater or the lesser wins. */
const measureOf = (q: string): { readonly read: (text: string) => Value | undefined; readonly greater: boolean } => {
  const latest = /\b(?:later|last|latest|younger|youngest|newer|most recently|more recently|recently)\b/.test(q)
  if (/\blived? longer\b|\blonger life/.test(q)) {
    const read = (text: string) => {
      const { birth, death } = lifetime(text)
      return birth === undefined || death === undefined
        ? undefined
        : { value: death.value - birth.value, offset: death.offset }
    }
    return { read, greater: true }
  }
  if (/\b(?:died|death|die|passed away)\b/.test(q)) return { read: (text) => lifetime(text).death, greater: latest }
  if (/\b(?:born|older|younger|oldest|youngest|birth|age)\b/.test(q))
    return { read: (text) => lifetime(text).birth, greater: latest }
  if (/\b(?:more|larger|largest|bigger|higher|highest|taller|longer|most|greater)\b/.test(q) && !latest) {
    const read = (text: string) => {
      const most = numbers(text)
        .map((found) => ({ value: Number(found.text.replace(/[^\d.]/g, "")), offset: found.start }))
        .filter(({ value }) => Number.isFinite(value) && (value < 1000 || value > 2100))
      return most.length === 0 ? undefined : most.reduce((a, b) => (b.value > a.value ? b : a))
    }
    return { read, greater: true }
  }
  const read = (text: string) => {
    const found = dates(text)[0]
    return found === undefined ? undefined : { value: dateValue(found.text), offset: found.start }
  }
  return { read, greater: latest }
}

/** Which of its two choices a comparison means; undefined where the evidence does not say. */
export const choose = (question: Question, evidence: Evidence): Settled | undefined => {
  const [a, b] = question.choices
  if (a === undefined || b === undefined) return undefined
  const [x, y] = [subjectOf(question, evidence, a), subjectOf(question, evidence, b)]
  if (x === undefined || y === undefined || x === y) return undefined
  const { greater, read } = measureOf(question.text.toLowerCase())
  const [u, v] = [read(x.text), read(y.text)]
  if (u === undefined || v === undefined || u.value === v.value) return undefined
  return {
    text: u.value > v.value === greater ? a : b,
    grounds: [sentenceAt(x, u.offset), sentenceAt(y, v.offset)]
  }
}

/** Words for belonging to a country, by country. */
const countries: ReadonlyArray<readonly [string, RegExp]> =
  `united states=american|united states|u\\.s\\.|usa;united kingdom=british|english|scottish|welsh|united kingdom|england|scotland|wales|uk;france=french|france;
  germany=german|germany;italy=italian|italy;spain=spanish|spain;india=indian|india;china=chinese|china;japan=japanese|japan;russia=russian|russia|soviet;
  canada=canadian|canada;australia=australian|australia;brazil=brazilian|brazil;mexico=mexican|mexico;argentina=argentine|argentinian|argentina;
  sweden=swedish|sweden;norway=norwegian|norway;denmark=danish|denmark;finland=finnish|finland;netherlands=dutch|netherlands;belgium=belgian|belgium;
  austria=austrian|austria;switzerland=swiss|switzerland;poland=polish|poland;hungary=hungarian|hungary;greece=greek|greece;turkey=turkish|turkey;
  iran=iranian|persian|iran;israel=israeli|israel;egypt=egyptian|egypt;ireland=irish|ireland;portugal=portuguese|portugal;romania=romanian|romania;
  czech=czech;korea=korean|korea;pakistan=pakistani|pakistan;philippines=filipino|philippine|philippines;hong kong=hong kong;new zealand=new zealand;
  south africa=south african|south africa;ukraine=ukrainian|ukraine;nigeria=nigerian|nigeria;cuba=cuban|cuba;chile=chilean|chile;colombia=colombian|colombia`
    .split(";")
    .map((entry) => entry.trim().split("="))
    .map(([name = "", words = ""]) => [name, new RegExp(`\\b(?:${words})\\b`, "iu")] as const)

interface Belonging {
  readonly name: string
  /** As the text writes it. */
  readonly text: string
  readonly offset: number
}

/** Where an item first says which country it belongs to. */
export const country = (item: EvidenceItem): Belonging | undefined => {
  let first: Belonging | undefined
  for (const [name, words] of countries) {
    const match = words.exec(item.text)
    if (match !== null && (first === undefined || match.index < first.offset))
      first = { name, text: match[0], offset: match.index }
  }
  return first
}

const same = /\b(?:same|share|both from|from the same)\b/iu
const nation = /\b(?:country|countries|nationality|nationalities|nation)\b/iu

/** Yes or no, with the sentences that say so; undefined where the evidence does not settle it. */
export const decide = (question: Question, evidence: Evidence): Settled | undefined => {
  const [a, b] = question.entities
  if (a !== undefined && b !== undefined && same.test(question.text) && nation.test(question.text)) {
    const [x, y] = [subjectOf(question, evidence, a.text), subjectOf(question, evidence, b.text)]
    if (x === undefined || y === undefined || x === y) return undefined
    const [u, v] = [country(x), country(y)]
    if (u === undefined || v === undefined) return undefined
    return { text: u.name === v.name ? "Yes" : "No", grounds: [sentenceAt(x, u.offset), sentenceAt(y, v.offset)] }
  }
  const named = new Set(question.entities.flatMap((entity) => entity.key.split(" ")))
  const plain = new Set(["both", "same", "also", "either"])
  const predicate = question.terms.filter((term) => !named.has(term) && !isStopWord(term) && !plain.has(term))
  if (predicate.length === 0 || question.entities.length === 0) return undefined
  const grounds: Array<Ground> = []
  let isSo = true
  for (const { text } of question.entities.slice(0, 2)) {
    const item = about(evidence, text)
    if (item === undefined) return undefined
    let most = -1
    let ground: Ground = { item, start: 0, end: item.text.length }
    for (const stretch of sentences(item.text)) {
      const said = item.text.slice(stretch.start, stretch.end)
      if (!isTelling(said)) continue
      const own = new Set(terms(said))
      const shared = predicate.filter((term) => own.has(term)).length
      if (shared > most) {
        most = shared
        ground = { item, ...stretch }
      }
    }
    // of one thing alone, silence is no denial
    if (question.entities.length === 1 && most <= 0) return undefined
    isSo = isSo && most >= Math.ceil(0.6 * predicate.length)
    grounds.push(ground)
  }
  return { text: isSo ? "Yes" : "No", grounds }
}
