/** An answer for a person: the text, the quotations with where they stand, how it was found and what it cost. */
import type { Answer } from "../../domain/Answer.ts"
import { count, duration, indent, oneLine, printable } from "./Text.ts"

const place = (at: {
  readonly document: string
  readonly line: number
  readonly start: number
  readonly end: number
}) => `${oneLine(at.document, 300)}:${at.line} (${at.start}-${at.end})`

const quoted = (text: string): string => indent(printable(text).replace(/\s+$/, ""), "    ")

/** How many passages are shown where the question was not answered. */
const nearby = 3

/** The line that says how a run ended and what it cost. */
export const footer = ({ cycles, elapsedMs, outcome, run, usage }: Answer): string =>
  [
    outcome === "Bypass" ? "Bypass, no cycle" : `${outcome} after ${count(cycles, "cycle")}`,
    `${count(usage.calls, "model call")}, ${count(usage.promptTokens + usage.completionTokens, "token")}`,
    duration(elapsedMs),
    `run ${run}`
  ].join(" · ")

export const answerText = (answer: Answer): string => {
  const { citations, evidence, missing, reason } = answer
  if (reason !== null)
    return `No answer: the run is incomplete at ${reason.stage} (${reason.tag}).\n${printable(reason.message)}\n${reason.advice}\n\n${footer(answer)}\n`
  if (!answer.answered || answer.answer === null) {
    const near = evidence.slice(0, nearby)
    return [
      "Not found: what is indexed does not answer this.",
      ...(missing === null || missing === "" ? [] : [`Missing: ${oneLine(missing, 500)}`]),
      ...(near.length === 0 ? [] : ["", "The nearest passages:"]),
      ...near.map((item) => `  ${place(item)}\n    ${oneLine(item.text, 160)}`),
      "",
      footer(answer),
      ""
    ].join("\n")
  }
  return [
    printable(answer.answer),
    "",
    ...citations.map((citation) => `[${citation.marker}] ${place(citation)}\n${quoted(citation.text)}\n`),
    footer(answer),
    ""
  ].join("\n")
}
