/**
 * C3, C4, C9 to C13, C16, C17, C19 to C21, C24, C26, C30, C34, C35, L1, L3: whole runs, with roles that keep the contract and roles that
 * break it in every way there is. None of theirs commits, none is lost without a reason, and the reader is never called for them.
 */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Duration, Effect, Either, Exit, Fiber, Option, Schema, TestClock } from "effect"
import { RequiredUpdateFailure, RoleFailed } from "../../src/domain/Errors.ts"
import { Event } from "../../src/domain/Event.ts"
import { CorpusRevision } from "../../src/domain/Ids.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { propose } from "../../src/domain/Proposal.ts"
import { answerOf } from "../../src/domain/Report.ts"
import { rules } from "../../src/domain/Rules.ts"
import { fold, type RunView } from "../../src/domain/Run.ts"
import { type Field, initial, roles as roleNames, stages } from "../../src/domain/State.ts"
import { terminalEvidence } from "../../src/domain/TerminalEvidence.ts"
import { script } from "../../src/layers/testing/Script.ts"
import { Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { spoil } from "../support/Mutations.ts"
import { random } from "../support/Random.ts"
import { forge, honest, layer, question, type Roles, revision, run, scope } from "../support/WorldRun.ts"
import { type World, world } from "../support/Worlds.ts"

/** Worlds in which no cycle has been completed, so that a run can start in them. */
const fresh = Array.from({ length: 2_000 }, (_, seed) => seed).filter((seed) => world(seed).completed === 0)
const first = world(fresh[0] ?? 0)

/** What is left when a run is over. */
const aftermath = Effect.gen(function* () {
  const journal = yield* Journal
  const pool = yield* SharedMemoryPool
  const [summary] = yield* journal.runs(scope, { limit: 1 })
  const events = summary === undefined ? [] : yield* journal.events(scope, summary.run)
  return { events, tags: events.map((event) => event.tag), summary, artifacts: yield* pool.count(scope) }
})

const experiment = (at: World, roles: Roles, policy: Policy = defaultPolicy) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(run(policy))
    return { exit, ...(yield* aftermath) }
  }).pipe(Effect.provide(layer(at, roles)))

const failure = (exit: Exit.Exit<RunView, unknown>) =>
  Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined

/** ⊥ as the contract wants it: typed, recorded, unread, and nothing of the open cycle kept. */
const expectBottom = (
  roles: Roles,
  { artifacts, events, exit, tags }: Effect.Effect.Success<ReturnType<typeof experiment>>,
  stage: string,
  tag: string
) => {
  expect(failure(exit)).toMatchObject({ _tag: "Incomplete", stage, cause: { _tag: tag } })
  expect(roles.reader.asked()).toHaveLength(0)
  expect(tags[tags.length - 1]).toBe("RunEnded")
  expect(events[events.length - 1]).toMatchObject({ outcome: "Incomplete", reason: { stage, cause: { _tag: tag } } })
  expect(artifacts).toEqual({ Global: 0, Task: 0, Private: 0 })
  const view = Either.getOrThrow(fold(events))
  expect(view.cycles).toHaveLength(0)
  expect(view.state).toEqual(initial(view.initial, view.state.artifacts))
  expect(Option.isNone(view.selected)).toBe(true)
}

const roleOf: {
  readonly [F in Field]: { readonly key: "planner" | "navigator" | "retriever" | "verifier"; readonly name: string }
} = {
  plan: { key: "planner", name: "Planner" },
  path: { key: "navigator", name: "Navigator" },
  evidence: { key: "retriever", name: "Retriever" },
  verification: { key: "verifier", name: "Verifier" }
}
const saying = (
  at: World,
  field: Field,
  effect: Effect.Effect<unknown, RoleFailed | RequiredUpdateFailure>
): Roles => ({
  ...honest(at, ["Pass"]),
  [roleOf[field].key]: script(() => forge<Effect.Effect<never>>(effect))
})

