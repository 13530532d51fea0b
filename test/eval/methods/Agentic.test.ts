/**
 * All methods that decide step by step, on one model that answers from what it is asked: order and parallelism say nothing, a failure costs its
 * question, a fault that lasts stops, an answer that is kept is not paid again, and no prompt outgrows its bound.
 */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import type { Result } from "../../../src/domain/EvalResult.ts"
import { DocumentId } from "../../../src/domain/Ids.ts"
import { ModelError, type ModelFault } from "../../../src/domain/ModelError.ts"
import { defaultPolicy } from "../../../src/domain/Policy.ts"
import { scripted } from "../../../src/layers/model/Scripted.ts"
import { asking } from "../../../src/programs/baselines/Agentic.ts"
import { confinable, evaluate, plainNames } from "../../../src/programs/Evaluate.ts"
import { TokenCounter } from "../../../src/services/TokenCounter.ts"
import { type Asked, asked, from, promptOf, questionsOf, untimed } from "../../support/Asked.ts"
import { memoryCache } from "../../support/ModelRuns.ts"
import type { Seen } from "../../support/ModelWorld.ts"
import { type Book, library, scope, shelf } from "../../support/Shelf.ts"

const questions = questionsOf(
  "In which city was the drummer on the album Counterparts born?",
  "Where was the director of Aas Ka Panchhi born?",
  "What is the seat of the county where Van Hook Township is located?",
  "How is a failed call retried?",
  "When was Phoolwari released?"
)

/** Steps that depend on the question and on how far it has come, and on nothing else. */
const steps = (role: string, { data }: Seen): string | object => {
  const question = data.get("question") ?? ""
  const [name = ""] = /[A-Z]\w+(?: [A-Z]\w+)*(?=\W*$|[^A-Z]*$)/.exec(question) ?? []
  const made = data.size
  const isEven = question.length % 2 === 0
  switch (role) {
    case "react.step":
      return made > 3
        ? `Thought: so.\nAction: Finish[${data.get("observation1")?.slice(0, 20).replace(/\s/g, " ")}]`
        : `Action: Search[${name}]`
    case "self-rag.retrieve":
      return { retrieve: isEven }
    case "self-rag.plain":
      return { answer: name }
    case "self-rag.judge":
      return { relevant: data.get("p1")?.includes(name), answer: name, support: isEven ? "full" : "none", utility: 3 }
    case "ircot.think":
      return data.has("thought2") ? "So the answer is: that." : `${name} is what I look for, ${made}.`
    case "crag.evaluate":
      return { relevant: data.get("p1")?.includes(name) ? "yes" : isEven ? "perhaps" : "no" }
    case "crag.rewrite":
      return { query: name }
    case "crag.refine":
      return { keep: ["p2", "p1"] }
    case "corag.query":
      return { query: `${name} ${made}` }
    case "corag.answer":
      return { answer: (data.get("p1") ?? "").slice(0, 30) }
    case "a-rag.look": {
      const call = { keywords: [], query: "", chunks: [], answer: "" }
      if (made === 1) return { ...call, tool: "keyword_search", keywords: [name] }
      if (made === 3) return { ...call, tool: "semantic_search", query: question }
      return made === 5
        ? { ...call, tool: "read_chunk", chunks: ["c1", "c2"] }
        : { ...call, tool: "answer", answer: name }
    }
    case "stateflow.observe":
      return `search: ${name}`
    case "stateflow.solve":
      return made > 4 ? `Answer: ${name}` : "More is missing."
    case "stateflow.verify":
      return "correct"
    case "blackboard.planner":
      return { entries: [{ kind: "query", text: name }] }
    case "blackboard.retriever":
      return { entries: [{ kind: "finding", text: `${made}` }] }
    case "blackboard.verifier":
      return { entries: [{ kind: made > 9 ? "solution" : "query", text: `${name} ${made}` }] }
    default:
      throw new Error(`nobody answers ${role}`)
  }
}
const all = (changes: Partial<Asked> = {}) => asked({ model: from(steps), methods: asking, questions, ...changes })
const placed = (results: ReadonlyArray<Result>) =>
  [...results].map(({ cpuMs: _, wallMs: __, ...rest }) => rest).sort((x, y) => (place(x) < place(y) ? -1 : 1))
