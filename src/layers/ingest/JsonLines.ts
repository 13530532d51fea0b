/** JSON Lines: one document a line, `{ "id", "title"?, "text" }`. A line that is none is told and left out; the others are kept. */
import { Either, Schema } from "effect"
import { DocumentId } from "../../domain/Ids.ts"
import { type ParsedDocument, Unparseable } from "../../services/DocumentParser.ts"
import { paragraphs } from "./Text.ts"

const Line = Schema.Struct({
  id: DocumentId,
  title: Schema.optional(Schema.NullOr(Schema.String)),
  text: Schema.String
})
const decode = Schema.decodeUnknownEither(Line)

/** What is wrong with a value that is no document. */
const complaint = (value: unknown): string => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "is no JSON object"
  const { id, text, title } = { id: undefined, text: undefined, title: undefined, ...value }
  if (id === undefined) return 'has no "id"'
  if (text === undefined) return 'has no "text"'
  if (typeof id !== "string" || id === "") return '"id" is no string with something in it'
  if (typeof text !== "string") return '"text" is no string'
  if (title !== undefined && title !== null && typeof title !== "string") return '"title" is no string'
  return '"id" is longer than 1024 characters'
}

const parseJson = (line: string): Either.Either<unknown, string> =>
  Either.try({
    try: (): unknown => JSON.parse(line),
    catch: (cause) => `is no JSON (${cause instanceof Error ? cause.message.slice(0, 120) : String(cause)})`
  })

const document = (line: string): Either.Either<ParsedDocument, string> =>
  Either.flatMap(parseJson(line), (value) =>
    Either.flatMap(
      Either.mapLeft(decode(value), () => complaint(value)),
      ({ id, text, title }): Either.Either<ParsedDocument, string> =>
        text.trim() === ""
          ? Either.left(`document ${id} has no text`)
          : Either.right({ id, title: title?.trim() || id, format: "jsonl", text, blocks: paragraphs(text) })
    )
  )

/** The documents of a file and its bad lines, each named `path:line`. */
export const jsonLines = (
  path: string,
  text: string
): { readonly documents: ReadonlyArray<ParsedDocument>; readonly skipped: ReadonlyArray<Unparseable> } => {
  const documents: Array<ParsedDocument> = []
  const skipped: Array<Unparseable> = []
  const firstLines = new Map<string, number>()
  let number = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start)
    const end = found === -1 ? text.length : found
    const line = text.slice(start, end)
    start = end + 1
    number++
    if (line.trim() === "") continue
    const skip = (reason: string) => skipped.push(new Unparseable({ path: `${path}:${number}`, reason }))
    const parsed = document(line)
    if (Either.isLeft(parsed)) {
      skip(parsed.left)
      continue
    }
    const first = firstLines.get(parsed.right.id)
    if (first === undefined) {
      firstLines.set(parsed.right.id, number)
      documents.push(parsed.right)
    } else skip(`repeats the id ${parsed.right.id} of line ${first}`)
  }
  return { documents, skipped }
}
