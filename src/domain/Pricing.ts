/** What models cost and how large they are, as data that a user extends: money and reader-equivalent tokens come from here (C28). */
import { Schema } from "effect"

const Amount = Schema.Finite.pipe(Schema.nonNegative())

export const ModelCard = Schema.Struct({
  /** Money a million prompt tokens; null where no price is known. */
  prompt: Schema.NullOr(Amount),
  /** Money a million tokens of the answer. */
  completion: Schema.NullOr(Amount),
  /** Billions of parameters; null where they are not published. */
  size: Schema.NullOr(Schema.Finite.pipe(Schema.positive()))
})
export type ModelCard = typeof ModelCard.Type

/** Cards by the model's name. */
export const ModelCards = Schema.Record({ key: Schema.String, value: ModelCard })
export type ModelCards = typeof ModelCards.Type

const priced = (prompt: number, completion: number): ModelCard => ({ prompt, completion, size: null })
const sized = (size: number): ModelCard => ({ prompt: null, completion: null, size })

/** OpenAI's list prices in US dollars, as of 2026, and the sizes of some open models. Prices change: set your own. */
export const knownModels: ModelCards = {
  "gpt-5.4": priced(2.5, 15),
  "gpt-5.1": priced(1.25, 10),
  "gpt-5": priced(1.25, 10),
  "gpt-5-mini": priced(0.25, 2),
  "gpt-5-nano": priced(0.05, 0.4),
  "gpt-4.1": priced(2, 8),
  "gpt-4.1-mini": priced(0.4, 1.6),
  "gpt-4.1-nano": priced(0.1, 0.4),
  "gpt-4o": priced(2.5, 10),
  "gpt-4o-mini": priced(0.15, 0.6),
  o3: priced(2, 8),
  "o3-mini": priced(1.1, 4.4),
  "o4-mini": priced(1.1, 4.4),
  "text-embedding-3-small": priced(0.02, 0),
  "text-embedding-3-large": priced(0.13, 0),
  "text-embedding-ada-002": priced(0.1, 0),
  "SmolLM2-135M-Instruct.Q4_1.gguf": sized(0.135),
  "llama3.2": sized(3.2),
  "llama3.1": sized(8),
  "llama3.3": sized(70),
  "qwen2.5": sized(7.6),
  "qwen3:8b": sized(8.2),
  "gemma3:4b": sized(4.3),
  "mistral-small": sized(24)
}

/** Names of snapshots end in a date: `gpt-4o-mini-2024-07-18` is `gpt-4o-mini`. */
const undated = (model: string): string => model.replace(/-\d{4}-\d{2}-\d{2}$/, "")

const cardOf = (cards: ModelCards, model: string): ModelCard | undefined =>
  [model, undated(model)].flatMap((name) => (Object.hasOwn(cards, name) ? [cards[name]] : []))[0]

/** What a call costs; null where no price is known. */
export const moneyOf = (
  cards: ModelCards,
  model: string,
  promptTokens: number,
  completionTokens: number
): number | null => {
  const card = cardOf(cards, model)
  if (card === undefined || card.prompt === null || card.completion === null) return null
  return (promptTokens * card.prompt + completionTokens * card.completion) / 1e6
}

/** Size of a model by that of the reader's; 1 where either is unknown. */
export const sizeRatioOf = (cards: ModelCards, model: string, reader: string): number => {
  if (model === reader) return 1
  const size = cardOf(cards, model)?.size ?? null
  const readers = cardOf(cards, reader)?.size ?? null
  return size === null || readers === null ? 1 : size / readers
}
