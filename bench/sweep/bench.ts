/**
 * The settings of a run, one at a time over `staterag`: T_max, the reader's evidence budget, the width of a region, and how often the reader is
 * asked again while it finds nothing (C33; an experiment's Layer, since C21 asks it once). `STATERAG_DATA` names the
 * folder of the question sets (`--set NAME`, `--questions N`); `--out DIR` is where `sweep.json` is written. Persistence is swept by
 * `npm run bench -- stream`, since one question has nothing to remember of another.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, Layer } from "effect"
import { choose, parse } from "../../src/domain/Dataset.ts"
import { type Scores, scoresOf } from "../../src/domain/EvalResult.ts"
import { ScopeKey } from "../../src/domain/Ids.ts"
import { type Policy, setPolicy } from "../../src/domain/Policy.ts"
import { defaultSampling, type Interval, mean, statistics } from "../../src/domain/Statistics.ts"
import * as CpuTimeNode from "../../src/layers/platform/CpuTimeNode.ts"
import { evaluate } from "../../src/programs/Evaluate.ts"
import * as ReaderIterations from "../../src/programs/experiments/ReaderIterations.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { houseOf } from "../house.ts"
import { table } from "../report.ts"

export const about = "T_max, evidence budget, width of regions and readings, one setting at a time"

const settings: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]> = [
  ["maxCycles", ["1", "2", "3", "4", "5"]],
  ["evidenceTokens", ["512", "1024", "2048", "4096"]],
  ["regionWidth", ["4", "8", "16", "32"]]
]
const readings = [1, 2, 3, 4]
const shown = ["recall@5", "allSupport@5", "f1", "contained"] as const satisfies ReadonlyArray<keyof Scores>

const option = (args: ReadonlyArray<string>, name: string, value: string): string => {
  const at = args.indexOf(name)
  return at < 0 ? value : (args[at + 1] ?? value)
}

/** Runs the sweep; it has no gate. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const data = process.env.STATERAG_DATA
  if (data === undefined) throw new Error("STATERAG_DATA names no folder of question sets")
  const set = option(args, "--set", "musique")
  const most = Number(option(args, "--questions", "100"))
  const out = option(args, "--out", "")
  const dataset = Either.getOrThrowWith(
    parse(set, readFileSync(join(data, `${set}.jsonl`), "utf8")),
    ({ message }) => new Error(message)
  )
  const questions = choose(dataset.questions, "all", most)
  const directory = mkdtempSync(join(tmpdir(), "staterag-bench-"))
  const house = await houseOf(args, directory)
  const scope = ScopeKey.make("bench")
  const { interval } = statistics(defaultSampling)

  const measured = Effect.gen(function* () {
    yield* indexCorpus({ scope, paths: [join(data, `${set}.corpus.jsonl`)] })
    const under = Effect.fnUntraced(function* (name: string, value: string, policy: Policy) {
      const { results } = yield* evaluate({
        questions,
        methods: ["staterag"],
        scope,
        policy,
        navigation: false,
        seed: 1,
        concurrency: 1,
        known: [],
        record: () => Effect.void
      })
      const scores = results.flatMap((result, i) => {
        const question = questions[i]
        return question === undefined ? [] : [scoresOf(question, result)]
      })
      const figures = shown.map((metric) => {
        const values = scores.flatMap((score) => (score[metric] === null ? [] : [100 * score[metric]]))
        return { metric, mean: mean(values), interval: interval(values) }
      })
      const cycles = mean(results.map((result) => result.cycles.length))
      return { name, value, cycles, cpuMs: mean(results.flatMap(({ cpuMs }) => cpuMs ?? [])), figures }
    })
    const policies = yield* Effect.forEach(
      settings.flatMap(([name, values]) => values.map((value) => [name, value] as const)),
      ([name, value]) => Effect.flatMap(setPolicy(house.policy, name, value), (policy) => under(name, value, policy))
    )
    const iterated = yield* Effect.forEach(readings, (times) =>
      Effect.provide(under("readerIterations", String(times), house.policy), ReaderIterations.layer(times))
    )
    return [...policies, ...iterated]
  })
  const within = ({ interval: [low, high], mean }: { readonly mean: number; readonly interval: Interval }) =>
    `${mean.toFixed(1)} [${low.toFixed(1)}, ${high.toFixed(1)}]`
  try {
    const points = await Effect.runPromise(Effect.provide(measured, Layer.merge(house.layer, CpuTimeNode.layer)))
    const rows = points.map(({ cpuMs, cycles, figures, name, value }) => [
      `${name}=${value}`,
      ...figures.map(within),
      cycles.toFixed(2),
      cpuMs.toFixed(0)
    ])
    process.stdout.write(`${set}, ${questions.length} questions\n\n`)
    process.stdout.write(`${table(["setting", ...shown, "cycles", "CPU ms"], rows)}\n`)
    if (out !== "") {
      mkdirSync(out, { recursive: true })
      writeFileSync(join(out, "sweep.json"), `${JSON.stringify({ kind: "sweep", set, points }, null, 2)}\n`)
    }
    return true
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