describe("L1, C10 whatever a role says, only its own valid field is committed; anything else ends in ⊥", () => {
  for (const { field } of stages)
    it.effect(
      `${field}: every rule, through the whole controller`,
      () =>
        Effect.gen(function* () {
          const refusedBy = new Map<string, number>()
          for (const rule of ["OwnsField", "FitsSchema", ...rules[field].map((each) => each.name)]) {
            for (let i = 0; i < 60 && (refusedBy.get(rule) ?? 0) < 12; i++) {
              const at = world(fresh[i] ?? 0)
              const mutant = spoil(field, rule, at, random(i * 7))
              // what the run opens is the region of its own path; the mutants were made for the world's
              if (mutant === undefined || mutant.grounds !== undefined) continue
              const roles: Roles = {
                ...saying(at, field, Effect.succeed(mutant.proposal)),
                ...(field === "evidence"
                  ? { navigator: script(() => Effect.succeed(propose("path", at.valid.path))) }
                  : {}),
                ...(field === "verification"
                  ? {
                      navigator: script(() => Effect.succeed(propose("path", at.valid.path))),
                      retriever: script(() => Effect.succeed(propose("evidence", at.valid.evidence)))
                    }
                  : {})
              }
              const result = yield* experiment(at, roles)
              expectBottom(roles, result, roleOf[field].name, "ProposalRefused")
              expect(result.events.find((event) => event.tag === "ProposalRefused")).toMatchObject({ rule, cycle: 1 })
              refusedBy.set(rule, (refusedBy.get(rule) ?? 0) + 1)
            }
          }
          for (const { name } of rules[field]) expect(refusedBy.get(name) ?? 0, name).toBeGreaterThan(0)
        }),
      60_000
    )

  for (const { field } of stages) {
    it.effect(`${field}: a role that fails`, () =>
      Effect.gen(function* () {
        const role = Schema.decodeSync(Schema.Literal(...roleNames))(roleOf[field].name as "Planner")
        const roles = saying(
          first,
          field,
          Effect.fail(new RoleFailed({ role, reason: "Failed", detail: "no network" }))
        )
        expectBottom(roles, yield* experiment(first, roles), roleOf[field].name, "RoleFailed")
      })
    )
    it.effect(`${field}: a role that dies, inside its effect and before it`, () =>
      Effect.gen(function* () {
        const roles = saying(first, field, Effect.die(new Error("a bug")))
        const result = yield* experiment(first, roles)
        expectBottom(roles, result, roleOf[field].name, "RoleFailed")
        expect(failure(result.exit)).toMatchObject({ cause: { reason: "Died", detail: "Error: a bug" } })
        const throwing: Roles = {
          ...honest(first, ["Pass"]),
          [roleOf[field].key]: script(() => {
            throw new Error("thrown")
          })
        }
        expectBottom(throwing, yield* experiment(first, throwing), roleOf[field].name, "RoleFailed")
      })
    )
    it.effect(`C35 ${field}: a role that hangs strikes the time budget`, () =>
      Effect.gen(function* () {
        const roles = saying(first, field, Effect.never)
        const policy = { ...defaultPolicy, budget: { ...defaultPolicy.budget, time: 5_000 } }
        const fiber = yield* Effect.fork(experiment(first, roles, policy))
        yield* TestClock.adjust(Duration.seconds(6))
        const result = yield* Fiber.join(fiber)
        expectBottom(roles, result, roleOf[field].name, "BudgetExhausted")
      })
    )
    it.effect(`C24 ${field}: interrupted while a role works, even one that answers afterwards`, () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const late = Deferred.succeed(asked, undefined).pipe(
          Effect.zipRight(Effect.sleep("1 second")),
          Effect.as(propose(field, first.valid[field])),
          Effect.uninterruptible
        )
        const roles = saying(first, field, late)
        const left = yield* Effect.gen(function* () {
          const fiber = yield* Effect.fork(run())
          yield* Deferred.await(asked)
          const stopping = yield* Effect.fork(Fiber.interrupt(fiber))
          yield* TestClock.adjust("2 seconds")
          expect(Exit.isInterrupted(yield* Fiber.join(stopping))).toBe(true)
          return yield* aftermath
        }).pipe(Effect.provide(layer(first, roles)))
        expect(left.tags).not.toContain("PlanCommitted")
        expect(left.tags.slice(-1)).toEqual(["RunEnded"])
        expect(left.summary).toMatchObject({ outcome: "Interrupted", cycles: 0 })
        expect(left.artifacts).toEqual({ Global: 0, Task: 0, Private: 0 })
        expect(roles.reader.asked()).toHaveLength(0)
      })
    )
  }

  it.effect("a proposal that is no JSON at all is refused like any other", () =>
    Effect.gen(function* () {
      const cyclic: { field: string; value: unknown } = { field: "plan", value: null }
      cyclic.value = cyclic
      let deep: unknown = []
      for (let i = 0; i < 100_000; i++) deep = [deep]
      for (const proposal of [
        cyclic,
        { field: "plan", value: 1n },
        { field: "plan", value: deep },
        undefined,
        Symbol("plan")
      ]) {
        const roles = saying(first, "plan", Effect.succeed(proposal))
        expectBottom(roles, yield* experiment(first, roles), "Planner", "ProposalRefused")
      }
    })
  )

  it.effect("C12 no completed trace is a required-update failure: no path, no region, no reader", () =>
    Effect.gen(function* () {
      const roles = saying(first, "path", Effect.fail(new RequiredUpdateFailure({ reason: "nothing entered" })))
      const result = yield* experiment(first, roles)
      expectBottom(roles, result, "Navigator", "RequiredUpdateFailure")
      expect(result.tags).not.toContain("PathCommitted")
      expect(roles.retriever.asked()).toHaveLength(0)
    })
  )
})

