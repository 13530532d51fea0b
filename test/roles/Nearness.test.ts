/** C12, C18: vectors that tell meaning find what shares no word with the question, by a plan that still says all that g needs. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fingerprint } from "../../src/domain/Fingerprint.ts"
import { type Hypothesis, mostNear, type Plan } from "../../src/domain/Plan.ts"
import { g } from "../../src/domain/Relevance.ts"
import { embedText } from "../../src/layers/embedding/Hashed.ts"
import * as EmbeddedRoles from "../../src/layers/roles/embedded/EmbeddedRoles.ts"
import { EmbeddingModel, type NearnessKind } from "../../src/services/EmbeddingModel.ts"
import { Navigator } from "../../src/services/Roles.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { library, planned, scope, shelf, turn } from "../support/Shelf.ts"

const target = { title: "Wards", text: "The doctor walks through the wards at dawn and reads every chart." }
const question = "which physician makes morning rounds"
const books = [...library, target]

/** Knows which of two words mean the same; else as the vectors on the shelf. */
const model = (kind: NearnessKind) =>
  Layer.succeed(EmbeddingModel, {
    id: "hashed-512",
    dimensions: 512,
    kind,
    embed: (texts) =>
      Effect.succeed(
        texts.map((text) => embedText(text.replace("physician", "doctor").replace("morning rounds", "wards"), 512))
      )
  })
const rolesOn = (kind: NearnessKind) =>
  Layer.fresh(EmbeddedRoles.layer).pipe(Layer.provideMerge(model(kind)), Layer.provideMerge(shelf(books)))

const nearOf = (hypothesis: Hypothesis) => ("near" in hypothesis ? hypothesis.near : undefined)

describe("C12 the plan names the texts that are near its queries", () => {
  it.effect("where vectors tell meaning: g credits a text that shares no word, and the path ends there", () =>
    Effect.gen(function* () {
      const { asked, plan, state } = yield* planned(question)
      const path = yield* (yield* Navigator).propose(turn<"Navigator">(asked, state))
      const [node] = yield* (yield* TamStore).nodes(scope, path.value.slice(-1))
      const text = node?.abstraction ?? ""
      expect(text).toContain(target.text)
      expect(state.evidence[0]?.title).toBe(target.title)
      for (const hypothesis of plan.hypotheses) {
        const near = nearOf(hypothesis) ?? []
        expect(near.length).toBeGreaterThan(0)
        expect(near.length).toBeLessThanOrEqual(mostNear)
        const scores = near.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        expect(Math.max(...scores)).toBeLessThanOrEqual(hypothesis.best)
      }
      expect(nearOf(plan.hypotheses[0] as Hypothesis)?.[0]?.abstraction).toBe(fingerprint(text))
      const worded: Plan = { ...plan, hypotheses: plan.hypotheses.map((one) => ({ ...one, near: [] })) }
      expect(g(question, plan, text)).toBeGreaterThan(g(question, worded, text) + 0.5)
    }).pipe(Effect.provide(rolesOn("Meaning")))
  )

  it.effect("where they tell spelling: none, as words alone would have it", () =>
    Effect.gen(function* () {
      const { plan } = yield* planned("Which Canadian rock band released Counterparts?")
      expect(plan.hypotheses.length).toBeGreaterThan(1)
      expect(plan.hypotheses.map(nearOf)).toEqual(plan.hypotheses.map(() => undefined))
    }).pipe(Effect.provide(rolesOn("Spelling")))
  )
})

describe("C12 g of a plan with near texts", () => {
  const near = [{ abstraction: fingerprint("the doctor"), score: 1 }]
  const plan = (best: number): Plan => ({
    type: "Generic",
    entities: [],
    slots: [],
    objective: question,
    hypotheses: [{ from: null, weight: 1, query: question, terms: [{ term: "doctor", weight: 1 }], best, near }],
    known: [],
    missing: [],
    frontier: [],
    held: [],
    visited: []
  })

  it("adds what is near to the words, for that very text, and never goes beyond the best", () => {
    const words = g(question, plan(8), "a doctor") * 8
    expect(words).toBeGreaterThan(1)
    expect(g(question, plan(8), "the doctor") * 8).toBeCloseTo(words + 1, 12)
    expect(g(question, plan(2), "the doctor")).toBe(1)
    expect(g(question, plan(0), "the doctor")).toBe(0)
  })
})
