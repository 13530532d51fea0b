/**
 * C21, pain 26 on real corpora: questions asked of the wrong corpus are mostly not answered, and questions of its own mostly are. Where the
 * wrong corpus is of the same kind (an encyclopaedia's articles), it holds some of the names by chance: the harder half.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Ask from "../../src/programs/Ask.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"
import { dataFolder, dataPath, questionsOf } from "../support/Data.ts"
import prose from "./prose-questions.json" with { type: "json" }

const asked = 50

/** `asked` questions of a set, spread over it. */
const spread = (set: string): ReadonlyArray<string> => {
  const all = questionsOf(set)
  const step = Math.floor(all.length / asked)
  return all
    .filter((_, i) => i % step === 0)
    .slice(0, asked)
    .map(({ question }) => question)
}
const plain = (book: string): ReadonlyArray<string> =>
  prose.filter(({ corpus, kind }) => corpus === book && kind === "plain").map(({ question }) => question)

interface Case {
  readonly corpus: string
  /** Where it lies in the data. */
  readonly path: string
  readonly own: () => ReadonlyArray<string>
  readonly wrong: ReadonlyArray<string>
  /** Percent of the others' questions that are not answered at least. */
  readonly least: number
}
const cases: ReadonlyArray<Case> = [
  ...[["rust-book", "2wikimultihopqa"]].map(([book = "", other = ""]) => ({
    corpus: book,
    path: `prose/${book}`,
    own: () => plain(book),
    wrong: [other],
    least: 80
  })),
  // articles of the same kind hold some of the names by chance
  ...[["hotpotqa", "musique"]].map(([set = "", other = ""]) => ({
    corpus: set,
    path: `${set}.corpus.jsonl`,
    own: () => spread(set),
    wrong: [other],
    least: 80
  }))
]

/** The share of the questions that a corpus does not answer, in percent, for each list. */
const unanswered = (path: string, lists: ReadonlyArray<ReadonlyArray<string>>): Promise<ReadonlyArray<number>> => {
  const directory = mkdtempSync(join(tmpdir(), "staterag-unanswered-"))
  const scope = ScopeKey.make("corpus")
  return Effect.gen(function* () {
    yield* IndexCorpus.indexCorpus({ scope, paths: [path] })
    return yield* Effect.forEach(lists, (questions) =>
      Effect.map(
        Effect.filter(questions, (question) => Effect.map(Ask.ask(question, { scope }), ({ answered }) => !answered)),
        (none) => (100 * none.length) / questions.length
      )
    )
  })
    .pipe(Effect.provide(Embedded.layer({ directory })), Effect.runPromise)
    .finally(() => rmSync(directory, { recursive: true, force: true }))
}

describe.runIf(dataFolder !== undefined)("C21, pain 26 not found", () => {
  it.each(cases)(
    "$corpus answers its own questions, and not another's",
    async ({ corpus, least, own, path, wrong }) => {
      const [mine = 100, ...others] = await unanswered(dataPath(path), [own(), ...wrong.map(spread)])
      const told = wrong.map((set, i) => `${set} ${others[i]?.toFixed(0)} %`).join(", ")
      process.stdout.write(`${corpus}: not found of its own ${mine.toFixed(0)} %, of others: ${told}\n`)
      expect(mine).toBeLessThanOrEqual(15)
      for (const share of others) expect(share).toBeGreaterThanOrEqual(least)
    },
    900_000
  )
})