const runTo = (verdicts: ReadonlyArray<"Pass" | "Fail">, policy: Policy = defaultPolicy, at = first) =>
  Effect.gen(function* () {
    const roles = honest(at, verdicts)
    const result = yield* experiment(at, roles, policy)
    const view = Exit.isSuccess(result.exit) ? result.exit.value : undefined
    expect(view, String(failure(result.exit))).toBeDefined()
    return { ...result, roles, view: view as RunView, answer: answerOf(view as RunView) }
  })

describe("C16, C17 the action after a cycle", () => {
  it.effect("Pass releases at once", () =>
    Effect.gen(function* () {
      const { answer, tags } = yield* runTo(["Pass"])
      expect(answer).toMatchObject({ outcome: "Release", cycles: 1, answered: true, reason: null })
      expect(tags.filter((tag) => tag === "CycleStarted")).toHaveLength(1)
    })
  )
  it.effect("Fail revises while cycles are left, then falls back with an answer (pain 16)", () =>
    Effect.gen(function* () {
      for (const maxCycles of [1, 2, 3, 5]) {
        const { answer, events } = yield* runTo(["Fail"], { ...defaultPolicy, maxCycles })
        expect(answer).toMatchObject({ outcome: "Fallback", cycles: maxCycles, answered: true })
        const actions = events.flatMap((event) => (event.tag === "ActionSelected" ? [event.action] : []))
        expect(actions).toEqual([...Array.from({ length: maxCycles - 1 }, () => "Revise"), "Fallback"])
      }
    })
  )
  it.effect("Fail, then Pass", () =>
    Effect.gen(function* () {
      expect((yield* runTo(["Fail", "Fail", "Pass"])).answer).toMatchObject({ outcome: "Release", cycles: 3 })
    })
  )
  it.effect("C11 δ of the failed cycle reaches the next Planner, and z is ⟨Pending, ε⟩ in its staged state", () =>
    Effect.gen(function* () {
      const { roles } = yield* runTo(["Fail", "Pass"])
      const [one, two] = roles.planner.asked()
      expect(one?.feedback).toEqual(Option.none())
      expect(Option.getOrThrow(two?.feedback ?? Option.none()).text).toBe("something is missing")
      expect(two?.state.verification).toEqual({
        verdict: "Pending",
        justification: { text: "", missing: [], supported: [] }
      })
    })
  )
  it.effect("C9 each role sees what was committed before it, and nothing that was not", () =>
    Effect.gen(function* () {
      const { roles } = yield* runTo(["Pass"])
      const navigator = roles.navigator.asked()[0]
      const verifier = roles.verifier.asked()[0]
      expect(Option.isSome(navigator?.state.plan ?? Option.none())).toBe(true)
      expect(Option.isNone(navigator?.state.path ?? Option.none())).toBe(true)
      expect(verifier?.state.evidence.every((item) => item.cycle === 1)).toBe(true)
    })
  )
  it.effect("C4 U is the same from the start of a cycle to its action", () =>
    Effect.gen(function* () {
      const { events } = yield* runTo(["Fail", "Fail", "Pass"])
      let open = false
      for (const event of events) {
        if (event.tag === "CycleStarted") open = true
        if (event.tag === "ActionSelected") open = false
        if (event.tag === "ArtifactsExposed") expect(open).toBe(false)
      }
    })
  )
})

