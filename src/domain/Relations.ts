/** From one thing to another by a relation that a text states: the director of a film, the father of a king. English. */
import { isBelonging } from "./Countries.ts"
import { isMonth } from "./Dates.ts"
import { type Entity, entityKey } from "./Entities.ts"
import type { Evidence, EvidenceItem } from "./Evidence.ts"
import { folded, isAbout, standsIn } from "./Question.ts"
import { namesIn } from "./Reading.ts"
import { about, type Ground, plainTitle, type Subject, sentenceAt } from "./Subjects.ts"

export type Relation =
  | "director"
  | "composer"
  | "performer"
  | "author"
  | "producer"
  | "screenwriter"
  | "founder"
  | "publisher"
  | "presenter"
  | "father"
  | "mother"
  | "spouse"
  | "child"
  | "sibling"
  | "stepfather"
  | "stepmother"
  | "grandparent"

export interface Related {
  /** As the text writes it, or as the evidence about it is titled. */
  readonly name: string
  readonly subject: Subject | undefined
  readonly ground: Ground
}

const by = (verbs: string): RegExp =>
  new RegExp(`\\b(?:${verbs})(?:\\s+(?:and|,)?\\s*(?:co-)?\\p{Ll}+){0,3}?\\s+by\\s`, "giu")
const noun = (nouns: string): RegExp => new RegExp(`\\b(?:${nouns})(?:\\s+(?:was|is|were|named|called))?[\\s,:]`, "giu")

/** Words behind which the other's name follows, the surest first. */
const leads: { readonly [R in Relation]: ReadonlyArray<RegExp> } = {
  director: [by("directed|direction"), noun("directors?"), by("film|movie|made|created")],
  composer: [
    by("composed|music|score|soundtrack|songs|scored"),
    noun("composers?|music director"),
    by("written|lyrics|song"),
    noun("duo|team")
  ],
  performer: [
    by("performed|recorded|sung|song|single|album|released|record|track"),
    /\b(?:singer|rapper|band|group|duo|artist|musician|songwriter|vocalist|rock band|DJ)s?\s/gu,
    by("written|covered")
  ],
  author: [
    by("written|novel|book|authored|poem|play|created|story|memoir|series"),
    noun("author|writer|novelist|poet")
  ],
  producer: [by("produced|production"), noun("producers?")],
  screenwriter: [by("written|screenplay|script|scripted"), noun("screenwriter|writer")],
  founder: [by("founded|established|started|formed|created|co-founded"), noun("founders?|co-founder")],
  publisher: [by("published"), noun("publishers?")],
  presenter: [by("presented|hosted"), noun("presenter|host")],
  father: [
    /\b(?:son|daughter|child|children|born)\s+(?:of|to)\s/giu,
    noun("father|paternal"),
    /\bsucceed(?:ed|ing)\s+(?:his|her)\s+father,?\s/giu
  ],
  mother: [noun("mother"), /\b(?:son|daughter|child|children|born)\s+(?:of|to)\s/giu],
  spouse: [
    /\b(?:married|marries|marrying|wed|wedded)(?:\s+to)?\s/giu,
    /\b(?:wife|husband|widow|widower|spouse|consort|mistress)\s+(?:of|to)\s/giu,
    noun("(?:(?:first|second|third|late|former)\\s+)?(?:wife|husband|spouse|consort)"),
    /\bmarriage\s+(?:to|with)\s/giu,
    /\b(?:queen|empress|sultan)\s+(?:consort\s+)?of\s/giu
  ],
  child: [/\b(?:father|mother|parents?)\s+of\s/giu, noun("sons?|daughters?|child|children")],
  sibling: [/\b(?:brother|sister|sibling|twin)s?\s+(?:of|to)\s/giu, noun("(?:brother|sister|sibling)s?")],
  stepfather: [noun("stepfather")],
  stepmother: [noun("stepmother")],
  grandparent: [/\b(?:grandson|granddaughter|grandchild)\s+of\s/giu, noun("grandfather|grandmother|grandparents")]
}

/** Words by which the other's text speaks back of the first. */
const inverse: { readonly [R in Relation]?: RegExp } = {
  father: /\b(?:father|son|daughter|children|sons|daughters|child)\b/iu,
  mother: /\b(?:mother|son|daughter|children|sons|daughters|child)\b/iu,
  spouse: /\b(?:wife|husband|married|spouse|consort|widow|marriage|marry)\b/iu,
  child: /\b(?:father|mother|son|daughter|parents|born to)\b/iu,
  sibling: /\b(?:brother|sister|sibling|siblings|twin)\b/iu,
  director: /\b(?:film|films|directed|director)\b/iu,
  performer: /\b(?:song|single|album|recorded|singer)\b/iu,
  composer: /\b(?:composed|composer|score|music)\b/iu,
  author: /\b(?:wrote|author|novel|book)\b/iu,
  founder: /\b(?:founded|founder|established)\b/iu
}

const male = /\b(?:he|his|him|king|prince|duke|count|earl|emperor|baron|father|husband|son of|actor)\b/giu
const female = /\b(?:she|her|queen|princess|duchess|countess|empress|baroness|mother|wife|daughter of|actress)\b/giu
const wanted: { readonly [R in Relation]?: "male" | "female" } = {
  father: "male",
  stepfather: "male",
  mother: "female",
  stepmother: "female"
}

