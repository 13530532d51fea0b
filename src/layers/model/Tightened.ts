/** A model that is held to bounds of its own, whatever schema it is asked for: a grammar then lets it write no more than its tokens hold. */
import type { Bounds } from "../../domain/prompts/Bounds.ts"
import type { LanguageModelShape } from "../../services/LanguageModel.ts"
import { shapeOf, tightened } from "./Shapes.ts"

export const make = (model: LanguageModelShape, bounds: Bounds): LanguageModelShape => ({
  ...model,
  value: (request, schema, watch) => {
    const shape = request.shape ?? shapeOf(schema)
    return model.value({ ...request, shape: { ...shape, schema: tightened(shape.schema, bounds) } }, schema, watch)
  }
})
