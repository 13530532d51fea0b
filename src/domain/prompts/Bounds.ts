/** How much a model may write: a grammar enforces it, the Schema checks it, and the token limit has to hold it. */
import { Schema } from "effect"

export interface Bounds {
  /** UTF-16 code units of a name. */
  readonly name: number
  /** UTF-16 code units of a sentence. */
  readonly text: number
  /** UTF-16 code units of a quotation. */
  readonly quotation: number
  /** UTF-16 code units of a long answer. */
  readonly long: number
  /** Items of a list. */
  readonly items: number
}

/** For models behind an API. */
export const usual: Bounds = { name: 120, text: 600, quotation: 1000, long: 6000, items: 8 }

/** For models of a few hundred million parameters: under a grammar they write until the bound, one token a character. */
export const small: Bounds = { name: 40, text: 40, quotation: 40, long: 160, items: 2 }

export const text = (most: number, description: string) =>
  Schema.String.pipe(Schema.maxLength(most)).annotations({ description })
export const list = <A, I>(item: Schema.Schema<A, I>, most: number, description: string) =>
  Schema.Array(item).pipe(Schema.maxItems(most)).annotations({ description })
