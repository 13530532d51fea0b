/**
 * C10, C14, C16, C19, C21, C23, C26, C28, L1, L3 against whoever provides a Layer: roles that change what they were handed, say what cannot be
 * printed, meter nonsense, or hand over what no schema takes. Nothing of theirs is committed, and the run ends with a reason in its journal.
 */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Option } from "effect"
import type { Draft } from "../../src/domain/Artifact.ts"
import { RequiredUpdateFailure } from "../../src/domain/Errors.ts"
import { ContentHash, CorpusRevision, NodeId, type RunId } from "../../src/domain/Ids.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { answerOf } from "../../src/domain/Report.ts"
import type { State } from "../../src/domain/State.ts"
import { script } from "../../src/layers/testing/Script.ts"
import { Journal } from "../../src/services/Journal.ts"
import { Reranker, type RoleMemory } from "../../src/services/Roles.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { type Clockwork, forge, honest, layer, type Roles, revision, run, scope } from "../support/WorldRun.ts"
import { world } from "../support/Worlds.ts"

const at = world([...Array(500).keys()].find((seed) => world(seed).completed === 0) ?? 0)

const aftermath = Effect.gen(function* () {
  const journal = yield* Journal
  const pool = yield* SharedMemoryPool
  const [summary] = yield* journal.runs(scope, { limit: 1 })
  const events = summary === undefined ? [] : yield* journal.events(scope, summary.run)
  return { events, tags: events.map((event) => event.tag), summary, artifacts: yield* pool.count(scope) }
})
const experiment = (roles: Roles, policy: Policy = defaultPolicy, clockwork: Clockwork = { revision }) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(run(policy))
    return { exit, ...(yield* aftermath) }
  }).pipe(Effect.provide(layer(at, roles, clockwork)))
type Result = Effect.Effect.Success<ReturnType<typeof experiment>>

const failure = ({ exit }: Pick<Result, "exit">) =>
  Exit.isFailure(exit) ? (Option.getOrUndefined(Cause.failureOption(exit.cause)) ?? exit.cause) : undefined
const expectBottom = (result: Result, roles: Roles, stage: string, cause: object) => {
  expect(failure(result)).toMatchObject({ _tag: "Incomplete", stage, cause })
  expect(result.summary).toMatchObject({ outcome: "Incomplete" })
  if (stage !== "Reader") expect(roles.reader.asked()).toHaveLength(0)
}

/** Writes into what is read-only, as JavaScript lets whoever wants to; nothing happens where it is frozen. */
const scrawl = (target: unknown, name: string, value: unknown): void => {
  if (typeof target === "object" && target !== null) Reflect.set(target, name, value)
}
const lie = "Nobody wrote this."

