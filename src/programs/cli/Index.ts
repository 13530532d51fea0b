/** `staterag index`: files, folders and globs into the state folder. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Either, Option, Schema } from "effect"
import { Format } from "../../domain/Corpus.ts"
import type { IndexEstimate, IndexReport, LeftOut } from "../../domain/IndexReport.ts"
import { embeddingId } from "../../domain/ModelSettings.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { estimate, type IndexOptions, indexCorpus } from "../IndexCorpus.ts"
import { type Round, watchCorpus } from "../WatchCorpus.ts"
import {
  assignments,
  common,
  creatingHouse,
  embedding,
  modelAssignments,
  print,
  set,
  settingsOf,
  warn
} from "./Common.ts"
import { Stopped, UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { Host } from "./Host.ts"
import { count, duration, grouped, oneLine, printable } from "./Text.ts"

/** How many skipped files the text names; the JSON names all. */
const skippedShown = 20

const globs = (name: string, description: string) =>
  Options.text(name).pipe(Options.withPseudoName("GLOB"), Options.withDescription(description), Options.repeated)

const options = {
  include: globs("include", "only files that match; may be given several times"),
  exclude: globs("exclude", "leaves matching files and folders out; may be given several times"),
  format: Options.text("format").pipe(
    Options.withPseudoName("FORMAT"),
    Options.withDescription("reads every file as text, markdown, html or jsonl, whatever its extension"),
    Options.optional
  ),
  maxSize: Options.text("max-size").pipe(
    Options.withPseudoName("SIZE"),
    Options.withDescription("skips files above this size (default 64M, at most 500M)"),
    Options.optional
  ),
  watch: Options.boolean("watch").pipe(
    Options.withDescription("goes on, and indexes again after every change; Ctrl-C ends it")
  ),
  estimate: Options.boolean("estimate").pipe(
    Options.withDescription("counts documents, passages, tokens and model calls; stores nothing")
  )
}

const formatOf = (name: Option.Option<string>): Effect.Effect<Format | undefined, UsageError> => {
  const wanted = Option.getOrUndefined(name)
  if (wanted === undefined || Schema.is(Format)(wanted)) return Effect.succeed(wanted)
  return new UsageError({
    message: `there is no format ${wanted}.${didYouMean(wanted, Format.literals)}`,
    advice: `choose one of: ${Format.literals.join(", ")}`
  })
}

const units = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const
/** A text may not be longer than a string of this many code units can be. */
const largest = 500 * units.m

const bytesOf = (size: string): Effect.Effect<number, UsageError> => {
  const match = /^(\d+(?:\.\d+)?) ?(k|m|g)?(?:i?b)?$/i.exec(size.trim())
  const unit = match?.[2]?.toLowerCase()
  const bytes = Number(match?.[1] ?? 0) * (unit === "k" || unit === "m" || unit === "g" ? units[unit] : 1)
  return bytes >= 1 && bytes <= largest
    ? Effect.succeed(Math.floor(bytes))
    : new UsageError({
        message: `--max-size ${size} is no size${bytes > largest ? " that a file may have" : ""}`,
        advice: "write 200M, or a number of bytes; at most 500M: split what is larger"
      })
}

const skippedText = (skipped: ReadonlyArray<LeftOut>): string =>
  skipped.length === 0
    ? ""
    : [
        `Skipped ${grouped(skipped.length)}:`,
        ...skipped.slice(0, skippedShown).map(({ path, reason }) => `  ${oneLine(path, 200)}: ${printable(reason)}`),
        ...(skipped.length > skippedShown
          ? [`  … and ${grouped(skipped.length - skippedShown)} more (--json names all)`]
          : []),
        ""
      ].join("\n")

const skippedLine = (skipped: ReadonlyArray<LeftOut>): string => {
  const [first] = skipped
  const more = skipped.length - 1
  return first === undefined
    ? ""
    : `${oneLine(first.path, 80)}: ${oneLine(first.reason, 120)}${more > 0 ? `, and ${grouped(more)} more` : ""}`
}

const reportText = ({ documents, edges, elapsedMs, nodes, passages, vectors }: IndexReport, scope: string): string => {
  const { added, changed, removed, skipped, unchanged } = documents
  return [
    `Indexed ${count(added + changed + unchanged, "document")}: ${grouped(added)} added, ${grouped(changed)} changed, ${grouped(unchanged)} unchanged, ${grouped(removed)} removed.`,
    `Scope ${scope}: ${count(passages, "passage")}, ${count(nodes.Topic, "topic")}, ${count(nodes.Relation, "relation")}, ${count(nodes.Evidence, "evidence node")}, ${count(edges, "edge")}, ${count(vectors, "vector")}; ${duration(elapsedMs)}.`,
    skippedText(skipped)
  ].join("\n")
}

