/** The two processes that `bench -- size` measures: one that indexes, one that asks. Each prints one JSON line. */
import { performance } from "node:perf_hooks"
import { Effect } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import { ask } from "../../src/programs/Ask.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { Progress } from "../../src/services/Progress.ts"
import { encyclopaedia } from "./corpus.ts"

const scope = "size"

const cpuMs = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}
const peakMB = (): number => process.resourceUsage().maxRSS / 1024

export interface Indexed {
  readonly passages: number
  readonly relations: number
  readonly topics: number
  readonly edges: number
  /** CPU milliseconds of the run, opening included; and by what it was doing. */
  readonly cpu: number
  readonly parts: { readonly [label: string]: number }
  readonly wall: number
  readonly peakMB: number
  readonly error: string | null
}

export const index = async (directory: string, file: string): Promise<Indexed> => {
  const parts: Record<string, number> = {}
  let last = cpuMs()
  const count = (label: string): void => {
    const now = cpuMs()
    parts[label] = (parts[label] ?? 0) + now - last
    last = now
  }
  const begun = { cpu: cpuMs(), wall: performance.now() }
  let label = "opening"
  const ended = await indexCorpus({ scope: ScopeKey.make(scope), paths: [file] }).pipe(
    Effect.provideService(Progress, {
      report: (step) =>
        Effect.sync(() => {
          count(step.label === label ? label : step.label)
          label = step.label
        })
    }),
    Effect.either,
    Effect.provide(Embedded.layer({ directory })),
    Effect.runPromise
  )
  count("after the last step")
  const report = ended._tag === "Right" ? ended.right : undefined
  return {
    passages: report?.passages ?? 0,
    relations: report?.nodes.Relation ?? 0,
    topics: report?.nodes.Topic ?? 0,
    edges: report?.edges ?? 0,
    cpu: cpuMs() - begun.cpu,
    parts,
    wall: performance.now() - begun.wall,
    peakMB: peakMB(),
    error: ended._tag === "Left" ? ended.left._tag : null
  }
}

export interface Asked {
  /** CPU milliseconds of the first question, opening included. */
  readonly first: number
  /** CPU milliseconds of each later question. */
  readonly each: ReadonlyArray<number>
  /** Share of questions with all their records among the first five documents of the evidence. */
  readonly supported: number
  readonly peakMB: number
}

export const asking = async (directory: string, size: number, questions: number): Promise<Asked> => {
  const { question } = encyclopaedia(size)
  const each: Array<number> = []
  let supported = 0
  await Effect.gen(function* () {
    for (let i = 0; i < questions; i++) {
      const { gold, text } = question(Math.floor((i * size) / questions))
      const before = cpuMs()
      const answer = yield* ask(text, { scope })
      each.push(cpuMs() - before)
      const found = [...new Set(answer.evidence.map((item) => item.document))].slice(0, 5)
      if (gold.every((id) => found.some((document) => document.endsWith(id)))) supported++
    }
  }).pipe(Effect.provide(Embedded.layer({ directory })), Effect.runPromise)
  const [first = 0, ...later] = each
  return { first, each: later, supported: supported / questions, peakMB: peakMB() }
}
