/** Graphs straight from documents, by the builder's pure parts and hashed vectors. */
import { Context, Effect, Layer } from "effect"
import { bondsOf } from "../../src/domain/tam/Bonds.ts"
import { type Graph, graphOf } from "../../src/domain/tam/Graph.ts"
import { abstractionOf, relationsOf } from "../../src/domain/tam/Relations.ts"
import { surveyOf } from "../../src/domain/tam/Survey.ts"
import { embedText } from "../../src/layers/embedding/Hashed.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import { Digest } from "../../src/services/Digest.ts"
import type { Book } from "./Libraries.ts"

const { hash } = Context.get(Effect.runSync(Effect.scoped(Layer.build(DigestNode.layer))), Digest)

export const builtFrom = (books: ReadonlyArray<Book>): Graph => {
  const survey = surveyOf(books.flatMap(({ passages }) => passages))
  const bonds = bondsOf(survey)
  const relations = relationsOf(survey, bonds, hash)
  return graphOf(
    survey,
    bonds,
    relations,
    relations.map((relation) => embedText(abstractionOf(relation), 64))
  )
}
