/**
 * Whether shared memory pays: pairs of different questions that rest on a common document. The second is asked of an empty memory, and after the
 * first: cycles, and whether all its gold documents are in the terminal evidence. `STATERAG_DATA` names the folder of the question sets.
 *
 * Gate: with what the first left, no pair's evidence holds fewer gold documents, and either cycles or all-support improve over all pairs.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import * as Ask from "../../src/programs/Ask.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { Housekeeping } from "../../src/services/Housekeeping.ts"
import { houseOf } from "../house.ts"
import { table } from "../report.ts"

export const about = "whether what one question leaves in shared memory helps a related one"

const sets = ["musique", "hotpotqa", "2wikimultihopqa-hipporag", "2wikimultihopqa"]

const Question = Schema.parseJson(
  Schema.Struct({
    id: Schema.String,
    question: Schema.String,
    answers: Schema.Array(Schema.String),
    support: Schema.optional(Schema.String),
    passages: Schema.Array(Schema.Struct({ id: Schema.String, supporting: Schema.Boolean }))
  })
)
type Asked = typeof Question.Type

const goldOf = ({ passages }: Asked): ReadonlySet<string> =>
  new Set(passages.filter(({ supporting }) => supporting).map(({ id }) => id))

/** Different questions with different answers that share a gold document, in the order of the file, each question once. */
const pairsOf = (questions: ReadonlyArray<Asked>): ReadonlyArray<readonly [Asked, Asked]> => {
  const used = new Set<string>()
  const pairs: Array<readonly [Asked, Asked]> = []
  for (const [i, first] of questions.entries()) {
    if (used.has(first.id)) continue
    const gold = goldOf(first)
    const second = questions
      .slice(i + 1)
      .find(
        (other) =>
          !used.has(other.id) &&
          other.answers[0]?.toLowerCase() !== first.answers[0]?.toLowerCase() &&
          [...goldOf(other)].some((id) => gold.has(id))
      )
    if (second === undefined) continue
    used.add(first.id).add(second.id)
    pairs.push([first, second])
  }
  return pairs
}

/** Runs the benchmark; false where the gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const data = process.env.STATERAG_DATA
  if (data === undefined) throw new Error("STATERAG_DATA names no folder of question sets")
  const scope = ScopeKey.make("bench")
  const rows: Array<ReadonlyArray<string>> = []
  let worse = 0
  const sums = { pairs: 0, cycles: [0, 0], support: [0, 0] }
  for (const set of sets) {
    const questions = readFileSync(join(data, `${set}.jsonl`), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => Schema.decodeUnknownSync(Question)(line))
      .filter(({ support }) => support !== "partial")
    const directory = mkdtempSync(join(tmpdir(), "staterag-bench-"))
    const { layer, policy } = await houseOf(args, directory)
    const measured = Effect.gen(function* () {
      yield* indexCorpus({ scope, paths: [join(data, `${set}.corpus.jsonl`)] })
      const keeping = yield* Housekeeping
      const forgetAll = Effect.flatMap(keeping.artifacts(scope), (all) =>
        keeping.removeArtifacts(
          scope,
          all.map(({ id }) => id)
        )
      )
      const look = (asked: Asked) =>
        Effect.map(Ask.ask(asked.question, { scope, policy }), ({ cycles, evidence }) => {
          const held = new Set<string>(evidence.map(({ document }) => document))
          const gold = [...goldOf(asked)]
          return { cycles, found: gold.filter((id) => held.has(id)).length, all: gold.every((id) => held.has(id)) }
        })
      const ways = [] as Array<{
        first: Asked
        second: Asked
        apart: Effect.Effect.Success<ReturnType<typeof look>>
        after: Effect.Effect.Success<ReturnType<typeof look>>
        left: number
      }>
      for (const [first, second] of pairsOf(questions)) {
        yield* forgetAll
        const apart = yield* look(second)
        yield* forgetAll
        yield* look(first)
        const left = (yield* keeping.artifacts(scope)).length
        const after = yield* look(second)
        ways.push({ first, second, apart, after, left })
      }
      return ways
    })
    try {
      const ways = await Effect.runPromise(Effect.provide(measured, layer))
      const count = (has: (way: (typeof ways)[number]) => boolean) => ways.filter(has).length
      const cycles = [0, 1].map((i) => ways.reduce((sum, way) => sum + (i === 0 ? way.apart : way.after).cycles, 0))
      const support = [count(({ apart }) => apart.all), count(({ after }) => after.all)]
      for (const way of ways.filter(({ after, apart }) => after.found < apart.found)) {
        worse++
        process.stdout.write(`worse: ${way.first.question} | ${way.second.question}\n`)
      }
      sums.pairs += ways.length
      for (const i of [0, 1] as const) {
        sums.cycles[i] = (sums.cycles[i] ?? 0) + (cycles[i] ?? 0)
        sums.support[i] = (sums.support[i] ?? 0) + (support[i] ?? 0)
      }
      rows.push([
        set,
        String(ways.length),
        String(count(({ left }) => left > 0)),
        `${cycles[0]} → ${cycles[1]}`,
        `${support[0]} → ${support[1]}`,
        `${count(({ after, apart }) => after.found > apart.found)} / ${count(({ after, apart }) => after.found < apart.found)}`
      ])
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  process.stdout.write(
    `${table(["set", "pairs", "left something", "cycles", "all gold found", "better / worse"], rows)}\n`
  )
  const [cyclesApart = 0, cyclesAfter = 0] = sums.cycles
  const [supportApart = 0, supportAfter = 0] = sums.support
  const kept = worse === 0 && (cyclesAfter < cyclesApart || supportAfter > supportApart)
  process.stdout.write(`${sums.pairs} pairs: memory ${kept ? "pays" : "does not pay"}\n`)
  return kept
}
