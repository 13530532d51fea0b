/** What every EmbeddingModel promises, whoever makes the vectors. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { awkward } from "../support/Corpora.ts"

const norm = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, part) => sum + part * part, 0))

export const contract = (name: string, layer: Layer.Layer<EmbeddingModel, unknown>): void => {
  describe(`EmbeddingModel ${name}`, () => {
    const test = (title: string, body: (model: EmbeddingModel["Type"]) => Effect.Effect<void, unknown>) =>
      it.live(title, () => Effect.provide(Effect.flatMap(EmbeddingModel, body), layer))

    test("gives one finite vector of length 1 a text, in the order of the texts, for any text", (model) =>
      Effect.gen(function* () {
        const texts = ["The parser reads.", ...awkward, "x".repeat(3000), "", " \n", "The parser reads."]
        const vectors = yield* model.embed(texts)
        expect(vectors).toHaveLength(texts.length)
        for (const vector of vectors) {
          expect(vector).toBeInstanceOf(Float32Array)
          expect(vector).toHaveLength(model.dimensions)
          expect(vector.every(Number.isFinite)).toBe(true)
          expect(norm(vector)).toBeCloseTo(1, 4)
        }
        expect(vectors[vectors.length - 1]).toEqual(vectors[0])
        const reversed = yield* model.embed([...texts].reverse())
        ;[...reversed].reverse().forEach((vector, i) => {
          const before = vectors[i] ?? new Float32Array()
          // what a batch holds may move a sum in its last place
          expect(vector.reduce((sum, part, k) => sum + part * (before[k] ?? 0), 0)).toBeCloseTo(1, 3)
        })
      }))

    test("a text without words gives one fixed vector, and no texts give none", (model) =>
      Effect.gen(function* () {
        const [empty, blank] = yield* model.embed(["", " \n\t"])
        expect(empty).toEqual(blank)
        expect(yield* model.embed([])).toEqual([])
      }))

    test("what was given may be written to", (model) =>
      Effect.gen(function* () {
        const [first] = yield* model.embed(["", "one"])
        first?.fill(9)
        const [second] = yield* model.embed(["", "one"])
        expect(norm(second ?? new Float32Array())).toBeCloseTo(1, 4)
      }))

    test("has a name that says which model it is", (model) =>
      Effect.sync(() => {
        expect(model.id).toMatch(/^\S{3,}$/)
        expect(model.dimensions).toBeGreaterThan(0)
      }))
  })
}