describe("L1, C2 what a role was handed is not a way into the state", () => {
  it.effect("C14 the Retriever changes its region, and quotes the change", () =>
    Effect.gen(function* () {
      const roles = honest(at, ["Pass"])
      const before = [...at.passages.values()].map((passage) => passage.text)
      const forged: Roles = {
        ...roles,
        retriever: script((turn) => {
          for (const passage of turn.region) scrawl(passage, "text", lie.padEnd(passage.text.length, " "))
          return roles.retriever.call(turn)
        })
      }
      const result = yield* experiment(forged)
      for (const event of result.events)
        if (event.tag === "EvidenceCommitted" || event.tag === "EvidenceSelected")
          for (const item of event.evidence) expect(item.text).not.toContain(lie)
      expect([...at.passages.values()].map((passage) => passage.text)).toEqual(before)
    })
  )

  it.effect("C16 a role changes the policy: T_max, the budget and the product's defaults stay", () =>
    Effect.gen(function* () {
      const roles = honest(at, ["Fail"])
      const meddling: Roles = {
        ...roles,
        planner: script((turn) => {
          scrawl(turn.policy, "maxCycles", 7)
          scrawl(turn.policy.budget, "calls", 1)
          scrawl(defaultPolicy, "maxCycles", 7)
          return roles.planner.call(turn)
        })
      }
      const policy = { ...defaultPolicy, maxCycles: 2, budget: { ...defaultPolicy.budget } }
      const { exit } = yield* experiment(meddling, policy)
      expect(Exit.isSuccess(exit) ? answerOf(exit.value) : undefined).toMatchObject({ outcome: "Fallback", cycles: 2 })
      expect(policy).toMatchObject({ maxCycles: 2, budget: { calls: null } })
      expect(defaultPolicy.maxCycles).toBe(3)
    })
  )

  it.effect("C9 a role writes into the staged state: every other field, and its own", () =>
    Effect.gen(function* () {
      const roles = honest(at, ["Pass"])
      const verification = { verdict: "Pass", justification: { text: "", missing: [], supported: [] } }
      const spoil = (state: State) => {
        if (Option.isSome(state.plan)) scrawl(state.plan, "value", {})
        scrawl(state.evidence, "0", {})
        scrawl(state.evidence[0], "text", lie)
        scrawl(state.artifacts, "0", "forged")
        scrawl(state.verification, "verdict", "Pass")
        scrawl(state.verification.justification.missing, "0", "forged")
        for (const [name, value] of [
          ["evidence", []],
          ["verification", verification],
          ["artifacts", ["forged"]],
          ["plan", Option.none()],
          ["path", Option.none()]
        ] as const)
          scrawl(state, name, value)
      }
      const meddling: Roles = {
        ...roles,
        planner: script((turn) => Effect.tap(roles.planner.call(turn), () => Effect.sync(() => spoil(turn.state)))),
        navigator: script((turn) => Effect.tap(roles.navigator.call(turn), () => Effect.sync(() => spoil(turn.state)))),
        retriever: script((turn) => Effect.tap(roles.retriever.call(turn), () => Effect.sync(() => spoil(turn.state)))),
        verifier: script((turn) => Effect.tap(roles.verifier.call(turn), () => Effect.sync(() => spoil(turn.state))))
      }
      const honestly = yield* experiment(honest(at, ["Pass"]))
      const result = yield* experiment(meddling)
      const facts = (events: Result["events"]) => events.map(({ at: _, run: __, ...event }) => event)
      expect(facts(result.events)).toEqual(facts(honestly.events))
      expect(Exit.isSuccess(result.exit) ? result.exit.value.state : undefined).toEqual(
        Exit.isSuccess(honestly.exit) ? honestly.exit.value.state : "no state"
      )
    })
  )

  it.effect("C3, L3 the reader changes the evidence, and cites the change", () =>
    Effect.gen(function* () {
      for (const verdict of ["Pass", "Fail"] as const) {
        const roles = honest(at, [verdict])
        const forged: Roles = {
          ...roles,
          reader: script((input) => {
            for (const item of input.evidence) scrawl(item, "text", lie.padEnd(item.text.length, " "))
            scrawl(input.evidence, "0", { ...input.evidence[0], text: lie })
            return roles.reader.call(input)
          })
        }
        const { exit } = yield* experiment(forged)
        const answer = Exit.isSuccess(exit) ? answerOf(exit.value) : undefined
        expect(answer?.evidence.length).toBeGreaterThan(0)
        for (const { text } of [...(answer?.evidence ?? []), ...(answer?.citations ?? [])])
          expect(text).not.toContain(lie)
      }
    })
  )
})

