/**
 * y = G(q, E*) by a model (C3, C21). It is given question and evidence and nothing else; its answer's markers are quotations whose place in the
 * evidence is found here. A quotation that the evidence does not say stands in the reading as it was given, to be removed and counted. An
 * answer without one that it does say is asked for once more, and then is no answer.
 */
import { Effect, Layer } from "effect"
import { type Citation, type Reading, supportedCitations } from "../../../domain/Answer.ts"
import { lineBreaks } from "../../../domain/Corpus.ts"
import type { Evidence, EvidenceItem } from "../../../domain/Evidence.ts"
import { DocumentId } from "../../../domain/Ids.ts"
import { follow } from "../../../domain/JsonText.ts"
import { held } from "../../../domain/prompts/Handles.ts"
import { again } from "../../../domain/prompts/Prompt.ts"
import * as ReaderPrompt from "../../../domain/prompts/ReaderPrompt.ts"
import { locate } from "../../../domain/Quotation.ts"
import { Digest } from "../../../services/Digest.ts"
import { LanguageModel } from "../../../services/LanguageModel.ts"
import { ModelCalls } from "../../../services/ModelCalls.ts"
import { Reader } from "../../../services/Roles.ts"
import { failing } from "../embedded/Failing.ts"
import { type Options as Asking, boundsOf, mannerOf } from "./Asking.ts"

export interface Options extends Asking {
  /** `sentence` by default. */
  readonly form?: ReaderPrompt.Form | undefined
  /** Whether an answer needs words of the evidence, which it does by default; a model too small to copy may do without. */
  readonly grounded?: boolean | undefined
}

const unborne =
  "no quotation is what a passage says, word for word; quote what the answer rests on, or say that it was not found"

/** Where an item says what is quoted: the one that the model names, else the first that does. */
const placeOf = (evidence: Evidence, named: EvidenceItem | undefined, quotation: string) => {
  for (const item of named === undefined ? evidence : [named, ...evidence]) {
    const place = locate(item.text, quotation)
    if (place !== undefined) return { item, ...place }
  }
  return undefined
}

const citationOf = (
  evidence: Evidence,
  { passage, quotation }: ReaderPrompt.Read["citations"][number],
  marker: number
) => {
  const named = held("passage", evidence, passage)
  const place = placeOf(evidence, named, quotation)
  if (place === undefined) {
    const document = named?.document ?? DocumentId.make(passage.trim() || "(unnamed)")
    return { isBorne: false, citation: { marker, document, start: 0, end: 0, line: 1, text: quotation } }
  }
  const { end, item, start } = place
  const citation: Citation = {
    marker,
    document: item.document,
    start: item.start + start,
    end: item.start + end,
    line: item.line + lineBreaks(item.text, 0, start),
    text: item.text.slice(start, end)
  }
  return { isBorne: true, citation }
}

const samePlace = (a: Citation, b: Citation): boolean =>
  a.document === b.document && a.start === b.start && a.end === b.end && a.text === b.text

/** What a model said, as a reading: its n-th citation is [n], and each place is cited once. */
export const readingOf = (form: ReaderPrompt.Form, said: ReaderPrompt.Read, evidence: Evidence): Reading => {
  const answer = said.answer.trim()
  if (!said.found || answer === "") return { text: null, citations: [] }
  const all = said.citations.map((each, i) => citationOf(evidence, each, i + 1))
  const first = (citation: Citation) => all.find((other) => samePlace(other.citation, citation))?.citation.marker
  const distinct = all.filter(({ citation }) => first(citation) === citation.marker)
  const citations = distinct.map(({ citation }) => citation)
  const borne = distinct.flatMap(({ citation, isBorne }) => (isBorne ? [citation] : []))
  if (form === "short") {
    const bare = answer.replace(/ ?\[\d+\]/g, "")
    return { text: [bare, ...borne.map(({ marker, text }) => `"${text}" [${marker}]`)].join("\n"), citations }
  }
  const marked = answer.replace(/\[(\d+)\]/g, (mark, digits: string) => {
    const meant = all[Number(digits) - 1]
    return meant === undefined ? mark : `[${first(meant.citation)}]`
  })
  const unmarked = borne.filter(({ marker }) => !marked.includes(`[${marker}]`))
  return { text: [marked, ...unmarked.map(({ marker }) => `[${marker}]`)].join(" "), citations }
}

export const layer = (options: Options = {}): Layer.Layer<Reader, never, LanguageModel | Digest> =>
  Layer.effect(
    Reader,
    Effect.gen(function* () {
      const model = yield* LanguageModel
      const digest = yield* Digest
      const form = options.form ?? "sentence"
      const prompt = ReaderPrompt.make(form, boundsOf(options))

      const isGrounded = ({ citations, text }: Reading, evidence: Evidence): boolean =>
        options.grounded === false ||
        text === null ||
        supportedCitations({ citations, text }, evidence).supported.length > 0

      const read = Effect.fnUntraced(function* (question: string, evidence: Evidence) {
        const { delta } = yield* ModelCalls
        let begun = 0
        const watch = () => {
          const attempt = begun++
          const answer = follow("answer")
          return (part: string) => {
            const text = answer(part)
            return text === "" ? Effect.void : delta(text, attempt)
          }
        }
        const request = prompt.request(digest.hash, { question, evidence }, mannerOf(options))
        const said = yield* model.value(request, prompt.schema, watch)
        const first = readingOf(form, said, evidence)
        if (isGrounded(first, evidence)) return first
        const second = again(digest.hash, request, JSON.stringify(said), unborne)
        const mended = readingOf(form, yield* model.value(second, prompt.schema, watch), evidence)
        return isGrounded(mended, evidence) ? mended : { ...mended, text: null }
      })
      return { read: (question, evidence) => failing("Reader")(read(question, evidence)) }
    })
  )
