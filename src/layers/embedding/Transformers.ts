/**
 * A sentence encoder in a folder on the user's own disk (ONNX, as @huggingface/transformers lays it out), run in this process on the
 * processor. Nothing is downloaded. One text at a time on one thread is the fastest, and gives the same bits whatever stands beside it.
 */
import { Effect, Option, Scope } from "effect"
import { ModelError, type ModelFault } from "../../domain/ModelError.ts"
import type { EmbeddingProvider } from "../../services/EmbeddingModel.ts"
import { type Extractor, isRuntime } from "./TransformersRuntime.ts"

export interface Options {
  /** The folder, with `config.json`, `tokenizer.json` and `onnx/model_quantized.onnx`. */
  readonly folder: string
  /** What is put before a text; some encoders want `passage: `. */
  readonly prefix?: string | undefined
  /** The package @huggingface/transformers; the composition knows how it is loaded. */
  readonly runtime: Effect.Effect<unknown, ModelError>
}

const parts = (folder: string): { readonly parent: string; readonly name: string } => {
  const whole = folder.replace(/[\\/]+$/, "")
  const at = Math.max(whole.lastIndexOf("/"), whole.lastIndexOf("\\"))
  return { parent: at < 0 ? "." : whole.slice(0, at + 1), name: whole.slice(at + 1) }
}

export const idOf = (folder: string): string => `transformers:${parts(folder).name}`

/** The provider over a folder, which is read at the first text; its memory is given back with the scope. */
export const make = (options: Options): Effect.Effect<EmbeddingProvider, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { prefix = "" } = options
    const { name, parent } = parts(options.folder)
    const id = idOf(options.folder)
    const failed = (fault: ModelFault, detail: string, cause: unknown = detail) =>
      new ModelError({ model: id, fault, detail, cause })
    const said = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
    const lacking = (cause: unknown) => {
      const [, file] = /file was not found locally at "([^"]+)"/.exec(said(cause)) ?? []
      return file === undefined ? `${options.folder}: ${said(cause)}` : `there is no ${file}`
    }

    const load: Effect.Effect<Extractor, ModelError, Scope.Scope> = Effect.gen(function* () {
      const runtime = yield* options.runtime
      if (!isRuntime(runtime)) return yield* failed("NotInstalled", "@huggingface/transformers is of another version")
      const { env, pipeline } = runtime
      return yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () => {
            env.allowRemoteModels = false
            env.localModelPath = parent
            env.useFSCache = false
            return pipeline("feature-extraction", name, {
              dtype: "q8",
              device: "cpu",
              session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 }
            })
          },
          catch: (cause) => failed("BadFile", lacking(cause), cause)
        }),
        (extractor) => Effect.promise(() => extractor.dispose())
      )
    })
    const extractor = yield* Effect.cached(Scope.extend(load, yield* Effect.scope))

    return {
      id,
      system: "transformers",
      model: name,
      endpoint: prefix,
      vectors: (texts) =>
        Effect.flatMap(extractor, (extract) =>
          Effect.map(
            Effect.forEach(texts, (text) =>
              Effect.tryPromise({
                try: () => extract([`${prefix}${text}`], { pooling: "mean", normalize: true }),
                catch: (cause) => failed("Malformed", said(cause), cause)
              })
            ),
            (outputs) => ({ vectors: outputs.map(({ data }) => data), tokens: Option.none() })
          )
        )
    }
  })