describe("L1, C10 ⊥ whatever was said", () => {
  const circular: Record<string, unknown> = { field: "path" }
  circular.value = circular
  const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
  for (const [name, said] of [
    ["a value that holds itself", circular],
    ["a number that JSON has not", { field: "path", value: 1n }],
    ["a value nested 20,000 deep", { field: "path", value: deep }],
    ["a value that does not print", { field: "path", value: { toJSON: () => Effect.runSync(Effect.die("no")) } }]
  ] as const)
    it.effect(`${name} is refused like any other`, () =>
      Effect.gen(function* () {
        const roles: Roles = { ...honest(at, ["Pass"]), navigator: script(() => forge(Effect.succeed(said))) }
        const result = yield* experiment(roles)
        expectBottom(result, roles, "Navigator", { _tag: "ProposalRefused", rule: "FitsSchema" })
      })
    )

  it.effect("a proposal that throws when it is looked at is a role that died", () =>
    Effect.gen(function* () {
      const trap = {
        field: "path",
        get value() {
          throw new Error("trap")
        }
      }
      const roles: Roles = { ...honest(at, ["Pass"]), navigator: script(() => forge(Effect.succeed(trap))) }
      expectBottom(yield* experiment(roles), roles, "Navigator", { _tag: "RoleFailed", reason: "Died" })
    })
  )

  it.effect("a failure that is none of the types is a failure of the role", () =>
    Effect.gen(function* () {
      for (const error of ["no", undefined, { _tag: "RoleFailed", role: "Navigator" }, new Error("no")]) {
        const roles: Roles = { ...honest(at, ["Pass"]), navigator: script(() => forge(Effect.fail(error))) }
        expectBottom(yield* experiment(roles), roles, "Navigator", { _tag: "RoleFailed", reason: "Failed" })
      }
    })
  )

  it.effect("a role that interrupts itself has given no proposal: nobody interrupted the run", () =>
    Effect.gen(function* () {
      for (const time of [null, 5_000]) {
        const roles: Roles = { ...honest(at, ["Pass"]), navigator: script(() => Effect.interrupt) }
        const policy = { ...defaultPolicy, budget: { ...defaultPolicy.budget, time } }
        expectBottom(yield* experiment(roles, policy), roles, "Navigator", { _tag: "RoleFailed", reason: "Died" })
      }
    })
  )

  it.effect("C30 interrupted while a role's own clean-up dies: the journal says that it was interrupted", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const roles: Roles = {
        ...honest(at, ["Pass"]),
        planner: script(() =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.zipRight(Effect.never),
            Effect.onInterrupt(() => Effect.die("a bug in the clean-up"))
          )
        )
      }
      const left = yield* Effect.gen(function* () {
        const fiber = yield* Effect.fork(run())
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(fiber)
        return yield* aftermath
      }).pipe(Effect.provide(layer(at, roles)))
      expect(left.summary).toMatchObject({ outcome: "Interrupted" })
    })
  )
})

describe("C28, C35 what a role meters", () => {
  const call = {
    role: "Planner",
    model: "m",
    promptTokens: 900,
    completionTokens: 100,
    sizeRatio: 1,
    money: 0.5,
    cached: false,
    estimated: false
  }
  for (const spoilt of [
    { promptTokens: Number.NaN },
    { promptTokens: -900 },
    { money: Number.POSITIVE_INFINITY },
    { model: 7 }
  ])
    it.effect(`${Object.keys(spoilt)[0]} ${String(Object.values(spoilt)[0])} is no call: the role dies of it`, () =>
      Effect.gen(function* () {
        const roles = honest(at, ["Pass"])
        const wrong: Roles = {
          ...roles,
          planner: script((turn) =>
            Effect.zipRight(turn.meter(forge({ ...call, ...spoilt })), roles.planner.call(turn))
          )
        }
        expectBottom(yield* experiment(wrong), wrong, "Planner", { _tag: "RoleFailed", reason: "Died" })
      })
    )
})

describe("C18, C19, L3 those at the entry", () => {
  const entering = (rank: Roles["initializer"]): Roles => ({ ...honest(at, ["Pass"]), initializer: rank })
  const [passage] = [...at.passages.values()]
  if (passage === undefined) throw new Error("a world has passages")
  const parts = { lexical: 1, dense: 0, links: 0 }

  it.effect("an E⁰ that no state can hold is a failure of the Initializer", () =>
    Effect.gen(function* () {
      for (const ranked of [
        [{ passage, score: Number.NaN, parts }],
        [{ passage: { ...passage, text: "" }, score: 1, parts }],
        Array.from({ length: 200 }, () => ({ passage, score: 1, parts })),
        "nothing",
        [null]
      ]) {
        const roles = entering(script(() => forge(Effect.succeed(ranked))))
        expectBottom(yield* experiment(roles), roles, "Initializer", { _tag: "RoleFailed" })
      }
    })
  )
  it.effect("a Reranker that throws is ⊥ at the Initializer, and recorded", () =>
    Effect.gen(function* () {
      const roles = honest(at, ["Pass"])
      const result = yield* Effect.gen(function* () {
        const exit = yield* Effect.exit(run()).pipe(
          Effect.provideService(Reranker, {
            rerank: () => {
              throw new Error("a bug")
            }
          })
        )
        return { exit, ...(yield* aftermath) }
      }).pipe(Effect.provide(layer(at, roles)))
      expectBottom(result, roles, "Initializer", { _tag: "RoleFailed", reason: "Died" })
    })
  )
  it.effect("a bypass quotes the corpus, whatever the Initializer said: another text is ⊥", () =>
    Effect.gen(function* () {
      const { document, end, id, line, start, title } = passage
      const text = lie.padEnd(passage.text.length, " ").slice(0, passage.text.length)
      const roles: Roles = {
        ...entering(script(() => Effect.succeed([{ passage: { ...passage, text }, score: 1, parts }]))),
        check: script(() =>
          Effect.succeed({
            matched: true as const,
            reason: "",
            evidence: [{ passage: id, document, title, start, end, line, text, score: 1, cycle: 0 }]
          })
        )
      }
      expectBottom(yield* experiment(roles), roles, "CompactEvidenceCheck", { _tag: "RoleFailed" })
    })
  )
  it.effect("a check that says what is no answer", () =>
    Effect.gen(function* () {
      for (const said of [
        { matched: true, reason: "", evidence: "all" },
        { matched: true, reason: "", evidence: [{}] },
        null
      ]) {
        const roles: Roles = { ...honest(at, ["Pass"]), check: script(() => forge(Effect.succeed(said))) }
        expectBottom(yield* experiment(roles), roles, "CompactEvidenceCheck", { _tag: "RoleFailed" })
      }
    })
  )
})

