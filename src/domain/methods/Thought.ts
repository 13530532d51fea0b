/** A chain of thought as it grows, one sentence at a time (IRCoT). */
import { sentences } from "../Sentences.ts"

/** The first sentence of what was said, on one line; empty where nothing was. */
export const firstSentence = (said: string): string => {
  const [first] = sentences(said)
  return first === undefined ? "" : said.slice(first.start, first.end).replace(/\s+/gu, " ")
}

/** Whether a sentence gives the answer. */
export const isLast = (sentence: string): boolean => /\banswer is\b/iu.test(sentence)
