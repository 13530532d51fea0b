/**
 * Questions with what is known of their answers: one JSON object a line.
 *
 * Users' own questions:
 *
 *     { "id": "q1", "question": "Who maintains the parser?", "answers": ["Ada"], "gold": ["docs/parser.md"], "type"?: "…", "hops"?: 2 }
 *
 * `gold` names documents of the corpus (the path relative to the indexed root, or the JSON Lines `id`). HotpotQA, 2WikiMultihopQA and
 * MuSiQue records carry their passages instead, `{ "id", "title", "text", "supporting" }`, of which the supporting ones are gold. Other
 * fields are allowed and not read. A record whose `support` is `partial` has incomplete gold and is left out.
 *
 * A file with a fault is refused whole, each fault named `file:line`: figures over what happened to decode would mislead.
 */
import { Either, ParseResult, Schema } from "effect"
import type { Span } from "./Corpus.ts"
import { DocumentId } from "./Ids.ts"

const Passage = Schema.Struct({
  id: DocumentId,
  title: Schema.String,
  text: Schema.String,
  supporting: Schema.optionalWith(Schema.Boolean, { default: () => false })
})
const Step = Schema.Struct({
  question: Schema.String,
  answer: Schema.String,
  passageId: Schema.optional(Schema.NullOr(DocumentId))
})
const Line = Schema.Struct({
  id: Schema.String.pipe(Schema.minLength(1)),
  question: Schema.String.pipe(Schema.filter((text) => text.trim() !== "" || "is empty")),
  answers: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  gold: Schema.optional(Schema.Array(DocumentId)),
  type: Schema.optional(Schema.NullOr(Schema.String)),
  hops: Schema.optional(Schema.NullOr(Schema.Int)),
  support: Schema.optional(Schema.NullOr(Schema.String)),
  passages: Schema.optionalWith(Schema.Array(Passage), { default: () => [] }),
  decomposition: Schema.optionalWith(Schema.Array(Step), { default: () => [] })
})

/** A document that a record carries. */
export interface Carried {
  readonly id: DocumentId
  readonly title: string
  readonly text: string
}

/** One thing that a perfect plan would look for, and where it is said. */
export interface GoldStep {
  readonly query: string
  readonly document: DocumentId
}

export interface Question {
  readonly id: string
  /** In the file, from 1. */
  readonly line: number
  readonly question: string
  /** Any of them is right; empty where none is known. */
  readonly answers: ReadonlyArray<string>
  /** The documents that the answer rests on, distinct; empty where they are not known. */
  readonly gold: ReadonlyArray<DocumentId>
  readonly type: string | null
  readonly hops: number | null
  /** One a gold document where that can be said, with the answers of earlier steps filled in. */
  readonly steps: ReadonlyArray<GoldStep>
  /** Only these documents are searched; all where undefined. */
  readonly within?: ReadonlyArray<DocumentId> | undefined
  /** What each annotator took the answer from; found by whoever finds what one of them took. */
  readonly evidence?: ReadonlyArray<ReadonlyArray<Span>> | undefined
  /** What "not found" is judged as, where a set has a word for it. */
  readonly absent?: string | undefined
  /** Tokens (o200k) of an answer that are judged; all where undefined. */
  readonly answerTokens?: number | undefined
}

/** A file to index that a set's records are made into. */
export interface MadeFile {
  readonly path: string
  readonly text: string
}

export interface Dataset {
  readonly questions: ReadonlyArray<Question>
  /** Ids of records that were left out because their gold is incomplete. */
  readonly leftOut: ReadonlyArray<string>
  /** The union of the records' passages, by first use. */
  readonly passages: ReadonlyArray<Carried>
  /** Files to index instead of passages. */
  readonly files: ReadonlyArray<MadeFile>
}

export const Fault = Schema.Struct({ place: Schema.String, reason: Schema.String })
export type Fault = typeof Fault.Type

const shown = 10

/** A dataset that cannot be trusted: what is wrong, and where. */
export class DatasetError extends Schema.TaggedError<DatasetError>()("DatasetError", {
  faults: Schema.NonEmptyArray(Fault)
}) {
  override get message(): string {
    const more = this.faults.length > shown ? `\nand ${this.faults.length - shown} more` : ""
    return `${this.faults
      .slice(0, shown)
      .map(({ place, reason }) => `${place}: ${reason}`)
      .join("\n")}${more}`
  }
  get advice(): string {
    return 'one JSON object a line: { "id", "question", "answers": […], "gold": [documents] }, or a record with "passages"'
  }
}

/** `#1` is the answer of the first step; `a >> b` asks for the relation b of a. */
const filled = (question: string, steps: ReadonlyArray<typeof Step.Type>): string =>
  question.replace(/#(\d+)/g, (mark, n: string) => steps[Number(n) - 1]?.answer ?? mark).replaceAll(" >> ", " ")

const stepsOf = (line: typeof Line.Type, gold: ReadonlyArray<DocumentId>): ReadonlyArray<GoldStep> => {
  const asked = line.decomposition.flatMap(({ passageId, question }) =>
    passageId == null ? [] : [{ query: filled(question, line.decomposition), document: passageId }]
  )
  if (asked.length > 0) return asked
  const titles = new Map(line.passages.map(({ id, title }) => [id, title]))
  return gold.map((document) => ({ query: titles.get(document)?.trim() || line.question, document }))
}

const json = (text: string): Either.Either<unknown, string> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => `is no JSON (${cause instanceof Error ? cause.message.slice(0, 120) : String(cause)})`
  })

