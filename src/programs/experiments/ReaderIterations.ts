/**
 * A reader that is asked again while it finds nothing (C33; outside of C21, whose one entry the controller still calls once): first with all of
 * E*, then with ever fewer of its items, the first half, the first quarter, as long as one is left. Fewer items say less of other things, so
 * that a reader which weighs the whole may find in a part what it missed, or take for an answer what is none: the experiment tells which.
 */
import { Effect, Layer } from "effect"
import type { Evidence } from "../../domain/Evidence.ts"
import { Reader } from "../../services/Roles.ts"

/** The evidence of each reading, at most `readings`: each half as long as the one before, none empty. */
export const servings = (evidence: Evidence, readings: number): ReadonlyArray<Evidence> => {
  const served: Array<Evidence> = [evidence]
  for (let length = evidence.length >> 1; length > 0 && served.length < readings; length >>= 1)
    served.push(evidence.slice(0, length))
  return served.slice(0, Math.max(1, readings))
}

/** The reader of the context, asked at most `readings` times a question; the first answer is the answer, as is the last "not found". */
export const layer = (readings: number): Layer.Layer<Reader, never, Reader> =>
  Layer.effect(
    Reader,
    Effect.map(Reader, ({ read }) => ({
      read: Effect.fnUntraced(function* (question, evidence) {
        const [whole = evidence, ...parts] = servings(evidence, readings)
        let reading = yield* read(question, whole)
        for (const part of parts) {
          if (reading.text !== null) break
          reading = yield* read(question, part)
        }
        return reading
      })
    }))
  )
