/** `staterag eval`: questions with known answers, asked by several methods, measured and compared. */
import { Args, Command } from "@effect/cli"
import { Effect, Either, Option, Schema } from "effect"
import * as Dataset from "../../domain/Dataset.ts"
import * as DocVqa from "../../domain/datasets/DocVqa.ts"
import * as LongBench from "../../domain/datasets/LongBench.ts"
import * as Qasper from "../../domain/datasets/Qasper.ts"
import { report } from "../../domain/EvalFigures.ts"
import { Report } from "../../domain/EvalReport.ts"
import { Kept } from "../../domain/EvalResult.ts"
import { mainTable, reportText } from "../../domain/EvalText.ts"
import { ScopeKey } from "../../domain/Ids.ts"
import { answersBy, modelOf } from "../../domain/ModelSettings.ts"
import { Faults, reportPage } from "../../domain/ReportPage.ts"
import { version } from "../../domain/Version.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { Digest } from "../../services/Digest.ts"
import { evaluate, type MethodName } from "../Evaluate.ts"
import { indexCorpus } from "../IndexCorpus.ts"
import { assignments, common, creatingHouse, modelAssignments, models, print, set, settingsOf, warn } from "./Common.ts"
import { compare, comparisonText } from "./EvalCompare.ts"
import { evalOptions, formatOf, linesOf, methodsOf, metricsOf, positive } from "./EvalOptions.ts"
import { NotFound, UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { Host } from "./Host.ts"
import type { Settings } from "./Settings.ts"
import { count, json, table } from "./Text.ts"

const decodeResult = Schema.decodeUnknownEither(Schema.parseJson(Kept))
const encodeResult = Schema.encodeSync(Schema.parseJson(Kept))
const encodeReport = Schema.encodeSync(Report)

/** The results of an earlier evaluation, and how many lines are none: the last one may have been cut short. */
const readResults = Effect.fnUntraced(function* (file: string) {
  const written = yield* (yield* Host).readText(file)
  const lines = Option.getOrElse(written, () => "")
    .split("\n")
    .filter((line) => line !== "")
  const decoded = lines.map((line) => decodeResult(line))
  const known = decoded.flatMap((it) => (Either.isRight(it) ? [it.right] : []))
  return {
    known,
    damaged: lines.length - known.length,
    isOpen: Option.exists(written, (text) => text !== "" && !text.endsWith("\n"))
  }
})

const nameOf = (path: string): string => (path.split(/[\\/]/).at(-1) ?? path).replace(/\.jsonl$/, "") || "dataset"

/** The text of a file that is wanted for `what`. */
const textOf = Effect.fnUntraced(function* (path: string, advice: string) {
  const host = yield* Host
  const written = yield* host.readText(host.resolve(path))
  if (Option.isSome(written)) return written.value
  return yield* new NotFound({ message: `there is no file ${path}`, advice })
})

const readDataset = Effect.fnUntraced(function* (
  path: string,
  given: Option.Option<string>,
  corpus: Option.Option<string>
) {
  const text = yield* textOf(path, 'a dataset holds one question a line: { "id", "question", "answers", "gold" }')
  switch (yield* formatOf(given, text)) {
    case "plain":
      return yield* Dataset.parse(path, text)
    case "longbench":
      return yield* LongBench.parse(path, text)
    case "docvqa":
      return yield* DocVqa.parse(path, text)
    case "qasper": {
      const advice = "name the file of the papers: --corpus qasper.papers.jsonl"
      if (Option.isNone(corpus))
        return yield* new UsageError({
          message: "QASPER's questions are asked of papers in a file of their own",
          advice
        })
      const papers = yield* textOf(corpus.value, advice)
      return yield* Qasper.parse({ file: path, text }, { file: corpus.value, text: papers })
    }
  }
})

/** Leaves a file alone that says it already. */
const writeOnce = Effect.fnUntraced(function* (file: string, text: string) {
  const host = yield* Host
  const before = yield* host.readText(file)
  if (!Option.contains(before, text)) yield* host.writeText(file, text)
})

/** What is indexed: the corpus that was named, or the passages that the questions carry, written beside the results. */
const corpusOf = Effect.fnUntraced(function* (
  given: Option.Option<string>,
  { files, passages }: Dataset.Dataset,
  folder: string
) {
  const host = yield* Host
  if (files.length > 0) {
    yield* Effect.forEach(files, ({ path, text }) => writeOnce(host.resolve(folder, "corpus", path), text), {
      discard: true
    })
    return host.resolve(folder, "corpus")
  }
  if (Option.isSome(given)) return host.resolve(given.value)
  if (passages.length === 0)
    return yield* new UsageError({
      message: "the questions carry no passages, so the corpus has to be named",
      advice: "add --corpus PATH: a JSON Lines file or a folder, as `staterag index` takes it"
    })
  const file = host.resolve(folder, "corpus.jsonl")
  const text = passages.map((passage) => `${JSON.stringify(passage)}\n`).join("")
  yield* writeOnce(file, text)
  return file
})

/** What is asked, of what, and where it is kept. */
interface Task {
  readonly path: string
  readonly folder: string
  readonly corpus: Option.Option<string>
  readonly dataset: Dataset.Dataset
  readonly questions: ReadonlyArray<Dataset.Question>
  readonly methods: ReadonlyArray<MethodName>
  readonly navigation: boolean
  readonly concurrency: number
  readonly fresh: boolean
  readonly seed: number
}

/** Indexes the corpus, checks the gold against it and asks what has not been asked yet. */
const measure = Effect.fnUntraced(function* (task: Task, settings: Settings, quiet: boolean) {
  const host = yield* Host
  const { folder, path, questions } = task
  const file = host.resolve(folder, "results.jsonl")
  if (task.fresh) yield* host.writeText(file, "")
  const earlier = yield* readResults(file)
  // a line that was cut short must not swallow the next one
  if (earlier.isOpen) yield* host.append(file, "\n")
  if (earlier.damaged > 0 && !quiet)
    yield* warn(`${count(earlier.damaged, "line")} of ${file} cannot be read; what was lost is asked again`)
  const place = yield* corpusOf(task.corpus, task.dataset, folder)
  const asked = Effect.gen(function* () {
    const { hash } = yield* Digest
    const scope = ScopeKey.make(`corpus-${hash("evaluation", place).slice(0, 12)}`)
    const { documents } = yield* indexCorpus({ scope, paths: [place] })
    const [skipped] = documents.skipped
    if (skipped !== undefined && !quiet)
      yield* warn(`${count(documents.skipped.length, "document")} skipped, such as ${skipped.path}: ${skipped.reason}`)
    const held = yield* (yield* CorpusStore).hashes(scope, [...new Set(questions.flatMap(({ gold }) => gold))])
    const missing = Dataset.missingGold(path, questions, (document) => held.has(document))
    if (missing !== undefined) return yield* missing
    return yield* evaluate({
      ...task,
      scope,
      policy: settings.policy,
      known: earlier.known,
      models: answersBy(settings.models, settings.openai.baseUrl),
      record: (kept) => host.append(file, `${encodeResult(kept)}\n`)
    })
  })
  return yield* creatingHouse({ ...settings, directory: host.resolve(folder, "state") }, quiet, asked)
})

/** What `bench faults` wrote into the folder, if it did. */
const faultsIn = Effect.fnUntraced(function* (folder: string) {
  const host = yield* Host
  const file = host.resolve(folder, "faults.json")
  const written = yield* host.readText(file)
  if (Option.isNone(written)) return undefined
  return yield* Effect.mapError(
    Schema.decodeUnknown(Schema.parseJson(Faults))(written.value),
    ({ message }) =>
      new UsageError({
        message: `${file} is not what \`npm run bench -- faults\` writes: ${message.slice(0, 400)}`,
        advice: "remove it, or write it again"
      })
  )
})

export const command = Command.make(
  "eval",
  { ...common, ...models, ...evalOptions, set, words: Args.text({ name: "DATASET" }).pipe(Args.repeated) },
  ({ concurrency, corpus, format, fresh, limit, navigation, out, seed, set: pairs, words, ...values }) =>
    Effect.gen(function* () {
      const host = yield* Host
      const metrics = yield* metricsOf(values.metrics)
      if (words[0] === "compare") {
        const comparison = yield* compare(words.slice(1), values.methods, metrics, seed)
        return yield* print(values.json, comparison, () => comparisonText(comparison))
      }
      const [path, ...more] = words
      if (path === undefined || more.length > 0)
        return yield* new UsageError({
          message: path === undefined ? "no dataset was named" : "eval takes one dataset",
          advice: "staterag eval questions.jsonl --corpus docs/; staterag eval compare A B"
        })
      const lines = yield* linesOf(values.lines)
      const most = yield* Effect.transposeMapOption(limit, (n) => positive("limit", n))
      yield* positive("concurrency", concurrency)
      const settings = yield* settingsOf(values, [...(yield* assignments(pairs)), ...modelAssignments(values)])
      const folder = Option.match(out, {
        onNone: () => host.resolve(settings.directory, "eval", nameOf(path)),
        onSome: (given) => host.resolve(given)
      })
      const dataset = yield* readDataset(path, format, corpus)
      const questions = Dataset.choose(dataset.questions, lines, Option.getOrUndefined(most))
      const hasModel = modelOf(settings.models, "reader") !== null
      const methods = yield* methodsOf(values.methods, { hasModel, questions })
      const task: Task = { path, folder, corpus, dataset, questions, methods, navigation, concurrency, fresh, seed }
      const { corpusRevision, policyHash, prepared, results, reused } = yield* measure(task, settings, values.quiet)
      const told = report({
        dataset: nameOf(path),
        lines,
        leftOut: dataset.leftOut.length,
        questions,
        methods,
        metrics,
        results,
        prepared,
        policy: { hash: policyHash, settings: settings.policy },
        corpusRevision,
        seed,
        version
      })
      const encoded = encodeReport(told)
      const text = host.resolve(folder, "report.md")
      yield* host.writeText(host.resolve(folder, "report.json"), `${json(encoded)}\n`)
      yield* host.writeText(text, reportText(told))
      const page = host.resolve(folder, "report.html")
      const script = Option.getOrUndefined(yield* host.built("report-page.js"))
      yield* host.writeText(page, reportPage(told, { script, faults: yield* faultsIn(folder) }))
      const summary = `${count(told.n, "question")}, ${reused} of ${results.length} results from before; more in ${text} and ${page}`
      yield* print(values.json, encoded, () => `${table(mainTable(told))}\n\n${summary}\n`)
    })
)

export const page: Page = {
  name: "eval",
  descriptor: command.descriptor,
  examples: [
    ["staterag eval questions.jsonl --corpus docs/", "your own questions over your own documents"],
    ["staterag eval musique.jsonl --methods bm25,first,staterag", "over the passages that the questions carry"],
    ["staterag eval q.jsonl --corpus docs/ --set maxCycles=2 --out two", "with another policy"],
    ["staterag eval compare one two", "the same questions in two reports, with intervals"]
  ],
  notes: [
    'A dataset holds one question a line: { "id": "q1", "question": "…", "answers": ["…"], "gold": ["docs/a.md"] }; "type" and "hops" group the report. HotpotQA, 2WikiMultihopQA and MuSiQue records with "passages" are read as they are.',
    "Recall@k is the share of a question's gold documents among the first k distinct documents; a run that ends incomplete counts 0. Shared memory is empty for every question.",
    "Interrupted, it goes on where it was: results are kept one a line and used again for the same policy, corpus and version. --fresh asks all again."
  ]
}