/** One line a run. */
const roundText = ({ documents, elapsedMs, passages }: IndexReport): string => {
  const { added, changed, removed, skipped } = documents
  const parts = [`${grouped(added)} added`, `${grouped(changed)} changed`, `${grouped(removed)} removed`]
  if (skipped.length > 0) parts.push(`${grouped(skipped.length)} skipped (${skippedLine(skipped)})`)
  return `Indexed again: ${parts.join(", ")}; ${count(passages, "passage")}; ${duration(elapsedMs)}.\n`
}

/** `embedding` is the model that would be asked for vectors, if one would. */
const estimateText = (
  { calls, documents, passages, skipped, tokens }: IndexEstimate,
  embedding: string | null
): string =>
  [
    `${count(documents, "document")}, ${count(passages, "passage")}, ${count(tokens, "token")}; ${count(calls, "call")} of a language model. Nothing was stored.`,
    ...(embedding === null ? [] : [`${embedding} would embed them, and about two Relations for each passage.`]),
    skippedText(skipped)
  ].join("\n")

export const command = Command.make(
  "index",
  { ...common, embedding, ...options, set, paths: Args.text({ name: "PATH" }).pipe(Args.repeated) },
  ({
    estimate: estimates,
    exclude,
    format: formatName,
    include,
    maxSize,
    paths,
    set: pairs,
    watch: watches,
    ...values
  }) =>
    Effect.gen(function* () {
      if (paths.length === 0)
        return yield* new UsageError({
          message: "there is nothing to index: no path was given",
          advice: 'name files, folders or globs: staterag index docs/ "notes/**/*.md"'
        })
      // an unset variable of a shell, which would otherwise stand for the working folder
      if (paths.some((path) => path.trim() === ""))
        return yield* new UsageError({
          message: "a path is empty",
          advice: "name it, or leave it out; `.` is the folder that the command runs in"
        })
      const settings = yield* settingsOf(values, [...(yield* assignments(pairs)), ...modelAssignments(values)])
      const format = yield* formatOf(formatName)
      const maxBytes = yield* Effect.transposeMapOption(maxSize, bytesOf)
      const selection: IndexOptions = {
        scope: settings.scope,
        paths,
        include,
        exclude,
        format,
        maxBytes: Option.getOrUndefined(maxBytes)
      }
      if (estimates && watches)
        return yield* new UsageError({
          message: "--estimate stores nothing, so there is nothing to follow",
          advice: "leave --watch or --estimate out"
        })
      if (watches) {
        const host = yield* Host
        const tell = (round: Round, isFirst: boolean) =>
          Either.match(round, {
            onLeft: (error) => (values.quiet ? Effect.void : warn(printable(error.message))),
            onRight: (report) =>
              Effect.zipRight(
                print(values.json, report, () => (isFirst ? reportText(report, settings.scope) : roundText(report))),
                isFirst && !values.quiet ? host.err("staterag: following changes; Ctrl-C ends it\n") : Effect.void
              )
          })
        return yield* creatingHouse(settings, values.quiet, watchCorpus(selection, tell))
      }
      if (estimates) {
        const host = yield* Host
        const estimated = yield* estimate(selection).pipe(Effect.provide(host.ingest(!values.quiet)))
        yield* print(values.json, estimated, () => estimateText(estimated, embeddingId(settings.models)))
        if (estimated.skipped.length > 0) return yield* new Stopped({ code: 4 })
        return
      }
      const report = yield* creatingHouse(settings, values.quiet, indexCorpus(selection))
      yield* print(values.json, report, () => reportText(report, settings.scope))
      if (report.documents.skipped.length > 0) return yield* new Stopped({ code: 4 })
    })
)

export const page: Page = {
  name: "index",
  descriptor: command.descriptor,
  examples: [
    ["staterag index docs/", "every Markdown, HTML, text and JSON Lines file of a folder"],
    [`staterag index . --exclude "test/**"`, "all but some; .gitignore is respected"],
    ["staterag index facts.jsonl --scope facts", "one document a line: id, title, text"],
    ["staterag index docs/ --estimate", "what it would come to"],
    ["staterag index docs/ --watch", "goes on, one line (with --json one JSON line) a change"]
  ],
  notes: [
    "What cannot be read is skipped and named, with the reason, and the command ends with exit code 4; nothing is half-indexed. Interrupted at any moment, it leaves the old index as it was.",
    "Files that are gone from a folder named here are removed from the index; what was indexed from elsewhere stays."
  ]
}
