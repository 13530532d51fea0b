/**
 * Every method that decides step by step, one question each, through a server of OpenAI's API that fills whatever form it is given: what is
 * metered is what the server was asked, with the reader's call, and the tokens are the server's.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import type { ModelRequest } from "../../../src/domain/ModelRequest.ts"
import { defaultPolicy } from "../../../src/domain/Policy.ts"
import { scripted } from "../../../src/layers/model/Scripted.ts"
import * as OpenAi from "../../../src/layers/OpenAi.ts"
import { asking } from "../../../src/programs/baselines/Agentic.ts"
import { evaluate } from "../../../src/programs/Evaluate.ts"
import { indexCorpus } from "../../../src/programs/IndexCorpus.ts"
import { questionsOf } from "../../support/Asked.ts"
import { serve } from "../../support/ModelServer.ts"
import { library, scope } from "../../support/Shelf.ts"

/** A value of a JSON Schema: one item a list, the last of several words, a name for a text. */
const filled = (schema: unknown): unknown => {
  if (!Predicate.isRecord(schema)) return null
  if (Array.isArray(schema.enum)) return schema.enum.at(-1)
  if (Array.isArray(schema.anyOf)) return filled(schema.anyOf.at(-1))
  if ("const" in schema) return schema.const
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(Predicate.isRecord(schema.properties) ? schema.properties : {}).map(([name, part]) => [
          name,
          filled(part)
        ])
      )
    case "array":
      return [filled(schema.items)]
    case "boolean":
      return true
    case "string":
      return "Neil Peart".slice(0, typeof schema.maxLength === "number" ? schema.maxLength : undefined)
    default:
      return 1
  }
}
/** What is said where text is wanted, by what the instructions ask for. */
const texts: ReadonlyArray<readonly [asked: string, said: string]> = [
  ["Finish[", "Thought 1: I know.\nAction 1: Search[Neil Peart]"],
  ["search: words", "search: Neil Peart"],
  ["Answer: …", "Answer: Hamilton"],
  ["write: correct", "correct"],
  ["next sentence", "So the answer is: Hamilton."]
]
const served = ({ shape, system }: ModelRequest): string =>
  shape === null ? (texts.find(([wanted]) => system.includes(wanted))?.[1] ?? "") : JSON.stringify(filled(shape.schema))

/** Calls of each method to such a server, with the reader's. */
const calls: { readonly [M in (typeof asking)[number]]: number } = {
  react: 7 + 1,
  "react-own": 7,
  "self-rag": 11 + 1,
  "self-rag-own": 11,
  ircot: 1 + 1,
  // ten judgements, all "no": another query, its strips, of which none is named
  crag: 10 + 1 + 1,
  // the second and the third sub-question are repeats
  corag: 4 + 1,
  "a-rag": 1,
  "a-rag-own": 1,
  stateflow: 3 + 1,
  "stateflow-own": 3,
  blackboard: 1,
  "blackboard-own": 1
}

describe("over a server of OpenAI's API", () => {
  it.live(
    "each method asks, answers and is metered as it is served",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* Effect.acquireRelease(
            Effect.sync(() => mkdtempSync(join(tmpdir(), "staterag-methods-"))),
            (made) => Effect.sync(() => rmSync(made, { recursive: true }))
          )
          const files = join(folder, "files")
          mkdirSync(files)
          const documents = library.map((book, i) => JSON.stringify({ id: `d${i}`, ...book }))
          writeFileSync(join(files, "corpus.jsonl"), documents.join("\n"))
          const server = yield* serve(scripted(served).provider)
          const layer = OpenAi.layer({ directory: join(folder, "state"), model: "m", baseUrl: server.url })
          yield* Effect.gen(function* () {
            yield* indexCorpus({ scope, paths: [files] })
            for (const method of asking) {
              const before = server.requests()
              const { results } = yield* evaluate({
                questions: questionsOf(`In which city was Neil Peart born, asks ${method}?`),
                methods: [method],
                known: [],
                policy: defaultPolicy,
                navigation: false,
                seed: 1,
                scope,
                concurrency: 1,
                record: () => Effect.void
              })
              const [result] = results
              expect(result?.calls, method).toBe(calls[method])
              expect(server.requests() - before, method).toBe(calls[method])
              expect(result?.readerEquivalentTokens, method).toBeGreaterThan(100 * calls[method])
              // what has no end has no answer of its own, and nothing else is incomplete
              expect(result?.outcome, method).toBe(method === "react-own" ? "Incomplete" : "Ranking")
            }
          }).pipe(Effect.provide(layer))
        })
      ),
    120_000
  )
})
