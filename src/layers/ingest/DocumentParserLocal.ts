/** {@link DocumentParser} for what needs no more than its own text: plain text, Markdown, HTML, JSON Lines. */
import { Effect, Layer } from "effect"
import type { Format } from "../../domain/Corpus.ts"
import { DocumentParser, type ParsedDocument, Unparseable } from "../../services/DocumentParser.ts"
import { html } from "./Html.ts"
import { jsonLines } from "./JsonLines.ts"
import { markdownInTurns } from "./Markdown.ts"
import { paragraphs } from "./Text.ts"

const extensions: { readonly [F in Format]: ReadonlyArray<string> } = {
  markdown: ["md", "markdown", "mdx", "mdown", "mkd"],
  html: ["html", "htm", "xhtml"],
  text: ["txt", "text", "rst", "log", "adoc", "asciidoc", "org", "tex"],
  jsonl: ["jsonl", "ndjson"]
}
const formats = new Map<string, Format>(
  (["markdown", "html", "text", "jsonl"] as const).flatMap((format) =>
    extensions[format].map((ending) => [ending, format])
  )
)

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

const formatOf = (path: string): Format | undefined => {
  const name = baseName(path)
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? undefined : formats.get(name.slice(dot + 1).toLowerCase())
}

/** A file's name without its extension, for a document that names itself nowhere. */
const stem = (path: string): string => {
  const name = baseName(path)
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? name : name.slice(0, dot)
}

/** Stretches between which nothing else gets its turn. */
const together = 16

/** Goes on with a generator to its end, and lets timers and signals in on the way: Ctrl-C is not deaf while a large file is parsed. */
const inTurns = Effect.fnUntraced(function* <A>(steps: Generator<void, A>) {
  for (let done = 1; ; done++) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (done % together === 0) yield* Effect.sleep(0)
  }
})

const single = Effect.fnUntraced(function* (path: string, format: Exclude<Format, "jsonl">, text: string) {
  if (format === "html") {
    const { title, ...page } = html(text)
    const document: ParsedDocument = { id: path, title: title ?? stem(path), format, ...page }
    return document
  }
  const parsed =
    format === "markdown" ? yield* inTurns(markdownInTurns(text)) : { title: undefined, blocks: paragraphs(text) }
  const document: ParsedDocument = { id: path, title: parsed.title ?? stem(path), format, text, blocks: parsed.blocks }
  return document
})

const make: DocumentParser["Type"] = {
  formatOf,
  parse: Effect.fnUntraced(function* (path, format, text) {
    if (text.trim() === "") return yield* new Unparseable({ path, reason: "is empty" })
    if (format === "jsonl") return jsonLines(path, text)
    const document = yield* single(path, format, text)
    if (document.blocks.length === 0) return yield* new Unparseable({ path, reason: "holds no text" })
    return { documents: [document], skipped: [] }
  })
}

export const layer: Layer.Layer<DocumentParser> = Layer.succeed(DocumentParser, make)
