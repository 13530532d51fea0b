/**
 * QASPER: questions about one paper each, with what up to six annotators answered and took as evidence (Dasigi et al. 2021).
 *
 * Each paper becomes one Markdown file, `PAPER.md`, whose paragraphs are found again by their offsets. A question is asked of its own paper.
 * Evidence in figures, tables and section names is not counted, as the reference scorer's text-only setting has it; "Unanswerable" is
 * an answer like any other, and is what "not found" is judged as.
 */
import { Either, Schema } from "effect"
import type { Span } from "../Corpus.ts"
import { type Dataset, type DatasetError, eachRecord, type MadeFile, type Question, settle } from "../Dataset.ts"
import { DocumentId } from "../Ids.ts"

const Paragraph = Schema.Struct({ id: Schema.String, text: Schema.String })
const Paper = Schema.Struct({
  id: Schema.String.pipe(Schema.pattern(/^[\w.-]+$/)),
  title: Schema.String,
  abstract: Schema.String,
  sections: Schema.Array(Schema.Struct({ name: Schema.NullOr(Schema.String), paragraphs: Schema.Array(Paragraph) }))
})
const Annotation = Schema.Struct({
  type: Schema.String,
  answer: Schema.String,
  evidence: Schema.Array(Schema.Struct({ id: Schema.optional(Schema.String) }))
})
const Line = Schema.Struct({
  id: Schema.String.pipe(Schema.minLength(1)),
  paperId: Schema.String,
  question: Schema.String.pipe(Schema.filter((text) => text.trim() !== "" || "is empty")),
  annotations: Schema.NonEmptyArray(Annotation)
})

/** The word of the set for what a paper does not say. */
export const unanswerable = "Unanswerable"

/** A paper as Markdown, and where each of its paragraphs stands; section names have ` ::: ` between their levels. */
const fileOf = (paper: typeof Paper.Type, spans: Map<string, Span>): MadeFile => {
  const path = `${paper.id}.md`
  const document = DocumentId.make(path)
  let text = `# ${paper.title}\n`
  const say = (id: string, paragraph: string): void => {
    text += "\n"
    spans.set(id, { document, start: text.length, end: text.length + paragraph.length })
    text += `${paragraph}\n`
  }
  say(`${paper.id}:abstract`, paper.abstract)
  for (const { name, paragraphs } of paper.sections) {
    const levels = (name ?? "").split(" ::: ")
    if (name !== null && name !== "") text += `\n${"#".repeat(Math.min(6, levels.length + 1))} ${levels.at(-1)}\n`
    for (const paragraph of paragraphs) say(paragraph.id, paragraph.text)
  }
  return { path, text }
}

/** Reads the questions over the papers of another file. */
export const parse = (
  { file, text }: { readonly file: string; readonly text: string },
  papers: { readonly file: string; readonly text: string }
): Either.Either<Dataset, DatasetError> => {
  const spans = new Map<string, Span>()
  const files: Array<MadeFile> = []
  const broken = eachRecord(papers.file, papers.text, { schema: Paper, idOf: ({ id }) => id }, (paper) => {
    files.push(fileOf(paper, spans))
  })
  const paths = new Set(files.map(({ path }) => path))
  const questions: Array<Question> = []
  const faults = eachRecord(file, text, { schema: Line, idOf: ({ id }) => id }, (read, line, fault) => {
    const document = DocumentId.make(`${read.paperId}.md`)
    if (!paths.has(document)) return fault(`asks of the paper ${read.paperId}, which ${papers.file} lacks`)
    const evidence = read.annotations
      .map((annotation) => annotation.evidence.flatMap(({ id }) => (id === undefined ? [] : [spans.get(id) ?? id])))
      .filter((pieces) => pieces.length > 0)
    const missing = evidence.flat().find((piece) => typeof piece === "string")
    if (missing !== undefined) return fault(`takes evidence from the paragraph ${missing}, which is not there`)
    questions.push({
      id: read.id,
      line,
      question: read.question.trim(),
      answers: [...new Set(read.annotations.map(({ answer }) => answer))],
      gold: [],
      type: read.annotations[0].type,
      hops: null,
      steps: [],
      within: [document],
      evidence: evidence.map((pieces) => pieces.filter((piece) => typeof piece !== "string")),
      absent: unanswerable
    })
  })
  return settle(file, [...broken, ...faults], { questions, leftOut: [], passages: [], files })
}

/** Whether a record is one of these. */
export const isLine = (value: unknown): boolean => Either.isRight(Schema.decodeUnknownEither(Line)(value))
