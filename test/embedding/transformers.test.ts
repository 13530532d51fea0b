/** A folder of a sentence encoder that cannot be loaded, told in our words. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Transformers from "../../src/layers/embedding/Transformers.ts"

const refused = (message: string) =>
  Effect.gen(function* () {
    const runtime = Effect.succeed({ env: {}, pipeline: () => Promise.reject(new Error(message)) })
    const provider = yield* Transformers.make({ folder: "/models/minilm", runtime })
    return yield* Effect.flip(provider.vectors(["a text"]))
  }).pipe(Effect.scoped)

it.effect("says which file is not there, and else what the runtime says, with the folder", () =>
  Effect.gen(function* () {
    const lacking =
      '`local_files_only=true` or `env.allowRemoteModels=false` and file was not found locally at "/models/minilm/config.json".'
    expect(yield* refused(lacking)).toMatchObject({
      fault: "BadFile",
      detail: "there is no /models/minilm/config.json"
    })
    expect((yield* refused("Protobuf parsing failed.")).detail).toBe("/models/minilm: Protobuf parsing failed.")
  })
)
