/**
 * A process beside others on one state folder.
 *
 *     count DIR N           N transactions, each of which reads a number, waits, and writes the next
 *     index DIR ROOT N      N index runs, over one version of the files and the other in turn: ROOT/odd, ROOT/even become ROOT/docs
 */
import { cpSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import { indexCorpus } from "../../src/programs/IndexCorpus.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { Transaction } from "../../src/services/Transaction.ts"

const [work = "", directory = "", ...rest] = process.argv.slice(2)
const scope = ScopeKey.make("default")

const count = (times: number) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    const { atomically } = yield* Transaction
    const step = Effect.gen(function* () {
      const before = yield* corpus.revision(scope)
      yield* Effect.sleep("1 millis")
      yield* corpus.setRevision(scope, { ...before, indexedAt: before.indexedAt + 1 })
    })
    for (let i = 0; i < times; i++) yield* atomically(step)
  })

const index = (root: string, times: number) =>
  Effect.gen(function* () {
    for (let i = 0; i < times; i++) {
      yield* Effect.sync(() =>
        cpSync(join(root, i % 2 === 0 ? "odd" : "even"), join(root, "docs"), { recursive: true })
      )
      yield* indexCorpus({ scope, paths: [join(root, "docs")] })
    }
  })

const program: Effect.Effect<void, unknown, Embedded.Services> =
  work === "count" ? count(Number(rest[0])) : index(rest[0] ?? "", Number(rest[1]))
await Effect.runPromise(Effect.provide(program, Embedded.layer({ directory })))
