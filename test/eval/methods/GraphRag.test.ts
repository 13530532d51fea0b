/** GraphRAG, call by call: what its index asks of each passage, entity and community, and what local and global ask of it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../../src/layers/grouping/GroupingVendors.ts"
import { communitiesOf, largestComponent, mostMembers } from "../../../src/programs/baselines/Communities.ts"
import { asked, from, promptsOf, questionsOf, result, rolesOf } from "../../support/Asked.ts"
import { corpus as pages, type Seen } from "../../support/ModelWorld.ts"
import { library } from "../../support/Shelf.ts"

const question = "In which city was the drummer on the album Counterparts born?"

const link = (a: number, b: number, weight = 1) => ({ ends: [a, b] as const, weight })

describe("communities", () => {
  it("the largest component, of two the one with the lowest node", () => {
    expect(largestComponent(7, [link(5, 6), link(4, 2), link(2, 0)])).toEqual([0, 2, 4])
    expect(largestComponent(4, [link(2, 3), link(1, 0)])).toEqual([0, 1])
    expect(largestComponent(0, [])).toEqual([])
  })

  it.effect("are of ten at most where the graph has a seam, and name each node once", () =>
    Effect.gen(function* () {
      // a ring of twelve cliques of four, and a pair far from it
      const cliques = Array.from({ length: 12 }, (_, n) => n * 4).flatMap((from) =>
        [0, 1, 2, 3].flatMap((i) => [0, 1, 2, 3].filter((j) => j > i).map((j) => link(from + i, from + j, 5)))
      )
      const ring = Array.from({ length: 12 }, (_, n) => link(n * 4, ((n + 1) % 12) * 4))
      const links = [...cliques, ...ring, link(48, 49)]
      const found = yield* communitiesOf(50, links, 1)
      expect(found.flat().sort((x, y) => x - y)).toEqual(Array.from({ length: 48 }, (_, n) => n))
      expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(mostMembers)
      expect(yield* communitiesOf(50, [...links].reverse(), 1)).toEqual(found)
      expect(yield* communitiesOf(3, [], 1)).toEqual([])
    }).pipe(Effect.provide(layer))
  )
})

/** Rush and Neil Peart are named on three pages, with another description each time; nothing else is related. */
const answer = (role: string, { data }: Seen): object => {
  const passage = data.get("p1") ?? ""
  const title = /^Title: (.*)$/m.exec(passage)?.[1] ?? ""
  const isRush = passage.includes("Neil Peart")
  const entity = (name: string) => ({ name, type: "person", description: `${name} on the page ${title}` })
  const peart = { source: "Rush", target: "Neil Peart", description: `together on ${title}`, strength: 9 }
  switch (role) {
    case "graphrag.extract":
      return {
        entities: isRush ? [entity("Rush"), entity("Neil Peart")] : [entity(title)],
        relationships: isRush ? [peart] : []
      }
    case "graphrag.glean":
      return {
        entities: title === "Neil Peart" ? [entity("Hamilton")] : [],
        relationships:
          title === "Neil Peart"
            ? [{ source: "Neil Peart", target: "Hamilton", description: "born in", strength: 5 }]
            : []
      }
    case "graphrag.describe":
      return { description: `all of ${data.get("name")}` }
    case "graphrag.report":
      return { title: "Rush", summary: "A band and its drummer.", findings: ["He was born in Hamilton."], rating: 7 }
    case "graphrag.map":
      return {
        points: [
          { description: "nothing of use", score: 0, reports: ["r1"] },
          { description: "Rush has a drummer", score: 40, reports: ["r1", "r77"] },
          { description: "Neil Peart was born in Hamilton", score: 90, reports: ["r1"] }
        ]
      }
    default:
      return { answer: "Hamilton" }
  }
}
const reader = () => from(answer)
const counted = (roles: ReadonlyArray<string>, role: string) => roles.filter((own) => own === role).length
const n = library.length
/** Two calls a passage; Rush, Neil Peart and their relationship have several descriptions; one community. */
const index = ["describe", "describe", "describe", "report"].map((step) => `graphrag.${step}`)

