/** HippoRAG 2, call by call: two a passage for its facts, one a question for what it recalls, and a walk over the graph. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { linkFacts } from "../../../src/domain/methods/Facts.ts"
import { scripted } from "../../../src/layers/model/Scripted.ts"
import { passagesOf } from "../../../src/programs/baselines/Bm25.ts"
import { build } from "../../../src/programs/baselines/FactGraph.ts"
import { asked, from, promptsOf, questionsOf, result, rolesOf } from "../../support/Asked.ts"
import { type Seen, seen } from "../../support/ModelWorld.ts"
import { library, scope, shelf } from "../../support/Shelf.ts"

const question = "In which city was the drummer on the album Counterparts born?"
const graph = Effect.flatMap(passagesOf(scope), (passages) => build({ passages: Effect.succeed(passages) }))

/** What a reader of the passage would write down: its title has to do with what is named. */
const reading = (role: string, { data }: Seen, kept: ReadonlyArray<string> = ["f1"]) => {
  const passage = data.get("p1") ?? ""
  const title = /^Title: (.*)$/m.exec(passage)?.[1] ?? ""
  if (role === "hipporag.names") return { names: [title, "Neil Peart"] }
  if (role === "hipporag.facts")
    return passage.includes("Neil Peart")
      ? { facts: [{ subject: title, relation: "has to do with", object: "Neil Peart" }] }
      : { facts: [{ subject: title, relation: "is", object: `what ${title} is` }] }
  if (role === "hipporag.recognise") return { facts: kept }
  return { thought: "The drummer is Neil Peart.", answer: "Hamilton" }
}
const reader = (kept?: ReadonlyArray<string>) => from((role, prompt) => reading(role, prompt, kept))

describe("links for OpenIE", () => {
  it("the title, the words before a name, the name, each name once", () => {
    const facts = linkFacts({
      title: "Counterparts (album)",
      text: "Counterparts is an album by Rush. The drums were played by Neil Peart. Rush toured."
    })
    expect(facts.map(({ object, relation, subject }) => [subject, relation, object])).toEqual([
      ["Counterparts (album)", "Counterparts is an album by", "Rush"],
      ["Counterparts (album)", "The drums were played by", "Neil Peart"]
    ])
    expect(facts.map(({ start }) => start)).toEqual([0, 34])
  })
  it("without a title the first name is the subject; without a name there is no fact", () => {
    const [fact] = linkFacts({ title: "", text: "It was made by Geddy Lee and Alex Lifeson." })
    expect(fact).toMatchObject({ subject: "Geddy Lee", object: "Alex Lifeson" })
    expect(linkFacts({ title: "", text: "nothing is named here." })).toEqual([])
    expect(linkFacts({ title: "", text: "" })).toEqual([])
  })
})

describe("the graph of facts", () => {
  it.effect("phrases that are the same name are one node, and both passages hold it", () =>
    Effect.gen(function* () {
      const { adjacency, facts, passages, phrases, spread } = yield* graph
      const fact = facts.find(({ text }) => /^Counterparts \(album\).*Neil Peart$/.test(text))
      const [album = -1, peart = -1] = fact?.phrases ?? []
      const neighbours = (node: number) => [
        ...adjacency.neighbours.subarray(adjacency.first[node], adjacency.first[node + 1])
      ]
      const holders = neighbours(peart)
        .filter((node) => node >= phrases)
        .map((node) => passages[node - phrases]?.document)
      expect(new Set(holders)).toEqual(new Set(["d0", "d1", "d2"]))
      expect(spread[peart]).toBe(3)
      expect(neighbours(album)).toContain(peart)
      expect(adjacency.first).toHaveLength(phrases + passages.length + 1)
    }).pipe(Effect.provide(shelf(library)))
  )
})

