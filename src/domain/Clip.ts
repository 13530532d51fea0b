/** A text cut to a number of tokens. */
import { splitsSurrogate } from "./Corpus.ts"

/** Characters of a text that are looked at for each token that is allowed: nobody counts a megabyte to keep a line. */
const longest = 16

/** The longest start of `text`, to a whole word where it has one, that `most` tokens hold; `count` counts tokens. */
export const clip = (count: (text: string) => number, text: string, most: number): string => {
  const start = text.slice(0, most * longest)
  if (start.length === text.length && count(text) <= most) return text
  let low = 0
  let high = start.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (count(start.slice(0, middle)) <= most) low = middle
    else high = middle - 1
  }
  const at = splitsSurrogate(text, low) ? low - 1 : low
  const cut = text.slice(0, at)
  const inWord = /\S/.test(text.charAt(at)) && /\S$/.test(cut)
  return (inWord ? cut.replace(/(?<=\s)\S+$/u, "") : cut).trimEnd()
}
