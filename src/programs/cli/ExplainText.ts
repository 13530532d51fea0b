/** A run's journal for a person: what each step committed or refused, the path drawn node by node; as text, or as a Mermaid flow chart. */
import type { Event } from "../../domain/Event.ts"
import type { Evidence, EvidenceItem } from "../../domain/Evidence.ts"
import type { Plan } from "../../domain/Plan.ts"
import type { Explanation } from "../Explain.ts"
import { footer } from "./AnswerText.ts"
import { count, indent, moment, oneLine, printable } from "./Text.ts"

/** How many items of the initial evidence are shown. */
const initialShown = 5

type Of<T extends Event["tag"]> = Extract<Event, { readonly tag: T }>

const labelled = (label: string, body: string): string =>
  `  ${label.padEnd(12)}${indent(body, " ".repeat(14)).trimStart()}`

const item = (of: EvidenceItem): string =>
  `${of.score.toFixed(3)}  ${oneLine(of.document, 120)}:${of.line} (${of.start}-${of.end})  ${oneLine(of.text, 70)}`

const items = (evidence: Evidence, shown = evidence.length): string =>
  [
    count(evidence.length, "item"),
    ...evidence.slice(0, shown).map(item),
    ...(evidence.length > shown ? [`… and ${evidence.length - shown} more`] : [])
  ].join("\n")

const names = (list: ReadonlyArray<string>): string => list.map((name) => oneLine(name, 80)).join(", ")

const plan = ({ entities, hypotheses, known, missing, objective, type }: Plan): string =>
  [
    `${type}: ${oneLine(objective, 200)}`,
    ...(entities.length === 0 ? [] : [`entities: ${names(entities)}`]),
    ...hypotheses.map(
      ({ from, query, weight }) =>
        `${from === null ? "look for" : "follow"} (${weight.toFixed(2)}): ${oneLine(query, 120)}`
    ),
    ...(known.length === 0
      ? []
      : [`known: ${known.map((b) => `${oneLine(b.slot, 60)} = ${oneLine(b.text, 60)}`).join("; ")}`]),
    ...(missing.length === 0 ? [] : [`missing: ${names(missing)}`])
  ].join("\n")

/** The path, one node a line, each under the one before. */
const path = (event: Of<"PathCommitted">): string =>
  event.path
    .map((id, depth) => {
      const node = event.trace[depth]
      const label = node === undefined ? id : `${node.type.padEnd(8)} ${oneLine(node.abstraction, 90)}`
      return `${depth === 0 ? "" : `${"   ".repeat(depth - 1)}└─ `}${label}`
    })
    .join("\n")

const step = (event: Event): string | undefined => {
  switch (event.tag) {
    case "RunStarted":
      return [
        `Run ${event.run}`,
        `  ${printable(event.question.length > 2000 ? `${event.question.slice(0, 2000)}…` : event.question)}`,
        `  scope ${event.scope} · policy ${event.policyHash} · revision ${event.corpusRevision.slice(0, 16)} · ${moment(event.at)} UTC`,
        "",
        "Start"
      ].join("\n")
    case "RunResumed":
      return `\nResumed ${moment(event.at)} UTC`
    case "ArtifactsExposed":
      return labelled("Memory", `${count(event.ids.length, "artifact")} exposed`)
    case "EvidenceInitialized":
      return labelled("Evidence", items(event.evidence, initialShown))
    case "BypassMatched":
      return labelled("Compact", `matched: ${oneLine(event.reason, 300)}\n${items(event.evidence)}`)
    case "BypassDeclined":
      return labelled("Compact", `declined: ${oneLine(event.reason, 300)}`)
    case "CycleStarted":
      return `\nCycle ${event.cycle}`
    case "PlanCommitted":
      return labelled("Plan", plan(event.plan))
    case "PathCommitted":
      return labelled("Path", path(event))
    case "EvidenceCommitted":
      return labelled("Evidence", items(event.evidence))
    case "VerificationCommitted": {
      const { justification, verdict } = event.verification
      return labelled(
        "Verdict",
        justification.text === "" ? verdict : `${verdict}: ${oneLine(justification.text, 400)}`
      )
    }
    case "ProposalRefused":
      return labelled(
        "Refused",
        `${event.role}, by ${event.rule}: ${oneLine(event.reason, 300)}\n${oneLine(event.context, 200)}`
      )
    case "StageFailed":
      return labelled("Failed", `${event.stage}: ${oneLine(event.cause.message, 400)}`)
    case "ModelCalled":
      return labelled(
        "Model",
        `${event.call.role} called ${event.call.model}: ${event.call.promptTokens} + ${event.call.completionTokens} tokens${event.call.cached ? ", from the cache" : ""}`
      )
    case "ActionSelected":
      return labelled("Action", `${event.action}: ${oneLine(event.reason, 300)}`)
    case "ArtifactsPersisted":
      return labelled("Memory", `${count(event.ids.length, "artifact")} kept`)
    case "EvidenceSelected":
      return `\nEnd\n${labelled("Evidence", `${event.branch}: ${items(event.evidence)}`)}`
    case "ReaderAdmitted":
      return labelled("Reader", `admitted with ${count(event.items, "item")}`)
    case "AnswerRead":
      return labelled(
        "Answer",
        event.reading.text === null
          ? "the evidence does not answer the question"
          : `${printable(event.reading.text)}\n${event.reading.citations
              .map(
                (c) =>
                  `[${c.marker}] ${oneLine(c.document, 120)}:${c.line} (${c.start}-${c.end})  ${oneLine(c.text, 100)}`
              )
              .join(
                "\n"
              )}${event.unsupported === 0 ? "" : `\n${count(event.unsupported, "citation")} removed: the evidence does not bear ${event.unsupported === 1 ? "it" : "them"} out`}`
      )
    case "RunEnded":
      return event.reason === null
        ? undefined
        : labelled("Incomplete", `${event.reason.stage}: ${oneLine(event.reason.cause.message, 400)}`)
    case "AnswerDelta":
      return undefined
  }
}

