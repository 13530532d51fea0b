/** Pain 35: nothing is wired that never runs. Every service of the composition root is used by indexing, asking, explaining and pruning. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import type { Services } from "../../src/layers/Embedded.ts"
import * as Testing from "../../src/layers/Testing.ts"
import * as Ask from "../../src/programs/Ask.ts"
import * as Explain from "../../src/programs/Explain.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"
import * as Prune from "../../src/programs/Prune.ts"

const scope = ScopeKey.make("wired")
const texts = {
  "parser.md":
    "# The parser\n\nThe parser was written by Ada Lovelace in 1843. It reads notes about the Analytical Engine.\n",
  "ada.md":
    "# Ada Lovelace\n\nAda Lovelace was born in London. She worked with Charles Babbage on the Analytical Engine.\n",
  "babbage.md": "# Charles Babbage\n\nCharles Babbage designed the Analytical Engine. He was born in London too.\n"
}

/** The same services, with a note for each that anything of it was taken in use. */
const spied = (used: Set<string>): Layer.Layer<Services> =>
  Layer.map(Testing.layer, (context) => {
    const noted = new Map<string, unknown>()
    for (const [key, service] of context.unsafeMap)
      noted.set(
        key,
        new Proxy(service as object, {
          get: (target, name, receiver) => {
            used.add(key)
            return Reflect.get(target, name, receiver)
          }
        })
      )
    return Context.unsafeMake<Services>(noted)
  })

/** What only experiments ask for. */
const experimental = ["staterag/services/Grouping"]

describe("pain 35 every configured part runs", () => {
  it("index, ask, ask, explain, prune", async () => {
    const folder = mkdtempSync(join(tmpdir(), "staterag-wired-"))
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
    const used = new Set<string>()
    const layer = spied(used)
    const program = Effect.gen(function* () {
      const everything = [...(yield* Effect.context<Services>()).unsafeMap.keys()].filter((key) =>
        key.startsWith("staterag/")
      )
      yield* IndexCorpus.indexCorpus({ scope, paths: [folder] })
      for (const question of ["Who wrote the parser?", "Were Ada Lovelace and Charles Babbage both born in London?"])
        yield* Ask.ask(question, { scope })
      const { events, run } = yield* Explain.explain(scope, Option.none())
      yield* Prune.prune({ scope, dryRun: true })
      return { everything, events, run }
    })
    const { events, everything, run } = await Effect.runPromise(Effect.provide(program, layer))
    rmSync(folder, { recursive: true })
    expect(everything.length).toBeGreaterThanOrEqual(19)
    expect(everything.filter((key) => !used.has(key))).toEqual(experimental)
    expect(events[0]?.tag).toBe("RunStarted")
    expect(run.outcome).not.toBe("Incomplete")
  }, 60_000)
})
