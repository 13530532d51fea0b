/**
 * What a question says of itself, by rules: the kind of answer it wants, whom it names, between what it asks to choose.
 *
 * The rules are English. Of a question in another language, or of none at all, they say `Generic`, its words and its names: never an error.
 */
import { splitsSurrogate } from "./Corpus.ts"
import { type Entity, entities, entityKey } from "./Entities.ts"
import type { QuestionType } from "./Plan.ts"
import { isStopWord, terms, type Word, words } from "./Words.ts"

export interface Question {
  /** The question, cut at {@link longest} UTF-16 code units. */
  readonly text: string
  readonly type: QuestionType
  /** Whom or what it names, in order, each once. */
  readonly entities: ReadonlyArray<Entity>
  /** Its distinct words that carry meaning, in order of first use; all its words where none would be left. */
  readonly words: ReadonlyArray<Word>
  /** The terms of {@link words}. */
  readonly terms: ReadonlyArray<string>
  /** The two things that it asks to choose between, or none. */
  readonly choices: ReadonlyArray<string>
  /** Whom or what it is about: its choices, or else its names but for those that only say of which country something is. */
  readonly subjects: ReadonlyArray<Entity>
}

/** Beyond this many UTF-16 code units a question is read no further. */
export const longest = 8000
const mostEntities = 24

/** The first `limit` UTF-16 code units of `text`, without parting a surrogate pair. */
export const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : text.slice(0, splitsSurrogate(text, limit) ? limit - 1 : limit)

const auxiliary =
  /^(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|must|isn't|aren't|doesn't|don't)\s/
const comparative =
  /\b(?:first|earlier|later|older|younger|oldest|youngest|longer|shorter|taller|higher|lower|larger|bigger|smaller|more|less|fewer|most|last|before|recently|closer|better)\b/
const persons =
  "actor|actress|artist|author|composer|director|founder|husband|wife|king|queen|man|mother|father|musician|performer|person|player|politician|president|singer|spouse|woman|writer|son|daughter|child|brother|sister|maintainer"
const places =
  "city|cities|continent|country|countries|county|district|island|location|place|port|province|region|river|state|town|village|borough|nation"
const times = "year|date|day|month|decade|century|time"
const asked = (nouns: string): RegExp =>
  new RegExp(`\\b(?:what|which|in what|in which)\\s+(?:\\w+\\s+){0,2}(?:${nouns})\\b`)
const askedPerson = asked(persons)
const askedPlace = asked(places)
const askedTime = asked(times)
const relational = /\b(?:of|that|which|where|who|whose|when|by|for|from)\b/

