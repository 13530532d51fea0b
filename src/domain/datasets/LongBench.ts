/**
 * LongBench's question answering: each record carries its whole context, `Passage N:`, title, text, or one long text (Bai et al. 2024).
 *
 * The passages of a record become documents, and its question is asked of these alone. An answer is judged by as many tokens as the
 * benchmark lets a model write: 128 for `qasper`, 32 for the others.
 */
import { Either, Schema } from "effect"
import { type Dataset, type DatasetError, eachRecord, type Question, settle, shelf } from "../Dataset.ts"
import { DocumentId } from "../Ids.ts"

const Line = Schema.Struct({
  _id: Schema.String.pipe(Schema.minLength(1)),
  input: Schema.String.pipe(Schema.filter((text) => text.trim() !== "" || "is empty")),
  context: Schema.String.pipe(Schema.filter((text) => text.trim() !== "" || "is empty")),
  answers: Schema.NonEmptyArray(Schema.String),
  dataset: Schema.String
})

const long = 128
const short = 32

const passagesOf = (id: string, context: string) => {
  const parts = context.split(/^Passage \d+:\n/mu)
  if (parts.length === 1) return [{ id: DocumentId.make(`${id}/1`), title: "", text: context }]
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part, i) => {
      const end = part.indexOf("\n")
      const title = end < 0 ? "" : part.slice(0, end)
      return { id: DocumentId.make(`${id}/${i + 1}`), title, text: part.slice(end + 1) }
    })
}

/** Reads the text of a file; `file` is how faults call it. */
export const parse = (file: string, text: string): Either.Either<Dataset, DatasetError> => {
  const questions: Array<Question> = []
  const { passages, put } = shelf()
  const faults = eachRecord(file, text, { schema: Line, idOf: ({ _id }) => _id }, (read, line, fault) => {
    const own = passagesOf(read._id, read.context)
    for (const passage of own) put(passage, fault)
    questions.push({
      id: read._id,
      line,
      question: read.input.trim(),
      answers: read.answers,
      gold: [],
      type: read.dataset,
      hops: null,
      steps: [],
      within: own.map(({ id }) => id),
      answerTokens: read.dataset === "qasper" ? long : short,
      ...(read.dataset === "qasper" ? { absent: "Unanswerable" } : {})
    })
  })
  return settle(file, faults, { questions, leftOut: [], passages: passages(), files: [] })
}

/** Whether a record is one of these. */
export const isLine = (value: unknown): boolean => Either.isRight(Schema.decodeUnknownEither(Line)(value))