/** Whether a text speaks of a man or a woman where the relation wants one. */
const fits = (relation: Relation, item: EvidenceItem): boolean => {
  const want = wanted[relation]
  if (want === undefined) return true
  const text = item.text.slice(0, 800)
  const [he, she] = [text.match(male)?.length ?? 0, text.match(female)?.length ?? 0]
  return he === she || he > she === (want === "male")
}

/** A rank or a territory belongs to the name before it. */
const suffix =
  /^,\s+(?:\d+(?:st|nd|rd|th)\s+)?(?:Duke|Earl|Count|Countess|King|Queen|Prince|Princess|Baron|Baroness|Baronet|Marquess|Viscount|Lord|Lady|Duchess|Emperor|Elector|Margrave|Landgrave|Jr\.|Sr\.)(?:\s+(?:(?:of|the|von|de)\s+)*\p{Lu}[\p{L}'\u2019-]*)*/u

/** A name with the rank behind it, and without where or when. */
const extended = (text: string, entity: Entity): string => {
  const own = entity.text.split(/\s+(?:for|in|on)\s+/u)[0] ?? entity.text
  return own === entity.text ? own + (suffix.exec(text.slice(entity.end))?.[0] ?? "") : own
}

/** Whether two keys are one name with other parts between: D. W. Winnicott, Donald Winnicott. */
const alike = (a: string, b: string): boolean => {
  const [p, q] = [a.split(" "), b.split(" ")]
  return p.length > 1 && q.length > 1 && p[0]?.[0] === q[0]?.[0] && p[p.length - 1] === q[q.length - 1]
}

/** The other one's evidence: under a title that is the name, or holds it, other than those that led here. */
const linked = (evidence: Evidence, passed: ReadonlyArray<Subject>, key: string): Subject | undefined => {
  const others = evidence.filter(({ title }) => !passed.some((one) => one.key === entityKey(title)))
  const one =
    others.find(({ title }) => isAbout(entityKey(title), key)) ??
    others.find(({ title }) => alike(entityKey(title), key))
  return one === undefined ? undefined : about(evidence, one.title)
}

const reach = 110

const namesAfter = (text: string, named: ReadonlyArray<Entity>, at: number): ReadonlyArray<Entity> => {
  const stop = /[.;](?:\s|$)/u.exec(text.slice(at + 4))
  const end = Math.min(at + reach, stop === null ? text.length : at + 4 + stop.index + 1)
  return named.filter((one) => one.start >= at - 1 && one.start < end)
}

const isThing = (name: string): boolean => !isMonth(name) && !isBelonging(name) && !/^\p{N}+$/u.test(name)

/** Follows one relation; undefined where the evidence does not state it. With `further`, only to something that evidence is about. */
export const follow = (
  passed: readonly [...ReadonlyArray<Subject>, Subject],
  relation: Relation,
  evidence: Evidence,
  further: boolean
): Related | undefined => {
  const from = passed[passed.length - 1] as Subject
  let unlinked: Related | undefined
  for (const item of from.items) {
    const named = namesIn(item).filter(({ text }) => isThing(text))
    for (const lead of leads[relation]) {
      for (const match of item.text.matchAll(lead)) {
        const after = namesAfter(item.text, named, match.index + match[0].length)
        const offered =
          relation === "mother" && /of|to/.test(match[0]) ? after.slice(1) : after.slice(0, further ? 4 : 2)
        for (const name of offered) {
          const subject = linked(evidence, passed, name.key)
          if (subject === undefined && isAbout(name.key, from.key)) continue
          const ground = sentenceAt(item, name.start)
          if (subject !== undefined && fits(relation, subject.items[0])) return { name: subject.name, subject, ground }
          unlinked ??= subject === undefined ? { name: extended(item.text, name), subject, ground } : undefined
        }
      }
    }
  }
  if (!further && unlinked !== undefined) return unlinked
  if (relation === "grandparent") return unlinked
  return back(passed, relation, evidence) ?? named(passed, relation, evidence) ?? unlinked
}

/** The evidence that speaks of the first one by words of the relation. */
const back = (passed: ReadonlyArray<Subject>, relation: Relation, evidence: Evidence): Related | undefined => {
  const words = inverse[relation]
  const from = passed[passed.length - 1]
  if (words === undefined || from === undefined) return undefined
  for (const item of evidence) {
    if (
      passed.some(({ items, key }) => key === entityKey(item.title) || items[0].document === item.document) ||
      !fits(relation, item)
    )
      continue
    for (const one of namesIn(item)) {
      if (!isAbout(from.key, one.key)) continue
      const ground = sentenceAt(item, one.start)
      if (!words.test(item.text.slice(ground.start, ground.end))) continue
      const subject = about(evidence, item.title)
      return { name: plainTitle(item.title), subject, ground }
    }
  }
  return undefined
}

/** Whomever the first one's text names of whom there is evidence. */
const named = (passed: ReadonlyArray<Subject>, relation: Relation, evidence: Evidence): Related | undefined => {
  const from = passed[passed.length - 1]
  for (const item of from?.items ?? []) {
    const line = folded(item.text)
    for (const other of evidence) {
      const key = entityKey(other.title)
      if (
        passed.some((one) => one.key === key || one.items[0].document === other.document) ||
        !standsIn(key, line) ||
        !fits(relation, other)
      )
        continue
      const at = namesIn(item).find((one) => isAbout(one.key, key))?.start ?? 0
      return { name: plainTitle(other.title), subject: about(evidence, other.title), ground: sentenceAt(item, at) }
    }
  }
  return undefined
}
