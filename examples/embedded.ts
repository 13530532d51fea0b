/**
 * Indexes a folder and asks a question of it, without a model: `npx tsx examples/embedded.ts FOLDER "QUESTION"`.
 *
 * `examples/openai.ts` and `examples/local.ts` are the same program over another layer.
 */
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import { Ask, Embedded, Ids, IndexCorpus } from "../src/index.ts"

/** What is the same whichever models stand behind it. */
export const answer = (folder: string, question: string) =>
  Effect.gen(function* () {
    yield* IndexCorpus.indexCorpus({ scope: Ids.ScopeKey.make("docs"), paths: [folder] })
    return yield* Ask.ask(question, { scope: "docs" })
  })

export const layer = Embedded.layer({ directory: ".staterag" })

const [, self = "", folder = ".", question = ""] = process.argv
if (import.meta.url === pathToFileURL(self).href)
  Effect.runPromise(Effect.provide(answer(folder, question), layer)).then((said) =>
    console.log(said.answer ?? `not found: ${said.missing}`)
  )
