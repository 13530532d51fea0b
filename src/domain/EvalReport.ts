/** The report of an evaluation: the JSON of `eval --json`. Figures are percent, 0 to 100; null where nothing can be said. */
import { Schema } from "effect"

const Percent = Schema.NullOr(Schema.Number)
const Pair = Schema.Tuple(Schema.Number, Schema.Number)
const AtK = Schema.Record({ key: Schema.String, value: Percent })
const Group = Schema.Struct({ n: Schema.Int, recall: AtK, allSupport: AtK, em: Percent, f1: Percent })
export type Group = typeof Group.Type
const Groups = Schema.Record({ key: Schema.String, value: Group })

export const MethodReport = Schema.Struct({
  ...Group.fields,
  mrr: Percent,
  ndcg: Percent,
  contained: Percent,
  citationPrecision: Percent,
  citationRecall: Percent,
  /** Average normalised Levenshtein similarity. */
  anls: Percent,
  /** How much was read of what an annotator took as evidence; null where the set says nothing of it. */
  evidenceRecall: Percent,
  /** Bootstrap intervals by metric. */
  interval: Schema.Record({ key: Schema.String, value: Pair }),
  byType: Groups,
  byBranch: Groups,
  byHops: Groups,
  /** Runs that ended in ⊥; each counts as wrong. */
  incomplete: Schema.Int,
  /** Answers that say "not found". */
  notFound: Schema.Int,
  /** Milliseconds a question; CPU is null where it was not measured. */
  cost: Schema.Struct({
    wallMs: Schema.Struct({ mean: Schema.Number, p50: Schema.Number, p95: Schema.Number }),
    cpuMs: Schema.NullOr(Schema.Struct({ mean: Schema.Number, p50: Schema.Number, p95: Schema.Number })),
    calls: Schema.Number,
    readerEquivalentTokens: Schema.Number,
    /** In all; null where no price is known, or nothing was paid. */
    money: Schema.NullOr(Schema.Number)
  }),
  /** What stands in for a part of the method as it was published. */
  note: Schema.NullOr(Schema.String),
  /** What it took to be made ready: an index of its own, in all; null where that is not known. */
  index: Schema.NullOr(
    Schema.Struct({
      wallMs: Schema.Number,
      cpuMs: Schema.NullOr(Schema.Number),
      calls: Schema.Int,
      readerEquivalentTokens: Schema.Number,
      money: Schema.NullOr(Schema.Number)
    })
  ),
  /** How far gold documents got, mean share; null for methods without cycles. */
  stages: Schema.NullOr(
    Schema.Struct({ initial: Percent, regions: Percent, evidence: Percent, terminal: Percent, questions: Schema.Int })
  ),
  /** All gold in the evidence of cycle 1, where the Verifier said Pass and where it said Fail. */
  verdicts: Schema.NullOr(
    Schema.Struct({
      pass: Schema.Struct({ n: Schema.Int, allSupport: Percent }),
      fail: Schema.Struct({ n: Schema.Int, allSupport: Percent })
    })
  ),
  /** Agreement with the exhaustive argmax of g over all cycles, and the share of Evidence nodes scored. */
  navigation: Schema.NullOr(Schema.Struct({ cycles: Schema.Int, agreement: Percent, scored: Percent }))
})
export type MethodReport = typeof MethodReport.Type

export const Paired = Schema.Struct({
  a: Schema.String,
  b: Schema.String,
  metric: Schema.String,
  n: Schema.Int,
  /** Mean of a − b. */
  difference: Schema.Number,
  interval: Pair,
  /** Two-sided, by paired permutation. */
  p: Schema.Number,
  /** p by Holm's correction over all pairs of this metric in the report. */
  holm: Schema.Number
})
export type Paired = typeof Paired.Type

const Scored = Schema.Record({ key: Schema.String, value: Percent })
export const QuestionReport = Schema.Struct({
  id: Schema.String,
  method: Schema.String,
  question: Schema.String,
  type: Schema.NullOr(Schema.String),
  hops: Schema.NullOr(Schema.Int),
  gold: Schema.Array(Schema.String),
  documents: Schema.Array(Schema.String),
  answer: Schema.NullOr(Schema.String),
  /** The answer as it was judged, without quotations and markers. */
  short: Schema.NullOr(Schema.String),
  answers: Schema.Array(Schema.String),
  outcome: Schema.String,
  reason: Schema.NullOr(Schema.String),
  cycles: Schema.Int,
  cited: Schema.Array(Schema.String),
  scores: Scored,
  wallMs: Schema.Number,
  cpuMs: Schema.NullOr(Schema.Number)
})
export type QuestionReport = typeof QuestionReport.Type

export const Report = Schema.Struct({
  dataset: Schema.String,
  n: Schema.Int,
  lines: Schema.String,
  /** Records left out because their gold is incomplete. */
  leftOut: Schema.Int,
  policy: Schema.String,
  settings: Schema.Unknown,
  corpusRevision: Schema.String,
  seed: Schema.Int,
  version: Schema.String,
  methods: Schema.Record({ key: Schema.String, value: MethodReport }),
  /** Methods that no other beats in both F1 and mean time a question. */
  frontier: Schema.Array(Schema.String),
  paired: Schema.Array(Paired),
  questions: Schema.Array(QuestionReport)
})
export type Report = typeof Report.Type
