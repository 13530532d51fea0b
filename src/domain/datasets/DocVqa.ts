/**
 * DocVQA's questions over the text of one page each, as it was read off the image (Mathew et al. 2021). They are judged by ANLS.
 *
 * The page becomes a document under its image's name, and its questions are asked of it alone.
 */
import { Either, Schema } from "effect"
import { type Dataset, type DatasetError, eachRecord, type Question, settle, shelf } from "../Dataset.ts"
import { DocumentId } from "../Ids.ts"

const Line = Schema.Struct({
  id: Schema.String.pipe(Schema.minLength(1)),
  image: DocumentId,
  question: Schema.String.pipe(Schema.filter((text) => text.trim() !== "" || "is empty")),
  answers: Schema.NonEmptyArray(Schema.String),
  dataset: Schema.optional(Schema.String),
  text: Schema.String
})

/** Reads the text of a file; `file` is how faults call it. Pages without text are left out, and named. */
export const parse = (file: string, text: string): Either.Either<Dataset, DatasetError> => {
  const questions: Array<Question> = []
  const leftOut: Array<string> = []
  const { passages, put } = shelf()
  const faults = eachRecord(file, text, { schema: Line, idOf: ({ id }) => id }, (read, line, fault) => {
    if (read.text.trim() === "") return void leftOut.push(read.id)
    put({ id: read.image, title: "", text: read.text }, fault)
    questions.push({
      id: read.id,
      line,
      question: read.question.trim(),
      answers: read.answers,
      gold: [],
      type: read.dataset ?? null,
      hops: null,
      steps: [],
      within: [read.image]
    })
  })
  return settle(file, faults, { questions, leftOut, passages: passages(), files: [] })
}

/** Whether a record is one of these. */
export const isLine = (value: unknown): boolean => Either.isRight(Schema.decodeUnknownEither(Line)(value))
