/**
 * C14, C21, pain 23 on real documents: every piece of evidence and every quotation equals the slice of the *source file*, which is read and
 * decoded here without the product, and stands on the line that is claimed.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Ask from "../../src/programs/Ask.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"
import { dataFolder, dataPath, questionsOf, recordsOf } from "../support/Data.ts"

/** The source as anybody would read it. */
type Sources = ReadonlyMap<string, string>

const markdown = (folder: string): Sources => {
  const found = new Map<string, string>()
  const walk = (relative: string) => {
    for (const entry of readdirSync(join(folder, relative), { withFileTypes: true })) {
      const path = relative === "" ? entry.name : `${relative}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else found.set(path, new TextDecoder("utf-8").decode(readFileSync(join(folder, path))))
    }
  }
  walk("")
  return found
}

/** Questions about what a book's own headings name. */
const headingQuestions = (sources: Sources, limit: number): ReadonlyArray<string> =>
  [...sources.values()]
    .flatMap((text) => [...text.matchAll(/^#{1,3} (.{6,70})$/gm)].map((match) => match[1] ?? ""))
    .filter((heading, i, all) => all.indexOf(heading) === i)
    .map((heading, i) => (i % 2 === 0 ? `What is ${heading}?` : `How does ${heading} work?`))
    .slice(0, limit)

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split(/\r\n|\r|\n/).length

const verified = (name: string, path: string, sources: Sources, questions: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* IndexCorpus.indexCorpus({ scope: ScopeKey.make("real"), paths: [path] })
    let quotations = 0
    let items = 0
    for (const question of questions) {
      const answer = yield* Ask.ask(question, { scope: "real" })
      for (const part of [...answer.evidence, ...answer.citations]) {
        const source = sources.get(part.document)
        expect(source, part.document).toBeDefined()
        expect(source?.slice(part.start, part.end)).toBe(part.text)
        expect(lineOf(source ?? "", part.start)).toBe(part.line)
      }
      quotations += answer.citations.length
      items += answer.evidence.length
      expect(new Set(answer.citations.map((citation) => citation.marker)).size).toBe(answer.citations.length)
    }
    process.stdout.write(
      `${name}: ${questions.length} questions, ${items} items of evidence, ${quotations} quotations, all equal to the source\n`
    )
    expect(items).toBeGreaterThan(questions.length)
    expect(quotations).toBeGreaterThan(questions.length / 3)
  })

const inFolder = <A, E>(body: Effect.Effect<A, E, Embedded.Services>): Promise<A> => {
  const directory = mkdtempSync(join(tmpdir(), "staterag-real-"))
  return Effect.runPromise(Effect.provide(body, Embedded.layer({ directory }))).finally(() =>
    rmSync(directory, { recursive: true, force: true })
  )
}

describe.runIf(dataFolder !== undefined)("C14 quotations of real documents", () => {
  for (const book of ["rust-book", "langgraphjs-docs"])
    it(`prose/${book}`, () => {
      const sources = markdown(dataPath("prose", book))
      return inFolder(verified(book, dataPath("prose", book), sources, headingQuestions(sources, 40)))
    }, 240_000)

  for (const set of ["hotpotqa", "2wikimultihopqa"])
    it(set, () => {
      const sources = new Map(recordsOf(set).map((record) => [record.id, record.text]))
      const questions = questionsOf(set)
        .slice(0, 80)
        .map((record) => record.question)
      return inFolder(verified(set, dataPath(`${set}.corpus.jsonl`), sources, questions))
    }, 240_000)
})
