/**
 * p, the plan: what to look for now, what is known and what is missing (C11). Only the Planner writes it.
 *
 * A plan carries its own term weights, so that the trace scorer g is a function of question, plan and text alone (C12): whoever holds the
 * plan can score a text again and get the same number, without the index that the plan was made with.
 */
import { Schema } from "effect"
import { Span } from "./Corpus.ts"
import { NodeId, PassageId, SlotName } from "./Ids.ts"

const Weight = Schema.Finite.pipe(Schema.nonNegative())
const Text = Schema.String.pipe(Schema.maxLength(4096))
const Name = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(300))

/** What kind of answer the question wants. `Generic` is what the rules say of a question, or a language, that they don't know. */
export const QuestionType = Schema.Literal(
  "Boolean",
  "Comparison",
  "Person",
  "Place",
  "Date",
  "Quantity",
  "Definition",
  "Procedure",
  "Entity",
  "Generic"
)
export type QuestionType = typeof QuestionType.Type

/** Something the answer needs. Its name is unique in a plan. */
export const Slot = Schema.Struct({ name: SlotName, description: Text })
export type Slot = typeof Slot.Type

/** A slot that is filled, by what the corpus says at `span`: `text` is that slice, character for character. Never an answer (C26). */
export const Binding = Schema.Struct({ slot: SlotName, span: Span, text: Text })
export type Binding = typeof Binding.Type

/** A weighted term of a query, folded as {@link import("./Words.ts").fold} does. */
export const WeightedTerm = Schema.Struct({ term: Name, weight: Weight })
export type WeightedTerm = typeof WeightedTerm.Type

/** Near texts of a hypothesis at most. */
export const mostNear = 64

/** A text that lies near a query in meaning, by its fingerprint, and what that adds to its raw score. */
export const Near = Schema.Struct({ abstraction: Schema.String.pipe(Schema.maxLength(32)), score: Weight })
export type Near = typeof Near.Type

const worded = {
  from: Schema.NullOr(PassageId),
  /** How much is put on it, in [0, 1]. */
  weight: Weight,
  /** The words as an index takes them. */
  query: Text,
  terms: Schema.Array(WeightedTerm).pipe(Schema.maxItems(64)),
  /** The best raw score that any text of the corpus reaches for `terms`; what scores are divided by. */
  best: Weight
}

/**
 * One way to go on: words to look for, because of a passage already seen (`from`), or of the question itself (`from` is null). Where the
 * corpus' vectors tell meaning, it also names the texts that are near.
 */
export const Hypothesis = Schema.Union(
  // the larger one first: the other would take it for its own, and leave `near` out
  Schema.Struct({ ...worded, near: Schema.Array(Near).pipe(Schema.maxItems(mostNear)) }),
  Schema.Struct(worded)
)
export type Hypothesis = typeof Hypothesis.Type

/** A title or entity that what was found points to. */
export const Frontier = Schema.Struct({ name: Name, weight: Weight })
export type Frontier = typeof Frontier.Type

/** Cycles that a run takes at most, whatever the policy says. */
export const mostCycles = 1000

/** An Evidence node where an earlier cycle of this run ended. `abstraction` is the fingerprint of its a(v). */
export const Visit = Schema.Struct({ node: NodeId, abstraction: Schema.String.pipe(Schema.maxLength(32)) })
export type Visit = typeof Visit.Type

export const Plan = Schema.Struct({
  type: QuestionType,
  entities: Schema.Array(Name).pipe(Schema.maxItems(32)),
  slots: Schema.Array(Slot).pipe(Schema.maxItems(32)),
  objective: Text.pipe(Schema.minLength(1)),
  hypotheses: Schema.Array(Hypothesis).pipe(Schema.maxItems(16)),
  known: Schema.Array(Binding).pipe(Schema.maxItems(32)),
  missing: Schema.Array(SlotName).pipe(Schema.maxItems(32)),
  frontier: Schema.Array(Frontier).pipe(Schema.maxItems(64)),
  /** Fingerprints of the abstractions whose passages are already held. */
  held: Schema.Array(Schema.String.pipe(Schema.maxLength(32))).pipe(Schema.maxItems(64)),
  /** One entry a committed cycle, oldest first. */
  visited: Schema.Array(Visit).pipe(Schema.maxItems(mostCycles))
})
export type Plan = typeof Plan.Type
