/** `staterag verify`: whether what is stored is what the contract says, and mending what can be made again. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import type { Finding, VerifyReport } from "../../domain/VerifyReport.ts"
import { verify } from "../Verify.ts"
import { common, embedding, existingHouse, modelAssignments, print, settingsOf } from "./Common.ts"
import { NotFound } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { count, duration, oneLine } from "./Text.ts"

const options = {
  repair: Options.boolean("repair").pipe(Options.withDescription("makes again what can be made from what is sound"))
}

const line = ({ clause, derived, message, repaired, subject }: Finding): string =>
  `  ${clause}  ${subject === "" ? "" : `${oneLine(subject, 120)}: `}${oneLine(message, 400)}${
    repaired ? " (mended)" : derived === null ? " (cannot be mended from here)" : ""
  }`

const reportText = ({ checked, elapsedMs, findings, sound }: VerifyReport): string =>
  [
    `Looked at ${count(checked.documents, "document")}, ${count(checked.passages, "passage")}, ${count(checked.nodes, "node")}, ${count(checked.edges, "edge")}, ${count(checked.vectors, "vector")}, ${count(checked.runs, "run")}, ${count(checked.artifacts, "artifact")}; ${duration(elapsedMs)}.`,
    findings.length === 0 ? "Everything is as it should be." : `Found ${count(findings.length, "fault")}:`,
    ...findings.map(line),
    ...(findings.length > 0 && sound ? ["All of it was mended."] : []),
    ""
  ].join("\n")

export const command = Command.make("verify", { ...common, embedding, ...options }, ({ repair, ...values }) =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(values, modelAssignments(values))
    const report = yield* existingHouse(settings, values.quiet, verify({ scope: settings.scope, repair }))
    yield* print(values.json, report, () => reportText(report))
    if (report.sound) return
    const left = report.findings.filter(({ repaired }) => !repaired)
    const mendable = left.some(({ derived }) => derived !== null)
    return yield* new NotFound({
      message: `${count(left.length, "fault")} ${left.length === 1 ? "is" : "are"} left`,
      advice:
        mendable && !repair
          ? "`staterag verify --repair` mends what can be made again"
          : "see above what to do about each"
    })
  })
)

export const page: Page = {
  name: "verify",
  descriptor: command.descriptor,
  examples: [
    ["staterag verify", "texts, passages, words, vectors, graph, vector files, journals, memory"],
    ["staterag verify --repair", "makes passages, words, vectors and graph again where they are wrong"],
    ["staterag verify --json", "the same for a program: each fault with its clause"]
  ],
  notes: [
    "Exit code 1 where something is wrong and was not mended. What a text was is nowhere but in the text: a damaged one is named, not mended."
  ]
}
