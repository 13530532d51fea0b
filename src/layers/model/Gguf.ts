/**
 * A model file on the user's own disk (GGUF), run in this process by node-llama-cpp, on the processor.
 *
 * JSON is held to its schema by a grammar. A prompt is read in pieces and an answer token by token, so that an interruption is heeded within
 * a piece. One call runs at a time. At temperature 0 one machine gives one answer.
 */
import { FileSystem } from "@effect/platform"
import { Effect, Option, Scope, Stream } from "effect"
import { ModelError, type ModelFault } from "../../domain/ModelError.ts"
import type { ModelRequest } from "../../domain/ModelRequest.ts"
import { Digest } from "../../services/Digest.ts"
import type { Provider, RawPart, RawReply } from "../../services/LanguageModel.ts"
import {
  type ChatWrapper,
  isRuntime,
  type Llama,
  type Model,
  type Runtime,
  type Sequence,
  type Token
} from "./GgufRuntime.ts"
import { optionalPackage } from "./OptionalPackage.ts"

export interface Options {
  /** The model file. */
  readonly file: string
  /** Tokens that prompt and answer may take together; as the model was trained where left out, 4,096 at most. */
  readonly contextTokens?: number
  /** 1 where left out: on a busy machine two threads are slower than one. */
  readonly threads?: number
  /** The runtime itself; the installed package where left out. */
  readonly runtime?: Effect.Effect<unknown, ModelError>
}

/** Bytes by which a file is told from another, at its beginning and its end. */
const told = 1 << 16
/** Tokens of a prompt that are read without a look at whether somebody interrupts. */
const piece = 32
const mostContext = 4096
const install = "npm install --ignore-scripts --omit=optional node-llama-cpp@3.21.1 @node-llama-cpp/linux-x64@3.21.1"

interface Loaded {
  readonly runtime: Runtime
  readonly llama: Llama
  readonly model: Model
  readonly wrapper: ChatWrapper
  readonly sequence: Sequence
  readonly contextTokens: number
}
type Attempt = <A>(fault: ModelFault, use: () => Promise<A>) => Effect.Effect<A, ModelError>

/** The request in the model's own chat form. */
const promptOf = ({ model, wrapper }: Loaded, request: ModelRequest): ReadonlyArray<Token> => {
  const { contextText } = wrapper.generateContextState({
    chatHistory: [
      { type: "system", text: request.system },
      ...request.messages.map(({ author, text }) =>
        author === "User" ? { type: "user", text } : { type: "model", response: [text] }
      ),
      { type: "model", response: [] }
    ]
  })
  const tokens = contextText.tokenize(model.tokenizer)
  // a chat template that begins with the token of beginnings is given a second one
  return tokens[0] !== undefined && tokens[0] === model.tokens.bos && tokens[1] === tokens[0] ? tokens.slice(1) : tokens
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))
/** Whether a text is JSON as it stands; looked at where it may have come to its end. */
const isJson = (text: string): boolean => /[\]}"]\s*$/.test(text) && Option.isSome(parse(text))

/** The parts of one answer, one a pull, once the prompt has been read. */
const generation = Effect.fnUntraced(function* (
  { llama, model, runtime, sequence }: Loaded,
  request: ModelRequest,
  prompt: ReadonlyArray<Token>,
  attempt: Attempt
) {
  const { shape } = request
  const grammar =
    shape === null ? undefined : yield* attempt("Rejected", () => llama.createGrammarForJsonSchema(shape.schema))
  yield* Effect.acquireRelease(
    attempt("Unavailable", () => sequence.clearHistory()),
    () => Effect.promise(() => sequence.clearHistory())
  )
  for (let from = 0; from < prompt.length - 1; from += piece)
    yield* attempt("Unavailable", () =>
      sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(from, Math.min(from + piece, prompt.length - 1)))
    )
  const tokens = yield* Effect.acquireRelease(
    Effect.sync(() =>
      sequence.evaluate(prompt.slice(-1), {
        temperature: request.temperature,
        seed: request.seed ?? 0,
        yieldEogToken: true,
        ...(grammar === undefined
          ? {}
          : { grammarEvaluationState: new runtime.LlamaGrammarEvaluationState({ model, grammar }) })
      })
    ),
    (tokens) => Effect.promise(() => tokens.return())
  )
  const said: Array<Token> = []
  let shown = ""
  let isWhole = false
  let isOver = false
  const end = (finish: RawReply["finish"]): RawPart => {
    isOver = true
    return { _tag: "End", finish, tokens: Option.some({ prompt: prompt.length, completion: said.length }) }
  }
  return Effect.gen(function* () {
    if (isOver) return yield* Effect.fail(Option.none())
    for (;;) {
      if (isWhole) return end("Stop")
      if (said.length >= request.maxTokens) return end("Length")
      const next = yield* Effect.mapError(
        attempt("Unavailable", () => tokens.next()),
        Option.some
      )
      if (next.done === true || model.isEogToken(next.value)) return end("Stop")
      said.push(next.value)
      const text = model.detokenize(said)
      // the grammar lets white space follow without end
      if (shape !== null && isJson(text)) isWhole = true
      // a character of several tokens is told once it is whole
      if (text.length === shown.length || text.endsWith("\ufffd")) continue
      const part = text.slice(shown.length)
      shown = text
      return { _tag: "Text", text: part } satisfies RawPart
    }
  })
})