describe("C35 budgets at the action", () => {
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
  const dear = (at: World): Roles => {
    const roles = honest(at, ["Fail"])
    return { ...roles, planner: script((turn) => Effect.zipRight(turn.meter(call), roles.planner.call(turn))) }
  }
  it.effect("what is left cannot pay another cycle: a Fail gives Fallback", () =>
    Effect.gen(function* () {
      for (const budget of [{ tokens: 6_000 }, { calls: 3 }, { money: 1.2 }]) {
        const roles = dear(first)
        const policy = { ...defaultPolicy, maxCycles: 9, budget: { ...defaultPolicy.budget, ...budget } }
        const { events, exit } = yield* experiment(first, roles, policy)
        expect(Exit.isSuccess(exit) ? answerOf(exit.value).outcome : failure(exit)).toBe("Fallback")
        const cycles = events.filter((event) => event.tag === "CycleStarted").length
        expect(cycles).toBeLessThan(9)
        expect(events.filter((event) => event.tag === "ActionSelected").at(-1)).toMatchObject({ action: "Fallback" })
      }
    })
  )
  it.effect("a limit struck inside a cycle is ⊥ BudgetExhausted", () =>
    Effect.gen(function* () {
      const roles = dear(first)
      const policy = { ...defaultPolicy, budget: { ...defaultPolicy.budget, tokens: 500 } }
      expectBottom(roles, yield* experiment(first, roles, policy), "Planner", "BudgetExhausted")
    })
  )
})

describe("C19 the compact-evidence check", () => {
  it.effect("a match ends in Bypass: no role is asked, no path is committed", () =>
    Effect.gen(function* () {
      const roles = honest(first, ["Pass"])
      const matched = bypassing(roles, first)
      const result = yield* experiment(first, matched)
      const view = Exit.isSuccess(result.exit) ? result.exit.value : undefined
      expect(view === undefined ? failure(result.exit) : answerOf(view)).toMatchObject({
        outcome: "Bypass",
        cycles: 0,
        answered: true
      })
      expect(result.tags).not.toContain("PathCommitted")
      for (const role of [roles.planner, roles.navigator, roles.retriever, roles.verifier])
        expect(role.asked()).toHaveLength(0)
      expect(roles.check.asked().length + matched.check.asked().length).toBe(1)
    })
  )
  it.effect("E_bp outside E⁰ is no bypass but ⊥", () =>
    Effect.gen(function* () {
      const evidence = first.valid.evidence.map((item) => ({ ...item, cycle: 0, score: 99 }))
      const roles: Roles = {
        ...honest(first, ["Pass"]),
        check: script(() => Effect.succeed({ matched: true as const, reason: "forged", evidence }))
      }
      const result = yield* experiment(first, roles)
      expectBottom(roles, result, "CompactEvidenceCheck", "RoleFailed")
    })
  )
  it.effect("it runs once, whatever follows, and not at all when it is off", () =>
    Effect.gen(function* () {
      const { roles } = yield* runTo(["Fail"])
      expect(roles.check.asked()).toHaveLength(1)
      expect((yield* runTo(["Pass"], { ...defaultPolicy, compactEvidence: "off" })).roles.check.asked()).toHaveLength(0)
    })
  )
})

/** Roles whose check matches on the first item of E⁰. */
const bypassing = (roles: Roles, at: World): Roles => {
  const passage = [...at.passages.values()][0]
  if (passage === undefined) throw new Error("a world has passages")
  const { document, end, id, line, start, text, title } = passage
  return {
    ...roles,
    check: script(() =>
      Effect.succeed({
        matched: true as const,
        reason: "one place is enough",
        evidence: [{ passage: id, document, title, start, end, line, text, score: 1, cycle: 0 }]
      })
    )
  }
}

