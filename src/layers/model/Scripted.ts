/** A model from a script, for tests: it answers by a function, fails the next calls when told to, and keeps what it was asked. */
import { Effect, Layer, Option, Stream } from "effect"
import { ModelError, type ModelFault } from "../../domain/ModelError.ts"
import type { ModelRequest } from "../../domain/ModelRequest.ts"
import type { Digest } from "../../services/Digest.ts"
import { LanguageModel, type Provider, type RawPart, type RawReply } from "../../services/LanguageModel.ts"
import type { TokenCounter } from "../../services/TokenCounter.ts"
import { make, type Options } from "./Making.ts"
import * as Pacing from "./Pacing.ts"

/** What is answered: a text, or all that a provider says. Tokens are a quarter of the characters where they are not given. */
export type Said = string | (Pick<RawReply, "text"> & Partial<RawReply>)

export interface Scripted {
  readonly provider: Provider
  /** What was asked, oldest first; failed calls too. */
  readonly asked: () => ReadonlyArray<ModelRequest>
  /** The next `count` calls fail. */
  failNext(count: number, fault: ModelFault): void
}

const partLength = 12
const tokens = (text: string): number => Math.ceil(text.length / 4)
const promptOf = ({ messages, system }: ModelRequest): string =>
  [system, ...messages.map(({ text }) => text)].join("\n")

/**
 * `answer` is given the request and the number of the call, from 1; an effect that it gives is run in the call's place.
 *
 * @example
 * ```ts
 * import { scripted, scriptedModel } from "staterag/testing"
 *
 * const model = scripted(({ role }) => (role === "Reader" ? '{"citations": [], "found": false, "answer": ""}' : "{}"))
 * export const layer = scriptedModel(model)
 * ```
 */
export const scripted = (
  answer: (request: ModelRequest, call: number) => Said | Effect.Effect<Said, ModelError>,
  model = "scripted"
): Scripted => {
  const asked: Array<ModelRequest> = []
  const faults: Array<ModelFault> = []
  const complete = (request: ModelRequest): Effect.Effect<RawReply, ModelError> =>
    Effect.suspend(() => {
      const call = asked.push(request)
      const fault = faults.shift()
      if (fault !== undefined) return new ModelError({ model, fault, detail: "as the script says" })
      const found = answer(request, call)
      return Effect.map(Effect.isEffect(found) ? found : Effect.succeed(found), (said): RawReply => {
        const whole = typeof said === "string" ? { text: said } : said
        const counted = { prompt: tokens(promptOf(request)), completion: tokens(whole.text) }
        return { finish: "Stop", tokens: Option.some(counted), ...whole }
      })
    })
  const parts = ({ text, ...end }: RawReply): ReadonlyArray<RawPart> => {
    const said: Array<RawPart> = []
    for (let at = 0; at < text.length; at += partLength)
      said.push({ _tag: "Text", text: text.slice(at, at + partLength) })
    return [...said, { _tag: "End", ...end }]
  }
  return {
    provider: {
      id: model,
      system: "scripted",
      model,
      endpoint: "",
      settings: "",
      complete,
      stream: (request) =>
        Stream.flatMap(Stream.fromEffect(complete(request)), (reply) => Stream.fromIterable(parts(reply)))
    },
    asked: () => asked,
    failNext: (count, fault) => {
      for (let i = 0; i < count; i++) faults.push(fault)
    }
  }
}

/** The scripted model with all that every model has round it. */
export const layer = (
  { provider }: Scripted,
  {
    cards = {},
    pacing,
    readerModel = provider.model
  }: Partial<Omit<Options, "pacing">> & { readonly pacing?: Partial<Pacing.Options> } = {}
): Layer.Layer<LanguageModel, never, Digest | TokenCounter> =>
  Layer.effect(
    LanguageModel,
    Effect.flatMap(Pacing.make(pacing), (made) => make(provider, { pacing: made, cards, readerModel }))
  )
