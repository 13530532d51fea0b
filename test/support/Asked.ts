/** Methods of an evaluation on a scripted model, over a shelf: what each was asked, what it answered, and what it cost. */
import { Effect, Either, Layer, Option } from "effect"
import { parse, type Question } from "../../src/domain/Dataset.ts"
import { isResult, type Result } from "../../src/domain/EvalResult.ts"
import type { ModelRequest } from "../../src/domain/ModelRequest.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { manner } from "../../src/domain/prompts/Prompt.ts"
import { type Said, type Scripted, scripted, layer as scriptedModel } from "../../src/layers/model/Scripted.ts"
import { type Evaluation, evaluate, type MethodName } from "../../src/programs/Evaluate.ts"
import { LanguageModel } from "../../src/services/LanguageModel.ts"
import { MethodModel } from "../../src/services/MethodModel.ts"
import { type Seen, seen } from "./ModelWorld.ts"
import { type Book, library, scope, shelf } from "./Shelf.ts"

/** The shelf with a model for methods; the common reader stays the one that extracts. */
export const modelled = (model: Scripted, books: ReadonlyArray<Book> = library) =>
  Layer.provideMerge(
    Layer.effect(
      MethodModel,
      Effect.map(LanguageModel, (held) => Option.some({ model: held, manner }))
    ).pipe(Layer.provide(scriptedModel(model, { pacing: { backoff: "1 millis", retries: 0 } }))),
    shelf(books)
  )

/** A model that says to each step what stands there for it, in turn; the last again and again. An object is said as JSON. */
export const inTurn = (lines: { readonly [role: string]: ReadonlyArray<string | object> }): Scripted => {
  const said = new Map<string, number>()
  return scripted(({ role }) => {
    const turn = said.get(role) ?? 0
    said.set(role, turn + 1)
    const all = lines[role] ?? []
    const line = all[Math.min(turn, all.length - 1)] ?? ""
    return typeof line === "string" ? line : JSON.stringify(line)
  })
}

/** A model that answers from what it is asked, whoever asks and in whatever order. */
export const from = (answer: (role: string, prompt: Seen, request: ModelRequest) => Said | object): Scripted =>
  scripted((request) => {
    const said = answer(request.role, promptOf(request), request)
    return typeof said === "string" || "text" in said ? said : JSON.stringify(said)
  })

export const promptOf = ({ messages }: Pick<ModelRequest, "messages">): Seen => seen(messages[0].text)
/** Our steps, in the order in which they were asked. */
export const rolesOf = (model: Scripted): ReadonlyArray<string> => model.asked().map(({ role }) => role)
export const promptsOf = (model: Scripted, role: string): ReadonlyArray<Seen> =>
  model.asked().flatMap((request) => (request.role === role ? [promptOf(request)] : []))

export const questionsOf = (...all: ReadonlyArray<string>): ReadonlyArray<Question> =>
  Either.getOrThrow(
    parse(
      "questions",
      all.map((question, i) => JSON.stringify({ id: `q${i}`, question, answers: ["?"], gold: [] })).join("\n")
    )
  ).questions

export interface Asked {
  /** Where it is left out, no model is named. */
  readonly model?: Scripted
  readonly methods: ReadonlyArray<MethodName>
  readonly questions: ReadonlyArray<Question>
  readonly books?: ReadonlyArray<Book>
  readonly concurrency?: number
  readonly policy?: Policy
  /** Is told each result as it is kept. */
  readonly recorded?: Array<Result>
}

export const asked = ({ books, model, recorded = [], ...options }: Asked): Effect.Effect<Evaluation, unknown> =>
  evaluate({
    known: [],
    policy: defaultPolicy,
    navigation: false,
    seed: 1,
    scope,
    concurrency: 1,
    ...options,
    record: (kept) => Effect.sync(() => void (isResult(kept) && recorded.push(kept)))
  }).pipe(Effect.provide(model === undefined ? shelf(books ?? library) : modelled(model, books)))

/** One question by one method. */
export const result = (
  method: MethodName,
  model: Scripted,
  question: string,
  changes: Partial<Asked> = {}
): Effect.Effect<Result, unknown> =>
  Effect.flatMap(asked({ model, methods: [method], questions: questionsOf(question), ...changes }), ({ results }) => {
    const [only] = results
    return only === undefined ? Effect.fail("no result") : Effect.succeed(only)
  })

/** Without what differs from run to run. */
export const untimed = ({ results }: Evaluation) => results.map(({ cpuMs: _, wallMs: __, ...rest }) => rest)