describe("GraphRAG's index", () => {
  it.effect("asks twice of each passage, once of what is described twice, once of each community", () =>
    Effect.gen(function* () {
      const model = reader()
      const { prepared, results } = yield* asked({
        model,
        methods: ["graphrag-local"],
        questions: questionsOf(question)
      })
      const roles = rolesOf(model)
      expect(counted(roles, "graphrag.extract")).toBe(n)
      expect(counted(roles, "graphrag.glean")).toBe(n)
      expect(roles.slice(2 * n)).toEqual(index)
      expect(prepared[0]).toMatchObject({ calls: 2 * n + 4, note: "Louvain for Leiden" })
      expect(results[0]?.calls).toBe(0)
      // what was found is shown when more is asked for
      const gleaned = promptsOf(model, "graphrag.glean").map(({ data }) => data.get("name1"))
      expect(gleaned).toContain("Rush")
      const [described] = promptsOf(model, "graphrag.describe")
      expect([...(described?.data.keys() ?? [])]).toEqual(["name", "description1", "description2", "description3"])
      const [report] = promptsOf(model, "graphrag.report")
      expect([...(report?.data.values() ?? [])]).toEqual(
        expect.arrayContaining(["Rush: all of Rush", "Neil Peart - Hamilton - born in"])
      )
    })
  )

  it.effect("without a model asks nothing, and says what stands in", () =>
    Effect.gen(function* () {
      const books = pages
      const methods = ["graphrag-local", "graphrag-global"] as const
      const questions = questionsOf("Where was the director of The Fay Paradox born?")
      const { prepared, results } = yield* asked({ methods, questions, books })
      const links = "Louvain for Leiden, title and name links for OpenIE, sentences for descriptions and reports"
      expect(prepared.map(({ note }) => note)).toEqual([links, `${links}, cosine for the map calls`])
      expect(prepared.map(({ calls }) => calls)).toEqual([0, 0])
      const [local, global] = results
      expect(local?.documents[0]).toBe("d15")
      // the film and the life of its director; of twenty components that are as large there are reports on one alone
      expect(new Set(global?.documents)).toEqual(new Set(["d15", "d16"]))
      // every item is of a document of the corpus
      for (const { document } of [...(local?.evidence ?? []), ...(global?.evidence ?? [])])
        expect(document).toMatch(/^d\d+$/)
    })
  )
})

describe("GraphRAG's searches", () => {
  it.effect("local reads reports, entities, relationships and passages; its own answer is one call", () =>
    Effect.gen(function* () {
      const model = reader()
      const found = yield* result("graphrag-local-own", model, question)
      expect(rolesOf(model).slice(2 * n + 4)).toEqual(["graphrag.local"])
      expect(found).toMatchObject({ calls: 1, answer: "Hamilton", outcome: "Ranking" })
      const kinds = [...new Set(found.evidence.map(({ document }) => document.replace(/:?\d+$/, "")))]
      expect(kinds).toEqual(["report", "entity", "relationship", "d"])
      expect(found.documents.every((document) => /^d\d+$/.test(document))).toBe(true)
      const known = [...(promptsOf(model, "graphrag.local")[0]?.data.values() ?? [])].join("\n")
      for (const said of ["A band and its drummer.", "all of Rush", "born in", "Hall of Fame"])
        expect(known).toContain(said)
    })
  )

  it.effect(
    "global: a call a batch, points without a score are dropped, the best come first, one call for the answer",
    () =>
      Effect.gen(function* () {
        const model = reader()
        const found = yield* result("graphrag-global-own", model, question)
        expect(rolesOf(model).slice(2 * n + 4)).toEqual(["graphrag.map", "graphrag.reduce"])
        expect(found).toMatchObject({ calls: 2, answer: "Hamilton" })
        const points = [...(promptsOf(model, "graphrag.reduce")[0]?.data ?? [])].filter(([name]) => /^p\d/.test(name))
        expect(points.map(([, text]) => text)).toEqual(["Neil Peart was born in Hamilton", "Rush has a drummer"])
        // the passages behind the one report, and none behind a report that was not shown
        expect(new Set(found.documents)).toEqual(new Set(["d0", "d1", "d2"]))
      })
  )

  it.effect("global with the common reader costs the batches alone", () =>
    Effect.gen(function* () {
      const model = reader()
      const found = yield* result("graphrag-global", model, question)
      expect(rolesOf(model).slice(2 * n + 4)).toEqual(["graphrag.map"])
      expect(found.calls).toBe(1)
      expect(found.evidence.map(({ document }) => document)).toEqual(["point:0", "point:1"])
    })
  )

  it.effect("where no report helps there is no answer, and nothing more is asked", () =>
    Effect.gen(function* () {
      const model = from((role, prompt) => (role === "graphrag.map" ? { points: [] } : answer(role, prompt)))
      const found = yield* result("graphrag-global-own", model, question)
      expect(rolesOf(model).slice(2 * n + 4)).toEqual(["graphrag.map"])
      expect(found).toMatchObject({ answer: null, documents: [] })
    })
  )
})