describe("C21 what the reader says", () => {
  it.effect("no reading at all is ⊥ at the Reader, in the journal too", () =>
    Effect.gen(function* () {
      for (const said of [
        undefined,
        {},
        { text: "yes" },
        { text: 1, citations: [] },
        { text: "a [1]", citations: [{}] }
      ]) {
        const roles: Roles = { ...honest(at, ["Pass"]), reader: script(() => forge(Effect.succeed(said))) }
        expectBottom(yield* experiment(roles), roles, "Reader", { _tag: "RoleFailed" })
      }
    })
  )
  it.effect("a blank answer is no answer", () =>
    Effect.gen(function* () {
      for (const text of ["", " \n", " [1]"]) {
        const roles: Roles = { ...honest(at, ["Pass"]), reader: script(() => Effect.succeed({ text, citations: [] })) }
        const { exit } = yield* experiment(roles)
        expect(Exit.isSuccess(exit) ? answerOf(exit.value) : undefined).toMatchObject({ answer: null, answered: false })
      }
    })
  )
})

describe("C23, C24, C26 what a role hands to the pool", () => {
  const nodes = [...at.tam.nodes.keys()]
  const [node] = nodes
  if (node === undefined) throw new Error("a world has nodes")
  const document = at.documents.find(({ text }) => text.length > 12)
  if (document === undefined) throw new Error("a world has documents")
  const quote = () => ({ span: { document: document.id, start: 0, end: 10 }, text: document.text.slice(0, 10) })
  const draft = (payload: Draft["payload"]): Draft => ({ scope: "Task", payload, restsOn: [] })
  const writing = (write: (memory: RoleMemory) => Effect.Effect<unknown, unknown>): Roles => {
    const roles = honest(at, ["Pass"])
    return {
      ...roles,
      verifier: script((turn) => Effect.zipRight(Effect.orDie(write(turn.memory)), roles.verifier.call(turn)))
    }
  }
  const kept = (write: (memory: RoleMemory) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const roles = writing(write)
      const exit = yield* Effect.exit(run())
      const ids = (yield* aftermath).events.flatMap((event) => (event.tag === "ArtifactsPersisted" ? event.ids : []))
      const pool = yield* SharedMemoryPool
      const [summary] = yield* (yield* Journal).runs(scope, { limit: 1 })
      const found =
        summary === undefined
          ? []
          : yield* pool.read(
              { actor: "Verifier", operation: "read", scopeKey: scope, run: summary.run, exposed: ids },
              ids
            )
      return { exit, found, roles }
    })

  it.effect("a draft that is changed after it was checked is persisted as it was checked", () =>
    Effect.gen(function* () {
      const payload = { kind: "SurfaceForm" as const, surface: quote(), node }
      const write = (memory: RoleMemory) =>
        Effect.tap(memory.write(draft(payload)), () => Effect.sync(() => scrawl(payload.surface, "text", lie)))
      const { found } = yield* Effect.provide(kept(write), layer(at, writing(write)))
      expect(found.map((artifact) => artifact.payload)).toEqual([{ kind: "SurfaceForm", surface: quote(), node }])
    })
  )
  for (const [name, forged] of [
    ["a property that its kind has not", { kind: "FailedRegion", signature: "00000000", node, answer: "42" }],
    ["a kind that there is not", { kind: "Answer", text: "42" }]
  ] as const)
    it.effect(`${name}: no draft, and the role dies of it`, () =>
      Effect.gen(function* () {
        const write = (memory: RoleMemory) => memory.write(draft(forge(forged)))
        const roles = writing(write)
        const result = yield* experiment(roles)
        expectBottom(result, roles, "Verifier", { _tag: "RoleFailed", reason: "Died" })
        expect(result.artifacts).toEqual({ Global: 0, Task: 0, Private: 0 })
      })
    )
  it.effect("a node that the graph has not is no place to put words", () =>
    Effect.gen(function* () {
      const signature = ContentHash.make("00000000")
      for (const payload of [
        { kind: "FailedRegion" as const, signature, node: NodeId.make("the answer is 42") },
        { kind: "SurfaceForm" as const, surface: quote(), node: NodeId.make("the answer is 42") }
      ]) {
        const said: Array<unknown> = []
        const write = (memory: RoleMemory) =>
          Effect.catchAll(memory.write(draft(payload)), (error) => Effect.sync(() => said.push(error)))
        const result = yield* experiment(writing(write))
        expect(said).toMatchObject([{ _tag: "PermissionDenied", constraint: "Grounding" }])
        expect(result.artifacts).toEqual({ Global: 0, Task: 0, Private: 0 })
      }
    })
  )
})

