/**
 * The program of `examples/embedded.ts` with a model from a file of this machine, which nothing leaves:
 *
 *     npx tsx examples/local.ts FOLDER "QUESTION" MODEL.gguf
 */
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import { LocalModels } from "../src/index.ts"
import { answer } from "./embedded.ts"

export const layerOf = (file: string) => LocalModels.layer({ directory: ".staterag", file })

const [, self = "", folder = ".", question = "", file = ""] = process.argv
if (import.meta.url === pathToFileURL(self).href)
  Effect.runPromise(Effect.provide(answer(folder, question), layerOf(file))).then((said) =>
    console.log(said.answer ?? `not found: ${said.missing}`, said.usage)
  )
