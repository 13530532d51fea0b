/**
 * Words as the whole system sees them: the lexical index, the plan's terms and the scorer g fold text in the same way, so a term found in
 * one is found in the others.
 *
 * A word is a run of letters and digits, without case, accents and (for English) the commonest endings. Scripts that write no spaces give
 * overlapping pairs of characters, so that a two-character word is found.
 */

export interface Word {
  /** The folded form; letters and digits only. */
  readonly term: string
  readonly start: number
  readonly end: number
}

const unspaced =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}"
// an apostrophe belongs to the word that goes on behind it
const run = new RegExp(
  `[${unspaced}\\u30fc\\p{M}]+|(?:(?![${unspaced}])[\\p{L}\\p{N}])(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}]|['\u2019](?=\\p{L}))*`,
  "gu"
)
const isUnspaced = new RegExp(`^[${unspaced}]`, "u")
/** What is no letter or digit: accents, apostrophes, and the brackets that a bracketed digit decomposes into. */
const strange = /[^\p{L}\p{N}]+/gu
const strangeUnspaced = /[^\p{L}\p{N}\p{M}]+/gu
const possessive = /['\u2019]s$/u
const ascii = /^[a-z]+$/

/** Takes the commonest English endings off: plurals, -ed, -ing. Words of three letters or fewer stay. */
const stem = (word: string): string => {
  let w = word
  if (w.length > 3 && w.endsWith("s") && !w.endsWith("ss") && !w.endsWith("us") && !w.endsWith("is")) {
    w = w.endsWith("ies") && w.length > 4 ? `${w.slice(0, -3)}y` : w.endsWith("sses") ? w.slice(0, -2) : w.slice(0, -1)
  }
  const cut = w.endsWith("ing") && w.length > 5 ? 3 : w.endsWith("ed") && w.length > 4 && !w.endsWith("eed") ? 2 : 0
  if (cut > 0 && /[aeiouy]/.test(w.slice(0, -cut))) {
    w = w.slice(0, -cut)
    if (/([^aeiouylsz])\1$/.test(w)) w = w.slice(0, -1)
    if (cut === 2 && w.endsWith("i")) w = `${w.slice(0, -1)}y`
  }
  return w.length > 3 && w.endsWith("e") ? w.slice(0, -1) : w
}

/** One word as a term: without case, accents and English endings. */
export const fold = (word: string): string => {
  const plain = word.normalize("NFKD").toLowerCase().replace(possessive, "").replace(strange, "")
  return ascii.test(plain) ? stem(plain) : plain
}

const foldUnspaced = (piece: string): string => piece.normalize("NFKC").replace(strangeUnspaced, "")

/** The words of `text` in order, with where they stand. */
export const words = (text: string): ReadonlyArray<Word> => {
  const found: Array<Word> = []
  for (const match of text.matchAll(run)) {
    const start = match.index
    const piece = match[0]
    if (!isUnspaced.test(piece)) {
      const term = fold(piece)
      if (term !== "") found.push({ term, start, end: start + piece.length })
      continue
    }
    const characters = [...piece]
    if (characters.length === 1) {
      const term = foldUnspaced(piece)
      if (term !== "") found.push({ term, start, end: start + piece.length })
      continue
    }
    let at = start
    for (let i = 0; i + 1 < characters.length; i++) {
      const pair = `${characters[i]}${characters[i + 1]}`
      const term = foldUnspaced(pair)
      if (term !== "") found.push({ term, start: at, end: at + pair.length })
      at += characters[i]?.length ?? 0
    }
  }
  return found
}

/** The terms of `text` in order, with repeats. */
export const terms = (text: string): ReadonlyArray<string> => words(text).map((word) => word.term)

const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both but by can could did do does doing
  down during each either else ever few for from further had has have having he her here hers him his how i if in into is it its itself just many may me
  might more most much must my name named no nor not of off on once one only or other our out over own part same shall she should so some such than that
  the their them then there these they this those through to too under until up upon us use used very was we were what when where which while who whom
  whose why will with within without would you your yes tell give show find please explain describe kind type`
    .split(/\s+/)
    .map(fold)
)

/** Whether a term carries no meaning of its own in English. */
export const isStopWord = (term: string): boolean => stopWords.has(term)

/** The distinct terms of `text` that carry meaning, in order of first use; all of them where none would be left. */
export const contentTerms = (text: string): ReadonlyArray<string> => {
  const all = [...new Set(terms(text))]
  const kept = all.filter((term) => !isStopWord(term))
  return kept.length > 0 ? kept : all
}
