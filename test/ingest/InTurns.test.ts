/** A process that only computes is deaf to Ctrl-C: what takes long over one document stops on the way. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import type { Document } from "../../src/domain/Corpus.ts"
import { ContentHash, DocumentId } from "../../src/domain/Ids.ts"
import { passages } from "../../src/domain/Passages.ts"
import { paragraphs } from "../../src/layers/ingest/Text.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import { passagesOf } from "../../src/programs/IndexPassages.ts"
import { Digest } from "../../src/services/Digest.ts"

const text = Array.from({ length: 4000 }, (_, n) => `Tower ${n} stands by the river. ${"It is old. ".repeat(20)}`).join(
  "\n\n"
)
const blocks = paragraphs(text)
const document: Document = {
  id: DocumentId.make("towers.txt"),
  title: "towers",
  format: "text",
  source: "towers.txt",
  hash: ContentHash.make("0".repeat(64)),
  text
}

describe("one large document", () => {
  it.live("is left in the middle when the run is interrupted, and is cut as in one go when it is not", () =>
    Effect.gen(function* () {
      const { hash } = yield* Digest
      let counted = 0
      const cutting = passagesOf(document, blocks, hash, () => ++counted)
      const fiber = yield* Effect.fork(cutting)
      yield* Effect.sleep("1 millis")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      const whole = passages(text, blocks)
      expect(counted).toBeLessThan(whole.length)
      const all = yield* cutting
      expect(all.map(({ end, line, start, text }) => ({ end, line, start, text }))).toEqual(
        whole.map(({ end, line, start, text }) => ({ end, line, start, text }))
      )
    }).pipe(Effect.provide(DigestNode.layer))
  )
})
