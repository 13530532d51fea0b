/** As much of node-llama-cpp as is used here, by shape: the package is optional, so its types are not at hand. */
import { Predicate } from "effect"

export type Token = number

export interface Tokens {
  readonly tokenize: (tokenizer: unknown) => ReadonlyArray<Token>
}
export interface ChatWrapper {
  readonly generateContextState: (options: { readonly chatHistory: ReadonlyArray<unknown> }) => {
    readonly contextText: Tokens
  }
}
export interface Sequence {
  readonly evaluateWithoutGeneratingNewTokens: (tokens: ReadonlyArray<Token>) => Promise<void>
  readonly evaluate: (tokens: ReadonlyArray<Token>, options: object) => AsyncGenerator<Token, void, void>
  readonly clearHistory: () => Promise<void>
}
export interface Model {
  readonly trainContextSize: number
  readonly tokenizer: unknown
  readonly tokens: { readonly bos: Token | null }
  readonly createContext: (options: object) => Promise<{ readonly getSequence: () => Sequence }>
  readonly detokenize: (tokens: ReadonlyArray<Token>, special?: boolean) => string
  readonly isEogToken: (token: Token) => boolean
  readonly dispose: () => Promise<void>
}
export interface Llama {
  readonly loadModel: (options: { readonly modelPath: string }) => Promise<Model>
  readonly createGrammarForJsonSchema: (schema: unknown) => Promise<unknown>
  readonly dispose: () => Promise<void>
}
export interface Runtime {
  readonly getLlama: (options: object) => Promise<Llama>
  readonly resolveChatWrapper: (model: Model) => ChatWrapper
  readonly LlamaGrammarEvaluationState: new (options: { readonly model: Model; readonly grammar: unknown }) => object
  readonly LlamaLogLevel: { readonly error: unknown }
}

/** Whether a package is the runtime: it has what is called here. */
export const isRuntime = (value: unknown): value is Runtime =>
  Predicate.isRecord(value) &&
  ["getLlama", "resolveChatWrapper", "LlamaGrammarEvaluationState"].every((name) =>
    Predicate.isFunction(value[name])
  ) &&
  Predicate.isRecord(value.LlamaLogLevel)
