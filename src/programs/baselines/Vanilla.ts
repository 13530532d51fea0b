/**
 * Vanilla RAG: the five nearest passages by vector, at most 2,048 tokens of them, and the reader (the defaults of FlashRAG's and HippoRAG 2's
 * standard pipelines, which read five passages of about a hundred words).
 */
import { Effect } from "effect"
import { type Method, reading, type Setting } from "./Method.ts"
import * as Rankings from "./Rankings.ts"

const nearest = 5
const mostTokens = 2048

export const make = (setting: Setting) =>
  Effect.map(Rankings.dense(setting), (rank) => {
    const { policy } = setting
    const own = { ...setting, policy: { ...policy, evidenceTokens: Math.min(policy.evidenceTokens, mostTokens) } }
    return reading(own, (question, within) =>
      Effect.map(rank(question, within), (ranked) => ranked.slice(0, nearest))
    ) satisfies Method<unknown>
  })
