/**
 * A process that asks, or goes on with a run, over the journal of a database file; roles on a model that answers when it is told to.
 *
 *     ask FILE | resume FILE RUN
 *
 * Before each answer of its model it writes `call N` and waits for a line on standard input; at its end it writes what it came to, as JSON.
 */
import { createInterface } from "node:readline"
import { Effect, Layer, Option } from "effect"
import { RunId } from "../../src/domain/Ids.ts"
import type { RunView } from "../../src/domain/Run.ts"
import * as WritersNode from "../../src/layers/platform/WritersNode.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import * as RunStores from "../../src/layers/sql/RunStores.ts"
import { process as made } from "./Killing.ts"
import { honest } from "./WorldRun.ts"
import { world } from "./Worlds.ts"

const [work = "", filename = "", run = ""] = process.argv.slice(2)
const at = world([...Array(500).keys()].find((seed) => world(seed).completed === 0) ?? 0)

const lines = createInterface({ input: process.stdin })
const waiting: Array<() => void> = []
lines.on("line", () => waiting.shift()?.())
let calls = 0
const told = Effect.async<void>((resume) => {
  waiting.push(() => resume(Effect.void))
  process.stdout.write(`call ${++calls}\n`)
})

const program = Effect.gen(function* () {
  const making = { world: at, roles: () => honest(at, ["Fail", "Fail", "Pass"]) }
  const asking = yield* made(making, undefined, () => told)
  const asked: Effect.Effect<RunView, { readonly _tag: string }> =
    work === "ask" ? asking.run : asking.resume(RunId.make(run))
  const end = yield* Effect.match(asked, {
    onSuccess: ({ reading, run: id, usage }) => ({ run: id, usage, reading: Option.getOrNull(reading) }),
    onFailure: ({ _tag }) => ({ failed: _tag })
  })
  yield* Effect.sync(() => process.stdout.write(`${JSON.stringify({ ...end, calls })}\n`))
})
const stores = RunStores.layer.pipe(
  Layer.provide(WritersNode.layer),
  Layer.provide(Migrations.layer),
  Layer.provide(Client.layer({ filename, create: true }))
)
await Effect.runPromise(Effect.provide(program, stores))
lines.close()