describe("HippoRAG 2", () => {
  it.effect("without a model it walks from title to name, asks nothing and says what stands in", () =>
    Effect.gen(function* () {
      const questions = questionsOf(question, "Where was the director of Aas Ka Panchhi born?")
      const { prepared, results } = yield* asked({ methods: ["dense", "hipporag2"], questions })
      expect(prepared[1]).toMatchObject({ calls: 0, note: "title and name links for OpenIE, no recognition filter" })
      const [, , rush, films] = results
      expect(rush?.documents.slice(0, 3)).toEqual(expect.arrayContaining(["d0", "d1"]))
      expect(films?.documents.slice(0, 2)).toEqual(["d4", "d6"])
      expect(new Set(rush?.documents).size).toBe(library.length)
    })
  )

  it.effect("with a model: two calls a passage, one a question besides the reader's", () =>
    Effect.gen(function* () {
      const model = reader()
      const { prepared, results } = yield* asked({ model, methods: ["hipporag2"], questions: questionsOf(question) })
      const roles = rolesOf(model)
      const count = (role: string) => roles.filter((own) => own === role).length
      expect(count("hipporag.names")).toBe(library.length)
      expect(count("hipporag.facts")).toBe(library.length)
      expect(roles.slice(2 * library.length)).toEqual(["hipporag.recognise"])
      expect(prepared[0]).toMatchObject({ calls: 2 * library.length, note: null })
      expect(results[0]).toMatchObject({ calls: 1, outcome: "Ranking", reason: null })
      // facts are asked for with the names that were found
      expect(promptsOf(model, "hipporag.facts")[0]?.data.get("name2")).toBe("Neil Peart")
      const offered = promptsOf(model, "hipporag.recognise")[0]?.data
      expect([...(offered?.keys() ?? [])]).toEqual(["question", "f1", "f2", "f3", "f4", "f5"])
      expect(offered?.get("f1")).toContain("Counterparts")
      // from the album by way of the drummer to his page
      expect(results[0]?.documents.slice(0, 3)).toEqual(expect.arrayContaining(["d0", "d1"]))
    })
  )

  it.effect("its own answer is one call more in the reader's place, from five passages", () =>
    Effect.gen(function* () {
      const model = reader()
      const found = yield* result("hipporag2-own", model, question)
      expect(rolesOf(model).slice(2 * library.length)).toEqual(["hipporag.recognise", "hipporag.answer"])
      expect(found).toMatchObject({ calls: 2, answer: "Hamilton", short: "Hamilton" })
      expect(found.evidence).toHaveLength(5)
      const shown = [...(promptsOf(model, "hipporag.answer")[0]?.data.keys() ?? [])]
      expect(shown.filter((name) => /^p\d+$/.test(name))).toHaveLength(5)
    })
  )

  it.effect("where no fact is kept, or none that was offered, passages are ranked by vector, and that is said", () =>
    Effect.gen(function* () {
      for (const kept of [[], ["f9", "p1", "nonsense"]]) {
        const { results } = yield* asked({
          model: reader(kept),
          methods: ["dense", "hipporag2"],
          questions: questionsOf(question)
        })
        const [dense, hippo] = results
        expect(hippo?.reason).toBe("RecognitionEmpty: none of 5 facts")
        expect(hippo?.documents).toEqual(dense?.documents)
      }
    })
  )

  it.effect("a passage that the model cannot read is linked instead, and counted", () =>
    Effect.gen(function* () {
      const model = scripted((request) => {
        const prompt = seen(request.messages[0].text)
        const isFirst = (prompt.data.get("p1") ?? "").startsWith("Title: Counterparts")
        return isFirst && request.role === "hipporag.facts"
          ? { text: "", finish: "Refusal" }
          : JSON.stringify(reading(request.role, prompt))
      })
      const { prepared } = yield* asked({ model, methods: ["hipporag2"], questions: questionsOf(question) })
      expect(prepared[0]?.note).toBe("substitutes for 1 passages")
      expect(prepared[0]?.calls).toBe(2 * library.length)
    })
  )

  it.effect("a key that is refused ends it at once", () =>
    Effect.gen(function* () {
      const model = reader()
      model.failNext(1000, "Unauthorized")
      const failed = yield* Effect.flip(asked({ model, methods: ["hipporag2"], questions: questionsOf(question) }))
      expect(failed).toMatchObject({ _tag: "ModelError", fault: "Unauthorized" })
      expect(model.asked().length).toBeLessThan(library.length)
    })
  )
})
