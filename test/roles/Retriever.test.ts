/** C14: in which order the Retriever takes what the region holds. */
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { prepare, scorer } from "../../src/domain/Relevance.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { Retriever } from "../../src/services/Roles.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { planned, scope, shelf, turn } from "../support/Shelf.ts"

const years = ["1896", "1904", "1912", "1920", "1928", "1936"]
const life = years.map(
  (year) =>
    `In ${year} Helen of Greece, the princess Helen, was the guest of honour at the court, ${"where she spoke of Helen and her house at length ".repeat(6)}in ${year}.`
)
const books = [
  {
    title: "Helen of Greece",
    text: ["Helen of Greece was a princess, daughter of King Constantine.", ...life].join("\n\n")
  },
  { title: "King Constantine", text: "King Constantine reigned twice. He was born in Athens." },
  { title: "Helen of Troy", text: "Helen of Troy is a figure of myth, said to have been born of an egg." }
]

layer(shelf(books))("C14 the order of evidence", (it) => {
  const chosen = Effect.fnUntraced(function* (question: string, most: number) {
    const policy = { ...defaultPolicy, itemsPerCycle: [most] as const }
    const { asked, plan, state } = yield* planned(question, policy)
    const corpus = yield* CorpusStore
    const tam = yield* TamStore
    const region = yield* corpus.page(scope, Option.none(), 100)
    const nodes = yield* tam.evidenceOf(
      scope,
      region.map(({ id }) => id)
    )
    const score = scorer(plan)
    const ranked = (yield* tam.nodes(scope, [...nodes.values()]))
      .map((node) => ({ node: node.id, g: score(prepare(node.abstraction)) }))
      .sort((a, b) => b.g - a.g || (a.node < b.node ? -1 : 1))
    const { value } = yield* (yield* Retriever).propose({ ...turn<"Retriever">(asked, state), region })
    return { items: value, best: ranked[0]?.node, nodes, region }
  })

  it.effect("the passage with the highest g is first and scores most; each passage once", () =>
    Effect.gen(function* () {
      for (const question of ["Where was the father of Helen of Greece born?", "Who was Helen of Troy?", "In 1912?"]) {
        const { best, items, nodes, region } = yield* chosen(question, 5)
        const [first, ...others] = items
        expect(first === undefined ? undefined : nodes.get(first.passage)).toBe(best)
        for (const [i, item] of others.entries()) expect(item.score).toBeLessThanOrEqual(items[i]?.score ?? 0)
        expect(new Set(items.map(({ passage }) => passage)).size).toBe(Math.min(5, region.length))
      }
    })
  )

  it.effect("a document cut into many passages leaves room for others", () =>
    Effect.gen(function* () {
      const { items, region } = yield* chosen("Where was the father of Helen of Greece born?", 4)
      expect(region.filter(({ title }) => title === "Helen of Greece").length).toBeGreaterThan(4)
      expect(new Set(items.map(({ title }) => title)).size).toBe(3)
    })
  )
})
