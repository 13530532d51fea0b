/** C34, L4, pain 31 on real documents: 85 of them forgotten at once, after questions that quoted them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { DocumentId } from "../../src/domain/Ids.ts"
import { terms } from "../../src/domain/Words.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import { ask } from "../../src/programs/Ask.ts"
import { forget } from "../../src/programs/Forget.ts"
import { verify } from "../../src/programs/Verify.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { dataFolder, dataPath, questionsOf } from "../support/Data.ts"
import { found, index, portrait, scope } from "../support/Living.ts"
import { random } from "../support/Random.ts"

const documents = 2_000
const many = 85

describe.runIf(dataFolder !== undefined)("C34 85 of 2,000 documents are forgotten", () => {
  const work = mkdtempSync(join(tmpdir(), "staterag-forget-"))
  const lines = () =>
    readFileSync(dataPath("hotpotqa.corpus.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .slice(0, documents)
  const idOf = (line: string): string => String(Reflect.get(Object(JSON.parse(line)), "id"))

  it("nothing on disk says what only they said; what is left is a fresh build; everything verifies", async () => {
    const questions = questionsOf("hotpotqa")
      .slice(0, 40)
      .map(({ question }) => question)
    const directory = join(work, "state")
    const open = Embedded.layer({ directory })
    writeFileSync(join(work, "all.jsonl"), lines().join("\n"))

    const { gone, phrases } = await Effect.gen(function* () {
      yield* index(join(work, "all.jsonl"))
      const answers = yield* Effect.forEach(questions, (question) => Effect.option(ask(question, { scope })))
      const cited = answers.flatMap((answer) =>
        Option.match(answer, { onNone: () => [], onSome: ({ evidence }) => evidence.map(({ document }) => document) })
      )
      const r = random(34)
      const some = r.shuffled(lines().map(idOf)).slice(0, many)
      const gone = [...new Set([...new Set(cited)].slice(0, 40).concat(some.map((id) => DocumentId.make(id))))].slice(
        0,
        many
      )
      const corpus = yield* CorpusStore
      const all = yield* Effect.forEach(yield* corpus.documents(scope), ({ id }) => corpus.document(scope, id))
      const texts = new Map(all.flatMap(Option.toArray).map(({ id, text, title }) => [id, `${title}\n${text}`]))
      const rest = [...texts].flatMap(([id, text]) => (gone.includes(id) ? [] : [text])).join("\n")
      const restTerms = ` ${terms(rest).join(" ")} `
      const asked = questions.join("\n")
      const phrases = gone.flatMap((id) => {
        const text = texts.get(id) ?? ""
        return Array.from({ length: 4 }, () => {
          const at = r.int(Math.max(1, text.length - 32))
          return text.slice(at, at + 32)
        }).flatMap((phrase) => {
          const folded = terms(phrase).slice(1, -1).join(" ")
          return [
            ...(phrase.length === 32 && !rest.includes(phrase) && !asked.includes(phrase) && !phrase.includes("\n")
              ? [phrase]
              : []),
            ...(folded.length > 12 && !restTerms.includes(folded) ? [folded] : [])
          ]
        })
      })
      return { gone, phrases: [...new Set(phrases)] }
    }).pipe(Effect.provide(open), Effect.runPromise)

    expect(gone.length).toBe(many)
    expect(phrases.length).toBeGreaterThan(300)
    expect(found(directory, phrases).length).toBeGreaterThan(300)

    const report = await forget({ scope, paths: gone }).pipe(Effect.provide(open), Effect.runPromise)
    expect(report.documents.length).toBe(many)
    expect(report.journals.runs).toBeGreaterThan(30)

    const left = await portrait.pipe(Effect.provide(open), Effect.runPromise)
    writeFileSync(
      join(work, "rest.jsonl"),
      lines()
        .filter((line) => !gone.includes(DocumentId.make(idOf(line))))
        .join("\n")
    )
    const fresh = await Effect.zipRight(index(join(work, "rest.jsonl")), portrait).pipe(
      Effect.provide(Embedded.layer({ directory: join(work, "fresh") })),
      Effect.runPromise
    )
    // a relation may put words of two documents side by side as one of the forgotten did: then a fresh index does so too
    const theirs = found(join(work, "fresh"), phrases).map((line) => line.slice(line.indexOf(": ") + 2))
    expect(theirs.length).toBeLessThan(5)
    expect(
      found(
        directory,
        phrases.filter((phrase) => !theirs.includes(phrase))
      )
    ).toEqual([])
    const bare = ({ documents: held, sources: _, ...same }: typeof left) => ({
      ...same,
      documents: held.map(Option.map(({ source: __, ...document }) => document))
    })
    expect(bare(left)).toEqual(bare(fresh))

    const checked = await verify({ scope }).pipe(Effect.provide(open), Effect.runPromise)
    expect(checked.findings).toEqual([])
    expect(checked.checked.documents).toBe(documents - many)
    rmSync(work, { recursive: true, force: true })
  }, 600_000)
})
