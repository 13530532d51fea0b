/**
 * What a question costs in a process that has answered others: CPU of `ask`, and of the first retrieval alone, over one indexed corpus.
 * `STATERAG_DATA` names the folder of `musique.jsonl` and `musique.corpus.jsonl` (`--set NAME` takes another set); nothing is kept.
 *
 * Gate: the median of `ask` is at most {@link gate}, on a machine that does nothing else (a busy one counts up to three times as much).
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import * as Ask from "../../src/programs/Ask.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { Initializer } from "../../src/services/Roles.ts"
import { houseOf } from "../house.ts"
import { median, table } from "../report.ts"

export const about = "what a question costs in a process that has answered others (CPU)"

/** Milliseconds. */
const gate = 60
/** Questions that are asked before any is counted: the first ones pay for compiling. */
const warming = 20

const Line = Schema.parseJson(Schema.Struct({ question: Schema.String }))

const option = (args: ReadonlyArray<string>, name: string, value: string): string => {
  const at = args.indexOf(name)
  return at < 0 ? value : (args[at + 1] ?? value)
}

/** Runs the benchmark; false where the gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const data = process.env.STATERAG_DATA
  if (data === undefined) throw new Error("STATERAG_DATA names no folder of question sets")
  const set = option(args, "--set", "musique")
  const most = Number(option(args, "--questions", "100"))
  const questions = readFileSync(join(data, `${set}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .slice(0, warming + most)
    .map((line) => Schema.decodeUnknownSync(Line)(line).question)
  const directory = mkdtempSync(join(tmpdir(), "staterag-bench-"))
  const { layer, policy } = await houseOf(args, directory)
  const scope = ScopeKey.make("bench")

  const timed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
    const before = process.cpuUsage()
    const value = yield* effect
    const { system, user } = process.cpuUsage(before)
    return { value, cost: (system + user) / 1000 }
  })
  const measured = Effect.gen(function* () {
    yield* indexCorpus({ scope, paths: [join(data, `${set}.corpus.jsonl`)] })
    const initializer = yield* Initializer
    const costs = yield* Effect.forEach(questions, (question) =>
      Effect.gen(function* () {
        const first = yield* timed(initializer.rank({ question, scope, policy, within: undefined }, 20))
        const whole = yield* timed(Ask.ask(question, { scope, policy }))
        return { first: first.cost, ask: whole.cost, branch: whole.value.outcome }
      })
    )
    return costs.slice(warming)
  })
  try {
    const costs = await Effect.runPromise(Effect.provide(measured, layer))
    const row = (name: string, values: ReadonlyArray<number>) => {
      const sorted = [...values].sort((a, b) => a - b)
      const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1)
      return [name, String(values.length), median(values).toFixed(1), at(0.9), at(1)]
    }
    const asked = costs.map(({ ask }) => ask)
    const branches = [...new Set(costs.map(({ branch }) => branch))].sort()
    const rows = [
      row(
        "first retrieval",
        costs.map(({ first }) => first)
      ),
      row("ask", asked),
      ...branches.map((name) =>
        row(
          `  ${name}`,
          costs.filter(({ branch }) => branch === name).map(({ ask }) => ask)
        )
      )
    ]
    process.stdout.write(`${table([`${set}, CPU ms`, "n", "p50", "p90", "most"], rows)}\n`)
    const kept = median(asked) <= gate
    process.stdout.write(`ask p50 ${kept ? "≤" : ">"} ${gate} ms\n`)
    return kept
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