const place = ({ id, method }: Pick<Result, "id" | "method">) => `${method} ${id}`

describe("methods that decide step by step", () => {
  it.effect(
    "give the same whatever the order of methods and questions, and however many are asked at a time",
    () =>
      Effect.gen(function* () {
        const one = yield* all()
        expect(one.results.filter(({ outcome }) => outcome === "Incomplete")).toEqual([])
        const four = yield* all({ concurrency: 4 })
        expect(untimed(four)).toEqual(untimed(one))
        const back = yield* all({
          concurrency: 4,
          methods: [...asking].reverse(),
          questions: [...questions].reverse()
        })
        expect(placed(back.results)).toEqual(placed(one.results))
        // and it is no matter of one answer for all
        expect(new Set(one.results.map(({ documents }) => documents.join())).size).toBeGreaterThan(20)
      }),
    120_000
  )

  it.effect(
    "keep to the documents that a question is asked of",
    () =>
      Effect.gen(function* () {
        for (const method of asking) expect(confinable.has(method)).toBe(true)
        const within = ["d4", "d6"].map((id) => DocumentId.make(id))
        const model = from(steps)
        const { results } = yield* all({ model, questions: questions.map((question) => ({ ...question, within })) })
        const found = new Set(results.flatMap(({ documents }) => documents))
        expect([...found].sort()).toEqual(within)
        // nor is a model shown any other
        const shown = model.asked().flatMap(({ messages }) => [...promptOf({ messages }).data.values()])
        for (const text of shown) expect(text).not.toContain("Canadian")
      }),
    60_000
  )

  it.effect("need a model, and say so", () =>
    Effect.gen(function* () {
      for (const method of asking) expect(plainNames).not.toContain(method)
      for (const method of asking) {
        const error = yield* Effect.flip(
          evaluate({
            questions,
            methods: [method],
            known: [],
            policy: defaultPolicy,
            navigation: false,
            seed: 1,
            scope,
            concurrency: 1,
            record: () => Effect.void
          })
        )
        expect(error).toMatchObject({ _tag: "NeedsModel", method })
      }
    }).pipe(Effect.provide(shelf(library)))
  )

  const failing = (fault: ModelFault) =>
    scripted((request) => {
      const prompt = promptOf(request)
      const isThat = [...prompt.data.values()].some((text) => text.includes("Panchhi born"))
      if (isThat) return new ModelError({ model: "scripted", fault, detail: "as the script says" })
      const said = steps(request.role, prompt)
      return typeof said === "string" ? said : JSON.stringify(said)
    })

  it.effect(
    "a model that fails on one question costs that question, in each of them",
    () =>
      Effect.gen(function* () {
        const whole = yield* all()
        const { results } = yield* all({ model: failing("TooLong"), concurrency: 2 })
        const lost = results.filter(({ outcome }) => outcome === "Incomplete")
        expect(lost.map(({ id, method }) => [method, id])).toEqual(asking.map((method) => [method, "q1"]))
        for (const { answer, reason } of lost)
          expect([answer, reason?.includes("so long a prompt")]).toEqual([null, true])
        const others = (from: ReadonlyArray<Result>) => placed(from.filter(({ id }) => id !== "q1"))
        expect(others(results)).toEqual(others(whole.results))
      }),
    120_000
  )

  it.effect(
    "a fault that every question would meet stops, and what was finished is kept",
    () =>
      Effect.gen(function* () {
        for (const method of asking) {
          const recorded: Array<Result> = []
          const exit = yield* Effect.exit(all({ model: failing("Unauthorized"), methods: [method], recorded }))
          expect(Exit.isFailure(exit) && Cause.squash(exit.cause), method).toMatchObject({
            _tag: "ModelError",
            fault: "Unauthorized"
          })
          expect(recorded.map(({ id }) => id)).toEqual(["q0"])
        }
      }),
    120_000
  )

  it.effect(
    "an answer that is kept is not asked for again, and counts as it did",
    () =>
      Effect.gen(function* () {
        const { within } = memoryCache()
        const model = from(steps)
        const first = untimed(yield* within(all({ model })))
        const paid = model.asked().length
        // a method and its own answer take the same steps: these are paid once
        expect(paid).toBeLessThan(first.reduce((sum, { calls }) => sum + calls, 0))
        const again = untimed(yield* within(all({ model, concurrency: 3 })))
        expect(model.asked()).toHaveLength(paid)
        expect(again).toEqual(first)
      }),
    120_000
  )
})

