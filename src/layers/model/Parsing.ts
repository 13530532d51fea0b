/** Answers of models as values. */
import { Either, Schema } from "effect"

/** The value of `schema` that a text is; on the left, what is wrong with it, for the model to read. */
export const parsed = <A, I>(text: string, schema: Schema.Schema<A, I>): Either.Either<A, string> =>
  Either.mapLeft(Schema.decodeUnknownEither(Schema.parseJson(schema))(text), (error) => error.message)
