/** Vectors of two models are never compared: the question is refused before anything is ranked. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import * as InitializerHybrid from "../../src/layers/roles/embedded/InitializerHybrid.ts"
import { EmbeddingModel } from "../../src/services/EmbeddingModel.ts"
import { Initializer } from "../../src/services/Roles.ts"
import { library, scope, shelf } from "../support/Shelf.ts"

const other = Layer.succeed(EmbeddingModel, {
  id: "other",
  dimensions: 4,
  kind: "Meaning",
  embed: (texts) => Effect.succeed(texts.map(() => Float32Array.of(1, 0, 0, 0)))
})

describe("C18 the corpus knows which model made its vectors", () => {
  it.effect("another model is refused, with what to do", () =>
    Effect.gen(function* () {
      const initializer = yield* Initializer
      const inquiry = { question: "Who is Rush?", scope, policy: defaultPolicy, within: undefined }
      const refused = yield* Effect.flip(initializer.rank(inquiry, 5))
      expect(refused.fault).toBe("OtherModel")
      expect(refused.message).toContain("hashed-512")
    }).pipe(
      Effect.provide(
        Layer.fresh(InitializerHybrid.layer).pipe(Layer.provideMerge(other), Layer.provideMerge(shelf(library)))
      )
    )
  )
})
