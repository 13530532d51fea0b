/** What an index run did, or would do. The JSON of `index --json` and `index --estimate --json`. */
import { Schema } from "effect"
import { CorpusRevision } from "./Ids.ts"
import { Usage } from "./Usage.ts"

const Count = Schema.NonNegativeInt

/** A file, or a record of one (`path:line`), that was left out, and why. */
export const LeftOut = Schema.Struct({ path: Schema.String, reason: Schema.String })
export type LeftOut = typeof LeftOut.Type

export const IndexReport = Schema.Struct({
  /** Documents of what was named; `unchanged` ones were neither read again nor embedded again. */
  documents: Schema.Struct({
    added: Count,
    changed: Count,
    unchanged: Count,
    removed: Count,
    skipped: Schema.Array(LeftOut)
  }),
  /** In the whole scope, as are the counts below. */
  passages: Count,
  nodes: Schema.Struct({ Root: Count, Topic: Count, Relation: Count, Evidence: Count }),
  edges: Count,
  vectors: Count,
  corpusRevision: CorpusRevision,
  elapsedMs: Schema.Number,
  usage: Usage
})
export type IndexReport = typeof IndexReport.Type

export const IndexEstimate = Schema.Struct({
  documents: Count,
  passages: Count,
  /** Reader tokens of all passages (o200k). */
  tokens: Count,
  /** Calls of a language model. */
  calls: Count,
  skipped: Schema.Array(LeftOut)
})
export type IndexEstimate = typeof IndexEstimate.Type
