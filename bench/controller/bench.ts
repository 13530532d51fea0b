/**
 * What the contract costs on Effect: the product's controller against the same contract written as a plain loop, in one process, in
 * interleaved rounds, by CPU time. Roles, stores and journal are instant on both sides, so that only orchestration is measured.
 *
 * Gate: the median of the rounds' ratios is at most {@link gate}.
 */
import { performance } from "node:perf_hooks"
import { isDeepStrictEqual } from "node:util"
import type { Event } from "../../src/domain/Event.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { contentTerms } from "../../src/domain/Words.ts"
import { median, table } from "../report.ts"
import { type PlainJournal, type PlainRoles, run as runPlain } from "./plain.ts"
import { product, type Tables } from "./product.ts"
import {
  artifacts,
  charactersPerItem,
  cycles,
  itemsPerState,
  question,
  ranked,
  reading,
  revision,
  said,
  tokens
} from "./world.ts"

export const about = "the controller against the same contract as a plain loop (CPU, gate 4 ×)"

const gate = 4
const policy: Policy = { ...defaultPolicy, maxCycles: cycles, regionWidth: itemsPerState - 1 }

const roles: PlainRoles = {
  rank: async () => ranked,
  compact: async () => ({ matched: false, reason: "the question is of another kind" }),
  planner: async ({ cycle }) => said[cycle - 1]?.plan,
  navigator: async ({ cycle }) => said[cycle - 1]?.path,
  retriever: async ({ cycle }) => said[cycle - 1]?.evidence,
  verifier: async ({ cycle }) => said[cycle - 1]?.verification,
  reader: async () => reading
}
const plainJournal: PlainJournal = { tokens: new Map(), events: new Map() }
const settings = {
  policy,
  policyHash: "0123456789abcdef",
  revision: () => revision,
  expose: () => artifacts,
  tokens,
  read: () => [],
  keep: () => []
}
const tables: Tables = { tokens: new Map(), events: new Map() }

/** Forgets every run. New maps, since a cleared map keeps its former contents reachable until a full collection. */
const clear = () => {
  for (const journal of [plainJournal, tables]) {
    journal.tokens = new Map()
    journal.events = new Map()
  }
}
const withoutStamp = (events: ReadonlyArray<Event>) => events.map(({ at: _, run: __, ...rest }) => rest)
const only = (events: ReadonlyMap<string, ReadonlyArray<Event>>): ReadonlyArray<Event> => [...events.values()][0] ?? []

/** CPU microseconds a question, over `questions` of them; what is collected and compiled again on changing sides is not counted. */
const measure = async (one: () => Promise<unknown>, questions: number): Promise<number> => {
  globalThis.gc?.()
  const repeat = async (times: number) => {
    for (let i = 0; i < times; i++) {
      await one()
      clear()
    }
  }
  await repeat(questions / 4)
  const before = process.cpuUsage()
  await repeat(questions)
  const { system, user } = process.cpuUsage(before)
  return (user + system) / questions
}

/** Runs the benchmark; resolves to whether the gate holds. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const option = (name: string, otherwise: number) => {
    const value = Number(args[args.indexOf(`--${name}`) + 1])
    return args.includes(`--${name}`) && Number.isInteger(value) && value > 0 ? value : otherwise
  }
  const rounds = option("rounds", 9)
  const questions = option("questions", 2500)
  const { dispose, run } = product(policy, tables)
  const plain = () => runPlain(roles, plainJournal, settings)

  // both sides do the same, or nothing is compared
  const [view, result] = [await run(), await plain()]
  const events = [withoutStamp(only(tables.events)), withoutStamp(only(plainJournal.events))] as const
  if (result.outcome !== "Fallback" || view.phase !== "Ended" || !isDeepStrictEqual(events[0], events[1])) {
    const at = events[0].findIndex((event, i) => !isDeepStrictEqual(event, events[1][i]))
    console.error(
      "the two sides differ",
      result.reason ?? "",
      JSON.stringify([events[0][at], events[1][at]]).slice(0, 2000)
    )
    return false
  }

  if (args.includes("--only")) {
    const one = args[args.indexOf("--only") + 1] === "plain" ? plain : run
    const started = performance.now()
    const cost = await measure(one, rounds * questions)
    console.log(`${cost.toFixed(1)} µs CPU a question, ${(performance.now() - started).toFixed(0)} ms`)
    await dispose()
    return true
  }

  for (const one of [run, plain, run, plain]) await measure(one, questions)
  const pairs: Array<readonly [number, number]> = []
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0
    const a = await measure(first ? plain : run, questions)
    const b = await measure(first ? run : plain, questions)
    pairs.push(first ? [a, b] : [b, a])
  }
  const folding = await measure(async () => {
    for (let i = 0; i < cycles; i++) contentTerms(`${question} ${ranked.map((each) => each.passage.title).join(" ")}`)
  }, questions)
  await dispose()

  const plainCost = median(pairs.map(([cost]) => cost))
  const productCost = median(pairs.map(([, cost]) => cost))
  const ratio = median(pairs.map(([a, b]) => b / a))
  console.log(
    `one question: ${cycles} cycles × 4 instant roles, ${itemsPerState} evidence items of ${charactersPerItem} characters, ${events[0].length} events; ` +
      `${rounds} interleaved rounds of ${questions}\n`
  )
  console.log(
    table(
      ["controller", "CPU µs a question", "× plain"],
      [
        ["plain loop, the whole contract", plainCost.toFixed(1), "1.00"],
        ["the product, one ManagedRuntime", productCost.toFixed(1), ratio.toFixed(2)],
        ["  of both: folding the words that artifacts are looked up by", folding.toFixed(1), ""]
      ]
    )
  )
  const holds = ratio <= gate
  console.log(`\nmedian of ratios ${ratio.toFixed(2)}, gate ${gate}: ${holds ? "holds" : "BROKEN"}`)
  return holds
}
