/** C22 to C27: a question of an evaluation has an empty memory of its own, under the same permissions, and leaves nothing behind. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import type { Artifact, Claim } from "../../src/domain/Artifact.ts"
import { parse } from "../../src/domain/Dataset.ts"
import { ArtifactId, ContentHash, NodeId, RunId } from "../../src/domain/Ids.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { inIsolation } from "../../src/programs/baselines/OneQuestion.ts"
import { evaluate } from "../../src/programs/Evaluate.ts"
import { FencingToken, Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { library, scope, shelf } from "../support/Shelf.ts"

const run = RunId.make("r1")
const token = FencingToken.make(0)
const signature = ContentHash.make("0123456789abcdef")
const artifact = (id: string, changes: Partial<Artifact> = {}): Artifact => ({
  id: ArtifactId.make(id),
  scopeKey: scope,
  scope: "Global",
  run,
  producer: "Verifier",
  payload: { kind: "FailedRegion", signature, node: NodeId.make("n") },
  restsOn: [],
  createdAt: 0,
  expiresAt: null,
  ...changes
})
const claim = (changes: Partial<Claim> = {}): Claim => ({
  actor: "Planner",
  operation: "read",
  scopeKey: scope,
  run,
  exposed: [],
  ...changes
})
const exposed = Effect.flatMap(SharedMemoryPool, (pool) => pool.expose(scope, run, [signature], 10, 5))
const put = (...artifacts: ReadonlyArray<Artifact>) =>
  Effect.flatMap(Journal, (journal) => journal.commit(run, token, [], artifacts))

describe("C22 C23 the memory of one question", () => {
  it.effect("holds what the question makes, and is empty for the next", () =>
    Effect.gen(function* () {
      const first = yield* inIsolation(Effect.zipRight(put(artifact("b"), artifact("a")), exposed))
      expect(first).toEqual(["a", "b"])
      expect(yield* inIsolation(exposed)).toEqual([])
    })
  )
  it.effect("exposes what is of this run and this key, and has not expired", () =>
    Effect.gen(function* () {
      const other = RunId.make("r2")
      const found = yield* inIsolation(
        Effect.zipRight(
          put(
            artifact("task", { scope: "Task" }),
            artifact("other task", { scope: "Task", run: other }),
            artifact("private", { scope: "Private" }),
            artifact("expired", { expiresAt: 5 }),
            artifact("global of another run", { run: other })
          ),
          exposed
        )
      )
      expect(found).toEqual(["global of another run", "task"])
    })
  )
  it.effect("is read under the permission table", () =>
    inIsolation(
      Effect.gen(function* () {
        const pool = yield* SharedMemoryPool
        yield* put(artifact("a"), artifact("mine", { scope: "Private", producer: "Planner" }))
        const id = ArtifactId.make("a")
        expect(yield* Effect.flip(pool.read(claim(), [id]))).toMatchObject({ constraint: "Exposure" })
        expect(yield* pool.read(claim({ exposed: [id] }), [id])).toHaveLength(1)
        expect((yield* pool.own(claim())).map((it) => it.id)).toEqual(["mine"])
        expect(yield* pool.own(claim({ actor: "Verifier" }))).toEqual([])
        expect(yield* pool.count(scope)).toEqual({ Global: 1, Task: 0, Private: 1 })
      })
    )
  )
  it.effect("an evaluation leaves neither runs nor artifacts", () =>
    Effect.gen(function* () {
      const written = JSON.stringify({
        id: "1",
        question: "What is the seat of the county where Van Hook Township is located?",
        answers: ["Stanley"],
        gold: ["d7", "d8"]
      })
      const { questions } = Either.getOrThrow(parse("q", written))
      const { results } = yield* evaluate({
        questions,
        methods: ["staterag", "oracle-verdict"],
        scope,
        policy: defaultPolicy,
        navigation: false,
        seed: 1,
        concurrency: 1,
        known: [],
        record: () => Effect.void
      })
      expect(results).toHaveLength(2)
      expect(Option.isNone(yield* (yield* Journal).latest(scope))).toBe(true)
      expect(yield* (yield* SharedMemoryPool).count(scope)).toEqual({ Global: 0, Task: 0, Private: 0 })
    }).pipe(Effect.provide(shelf(library)))
  )
})
