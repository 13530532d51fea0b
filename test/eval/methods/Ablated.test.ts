/** What each ablation takes away, and that it takes nothing else. */
import { describe, expect, it, vi } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { Result } from "../../../src/domain/EvalResult.ts"
import type { Event } from "../../../src/domain/Event.ts"
import { NodeId } from "../../../src/domain/Ids.ts"
import { defaultPolicy, type Policy } from "../../../src/domain/Policy.ts"
import { check } from "../../../src/domain/Rules.ts"
import { initial } from "../../../src/domain/State.ts"
import { evidenceId } from "../../../src/domain/tam/Graph.ts"
import * as FlatTam from "../../../src/programs/baselines/FlatTam.ts"
import * as Controller from "../../../src/programs/Controller.ts"
import { evaluate, type MethodName } from "../../../src/programs/Evaluate.ts"
import { bent } from "../../../src/programs/experiments/Bent.ts"
import { carrierNames } from "../../../src/programs/experiments/Carriers.ts"
import { Navigator, Planner, Retriever, Verifier } from "../../../src/services/Roles.ts"
import { TamStore } from "../../../src/services/TamStore.ts"
import { library, scope, shelf } from "../../support/Shelf.ts"

// a test is a score of whole runs
vi.setConfig({ testTimeout: 120_000 })

const bridge = "In which city was the drummer on the album Counterparts born?"
const comparison = "Which film was released first, Aas Ka Panchhi or Phoolwari?"
const seat = "What is the seat of the county where Van Hook Township is located?"

const questionOf = (question: string, i: number) => ({
  id: String(i),
  line: i + 1,
  question,
  answers: ["Hamilton", "Phoolwari", "Stanley"].slice(i, i + 1),
  gold: [],
  type: null,
  hops: null,
  steps: []
})
const asked = (methods: ReadonlyArray<MethodName>, policy: Policy = defaultPolicy) =>
  Effect.map(
    evaluate({
      questions: [bridge, comparison, seat].map(questionOf),
      methods,
      scope,
      policy,
      navigation: false,
      seed: 1,
      concurrency: 1,
      known: [],
      record: () => Effect.void
    }),
    ({ results }) => results
  )
const told = ({ cpuMs, method, wallMs, ...result }: Result) => result

/** Services that nobody may ask. */
const unasked = <A extends object>(service: A, names: ReadonlyArray<keyof A & string>): A =>
  new Proxy(service, {
    get: (target, name) =>
      names.some((one) => one === name)
        ? () => Effect.dieMessage(`${String(name)} was asked`)
        : Reflect.get(target, name)
  })

describe("staterag-no-tam", () => {
  const run = (policy: Policy = defaultPolicy) => {
    const events: Array<Event> = []
    return Effect.flatMap(Controller.make, (controller) =>
      controller.run({ question: bridge, scope, policy, observe: (event) => void events.push(event) })
    ).pipe(
      Effect.provide(FlatTam.layer),
      Effect.map((view) => ({ view, events }))
    )
  }
  it.effect("walks no graph, reads no link and no region: the trace is root, topic, relation, passage", () =>
    Effect.gen(function* () {
      const base = yield* TamStore
      const fenced = unasked(base, ["children", "parents", "region", "links", "page", "load"])
      const { view } = yield* Effect.provideService(run({ ...defaultPolicy, compactEvidence: "off" }), TamStore, fenced)
      expect(view.cycles.length).toBeGreaterThan(0)
      for (const { evidence, path } of view.cycles) {
        expect(path.slice(0, 3)).toEqual(["root", "flat-topic", "flat-relation"])
        expect(path).toHaveLength(4)
        expect(evidence.length).toBeGreaterThan(0)
      }
      expect(Option.isSome(view.reading)).toBe(true)
    }).pipe(Effect.provide(shelf(library)))
  )
  it.effect("E⁰ has nothing from links, and the plan no name that a link has brought", () =>
    Effect.gen(function* () {
      const { events, view } = yield* run()
      const linked = yield* Effect.flatMap(Controller.make, (controller) =>
        controller.run({ question: bridge, scope, policy: defaultPolicy })
      )
      const place = (items: typeof view.initial, title: string) => items.findIndex((item) => item.title === title)
      // the album names its drummer, whom the question does not
      expect(place(linked.initial, "Neil Peart")).toBeLessThan(place(view.initial, "Neil Peart"))
      const names = events.flatMap((event) =>
        event.tag === "PlanCommitted" ? event.plan.frontier.map(({ name }) => name) : []
      )
      expect(linked.cycles[0]?.plan.frontier.map(({ name }) => name)).toContain("Neil Peart")
      expect(names).not.toContain("Neil Peart")
    }).pipe(Effect.provide(shelf(library)))
  )
  it.effect("the region is as wide as ρ, and another path than a passage's is refused", () =>
    Effect.gen(function* () {
      const policy = { ...defaultPolicy, regionWidth: 2, itemsPerCycle: [20] as const, maxCycles: 1 }
      const { view } = yield* run(policy)
      expect(view.cycles[0]?.evidence).toHaveLength(3)
      yield* Effect.gen(function* () {
        const tam = yield* TamStore
        const [item] = view.initial
        const own = evidenceId(item?.passage ?? view.bypass[0]?.passage ?? (yield* Effect.dieMessage("no passage")))
        const judged = (path: readonly [NodeId, ...Array<NodeId>]) =>
          Effect.map(tam.ground(scope, path), (ground) =>
            Option.getOrUndefined(Option.map(check("path", path, initial([], []), ground), ({ rule }) => rule))
          )
        const [root, topic, relation] = ["root", "flat-topic", "flat-relation"].map((id) => NodeId.make(id))
        if (root === undefined || topic === undefined || relation === undefined) return
        expect(yield* judged([root, topic, relation, own])).toBeUndefined()
        expect(yield* judged([root, topic, relation])).toBe("EndsAtEvidence")
        expect(yield* judged([root, relation, own])).toBe("StepsAreAdmissible")
        expect(yield* judged([root, topic, relation, NodeId.make("E:nothing")])).toBe("NodesExist")
      }).pipe(Effect.provide(FlatTam.layer))
    }).pipe(Effect.provide(shelf(library)))
  )
  it.effect("a question does not see what another has opened", () =>
    Effect.gen(function* () {
      const [one] = (yield* asked(["staterag-no-tam"])).slice(2)
      const all = yield* evaluate({
        questions: [questionOf(seat, 2)],
        methods: ["staterag-no-tam"],
        scope,
        policy: defaultPolicy,
        navigation: false,
        seed: 1,
        concurrency: 1,
        known: [],
        record: () => Effect.void
      })
      expect(all.results.map(told)).toEqual(one === undefined ? [] : [told(one)])
    }).pipe(Effect.provide(shelf(library)))
  )
})

