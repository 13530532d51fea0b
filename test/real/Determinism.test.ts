/** C8, pain 11: one corpus, configuration and question give one result, byte for byte, in whatever order the files came. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Answer } from "../../src/domain/Answer.ts"
import { ScopeKey } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Ask from "../../src/programs/Ask.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { dataFolder, dataPath, questionsOf } from "../support/Data.ts"
import { random } from "../support/Random.ts"

const scope = ScopeKey.make("copy")
const bare = ({ elapsedMs: _, run: __, ...rest }: Answer) => JSON.stringify(rest)

/** Everything that two indexes of the same documents must share. */
const portrait = (directory: string, paths: ReadonlyArray<string>, questions: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const report = yield* IndexCorpus.indexCorpus({ scope, paths })
    const tam = yield* (yield* TamStore).load(scope)
    const answers = yield* Effect.forEach(questions, (question) => Ask.ask(question, { scope }))
    return {
      revision: report.corpusRevision,
      nodes: JSON.stringify([...tam.nodes].sort(([a], [b]) => (a < b ? -1 : 1))),
      edges: JSON.stringify([...tam.children].map(([from, to]) => [from, ...[...to].sort()]).sort()),
      regions: JSON.stringify([...tam.regions].sort(([a], [b]) => (a < b ? -1 : 1))),
      answers: answers.map(bare)
    }
  }).pipe(Effect.provide(Embedded.layer({ directory })))

describe.runIf(dataFolder !== undefined)("C8 two indexes from shuffled copies are equal", () => {
  /** The same documents: files copied in another order, lines of the JSON Lines file in another order. */
  const copy = (work: string, name: string, seed: number): ReadonlyArray<string> => {
    const r = random(seed)
    const folder = join(work, name)
    for (const book of ["rust-book", "langgraphjs-docs"]) {
      mkdirSync(join(folder, book), { recursive: true })
      for (const entry of r.shuffled(readdirSync(dataPath("prose", book))))
        cpSync(dataPath("prose", book, entry), join(folder, book, entry), { recursive: true })
    }
    const lines = readFileSync(dataPath("hotpotqa.corpus.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
    writeFileSync(join(folder, "hotpotqa.jsonl"), r.shuffled(lines.slice(0, 1_500)).join("\n"))
    return r.shuffled([join(folder, "rust-book"), join(folder, "langgraphjs-docs"), join(folder, "hotpotqa.jsonl")])
  }

  it("nodes, edges, regions, and answers but for run and times", async () => {
    const work = mkdtempSync(join(tmpdir(), "staterag-copies-"))
    const questions = [
      "What is ownership?",
      "How does Rc<T> differ from RefCell<T>?",
      "What is the checkpointer for?",
      ...questionsOf("hotpotqa")
        .slice(0, 20)
        .map((record) => record.question)
    ]

    const one = await Effect.runPromise(portrait(join(work, "a"), copy(work, "one", 1), questions))
    const two = await Effect.runPromise(portrait(join(work, "b"), copy(work, "two", 2), questions))
    expect(two).toEqual(one)
    expect(one.answers.length).toBe(questions.length)
    expect(Option.isSome(Option.fromNullable(one.answers[0]))).toBe(true)
    rmSync(work, { recursive: true, force: true })
  }, 300_000)
})