describe("C3, C21 the reader", () => {
  it.effect("is given the question and E* and nothing else, once, after its admission is in the journal", () =>
    Effect.gen(function* () {
      const roles = honest(first, ["Fail", "Pass"])
      const seen: Array<ReadonlyArray<string>> = []
      const shelf: { journal?: typeof Journal.Service } = {}
      const written = Effect.gen(function* () {
        const journal = shelf.journal
        if (journal === undefined) return
        const [latest] = yield* journal.runs(scope, { limit: 1 })
        if (latest !== undefined) seen.push((yield* journal.events(scope, latest.run)).map((event) => event.tag))
      })
      const watched: Roles = {
        ...roles,
        reader: script((input) => Effect.zipRight(Effect.orDie(written), roles.reader.call(input)))
      }
      const result = yield* Effect.gen(function* () {
        shelf.journal = yield* Journal
        return { exit: yield* Effect.exit(run()), ...(yield* aftermath) }
      }).pipe(Effect.provide(layer(first, watched)))
      expect(seen).toHaveLength(1)
      expect(seen[0]?.slice(-1)).toEqual(["ReaderAdmitted"])
      expect(roles.reader.asked()).toHaveLength(1)
      const selected = result.events.find((event) => event.tag === "EvidenceSelected")
      expect(roles.reader.asked()[0]).toEqual({
        question,
        evidence: selected?.tag === "EvidenceSelected" ? selected.evidence : []
      })
    })
  )
  it.effect("pain 26: empty evidence is an honest not-found with its reason, and no reader call", () =>
    Effect.gen(function* () {
      const roles: Roles = {
        ...honest(first, ["Fail"]),
        retriever: script(() => Effect.succeed(propose("evidence", [])))
      }
      const { exit } = yield* experiment(first, roles)
      const answer = Exit.isSuccess(exit) ? answerOf(exit.value) : undefined
      expect(answer).toMatchObject({
        outcome: "Fallback",
        answered: false,
        answer: null,
        missing: "something is missing",
        citations: []
      })
      expect(roles.reader.asked()).toHaveLength(0)
    })
  )
  it.effect("C14, pain 23: a citation that the evidence does not bear out is removed and reported", () =>
    Effect.gen(function* () {
      const roles = honest(first, ["Pass"])
      const forged: Roles = {
        ...roles,
        reader: script((input) =>
          Effect.map(roles.reader.call(input), (reading) => ({
            text: `${reading.text} and more [2]`,
            citations: [
              ...reading.citations,
              ...reading.citations.map((citation) => ({ ...citation, marker: 2, text: `${citation.text}!` }))
            ]
          }))
        )
      }
      const { events, exit } = yield* experiment(first, forged)
      const answer = Exit.isSuccess(exit) ? answerOf(exit.value) : undefined
      expect(answer?.citations.map((citation) => citation.marker)).toEqual([1])
      expect(answer?.answer).not.toContain("[2]")
      expect(events.find((event) => event.tag === "AnswerRead")).toMatchObject({ unsupported: 1 })
    })
  )
  it.effect("a reader that breaks is ⊥ at the Reader, and is not asked again", () =>
    Effect.gen(function* () {
      const roles = honest(first, ["Pass"])
      roles.reader.failNext(1, new RoleFailed({ role: "Reader", reason: "Failed", detail: "no model" }))
      const { exit, summary } = yield* experiment(first, roles)
      expect(failure(exit)).toMatchObject({ _tag: "Incomplete", stage: "Reader" })
      expect(summary).toMatchObject({ outcome: "Incomplete", cycles: 1 })
      expect(roles.reader.asked()).toHaveLength(1)
    })
  )
})

