/** `POST /responses`. Nothing is stored at the provider. It takes no seed. */
import { Either } from "effect"
import type { RawPart, RawReply } from "../../services/LanguageModel.ts"
import { at, listAt, textAt, tokensAt } from "./Json.ts"
import { type Dialect, described, instructions, type Read } from "./OpenAiDialect.ts"
import { faultOfEvent, told } from "./OpenAiFaults.ts"

const failed = (error: unknown): Read<never> =>
  Either.left({
    fault: faultOfEvent([textAt(error, "code"), textAt(error, "type")].filter((code) => code !== undefined)),
    detail: told(textAt(error, "message") ?? "it failed without saying why")
  })

/** A whole response, as an answer or at the end of a stream. */
const replyOf = (response: unknown): Read<RawReply> => {
  const status = textAt(response, "status")
  if (status === "failed") return failed(at(response, "error"))
  const parts = listAt(response, "output")
    .filter((item) => textAt(item, "type") === "message")
    .flatMap((item) => listAt(item, "content"))
  const tokens = tokensAt(at(response, "usage"), "input_tokens", "output_tokens")
  const text = parts.map((part) => textAt(part, "text") ?? "").join("")
  const refusal = parts.map((part) => textAt(part, "refusal") ?? "").join("")
  if (refusal !== "") return Either.right({ text: refusal, finish: "Refusal", tokens })
  if (status === "incomplete") {
    const finish = textAt(response, "incomplete_details", "reason") === "content_filter" ? "Refusal" : "Length"
    return Either.right({ text, finish, tokens })
  }
  if (!parts.some((part) => textAt(part, "text") !== undefined))
    return Either.left({ fault: "Malformed", detail: "no text in the answer" })
  return Either.right({ text, finish: "Stop", tokens })
}

const ends = /^response\.(?:completed|incomplete|failed)$/

export const responses: Dialect = {
  path: "/responses",
  streaming: {},

  body: (model, request, taken) => {
    const { maxTokens, messages, shape, temperature } = request
    return {
      model,
      instructions: instructions(request, taken),
      input: messages.map(({ author, text }) => ({ role: author === "User" ? "user" : "assistant", content: text })),
      max_output_tokens: maxTokens,
      temperature,
      store: false,
      ...(shape === null || taken.format === "Words"
        ? {}
        : {
            text: {
              format:
                taken.format === "Json"
                  ? { type: "json_object" }
                  : { type: "json_schema", ...described(shape, taken.format) }
            }
          })
    }
  },

  reply: replyOf,

  reader: () => {
    let end: RawPart | undefined
    return {
      read: (event) => {
        const type = textAt(event, "type") ?? ""
        if (type === "error") return failed(event)
        if (ends.test(type))
          return Either.map(replyOf(at(event, "response")), ({ finish, tokens }) => {
            end = { _tag: "End", finish, tokens }
            return ""
          })
        return Either.right(
          /^response\.(?:output_text|refusal)\.delta$/.test(type) ? (textAt(event, "delta") ?? "") : ""
        )
      },
      end: () => end
    }
  }
}