export const explainText = ({ events, run }: Explanation): string =>
  `${events.flatMap((event) => step(event) ?? []).join("\n")}\n\n${footer(run)}\n`

// ---- Mermaid

/** A label that Mermaid takes as text, whatever a document says. */
const label = (text: string, limit = 60): string =>
  oneLine(text, limit).replace(/[#"&<>`\\{}[\]|]/g, (character) => `#${character.charCodeAt(0)};`)

/** The run as a flow chart: cycles in order, each with its path, verdict and action. */
export const explainMermaid = ({ events, run }: Explanation): string => {
  const lines = ["flowchart TD", `  q["${label(run.question, 100)}"]`]
  let last = "q"
  let resumed = 0
  const add = (id: string, shape: string, edge = ""): void => {
    lines.push(`  ${last} -->${edge === "" ? "" : `|${label(edge)}|`} ${id}${shape}`)
    last = id
  }
  for (const event of events) {
    const cycle = `c${event.cycle}${resumed === 0 ? "" : `r${resumed}`}`
    switch (event.tag) {
      case "RunResumed":
        add(`resumed${++resumed}`, '["resumed"]')
        break
      case "EvidenceInitialized":
        add("e0", `["initial evidence: ${count(event.evidence.length, "passage")}"]`)
        break
      case "BypassMatched":
        add("bypass", `{{"compact evidence: ${label(event.reason)}"}}`)
        break
      case "PlanCommitted":
        add(`${cycle}plan`, `["plan ${event.cycle}: ${label(event.plan.objective)}"]`)
        break
      case "PathCommitted":
        event.path.forEach((id, depth) => {
          const node = event.trace[depth]
          add(`${cycle}n${depth}`, `("${node === undefined ? label(id) : `${node.type}: ${label(node.abstraction)}`}")`)
        })
        break
      case "EvidenceCommitted":
        add(
          `${cycle}evidence`,
          `["evidence: ${event.evidence.map((of) => label(`${of.document}:${of.line}`, 40)).join("<br/>")}"]`
        )
        break
      case "VerificationCommitted":
        add(`${cycle}verdict`, `{"${event.verification.verdict}"}`)
        break
      case "ProposalRefused":
        add(`${cycle}refused`, `["refused: ${event.role} by ${label(event.rule)}"]`)
        break
      case "StageFailed":
        add(`${cycle}failed`, `["failed: ${label(event.cause.message)}"]`)
        break
      case "ActionSelected":
        add(`${cycle}action`, `{{"${event.action}"}}`)
        break
      case "AnswerRead":
        add("answer", `["${event.reading.text === null ? "not found" : label(event.reading.text, 120)}"]`, run.outcome)
        break
      default:
        break
    }
  }
  if (run.outcome === "Incomplete") add("incomplete", `["no answer: ${label(run.reason?.message ?? "")}"]`)
  return `${lines.join("\n")}\n`
}