/** What tells a model file from another of the same name: its length, its beginning and its end. Empty where it cannot be read. */
const identity = (file: string): Effect.Effect<string, never, Digest | FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { hash } = yield* Digest
    const opened = yield* fs.open(file)
    const { size } = yield* opened.stat
    const first = yield* opened.readAlloc(told)
    yield* opened.seek(FileSystem.Size(size > told ? size - BigInt(told) : 0n), "start")
    const last = yield* opened.readAlloc(told)
    const text = (bytes: Option.Option<Uint8Array>) =>
      Option.match(bytes, { onNone: () => "", onSome: (held) => Buffer.from(held).toString("latin1") })
    return hash("file", String(size), text(first), text(last)).slice(0, 16)
    // the first call says what is wrong with it
  }).pipe(Effect.orElseSucceed(() => ""))

/** The provider over a model file, which is read at the first call; its memory is given back with the scope. */
export const make = (options: Options): Effect.Effect<Provider, never, Digest | FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const id = `gguf:${options.file}`
    const attempt: Attempt = (fault, use) =>
      Effect.tryPromise({
        try: use,
        catch: (cause) =>
          new ModelError({ model: id, fault, detail: cause instanceof Error ? cause.message : String(cause), cause })
      })
    const threads = options.threads ?? 1

    const load: Effect.Effect<Loaded, ModelError, Scope.Scope> = Effect.gen(function* () {
      const runtime = yield* options.runtime ?? optionalPackage("node-llama-cpp", { install, model: id })
      if (!isRuntime(runtime))
        return yield* new ModelError({
          model: id,
          fault: "NotInstalled",
          detail: `node-llama-cpp is of another version: \`${install}\``
        })
      const { LlamaLogLevel, getLlama, resolveChatWrapper } = runtime
      const llama = yield* Effect.acquireRelease(
        attempt("NotInstalled", () =>
          getLlama({
            gpu: false,
            build: "never",
            skipDownload: true,
            progressLogs: false,
            maxThreads: threads,
            logLevel: LlamaLogLevel.error
          })
        ),
        (llama) => Effect.promise(() => llama.dispose())
      )
      const model = yield* Effect.acquireRelease(
        attempt("BadFile", () => llama.loadModel({ modelPath: options.file })),
        (model) => Effect.promise(() => model.dispose())
      )
      const contextTokens = Math.min(options.contextTokens ?? mostContext, model.trainContextSize)
      const context = yield* attempt("BadFile", () =>
        model.createContext({ contextSize: contextTokens, sequences: 1, threads })
      )
      return {
        runtime,
        llama,
        model,
        wrapper: resolveChatWrapper(model),
        sequence: context.getSequence(),
        contextTokens
      }
    })
    const loaded = yield* Effect.cached(Scope.extend(load, yield* Effect.scope))
    const oneAtATime = yield* Effect.makeSemaphore(1)

    const stream = (request: ModelRequest): Stream.Stream<RawPart, ModelError> =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const held = yield* loaded
          yield* Effect.acquireRelease(oneAtATime.take(1), () => oneAtATime.release(1))
          const prompt = promptOf(held, request)
          if (prompt.length + request.maxTokens > held.contextTokens)
            return yield* new ModelError({
              model: id,
              fault: "TooLong",
              detail: `${prompt.length} tokens of prompt and ${request.maxTokens} of answer, where ${held.contextTokens} fit together`
            })
          return Stream.repeatEffectOption(yield* generation(held, request, prompt, attempt))
        })
      )

    return {
      id,
      system: "gguf",
      model: options.file.replace(/^.*[\\/]/, ""),
      endpoint: yield* identity(options.file),
      settings: JSON.stringify({ contextTokens: options.contextTokens ?? mostContext, threads }),
      stream,
      complete: (request) =>
        Stream.runFold(stream(request), nothingYet, (reply, part) =>
          part._tag === "Text"
            ? { ...reply, text: reply.text + part.text }
            : { text: reply.text, finish: part.finish, tokens: part.tokens }
        )
    }
  })

const nothingYet: RawReply = { text: "", finish: "Length", tokens: Option.none() }
