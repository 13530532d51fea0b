/**
 * Long documents without titles: how much of the passages that answer a question lies in 1,000 tokens of evidence (characters of the
 * references, mean over questions): of E⁰, of what `ask` hands its reader, and of BM25 over the same passages.
 *
 * A cycle's evidence comes from one region (C14), and the best passages of a long document lie in many: where one document says most of what
 * is asked, E⁰ is handed over as it is (C19).
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Evidence } from "../../src/domain/Evidence.ts"
import { ScopeKey } from "../../src/domain/Ids.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Ask from "../../src/programs/Ask.ts"
import * as Bm25 from "../../src/programs/baselines/Bm25.ts"
import { evidenceOf } from "../../src/programs/baselines/Method.ts"
import * as Rankings from "../../src/programs/baselines/Rankings.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"
import { dataFolder, dataPath } from "../support/Data.ts"

const Question = Schema.Struct({
  corpus: Schema.String,
  question: Schema.String,
  references: Schema.NonEmptyArray(Schema.Struct({ start: Schema.Int, end: Schema.Int }))
})
type Question = typeof Question.Type
const decode = Schema.decodeUnknownSync(Schema.parseJson(Question))
const budget = 1000

/** The share of the references' characters that the evidence holds. */
const recall = ({ corpus, references }: Question, evidence: Evidence): number => {
  const own = evidence.filter(({ document }) => document === `${corpus}.md`)
  const held = (at: number) => own.some(({ end, start }) => start <= at && at < end)
  const all = references.flatMap(({ end, start }) => Array.from({ length: end - start }, (_, i) => start + i))
  return all.filter(held).length / all.length
}

const mean = (values: ReadonlyArray<number>): number =>
  (100 * values.reduce((sum, value) => sum + value, 0)) / values.length

/** Every so many questions are asked; the rankings are measured on all. */
const step = 4
const policy = { ...defaultPolicy, evidenceTokens: budget }

describe.runIf(dataFolder !== undefined)("C14, C19, C20 spans of long documents", () => {
  it("1,000 tokens of E⁰, and of what `ask` hands over, hold no less of them than BM25's", async () => {
    const questions = readFileSync(dataPath("chunking-eval.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => decode(line))
    const directory = mkdtempSync(join(tmpdir(), "staterag-chunking-"))
    const scope = ScopeKey.make("chunks")
    const { asked, ranked } = await Effect.gen(function* () {
      yield* IndexCorpus.indexCorpus({ scope, paths: [dataPath("chunking-eval")], include: ["**/*.md"] })
      const bm25 = Bm25.ofPassages(yield* Bm25.passagesOf(scope))
      const first = yield* Rankings.first({ scope, policy, navigation: false, seed: 1 })
      const ranked = yield* Effect.forEach(questions, (one) =>
        Effect.map(Effect.all([bm25(one.question), first(one.question)]), ([words, initial]) => ({
          words: recall(one, evidenceOf(words, budget)),
          first: recall(one, evidenceOf(initial, budget))
        }))
      )
      const asked = yield* Effect.forEach(
        questions.map((one, i) => ({ one, i })).filter(({ i }) => i % step === 0),
        ({ i, one }) =>
          Effect.gen(function* () {
            const { evidence } = yield* Ask.ask(one.question, { scope, policy })
            return { words: ranked[i]?.words ?? 0, ask: recall(one, evidence) }
          })
      )
      return { asked, ranked }
    })
      .pipe(Effect.provide(Embedded.layer({ directory })), Effect.runPromise)
      .finally(() => rmSync(directory, { recursive: true, force: true }))
    const all = { words: mean(ranked.map(({ words }) => words)), first: mean(ranked.map(({ first }) => first)) }
    const some = {
      words: mean(asked.map(({ words }) => words)),
      ask: mean(asked.map(({ ask }) => ask))
    }
    process.stdout.write(
      `${ranked.length} questions: BM25 ${all.words.toFixed(1)}, E⁰ ${all.first.toFixed(1)}\n` +
        `${asked.length} of them: BM25 ${some.words.toFixed(1)}, ask ${some.ask.toFixed(1)}\n`
    )
    expect(all.first).toBeGreaterThanOrEqual(all.words)
    expect(some.ask).toBeGreaterThanOrEqual(some.words)
  }, 900_000)
})
