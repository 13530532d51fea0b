/** Hashed vectors: of unit length whatever the text, the same everywhere, and near for what is spelled alike. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { embedText, layer } from "../../src/layers/embedding/Hashed.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"

const cosine = (a: string, b: string): number => {
  const [x, y] = [embedText(a, 512), embedText(b, 512)]
  return x.reduce((sum, part, i) => sum + part * (y[i] ?? 0), 0)
}

describe("hashed vectors", () => {
  it("have length 1 and finite parts for any text", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.string({ unit: "binary", maxLength: 400 }),
        FastCheck.constantFrom(1, 64, 512),
        (text, size) => {
          const vector = embedText(text, size)
          expect(vector).toHaveLength(size)
          expect(vector.every(Number.isFinite)).toBe(true)
          expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
        }
      ),
      { numRuns: 500 }
    )
  })

  it("are the same for the same text, and one fixed vector for texts without words", () => {
    expect(embedText("The parser reads.", 512)).toEqual(embedText("The parser reads.", 512))
    for (const text of ["", " \n", "!?", "\u0000", "\u2014\u2026"]) {
      expect([...embedText(text, 512)].findIndex((part) => part !== 0)).toBe(0)
      expect(embedText(text, 512)[0]).toBe(1)
    }
  })

  it("are near for what is spelled alike, in any script, and far for what is not", () => {
    for (const [text, like, unlike] of [
      ["the maintainers of the parser", "Who maintains the parser?", "a recipe for lentil soup"],
      ["Schifffahrtsgesellschaft", "Schiffahrtsgesellschaften", "Wolkenkratzer"],
      ["東京都の人口", "東京都", "大阪府の歴史"],
      ["Москва столица", "в Москве", "рыбный суп"],
      ["Mikhail Gorbachev", "Mikhael Gorbachov", "Ronald Reagan"]
    ] as const) {
      expect(cosine(text, like)).toBeGreaterThan(cosine(text, unlike) + 0.1)
    }
  })

  it("keep a text's parts apart from their number: a word said often does not drown the others", () => {
    expect(cosine(`${"spam ".repeat(50)} parser`, "parser")).toBeGreaterThan(0.15)
  })

  it.effect("come in the order of the texts, under an id that names their length", () =>
    Effect.gen(function* () {
      const { dimensions, embed, id } = yield* EmbeddingModel
      expect([id, dimensions]).toEqual(["hashed-512", 512])
      expect(yield* embed(["one", "two"])).toEqual([embedText("one", 512), embedText("two", 512)])
      expect(yield* embed([])).toEqual([])
    }).pipe(Effect.provide(layer))
  )
})
