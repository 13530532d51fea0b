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
  "uy"
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

/**
 * Terms of ASCII words that were folded before, by a hash of the word, one a slot: few words make most of any text. A longer word might keep
 * the whole text alive that it was cut from.
 */
const slots = 65_536
const longestKept = 12
const keptWords: Array<string> = new Array<string>(slots).fill("")
const keptTerms: Array<string> = new Array<string>(slots).fill("")

const standsAt = (word: string, text: string, at: number): boolean => {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== text.charCodeAt(at + i)) return false
  return true
}

const foldAscii = (text: string, start: number, end: number, hash: number): string => {
  const slot = (hash ^ (hash >>> 16)) & (slots - 1)
  const word = keptWords[slot]
  if (word?.length === end - start && standsAt(word, text, start)) return keptTerms[slot] ?? ""
  const piece = text.slice(start, end)
  const term = fold(piece)
  if (piece.length <= longestKept) {
    keptWords[slot] = piece
    keptTerms[slot] = term
  }
  return term
}

const foldUnspaced = (piece: string): string => piece.normalize("NFKC").replace(strangeUnspaced, "")

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isDigit = (code: number): boolean => code >= 48 && code <= 57
const apostrophe = 39

const pairsOf = (piece: string, start: number, found: Array<Word>): void => {
  const characters = [...piece]
  let at = start
  for (let i = 0; i === 0 || i + 1 < characters.length; i++) {
    const pair = `${characters[i]}${characters[i + 1] ?? ""}`
    const term = foldUnspaced(pair)
    if (term !== "") found.push({ term, start: at, end: at + pair.length })
    at += characters[i]?.length ?? 0
  }
}

/** The words of `text` in order, with where they stand. */
export const words = (text: string): ReadonlyArray<Word> => {
  const found: Array<Word> = []
  for (let at = 0; at < text.length; ) {
    let end = at
    let hash = 0
    // what is ASCII needs no Unicode; `isPlain` ends where a character beyond it has a say
    let isPlain = true
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end)
      if (code === apostrophe && end > at) {
        const next = text.charCodeAt(end + 1)
        isPlain = !(next > 127)
        if (!isLetter(next)) break
      } else if (!isLetter(code) && !isDigit(code)) {
        isPlain = code <= 127
        break
      }
      hash = Math.imul(hash ^ code, 0x5bd1e995)
    }
    if (isPlain) {
      if (end > at) {
        const term = foldAscii(text, at, end, hash)
        if (term !== "") found.push({ term, start: at, end })
      } else end++
      at = end
      continue
    }
    run.lastIndex = at
    if (!run.test(text)) {
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
      continue
    }
    end = run.lastIndex
    const piece = text.slice(at, end)
    if (isUnspaced.test(piece)) pairsOf(piece, at, found)
    else {
      const term = fold(piece)
      if (term !== "") found.push({ term, start: at, end })
    }
    at = end
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
