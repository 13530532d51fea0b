/** Facts of a passage: (subject, relation, object). What stands in for OpenIE where no model reads: a title and the names under it. */
import type { Passage } from "../Corpus.ts"
import { entities, entityKey } from "../Entities.ts"
import { sentences } from "../Sentences.ts"

export interface Fact {
  readonly subject: string
  readonly relation: string
  readonly object: string
}

/** A fact, with the place in its passage of the sentence that says it. */
export interface LinkFact extends Fact {
  readonly start: number
  readonly end: number
}

export const factText = ({ object, relation, subject }: Fact): string =>
  [subject, relation, object].filter((part) => part !== "").join(" ")

/** Words before a name that tell what it has to do with the title. */
const before = 6

/**
 * One fact for each name under a passage's title, in the order of the text: the title (or, without one, the first name), the few words before
 * the name in its sentence, the name.
 */
export const linkFacts = ({ text, title }: Pick<Passage, "text" | "title">): ReadonlyArray<LinkFact> => {
  const names = entities(text)
  const subject = title.trim() === "" ? (names[0]?.text ?? "") : title
  const own = entityKey(subject)
  if (own === "") return []
  const seen = new Set([own])
  const stretches = sentences(text)
  let at = 0
  return names.flatMap(({ key, start, text: object }) => {
    while (at < stretches.length - 1 && (stretches[at]?.end ?? start) <= start) at++
    if (seen.has(key)) return []
    seen.add(key)
    const sentence = stretches[at] ?? { start: 0, end: text.length }
    const said = text.slice(sentence.start, start).trim()
    return [{ subject, relation: said.split(/\s+/).slice(-before).join(" "), object, ...sentence }]
  })
}