describe("C34 one run reads one corpus revision", () => {
  it.effect(
    "a corpus that changes under a run is ⊥ CorpusChanged, at the action and for whatever was refused because of it",
    () =>
      Effect.gen(function* () {
        for (const field of ["verification", "path"] as const) {
          const clockwork = { revision }
          const roles = honest(first, ["Pass"])
          const moving: Roles = {
            ...roles,
            [roleOf[field].key]: script((turn: never) =>
              Effect.sync(() => {
                clockwork.revision = CorpusRevision.make("revision-2")
              }).pipe(
                Effect.zipRight(
                  field === "path"
                    ? Effect.succeed(propose("path", forge(["gone", "gone", "gone", "gone"])))
                    : forge<Effect.Effect<never>>(roles.verifier.call(turn))
                )
              )
            )
          }
          const result = yield* Effect.gen(function* () {
            return { exit: yield* Effect.exit(run()), ...(yield* aftermath) }
          }).pipe(Effect.provide(layer(first, moving, clockwork)))
          expectBottom(roles, result, field === "path" ? "Navigator" : "Action", "CorpusChanged")
        }
      })
  )
})

describe("L3, C20 the terminal evidence, over many worlds", () => {
  it.effect(
    "is equation (7)'s function of branch, policy and committed cycles; within its region; the source's own words",
    () =>
      Effect.gen(function* () {
        const branches = new Map<string, number>()
        for (const seed of fresh.slice(0, 120)) {
          const at = world(seed)
          const r = random(seed)
          const verdicts = Array.from({ length: 3 }, () => (r.chance(0.4) ? "Pass" : "Fail") as "Pass" | "Fail")
          const policy: Policy = {
            ...defaultPolicy,
            evidenceTokens: 20 + r.int(400),
            maxCycles: 1 + r.int(3),
            mergeOrder: r.pick(["oldestFirst", "newestFirst", "roundRobin", "score", "document"] as const)
          }
          const roles = r.chance(0.15) ? bypassing(honest(at, verdicts), at) : honest(at, verdicts)
          const { events, exit } = yield* experiment(at, roles, policy)
          expect(failure(exit)).toBeUndefined()
          const view = Either.getOrThrow(fold(events))
          const branch = Option.getOrThrow(view.branch)
          branches.set(branch, (branches.get(branch) ?? 0) + 1)
          const selected = Option.getOrThrow(view.selected)
          expect(selected).toEqual(
            terminalEvidence(
              { branch, bypass: view.bypass, cycles: view.cycles.map((cycle) => cycle.evidence) },
              policy,
              (text) => text.length
            )
          )
          for (const item of selected) {
            const source = at.documents.find((document) => document.id === item.document)?.text ?? ""
            expect(source.slice(item.start, item.end)).toBe(item.text)
          }
          for (const cycle of view.cycles) {
            const region = at.tam.regions.get(cycle.path[cycle.path.length - 1] ?? at.tam.root) ?? []
            for (const item of cycle.evidence) expect(region).toContain(item.passage)
          }
          for (const citation of answerOf(view).citations)
            expect(
              selected.some(
                (item) =>
                  item.document === citation.document && item.start <= citation.start && citation.end <= item.end
              )
            ).toBe(true)
        }
        for (const branch of ["Bypass", "Release", "Fallback"])
          expect(branches.get(branch) ?? 0, branch).toBeGreaterThan(5)
      }),
    60_000
  )
})

describe("C30 the journal of a live run", () => {
  it.effect(
    "folds to the live view, by way of its encoded form as well; what is observed is what is written",
    () =>
      Effect.gen(function* () {
        for (const seed of fresh.slice(0, 40)) {
          const at = world(seed)
          const observed: Array<Event> = []
          const roles = honest(at, ["Fail", "Pass"])
          const { events, exit } = yield* Effect.gen(function* () {
            return {
              exit: yield* Effect.exit(run(defaultPolicy, (event) => observed.push(event))),
              ...(yield* aftermath)
            }
          }).pipe(Effect.provide(layer(at, roles)))
          const live = Exit.isSuccess(exit) ? exit.value : undefined
          const again = Schema.decodeUnknownSync(Schema.Array(Event))(
            JSON.parse(JSON.stringify(Schema.encodeSync(Schema.Array(Event))(events)))
          )
          expect(Either.getOrThrow(fold(again))).toEqual(live)
          expect(observed).toEqual(events)
        }
      }),
    60_000
  )
})