describe("a prompt has a bound, whatever the documents hold", () => {
  const noise = (seed: number, length: number) =>
    Array.from({ length }, (_, i) => String((i * 7919 + seed * 104_729) % 99_991)).join(" ")
  const wanted = `Harbour ${noise(1, 5)}`
  // a few of their titles are longer than any bound
  const books: ReadonlyArray<Book> = Array.from({ length: 21 }, (_, i) => ({
    title: `Harbour ${noise(2 * i, 1500)}`,
    text: `Harbour ${noise(2 * i + 1, 90)}.`
  }))
  /** Asks on as long as it is let. */
  const insatiable = (role: string, { data }: Seen): string | object => {
    const made = data.size
    const long = `Harbour ${made} ${noise(made, 2000)}`
    switch (role) {
      case "react.step":
        return `Thought: ${long.slice(0, 500)}\nAction: Search[${wanted}]`
      case "self-rag.retrieve":
        return { retrieve: true }
      case "self-rag.judge":
        return { relevant: true, answer: "", support: "none", utility: 1 }
      case "ircot.think":
        return long
      case "crag.evaluate":
        return { relevant: "perhaps" }
      case "crag.rewrite":
        return { query: wanted }
      case "crag.refine":
        return { keep: new Array(10).fill(0).map((_, i) => `p${i + 1}`) }
      case "corag.query":
        return { query: long.slice(0, 200) }
      case "corag.answer":
        return { answer: long.slice(0, 400) }
      case "a-rag.look": {
        const call = {
          keywords: wanted.split(" ").slice(0, 5),
          query: wanted,
          chunks: ["c1", "c2", "c3", "c4", "c5"],
          answer: ""
        }
        return { ...call, tool: (["keyword_search", "semantic_search", "read_chunk"] as const)[((made - 1) / 2) % 3] }
      }
      case "a-rag.answer":
        return { answer: "" }
      case "stateflow.observe":
      case "stateflow.error":
        return `search: ${wanted}\n${long}`
      case "stateflow.solve":
      case "stateflow.verify":
        return long
      default:
        return { entries: [wanted, long, long].map((text) => ({ kind: "query", text: text.slice(0, 300) })) }
    }
  }
  const bounds: { readonly [method: string]: number } = {
    react: 4000,
    "self-rag": 1500,
    ircot: 7500,
    crag: 10_000,
    corag: 4000,
    "a-rag": 22_000,
    stateflow: 11_000,
    blackboard: 24_000
  }

  it.effect(
    "of each method",
    () =>
      Effect.gen(function* () {
        const methods = asking.filter((name) => !name.endsWith("-own"))
        expect(methods).toEqual(Object.keys(bounds))
        const model = from(insatiable)
        const { results } = yield* asked({ model, methods, questions: questionsOf(`Which is ${wanted}?`), books })
        const counter = yield* Effect.provide(TokenCounter, shelf([]))
        const count = yield* counter.counter
        for (const method of methods) {
          const own = model.asked().filter(({ role }) => role.startsWith(`${method}.`))
          const sizes = own.map(({ messages, system }) => count(system) + count(messages[0].text))
          expect(Math.max(...sizes), method).toBeLessThan(bounds[method] ?? 0)
          expect(results.find((result) => result.method === method)?.documents, method).not.toEqual([])
        }
        const [{ title = "" } = {}] = books
        expect(count(title)).toBeGreaterThan(2500)
      }),
    120_000
  )
})
