/**
 * The program of `examples/embedded.ts` with a model over OpenAI's API, or any server that speaks it:
 *
 *     OPENAI_API_KEY=… npx tsx examples/openai.ts FOLDER "QUESTION"
 *     OPENAI_BASE_URL=http://localhost:11434/v1 MODEL=llama3.2 npx tsx examples/openai.ts FOLDER "QUESTION"
 */
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import { OpenAi } from "../src/index.ts"
import { answer } from "./embedded.ts"

export const layerOf = (model: string) => OpenAi.layerConfig({ directory: ".staterag", model })

const [, self = "", folder = ".", question = ""] = process.argv
if (import.meta.url === pathToFileURL(self).href)
  Effect.runPromise(Effect.provide(answer(folder, question), layerOf(process.env.MODEL ?? "gpt-5-mini"))).then((said) =>
    console.log(said.answer ?? `not found: ${said.missing}`, said.usage)
  )