describe("staterag-no-mars", () => {
  const nobody = Layer.mergeAll(
    Layer.succeed(Planner, { propose: () => Effect.dieMessage("a Planner was asked") }),
    Layer.succeed(Navigator, { propose: () => Effect.dieMessage("a Navigator was asked") }),
    Layer.succeed(Retriever, { propose: () => Effect.dieMessage("a Retriever was asked") }),
    Layer.succeed(Verifier, { propose: () => Effect.dieMessage("a Verifier was asked") })
  )
  it.effect("asks no role of a cycle; the compact check still ends a question, the rest is E⁰ under the budget", () =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.provide(asked(["staterag-no-mars"]), nobody)
      expect(first).toMatchObject({ outcome: "Ranking", cycles: [] })
      expect(first?.documents).toEqual(first?.initial.slice(0, first.documents.length))
      expect(second).toMatchObject({ outcome: "Bypass", short: "Phoolwari" })
      const [small] = yield* Effect.provide(
        asked(["staterag-no-mars"], { ...defaultPolicy, evidenceTokens: 60 }),
        nobody
      )
      expect(small?.documents.length).toBeLessThan(first?.documents.length ?? 0)
      const off = yield* Effect.provide(
        asked(["staterag-no-mars"], { ...defaultPolicy, compactEvidence: "off" }),
        nobody
      )
      expect(off.map(({ outcome }) => outcome)).toEqual(["Ranking", "Ranking", "Ranking"])
    }).pipe(Effect.provide(shelf(library)))
  )
})

describe("staterag-no-smp", () => {
  it.effect("what a cycle leaves is not there in the next", () =>
    Effect.gen(function* () {
      const exposed: Array<number> = []
      const failing = Layer.effect(
        Verifier,
        Effect.map(Verifier, (base) => ({
          propose: (turn) =>
            Effect.map(base.propose(turn), ({ field, value }) => ({
              field,
              value: {
                verdict: "Fail" as const,
                justification: { ...value.justification, text: "not enough" }
              }
            }))
        }))
      )
      const watching = bent((_, turn, said) =>
        Effect.tap(said, () => Effect.sync(() => void exposed.push(turn.state.artifacts.length)))
      )
      const seen = (method: MethodName) =>
        Effect.map(Effect.provide(asked([method]), Layer.provideMerge(watching, failing)), () =>
          Math.max(...exposed.splice(0))
        )
      expect(yield* seen("staterag")).toBeGreaterThan(0)
      expect(yield* seen("staterag-no-smp")).toBe(0)
    }).pipe(Effect.provide(shelf(library)))
  )
})

describe("carrier-…", () => {
  it.effect("roles that keep the contract fare alike on every carrier", () =>
    Effect.gen(function* () {
      const whole = (yield* asked(["staterag"])).map(told)
      expect(whole.map(({ outcome }) => outcome)).not.toContain("Incomplete")
      for (const name of carrierNames)
        if (name !== "contract") expect((yield* asked([name])).map(told), name).toEqual(whole)
    }).pipe(Effect.provide(shelf(library)))
  )
})