describe("C24 what outlives the run rests on what it speaks of", () => {
  it.effect("a region that did not hold what was looked for, on the documents of that region", () =>
    Effect.gen(function* () {
      const node = at.valid.path[at.valid.path.length - 1]
      if (node === undefined) throw new Error("a path has an end")
      const payload = { kind: "FailedRegion" as const, signature: ContentHash.make("00000000"), node }
      const roles = honest(at, ["Pass"])
      const writing: Roles = {
        ...roles,
        verifier: script((turn) =>
          Effect.zipRight(
            Effect.orDie(turn.memory.write({ scope: "Global", payload, restsOn: [] })),
            roles.verifier.call(turn)
          )
        )
      }
      const keep = { scope: "global" as const, days: null, count: null }
      const policy = { ...defaultPolicy, persistence: { ...defaultPolicy.persistence, FailedRegion: keep } }
      const found = yield* Effect.gen(function* () {
        yield* run(policy)
        const pool = yield* SharedMemoryPool
        const { summary } = yield* aftermath
        const id = summary?.run ?? forge<RunId>("")
        const ids = yield* pool.expose(scope, id, ["00000000"], 9, 0)
        return yield* pool.read({ actor: "Verifier", operation: "read", scopeKey: scope, run: id, exposed: ids }, ids)
      }).pipe(Effect.provide(layer(at, writing)))
      const passages = (at.tam.regions.get(node) ?? []).flatMap((id) => at.passages.get(id) ?? [])
      const hashes = at.documents.flatMap(({ hash, id }) =>
        passages.some(({ document }) => document === id) ? hash : []
      )
      expect(found.map((artifact) => artifact.restsOn)).toEqual([[...new Set(hashes)].sort()])
      expect(hashes.length).toBeGreaterThan(0)
    })
  )
})

describe("C34 a role that fails because the corpus has moved on", () => {
  it.effect("is ⊥ CorpusChanged", () =>
    Effect.gen(function* () {
      const clockwork = { revision }
      const roles: Roles = {
        ...honest(at, ["Pass"]),
        navigator: script(() =>
          Effect.suspend(() => {
            clockwork.revision = CorpusRevision.make("revision-2")
            return new RequiredUpdateFailure({ reason: "nothing entered" })
          })
        )
      }
      expectBottom(yield* experiment(roles, defaultPolicy, clockwork), roles, "Navigator", { _tag: "CorpusChanged" })
    })
  )
})