const typeOf = (text: string, choices: ReadonlyArray<string>, meaningful: number): QuestionType => {
  const q = text.trim().toLowerCase()
  if (/\b(?:difference|differences|differ|compare|comparison|versus|vs)\b/.test(q)) return "Comparison"
  if (choices.length > 0 && (comparative.test(q) || /^(?:which|who|what)\b/.test(q))) return "Comparison"
  if (auxiliary.test(q)) return choices.length > 0 ? "Comparison" : "Boolean"
  if (/\bhow (?:many|much|long|old|far|tall|high|big|large|deep|fast|often|wide)\b/.test(q)) return "Quantity"
  if (/^how\b/.test(q)) return "Procedure"
  if (/\bwh(?:o|om|ose)\b/.test(q) && /^(?:who|whom|whose|by whom)\b|,\s*who\b/.test(q)) return "Person"
  if (/^where\b/.test(q)) return "Place"
  if (/^when\b/.test(q)) return "Date"
  if (/^(?:what|which)\b.*\b(?:number|percentage|amount|population|distance|height|length|size)\b/.test(q))
    return "Quantity"
  if (askedPerson.test(q)) return "Person"
  if (askedPlace.test(q)) return "Place"
  if (askedTime.test(q)) return "Date"
  if (/^(?:what|which)(?:'s| is| are| was| were| does| do)\b/.test(q) && meaningful <= 4 && !relational.test(q))
    return "Definition"
  if (/\b(?:what|which)\b/.test(q)) return "Entity"
  if (/\bwho(?:m|se)?\b/.test(q)) return "Person"
  if (/\bwhere\b/.test(q)) return "Place"
  if (/\bwhen\b/.test(q)) return "Date"
  return "Generic"
}

const tidy = (piece: string): string =>
  piece.replace(/^[\s,:;"'\u201c(]+|[\s?!.,;:"'\u201d)]+$/gu, "").replace(/^(?:either|between)\s+/iu, "")

/** Up to the end of the sentence, which the full stop of an initial or a title is not. */
const choice = /^(?:[^?.!;]|(?<=\b(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|Mt|Prof|Vol|No|\p{Lu}))\.)*/u

/** A and B of "…, A or B?", "A or B: …", "between A and B"; empty where the question offers no choice. */
const choicesOf = (text: string, named: ReadonlyArray<Entity>): ReadonlyArray<string> => {
  const pair = (a: string | undefined, b: string | undefined): ReadonlyArray<string> => {
    const [left, right] = [tidy(a ?? ""), tidy(b ?? "")]
    return left !== "" && right !== "" && left !== right && left.length <= 120 && right.length <= 120
      ? [left, right]
      : []
  }
  const at = text.lastIndexOf(" or ")
  if (at > 0) {
    const before = text.slice(0, at)
    const after = text.slice(at + 4)
    const follower = named.find((entity) => entity.start >= at + 3 && entity.start <= at + 9)
    const right = choice.exec(after)?.[0] ?? ""
    const leader = named.filter((entity) => entity.end <= at && at - entity.end <= 3).at(-1)
    const comma = Math.max(before.lastIndexOf(", "), before.lastIndexOf(": "))
    const segment = comma >= 0 ? before.slice(comma + 2) : ""
    const left = segment !== "" && terms(segment).length <= 12 ? segment : leader?.text
    return pair(left, follower !== undefined && terms(right).length > 12 ? follower.text : right)
  }
  const between = /\bbetween\s+(.{1,100}?)\s+and\s+(.{1,100}?)(?:[?!,]|\.(?:\s|$)|$)/iu.exec(text)
  return between === null ? [] : pair(between[1], between[2])
}

/** The parts of a name that prepositions join (a person in a film, a group in a year), without the possessive ending of each. */
const ownNames = (entity: Entity): ReadonlyArray<Entity> => {
  const parts: Array<Entity> = []
  let start = entity.start
  for (const piece of entity.text.split(/(\s+(?:in|on)\s+)/u)) {
    const text = piece.replace(/['\u2019]s?$/u, "")
    const key = entityKey(text)
    if (key !== "" && /[\p{Lu}\p{N}]/u.test(text)) parts.push({ text, key, start, end: start + text.length })
    start += piece.length
  }
  return parts.filter((part) => parts.length === 1 || /\p{L}/u.test(part.text))
}

/** Names as code writes them: dotted, or with a capital inside. */
const code = /\b[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+|\b[a-z]+[A-Z]\w*/gu

const codeNames = (text: string): ReadonlyArray<Entity> =>
  [...text.matchAll(code)].flatMap((match) => {
    const key = entityKey(match[0])
    return key === "" ? [] : [{ text: match[0], key, start: match.index, end: match.index + match[0].length }]
  })

const namesOf = (text: string): ReadonlyArray<Entity> => {
  const inCode = codeNames(text)
  const named = entities(withoutAsides(text))
    .filter((entity) => !inCode.some((other) => entity.start < other.end && other.start < entity.end))
    .flatMap(ownNames)
  const distinct: Array<Entity> = []
  for (const entity of [...inCode, ...named].sort((a, b) => a.start - b.start)) {
    if (distinct.length < mostEntities && !distinct.some((other) => other.key === entity.key)) distinct.push(entity)
  }
  return distinct
}

const belonging =
  /^(?:american|british|english|scottish|welsh|irish|french|german|italian|spanish|portuguese|dutch|belgian|swiss|austrian|swedish|norwegian|danish|finnish|polish|russian|ukrainian|hungarian|czech|romanian|bulgarian|greek|turkish|macedonian|serbian|croatian|indian|pakistani|chinese|japanese|korean|canadian|australian|mexican|brazilian|argentine|argentinian|african|asian|european|israeli|iranian|egyptian|hollywood|bollywood|us|u\.s|uk)(?:-\w+)?$/iu

const subjectsOf = (named: ReadonlyArray<Entity>, choices: ReadonlyArray<string>): ReadonlyArray<Entity> => {
  const offered = choices.flatMap((text) => {
    const key = entityKey(text)
    return key === "" ? [] : [{ text, key, start: 0, end: 0 }]
  })
  if (offered.length === 2) return offered
  const plain = named.filter((entity) => !belonging.test(entity.text))
  return plain.length > 0 ? plain : named
}

/** A remark in brackets after a name says which one is meant and is no name of its own; offsets stay. */
const withoutAsides = (text: string): string =>
  text.replace(
    /(\p{Lu}[\p{L}\p{N}'\u2019.-]*\s?)(\([^()]{1,40}\))/gu,
    (_, name: string, aside: string) => name + " ".repeat(aside.length)
  )

/** Reads a question. Total, and linear in the length of what is read. */
export const analyse = (question: string): Question => {
  const text = cut(question, longest)
  const named = namesOf(text)
  const distinct: Array<Word> = []
  const seen = new Set<string>()
  for (const word of words(text)) {
    if (seen.has(word.term)) continue
    seen.add(word.term)
    distinct.push(word)
  }
  const meaningful = distinct.filter(({ term }) => !isStopWord(term) && term !== "s")
  // pairs of characters with kana in them are mostly particles and endings
  const solid = meaningful.filter(({ term }) => !/\p{Script=Hiragana}/u.test(term))
  const kept = solid.length > 0 ? solid : meaningful.length > 0 ? meaningful : distinct
  const choices = choicesOf(text, named)
  return {
    text,
    type: typeOf(text, choices, meaningful.length),
    entities: named,
    words: kept,
    terms: kept.map(({ term }) => term),
    choices,
    subjects: subjectsOf(named, choices)
  }
}

/** A text in folded form, each word between spaces: a name stands in it if ` ${key} ` does. */
export const folded = (text: string): string => ` ${terms(text).join(" ")} `

/** Whether the name with this key stands in a folded text. */
export const standsIn = (key: string, line: string): boolean => key !== "" && line.includes(` ${key} `)

/** Whether a thing called `title` is what `key` names: the same name, or one a part of the other, word by word. Both are keys. */
export const isAbout = (title: string, key: string): boolean =>
  title !== "" && key !== "" && (title === key || standsIn(title, ` ${key} `) || standsIn(key, ` ${title} `))