const fitted = <A, I>(schema: Schema.Schema<A, I>): ((text: string) => Either.Either<A, string>) => {
  const decode = Schema.decodeUnknownEither(schema)
  return (text) =>
    Either.flatMap(json(text), (value) =>
      Either.mapLeft(decode(value), (error) =>
        ParseResult.ArrayFormatter.formatErrorSync(error)
          .slice(0, 3)
          .map(({ message, path }) => (path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`))
          .join("; ")
      )
    )
}

export const failed = (faults: ReadonlyArray<Fault>): DatasetError | undefined => {
  const [first, ...rest] = faults
  return first === undefined ? undefined : new DatasetError({ faults: [first, ...rest] })
}

/** Hands over each record of a file with its line, from 1; the faults of the lines that are none, and of those that `take` objects to. */
export const eachRecord = <A, I>(
  file: string,
  text: string,
  { idOf, schema }: { readonly schema: Schema.Schema<A, I>; readonly idOf: (record: A) => string },
  take: (record: A, line: number, fault: (reason: string) => void) => void
): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  const firstLines = new Map<string, number>()
  const decode = fitted(schema)
  for (const [i, written] of text
    .replace(/^\ufeff/, "")
    .split("\n")
    .entries()) {
    if (written.trim() === "") continue
    const line = i + 1
    const fault = (reason: string) => void faults.push({ place: `${file}:${line}`, reason })
    const parsed = decode(written)
    if (Either.isLeft(parsed)) {
      fault(parsed.left)
      continue
    }
    const id = idOf(parsed.right)
    const first = firstLines.get(id)
    if (first === undefined) {
      firstLines.set(id, line)
      take(parsed.right, line, fault)
    } else fault(`repeats the id ${id} of line ${first}`)
  }
  return faults
}

/** Passages by id, each of which says one thing wherever it stands. */
export const shelf = () => {
  const held = new Map<string, Carried>()
  return {
    passages: (): ReadonlyArray<Carried> => [...held.values()],
    put: ({ id, text, title }: Carried, fault: (reason: string) => void): void => {
      const known = held.get(id)
      if (known === undefined) held.set(id, { id, title, text })
      else if (known.text !== text || known.title !== title)
        fault(`passage ${id} has another title or text than where it stood before`)
    }
  }
}

/** A dataset, unless something is wrong with it. */
export const settle = (
  file: string,
  faults: ReadonlyArray<Fault>,
  dataset: Dataset
): Either.Either<Dataset, DatasetError> => {
  const empty = dataset.questions.length === 0 ? [{ place: file, reason: "holds no question" }] : []
  const error = failed(faults.length > 0 ? faults : empty)
  return error === undefined ? Either.right(dataset) : Either.left(error)
}

/** Reads the text of a file; `file` is how faults call it. */
export const parse = (file: string, text: string): Either.Either<Dataset, DatasetError> => {
  const questions: Array<Question> = []
  const leftOut: Array<string> = []
  const { passages, put } = shelf()
  const faults = eachRecord(file, text, { schema: Line, idOf: ({ id }) => id }, (read, line, fault) => {
    for (const passage of read.passages) put(passage, fault)
    const gold = [...new Set(read.gold ?? read.passages.filter(({ supporting }) => supporting).map(({ id }) => id))]
    if (gold.length === 0 && read.answers.length === 0) fault("has neither answers nor gold documents")
    else if (read.support === "partial") leftOut.push(read.id)
    else
      questions.push({
        id: read.id,
        line,
        question: read.question.trim(),
        answers: read.answers,
        gold,
        type: read.type ?? null,
        hops: read.hops ?? null,
        steps: stepsOf(read, gold)
      })
  })
  return settle(file, faults, { questions, leftOut, passages: passages(), files: [] })
}

/** Which lines of the file are asked: tuning on odd ones and reporting even ones keeps the two apart. */
export const Lines = Schema.Literal("odd", "even", "all")
export type Lines = typeof Lines.Type

/** The questions on these lines, the first `limit` of them. */
export const choose = (
  questions: ReadonlyArray<Question>,
  lines: Lines,
  limit: number | undefined
): ReadonlyArray<Question> =>
  questions
    .filter(({ line }) => lines === "all" || (line % 2 === 1) === (lines === "odd"))
    .slice(0, limit ?? questions.length)

/** What is wrong with questions whose gold the corpus does not hold. */
export const missingGold = (
  file: string,
  questions: ReadonlyArray<Question>,
  held: (document: DocumentId) => boolean
): DatasetError | undefined =>
  failed(
    questions.flatMap(({ gold, id, line }) => {
      const missing = gold.filter((document) => !held(document))
      return missing.length === 0
        ? []
        : [{ place: `${file}:${line}`, reason: `the corpus lacks ${missing.join(", ")}, gold of question ${id}` }]
    })
  )
