/**
 * Where a text names the title of a document: an n-gram look-up over folded words.
 *
 * A mention starts with a capital letter, a digit or a letter of a script without case, and the longest title wins. Titles that consist of
 * stop words alone are never found, nor is a one-word title that merely opens a sentence.
 */
import { isStopWord, type Word } from "../Words.ts"

/** Titles with more words than this are looked up by nobody. */
const longest = 12
const articles: ReadonlySet<string> = new Set(["the", "a", "an"])

export interface TitleTable {
  /** The keys of the titles that `text` names, each once, in order; `words` are the words of `text`. */
  readonly mentions: (text: string, words: ReadonlyArray<Word>) => ReadonlyArray<string>
}

const startsName = (text: string, at: number): boolean => {
  const letter = String.fromCodePoint(text.codePointAt(at) ?? 0)
  return letter.toLowerCase() === letter.toUpperCase() ? /[\p{L}\p{N}]/u.test(letter) : letter !== letter.toLowerCase()
}

/** A capital letter says nothing at the start of a text or after a sentence's end. */
const opensSentence = (text: string, at: number): boolean =>
  /(?:^|[.!?\n])["'\u201d)\]]*\s*$/u.test(text.slice(Math.max(0, at - 4), at))

/** Whether a title of these words is looked up. */
const isFindable = (parts: ReadonlyArray<string>): boolean =>
  parts.length > 0 && parts.length <= longest && !parts.every(isStopWord)

/** The phrases by which a text names the title of this key: its words, and without the article that they begin with. */
export const phrasesOf = (key: string): ReadonlyArray<string> => {
  const parts = key.split(" ")
  const bare = articles.has(parts[0] ?? "") ? [parts.slice(1)] : []
  return [parts, ...bare].filter(isFindable).map((words) => words.join(" "))
}

/**
 * The table of the titles with these keys, whatever their order. For one text, the titles of which a phrase begins with one of its words
 * are enough.
 */
export const titleTable = (titles: Iterable<string>): TitleTable => {
  const keys = [...new Set(titles)].filter((key) => key !== "").sort()
  const targets = new Map<string, string>()
  const lengths = new Map<string, Array<number>>()
  const enter = (key: string, target: string) => {
    if (targets.has(key)) return
    targets.set(key, target)
    const parts = key.split(" ")
    const known = lengths.get(parts[0] ?? "")
    if (known === undefined) lengths.set(parts[0] ?? "", [parts.length])
    else if (!known.includes(parts.length)) known.push(parts.length)
  }
  const phrases = keys.map((key) => [key, phrasesOf(key)] as const)
  for (const [key, [whole]] of phrases) if (whole === key) enter(key, key)
  for (const [key, found] of phrases) for (const phrase of found) enter(phrase, key)
  for (const known of lengths.values()) known.sort((a, b) => b - a)

  const at = (text: string, words: ReadonlyArray<Word>, i: number): readonly [string, number] | undefined => {
    const word = words[i]
    const candidates = word === undefined ? undefined : lengths.get(word.term)
    if (word === undefined || candidates === undefined || !startsName(text, word.start)) return undefined
    for (const length of candidates) {
      if (i + length > words.length) continue
      if (length === 1 && opensSentence(text, word.start)) continue
      let key = word.term
      for (let j = 1; j < length; j++) key += ` ${words[i + j]?.term}`
      const target = targets.get(key)
      if (target !== undefined) return [target, length]
    }
    return undefined
  }
  return {
    mentions: (text, words) => {
      const found = new Set<string>()
      for (let i = 0; i < words.length; i++) {
        const mention = at(text, words, i)
        if (mention === undefined) continue
        found.add(mention[0])
        i += mention[1] - 1
      }
      return [...found]
    }
  }
}
