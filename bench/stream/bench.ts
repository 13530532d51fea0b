/**
 * Whether memory pays in a stream of related, different questions, in three orders: cycles, and how much of the gold is in the terminal evidence,
 * against the same questions with a memory of their own each. `STATERAG_DATA` names the folder of the question sets (`--set NAME`,
 * `--questions N`: the related ones among the first N of the file); `--out DIR` is where `stream.json` is written.
 *
 * Gate: memory takes no gold away in any order (the paired interval of all-support does not lie below 0).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { choose, parse } from "../../src/domain/Dataset.ts"
import { ScopeKey } from "../../src/domain/Ids.ts"
import { defaultSampling, statistics } from "../../src/domain/Statistics.ts"
import { type Arm, type Measure, related, stream } from "../../src/programs/experiments/Stream.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { houseOf } from "../house.ts"
import { table } from "../report.ts"

export const about = "what memory does in a stream of related questions, in three orders"

const seeds = [1, 2, 3]

const option = (args: ReadonlyArray<string>, name: string, value: string): string => {
  const at = args.indexOf(name)
  return at < 0 ? value : (args[at + 1] ?? value)
}

const row = ({ change, means, memory, n, seed }: Arm): ReadonlyArray<string> => {
  const paired = (measure: Measure) => {
    const { interval, mean } = change[measure]
    return memory === "question" ? "" : `${mean.toFixed(2)} [${interval.map((end) => end.toFixed(2)).join(", ")}]`
  }
  return [
    seed === null ? memory : `${memory} ${seed}`,
    String(n),
    means.cycles.toFixed(2),
    paired("cycles"),
    means.allSupport.toFixed(1),
    paired("allSupport"),
    means.recall.toFixed(1),
    means.items.toFixed(2),
    means.exposed.toFixed(2)
  ]
}

/** Runs the experiment; false where the gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const data = process.env.STATERAG_DATA
  if (data === undefined) throw new Error("STATERAG_DATA names no folder of question sets")
  const set = option(args, "--set", "2wikimultihopqa-hipporag")
  const most = Number(option(args, "--questions", "1000"))
  const out = option(args, "--out", "")
  const dataset = Either.getOrThrowWith(
    parse(set, readFileSync(join(data, `${set}.jsonl`), "utf8")),
    ({ message }) => new Error(message)
  )
  const questions = related(choose(dataset.questions, "all", most))
  const directory = mkdtempSync(join(tmpdir(), "staterag-bench-"))
  const { layer, policy } = await houseOf(args, directory)
  const scope = ScopeKey.make("bench")
  const measured = Effect.gen(function* () {
    yield* indexCorpus({ scope, paths: [join(data, `${set}.corpus.jsonl`)] })
    return yield* stream({ questions, scope, policy, seeds, statistics: statistics(defaultSampling) })
  })
  try {
    const arms = await Effect.runPromise(Effect.provide(measured, layer))
    const head = [set, "n", "cycles", "change", "all gold", "change", "recall", "items", "U"]
    process.stdout.write(`${table(head, arms.map(row))}\n`)
    if (out !== "") {
      mkdirSync(out, { recursive: true })
      writeFileSync(join(out, "stream.json"), `${JSON.stringify({ kind: "stream", set, arms }, null, 2)}\n`)
    }
    const kept = arms.every(({ change, memory }) => memory === "none" || change.allSupport.interval[1] >= 0)
    process.stdout.write(`memory takes ${kept ? "no gold" : "gold"} away\n`)
    return kept
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
