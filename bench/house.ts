/**
 * What a benchmark that asks questions stands on: the embedded product, or models as the command line takes them. `--model`, `--planner-model`,
 * `--verifier-model`, `--reader-model`, `--embedding` and `--config` are the command's own; `--set` names a question set here, so that every other
 * setting is a `STATERAG_…` variable or a line of the config file.
 */
import { existsSync, readFileSync } from "node:fs"
import { resolve as absolute } from "node:path"
import { Effect, Either, type Layer, Option } from "effect"
import type { ModelError } from "../src/domain/ModelError.ts"
import { isEmbedded } from "../src/domain/ModelSettings.ts"
import type { Policy } from "../src/domain/Policy.ts"
import * as Embedded from "../src/layers/Embedded.ts"
import * as Models from "../src/layers/Models.ts"
import { HostError } from "../src/programs/cli/Host.ts"
import { resolveOn } from "../src/programs/cli/Settings.ts"
import type { EmbeddingError } from "../src/services/EmbeddingModel.ts"
import type { StoreError } from "../src/services/StoreError.ts"

const options = {
  "--model": "model",
  "--planner-model": "plannerModel",
  "--verifier-model": "verifierModel",
  "--reader-model": "readerModel",
  "--embedding": "embedding"
}

const readText = (file: string): Effect.Effect<Option.Option<string>, HostError> =>
  existsSync(file)
    ? Effect.try({
        try: () => Option.some(readFileSync(file, "utf8")),
        catch: (cause) => new HostError({ path: file, detail: String(cause) })
      })
    : Effect.succeedNone

export interface House {
  readonly policy: Policy
  readonly layer: Layer.Layer<Embedded.Services, StoreError | ModelError | EmbeddingError>
}

/** The house of a benchmark in `directory`. What does not fit is thrown, with what to do. */
export const houseOf = async (args: ReadonlyArray<string>, directory: string): Promise<House> => {
  const valueOf = (name: string): string | undefined => {
    const at = args.indexOf(name)
    return at < 0 ? undefined : (args[at + 1] ?? "")
  }
  const host = { environment: process.env, resolve: absolute, readText }
  const given = {
    dir: undefined,
    scope: undefined,
    logLevel: undefined,
    config: valueOf("--config"),
    policies: Object.entries(options).flatMap(([source, name]) => {
      const value = valueOf(source)
      return value === undefined ? [] : [{ name, value, source }]
    })
  }
  const resolved = await Effect.runPromise(Effect.either(resolveOn(host, given)))
  if (Either.isLeft(resolved)) {
    const { left } = resolved
    throw new Error(`${left.message}${"advice" in left ? `\n  ${left.advice}` : ""}`)
  }
  const { models, openai, policy } = resolved.right
  return {
    policy,
    layer: isEmbedded(models) ? Embedded.layer({ directory }) : Models.layer({ directory, settings: models, openai })
  }
}
