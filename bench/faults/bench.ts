/**
 * Whether the contract pays where roles go wrong: eight carriers (typed or free-form fields, owned or shared writes, commit with or without
 * validation), the same questions, the same faulty turns at rates of 0 to 30 %. `STATERAG_DATA` names the folder of the question sets
 * (`--set NAME`, `--questions N`, `--seed N`); `--out DIR` is where `faults.json` is written, from which `report.html` is drawn.
 *
 * A second table has every kind of fault alone at the highest rate, premature Pass among them, which no rule can see.
 *
 * Gate: under the whole contract wrong answers do not become more at any rate (the paired interval does not lie above 0).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { choose, parse } from "../../src/domain/Dataset.ts"
import { ScopeKey } from "../../src/domain/Ids.ts"
import { defaultSampling, statistics } from "../../src/domain/Statistics.ts"
import { carrierNames } from "../../src/programs/experiments/Carriers.ts"
import { type Curve, curves, type Point } from "../../src/programs/experiments/FaultCurves.ts"
import { faultKinds, visible } from "../../src/programs/experiments/Faults.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { Progress } from "../../src/services/Progress.ts"
import { houseOf } from "../house.ts"
import { table } from "../report.ts"

export const about = "what faulty roles do to the answers, carrier by carrier"

const rates = [0, 0.05, 0.1, 0.2, 0.3]

const option = (args: ReadonlyArray<string>, name: string, value: string): string => {
  const at = args.indexOf(name)
  return at < 0 ? value : (args[at + 1] ?? value)
}

const percent = (value: number): string => value.toFixed(1)
const within = (value: number, [low, high]: readonly [number, number]): string =>
  `${percent(value)} [${percent(low)}, ${percent(high)}]`

const row = (name: string, rate: string, point: Point): ReadonlyArray<string> => {
  const { incomplete, interval, more, notFound, right, unsupported, wrong } = point
  return [
    name,
    `${rate} %`,
    within(right, interval.right),
    within(wrong, interval.wrong),
    rate === "0" ? "" : within(more.wrong, more.interval),
    percent((100 * wrong) / Math.max(1e-9, right + wrong)),
    percent(notFound),
    within(incomplete, interval.incomplete),
    percent(unsupported)
  ]
}
const head = ["rate", "right", "wrong", "more wrong", "wrong of answered", "not found", "⊥", "unsupported"]

/** Runs the experiment; false where the gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const data = process.env.STATERAG_DATA
  if (data === undefined) throw new Error("STATERAG_DATA names no folder of question sets")
  const set = option(args, "--set", "hotpotqa")
  const most = Number(option(args, "--questions", "100"))
  const seed = Number(option(args, "--seed", "1"))
  const out = option(args, "--out", "")
  const dataset = Either.getOrThrowWith(
    parse(set, readFileSync(join(data, `${set}.jsonl`), "utf8")),
    ({ message }) => new Error(message)
  )
  const questions = choose(dataset.questions, "all", most)
  const directory = mkdtempSync(join(tmpdir(), "staterag-bench-"))
  const { layer, policy } = await houseOf(args, directory)
  const scope = ScopeKey.make("bench")
  const common = {
    questions,
    scope,
    policy,
    seed,
    carriers: carrierNames,
    statistics: statistics({ ...defaultSampling, seed })
  }
  const highest = Math.max(...rates)
  const measured = Effect.gen(function* () {
    yield* indexCorpus({ scope, paths: [join(data, `${set}.corpus.jsonl`)] })
    return yield* curves({ ...common, rates, kinds: visible, alone: faultKinds })
  }).pipe(
    Effect.provideService(Progress, {
      report: ({ done, label, total }) =>
        Effect.sync(() => void process.stderr.write(`${label}: ${done} of ${total}\n`))
    })
  )
  try {
    const found = await Effect.runPromise(Effect.provide(measured, layer))
    const each = (rowsOf: (name: string, curve: Curve) => ReadonlyArray<ReadonlyArray<string>>) =>
      table(
        ["carrier", ...head],
        carrierNames.flatMap((name) => {
          const curve = found[name]
          return curve === undefined ? [] : rowsOf(name, curve)
        })
      )
    const rows = each((name, { mixed }) => Object.entries(mixed).map(([rate, point]) => row(name, rate, point)))
    process.stdout.write(
      `${set}, ${questions.length} questions, seed ${seed}, faults: ${visible.join(", ")}\n\n${rows}\n`
    )
    for (const kind of faultKinds) {
      const own = each((name, { alone }) =>
        alone[kind] === undefined ? [] : [row(name, String(100 * highest), alone[kind])]
      )
      process.stdout.write(`\n${kind} alone\n\n${own}\n`)
    }
    if (out !== "") {
      mkdirSync(out, { recursive: true })
      const of = <A>(part: (curve: Curve) => A) =>
        Object.fromEntries(Object.entries(found).map(([name, curve]) => [name, part(curve)]))
      const told = {
        kind: "faults",
        set,
        seed,
        faults: visible,
        carriers: of(({ mixed }) => mixed),
        alone: { rate: highest, carriers: of(({ alone }) => alone) }
      }
      writeFileSync(join(out, "faults.json"), `${JSON.stringify(told, null, 2)}\n`)
    }
    const kept = Object.values(found.contract?.mixed ?? {}).every(({ more }) => more.interval[0] <= 0)
    process.stdout.write(`\nunder the contract wrong answers ${kept ? "do not become" : "become"} more\n`)
    return kept
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
