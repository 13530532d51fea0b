/** C12: the three Navigators choose by one g and one order; the exhaustive one is the oracle. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, type Layer, Option } from "effect"
import { DocumentId, NodeId, PassageId } from "../../src/domain/Ids.ts"
import type { Plan } from "../../src/domain/Plan.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { g } from "../../src/domain/Relevance.ts"
import { check, decode } from "../../src/domain/Rules.ts"
import { commit, initial } from "../../src/domain/State.ts"
import { isAdmissible, type Path, rootId, type TamEdge, type TamNode } from "../../src/domain/Tam.ts"
import { fold } from "../../src/domain/Words.ts"
import type { Services } from "../../src/layers/Embedded.ts"
import { preferred } from "../../src/layers/roles/embedded/Traces.ts"
import { Navigator } from "../../src/services/Roles.ts"
import { type BuiltTam, TamStore } from "../../src/services/TamStore.ts"
import { inquiry, library, planned, scope, shelf, turn } from "../support/Shelf.ts"

const questions = library.flatMap(({ text, title }) => [
  `What is ${title}?`,
  text.slice(0, 60),
  `Who knows ${title} and Rush?`
])

const navigated = Effect.fnUntraced(function* (
  question: string,
  plan: Plan | undefined,
  changes: Partial<typeof defaultPolicy> = {},
  within?: ReadonlyArray<DocumentId>
) {
  const policy = { ...defaultPolicy, ...changes }
  const { asked, plan: own, state } = yield* planned(question, policy)
  const staged = plan === undefined ? state : commit(state, "plan", plan)
  const proposal = yield* (yield* Navigator).propose(turn<"Navigator">({ ...asked, within }, staged))
  const tam = yield* TamStore
  expect(Either.isRight(decode("path", proposal))).toBe(true)
  expect(check("path", proposal.value, staged, yield* tam.ground(scope, proposal.value))).toEqual(Option.none())
  const last = proposal.value[proposal.value.length - 1] ?? rootId
  const [node] = yield* tam.nodes(scope, [last])
  return { path: proposal.value, score: g(question, plan ?? own, node?.abstraction ?? "") }
})

const run = <A, E>(world: Layer.Layer<Services>, effect: Effect.Effect<A, E, Services>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, world))

describe("C12 one g, three ways to search", () => {
  it("no way finds a higher g than the exhaustive one; a beam as wide as the graph finds the same path", () =>
    run(
      shelf(library),
      Effect.gen(function* () {
        let agreed = 0
        for (const question of questions) {
          const oracle = yield* navigated(question, undefined, { navigator: "exhaustive" })
          const indexed = yield* navigated(question, undefined, { navigator: "indexed" })
          expect(indexed.score).toBeLessThanOrEqual(oracle.score)
          if (indexed.score === oracle.score) agreed++
          for (const beamWidth of [1, 2, 8]) {
            const narrow = yield* Effect.either(navigated(question, undefined, { navigator: "beam", beamWidth }))
            if (Either.isRight(narrow)) expect(narrow.right.score).toBeLessThanOrEqual(oracle.score)
          }
          const wide = yield* navigated(question, undefined, { navigator: "beam", beamWidth: 100_000 })
          expect(wide).toEqual(oracle)
        }
        expect(agreed / questions.length).toBeGreaterThanOrEqual(0.95)
      })
    ))

  it("`within`: the path ends where these documents' own passages are", () =>
    run(
      shelf(library),
      Effect.gen(function* () {
        for (const navigator of ["indexed", "beam", "exhaustive"] as const) {
          for (const document of ["d0", "d7", "d9"]) {
            const within = [DocumentId.make(document)]
            const book = library[Number(document.slice(1))]
            const { path } = yield* navigated(
              `Who was born in ${book?.title}?`,
              undefined,
              { navigator, beamWidth: 1000 },
              within
            )
            const tam = yield* TamStore
            const nodes = yield* tam.nodes(scope, path.slice(-1))
            expect(nodes[0]?.abstraction.startsWith(book?.title ?? "?")).toBe(true)
          }
        }
      })
    ))
})

// ---- ties, on graphs made by hand

const node = (id: string, type: TamNode["type"], abstraction: string): TamNode => ({
  id: NodeId.make(id),
  type,
  abstraction
})
const edge = (from: string, to: string): TamEdge => ({ from: NodeId.make(from), to: NodeId.make(to) })
const graph = (nodes: ReadonlyArray<TamNode>, edges: ReadonlyArray<TamEdge>): BuiltTam => {
  const ends = nodes.filter((one) => one.type === "Evidence")
  return {
    nodes: [node("root", "Root", ""), ...nodes],
    edges,
    regions: new Map(ends.map((one) => [one.id, [PassageId.make(one.id)]])),
    links: [],
    evidence: new Map(ends.map((one) => [PassageId.make(one.id), one.id]))
  }
}
const plan: Plan = {
  type: "Generic",
  entities: [],
  slots: [],
  objective: "apples",
  hypotheses: [
    {
      from: null,
      weight: 1,
      query: "apple",
      terms: [
        { term: fold("apple"), weight: 1 },
        { term: fold("pear"), weight: 0.5 }
      ],
      best: 2
    }
  ],
  known: [],
  missing: [],
  frontier: [],
  held: [],
  visited: []
}

const chosen = (tam: BuiltTam, navigator: "beam" | "exhaustive" = "exhaustive"): Promise<Path> =>
  run(
    shelf([]),
    Effect.gen(function* () {
      yield* (yield* TamStore).replace(scope, tam)
      const asked = inquiry("apples", { policy: { ...defaultPolicy, navigator } })
      const state = commit(initial([], []), "plan", plan)
      return (yield* (yield* Navigator).propose(turn<"Navigator">(asked, state))).value
    })
  )

const topic = node("t", "Topic", "fruit")
const way = (relation: string, ...ends: ReadonlyArray<string>) => [
  edge("t", relation),
  ...ends.map((end) => edge(relation, end))
]

describe("C12 ties", () => {
  it("g first", async () => {
    const tam = graph(
      [
        topic,
        node("r", "Relation", "apple apple"),
        node("s", "Relation", "x"),
        node("e1", "Evidence", "pear"),
        node("e2", "Evidence", "apple")
      ],
      [edge("root", "t"), ...way("r", "e1"), ...way("s", "e2")]
    )
    expect(await chosen(tam)).toEqual(["root", "t", "s", "e2"])
  })
  it("then the plan fit of the path's other nodes", async () => {
    const tam = graph(
      [
        topic,
        node("r", "Relation", "x"),
        node("s", "Relation", "apple"),
        node("e1", "Evidence", "apple"),
        node("e2", "Evidence", "apple")
      ],
      [edge("root", "t"), ...way("r", "e1"), ...way("s", "e2")]
    )
    expect(await chosen(tam)).toEqual(["root", "t", "s", "e2"])
    expect(await chosen(tam, "beam")).toEqual(["root", "t", "s", "e2"])
  })
  it("then the shorter path", async () => {
    const tam = graph(
      [
        topic,
        node("a", "Relation", "x"),
        node("b", "Relation", "x"),
        node("z", "Relation", "x"),
        node("e", "Evidence", "apple")
      ],
      [edge("root", "t"), edge("t", "a"), edge("a", "b"), edge("b", "e"), ...way("z", "e")]
    )
    expect(await chosen(tam)).toEqual(["root", "t", "z", "e"])
  })
  it("then lexicographic ids", async () => {
    const tam = graph(
      [
        topic,
        node("r", "Relation", "x"),
        node("q", "Relation", "x"),
        node("e1", "Evidence", "apple"),
        node("e2", "Evidence", "apple")
      ],
      [edge("root", "t"), ...way("r", "e1", "e2"), ...way("q", "e2")]
    )
    expect(await chosen(tam)).toEqual(["root", "t", "q", "e2"])
  })
  it("a total order of traces", () => {
    const trace = (fit: number, ...ids: ReadonlyArray<string>) => ({
      fit,
      path: [rootId, ...ids.map((id) => NodeId.make(id))] as const
    })
    const traces = [trace(1, "a"), trace(1, "b"), trace(1, "a", "a"), trace(2, "z", "z"), trace(0, "a")]
    const sorted = [...traces].sort(preferred)
    expect(sorted).toEqual([traces[3], traces[0], traces[1], traces[2], traces[4]])
    expect([...traces].reverse().sort(preferred)).toEqual(sorted)
  })
})

describe("C6 transitions outside A are not taken, however well they would score", () => {
  it("by any Navigator", async () => {
    const tam = graph(
      [
        topic,
        node("r", "Relation", "x"),
        node("e1", "Evidence", "pear"),
        node("e2", "Evidence", "apple apple apple"),
        node("far", "Topic", "apple")
      ],
      // e2 hangs under root, Topic and an Evidence node alone: no member of Π_H ends there
      [edge("root", "t"), ...way("r", "e1"), edge("root", "e2"), edge("t", "e2"), edge("e1", "e2"), edge("r", "far")]
    )
    for (const navigator of ["beam", "exhaustive"] as const)
      expect(await chosen(tam, navigator)).toEqual(["root", "t", "r", "e1"])
    expect(isAdmissible("Topic", "Evidence")).toBe(false)
  })
})
