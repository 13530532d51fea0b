/**
 * Two books of prose: is the place that answers a question among the first three quotations? The questions and their places were written by
 * reading the books, before any role was tuned on them. Those of kind `other` share no word with the paragraph that answers them: what words
 * alone find there is told and not required.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Citation } from "../../src/domain/Answer.ts"
import { ScopeKey } from "../../src/domain/Ids.ts"
import { contentTerms, terms } from "../../src/domain/Words.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Ask from "../../src/programs/Ask.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"
import { dataFolder, dataPath } from "../support/Data.ts"
import written from "./prose-questions.json" with { type: "json" }

const Place = Schema.Struct({ document: Schema.String, text: Schema.String })
const Question = Schema.Struct({
  corpus: Schema.Literal("rust-book", "langgraphjs-docs"),
  kind: Schema.Literal("plain", "other"),
  question: Schema.String,
  ...Place.fields,
  /** Other places that answer it as well. */
  also: Schema.optional(Schema.Array(Place))
})
type Question = typeof Question.Type
type Place = typeof Place.Type
const questions = Schema.decodeUnknownSync(Schema.Array(Question))(written)
const books = ["rust-book", "langgraphjs-docs"] as const

const placesOf = (question: Question): ReadonlyArray<Place> => [question, ...(question.also ?? [])]
const sourceOf = (question: Question, { document }: Place): string =>
  readFileSync(dataPath("prose", question.corpus, document), "utf8")

const finds = (question: Question, citations: ReadonlyArray<Citation>): boolean =>
  placesOf(question).some((place) => {
    const start = sourceOf(question, place).indexOf(place.text)
    const end = start + place.text.length
    return citations.slice(0, 3).some((one) => one.document === place.document && one.start < end && one.end > start)
  })

/** The questions of one book that find their place. */
const found = (corpus: string, asked: ReadonlyArray<Question>): Promise<ReadonlyArray<Question>> => {
  const directory = mkdtempSync(join(tmpdir(), "staterag-prose-"))
  const scope = ScopeKey.make(corpus)
  return Effect.gen(function* () {
    yield* IndexCorpus.indexCorpus({ scope, paths: [dataPath("prose", corpus)] })
    return yield* Effect.filter(asked, (one) =>
      Effect.map(Ask.ask(one.question, { scope }), ({ citations }) => finds(one, citations))
    )
  })
    .pipe(Effect.provide(Embedded.layer({ directory })), Effect.runPromise)
    .finally(() => rmSync(directory, { recursive: true, force: true }))
}

describe.runIf(dataFolder !== undefined)("C20, C21 answers from prose", () => {
  it("every place stands once in its book, and shares no word with its question where it should not", () => {
    for (const question of questions) {
      for (const place of placesOf(question))
        expect(sourceOf(question, place).split(place.text).length - 1, place.text).toBe(1)
      if (question.kind === "plain") continue
      const source = sourceOf(question, question)
      const at = source.indexOf(question.text)
      const end = source.indexOf("\n\n", at)
      const paragraph = new Set(terms(source.slice(source.lastIndexOf("\n\n", at) + 1, end < 0 ? undefined : end)))
      expect(
        contentTerms(question.question).filter((term) => paragraph.has(term)),
        question.question
      ).toEqual([])
    }
    for (const kind of ["plain", "other"]) expect(questions.filter((one) => one.kind === kind)).toHaveLength(20)
  })

  it("the place is among the first three quotations of at least 17 of the 20 plain questions", async () => {
    const hits = (
      await Promise.all(
        books.map((book) =>
          found(
            book,
            questions.filter(({ corpus }) => corpus === book)
          )
        )
      )
    ).flat()
    for (const kind of ["plain", "other"] as const) {
      const asked = questions.filter((one) => one.kind === kind)
      const missed = asked.filter((one) => !hits.includes(one))
      process.stdout.write(`prose, ${kind}: ${asked.length - missed.length} of ${asked.length}; missed:\n`)
      for (const { question, corpus } of missed) process.stdout.write(`  ${question} (${corpus})\n`)
    }
    expect(hits.filter(({ kind }) => kind === "plain").length).toBeGreaterThanOrEqual(17)
  }, 240_000)
})
