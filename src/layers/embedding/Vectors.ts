/** Vectors as they come from a model: checked, brought to length 1, and as text for a record. */
import { Either, Encoding, Option } from "effect"

/** What a text without words is: a fixed unit vector, which no model is asked for. */
export const blank = (dimensions: number): Float32Array => {
  const vector = new Float32Array(dimensions)
  vector[0] = 1
  return vector
}

/** One vector of length 1; on the left, what is wrong with it. */
const unit = (found: unknown, dimensions: number | undefined): Either.Either<Float32Array, string> => {
  if (!Array.isArray(found) && !(found instanceof Float32Array))
    return Either.left("a vector that is no list of numbers")
  if (dimensions !== undefined && found.length !== dimensions)
    return Either.left(`a vector of ${found.length} numbers where ${dimensions} were expected`)
  let square = 0
  for (let i = 0; i < found.length; i++) {
    const part: unknown = found[i]
    if (typeof part !== "number" || !Number.isFinite(part))
      return Either.left("a vector with a part that is no finite number")
    square += part * part
  }
  // so long or so short that its direction is lost
  if (square === 0 || !Number.isFinite(square)) return Either.left("a vector without a direction")
  const length = Math.sqrt(square)
  const vector = new Float32Array(found.length)
  for (let i = 0; i < found.length; i++) vector[i] = found[i] / length
  return Either.right(vector)
}

/** One vector of length 1 a text, all of one size; on the left, what is wrong. */
export const units = (
  found: ReadonlyArray<unknown>,
  count: number,
  dimensions: number | undefined
): Either.Either<ReadonlyArray<Float32Array>, string> => {
  if (found.length !== count) return Either.left(`${found.length} vectors for ${count} texts`)
  const vectors: Array<Float32Array> = []
  for (const one of found) {
    const vector = unit(one, dimensions ?? vectors[0]?.length)
    if (Either.isLeft(vector)) return Either.left(vector.left)
    vectors.push(vector.right)
  }
  return Either.right(vectors)
}

/** Their bytes in base64, one after another. */
export const written = (vectors: ReadonlyArray<Float32Array>): string => {
  const size = vectors[0]?.length ?? 0
  const all = new Float32Array(size * vectors.length)
  vectors.forEach((vector, i) => {
    all.set(vector, i * size)
  })
  return Encoding.encodeBase64(new Uint8Array(all.buffer))
}

/** What {@link written} wrote; none where it is not that. */
export const read = (text: string, count: number, dimensions: number): Option.Option<ReadonlyArray<Float32Array>> =>
  Option.filterMap(Either.getRight(Encoding.decodeBase64(text)), (bytes) => {
    if (bytes.length !== count * dimensions * 4) return Option.none()
    const all = new Float32Array(bytes.slice().buffer)
    return Option.some(Array.from({ length: count }, (_, i) => all.slice(i * dimensions, (i + 1) * dimensions)))
  })
