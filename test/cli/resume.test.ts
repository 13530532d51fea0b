/** `resume` and `usage` as users run them: exit codes, what is said, the JSON. */
import * as path from "node:path"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { RunId } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import { ask } from "../../src/programs/Ask.ts"
import { Journal } from "../../src/services/Journal.ts"
import { build, staterag, temporary, write } from "../support/Command.ts"
import { keptCall, scopeKey } from "../support/Runs.ts"

const folder = temporary()
const said = (args: ReadonlyArray<string>) => staterag(args, { cwd: folder })
const scope = scopeKey("default")
const question = "Where was the maintainer of the parser born?"

const inHouse = <A, E>(effect: Effect.Effect<A, E, Embedded.Services>) =>
  Effect.runPromise(Effect.provide(effect, Embedded.layer({ directory: path.join(folder, ".staterag") })))

/** A run whose process was gone at its second write. */
const killed = () =>
  inHouse(
    Effect.gen(function* () {
      let writes = 0
      const gone = Effect.suspend(() => (++writes > 1 ? Effect.dieMessage("killed") : Effect.void))
      yield* Effect.exit(
        Effect.updateService(ask(question, { scope }), Journal, (journal): typeof Journal.Service => ({
          ...journal,
          commit: (...given) => Effect.zipRight(gone, journal.commit(...given))
        }))
      )
      const journal = yield* Journal
      return (yield* journal.runs(scope, { limit: 1 }))[0]
    })
  )

beforeAll(async () => {
  build()
  write(folder, {
    "docs/parser.md": "# The parser\n\nThe parser is maintained by Ada Winter. It was written in 2019.\n",
    "docs/ada.md": "# Ada Winter\n\nAda Winter was born in Oslo. Ada Winter works for the Harbour project.\n"
  })
  expect((await said(["index", "docs"])).code).toBe(0)
}, 300_000)

describe("resume", () => {
  it("wrong usage ends with 2, and 1 where there is nothing to go on with", async () => {
    for (const [args, code, message] of [
      [["resume"], 1, /there is no run to go on with[\s\S]*staterag ask/],
      [["resume", "01J"], 1, /there is no run 01J[\s\S]*staterag runs/],
      [["resume", "--scope", "defualt"], 1, /Did you mean default\?/],
      [["resume", "a", "b"], 2, /an argument too many: b/],
      [["resume", "--steam"], 2, /Did you mean --stream\?/]
    ] as const) {
      const ended = await said(args)
      expect([ended.code, ended.stdout], args.join(" ")).toEqual([code, ""])
      expect(ended.stderr).toMatch(message)
    }
  }, 120_000)

  it("C30 a killed run is gone on with to the answer that asking gives; what has ended is shown as it was", async () => {
    const asked = await said(["ask", question, "--json"])
    const whole = JSON.parse(asked.stdout)
    const summary = await killed()
    expect(summary?.outcome).toBe(null)
    const runs = await said(["runs"])
    expect(runs.stdout).toMatch(/ open /)
    const resumed = await said(["resume", "--json"])
    expect([resumed.code, resumed.stderr]).toEqual([asked.code, ""])
    const answer = JSON.parse(resumed.stdout)
    expect({ ...answer, run: "", elapsedMs: 0 }).toEqual({ ...whole, run: "", elapsedMs: 0 })
    expect(answer.run).toBe(summary?.run)
    const again = await said(["resume", answer.run, "--json"])
    expect([again.code, JSON.parse(again.stdout)]).toEqual([resumed.code, answer])
    expect((await said(["resume"])).code).toBe(1)
    expect((await said(["explain", answer.run])).stdout).toContain("Resumed ")
    expect((await said(["explain", answer.run, "--format", "mermaid"])).stdout).toContain('["resumed"]')
  }, 120_000)

  it("--stream shows what happens from then on, one event a line", async () => {
    await killed()
    const { code, stdout } = await said(["resume", "--stream"])
    expect(code).toBe(0)
    const tags = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).tag)
    expect([tags[0], tags.at(-1)]).toEqual(["RunResumed", "RunEnded"])
  }, 120_000)
})

describe("usage", () => {
  it("says that nothing was called, and what a time looks like", async () => {
    expect(await said(["usage"])).toMatchObject({ code: 0, stdout: "No model has been called.\n", stderr: "" })
    const wrong = await said(["usage", "--since", "soon"])
    expect([wrong.code, wrong.stdout]).toEqual([2, ""])
    expect(wrong.stderr).toMatch(/soon is no time[\s\S]*30d/)
    expect((await said(["usage", "--scope", "other"])).code).toBe(1)
  }, 120_000)

  it("C28 sums calls, tokens, RET and money, since a time and of one scope; runs says it for each run", async () => {
    const now = Date.now()
    const run = await inHouse(
      Effect.gen(function* () {
        const journal = yield* Journal
        const [summary] = yield* journal.runs(scope, { limit: 1 })
        const id = summary?.run ?? RunId.make("")
        const token = yield* journal.takeOver(id)
        yield* journal.keepCall(
          id,
          token,
          keptCall({ cycle: 9, at: now, call: { role: "Planner", model: "\u001b[31mred" } })
        )
        yield* journal.keepCall(
          id,
          token,
          keptCall({ cycle: 9, attempt: 1, at: now, call: { cached: true, money: null } })
        )
        yield* journal.keepOther(
          scope,
          "index-1",
          keptCall({ at: now - 40 * 86_400_000, call: { role: "Embedding", money: null, estimated: true } })
        )
        return id
      })
    )
    const text = await said(["usage"])
    expect(text.stderr).toBe("")
    for (const part of [
      /Planner +2 +1 +0 +14 +6 +10 +0\.2500/,
      /Embedding +1 .* - \(\+ 1 unpriced\)/,
      /\\x1b\[31mred/,
      /default +3/
    ])
      expect(text.stdout).toMatch(part)
    expect(text.stdout).toContain("counted here")
    const json = JSON.parse((await said(["usage", "--json", "--since", "30d", "--scope", "default"])).stdout)
    expect(json.total).toMatchObject({ calls: 2, cached: 1, money: 0.25, readerEquivalentTokens: 10, unpriced: 0 })
    expect(Object.keys(json.byDay)).toEqual([new Date(now).toISOString().slice(0, 10)])
    const { runs } = JSON.parse((await said(["runs", "--json"])).stdout)
    expect(runs[0]).toMatchObject({ run, usage: { calls: 2, money: 0.25 } })
    expect((await said(["runs"])).stdout).toContain("2 calls, 20 tokens, money 0.2500")
  }, 120_000)
})
