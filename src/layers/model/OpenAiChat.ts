/** `POST /chat/completions`: what every server that is called compatible speaks. */
import { Either, Option } from "effect"
import type { Finish } from "../../domain/ModelRequest.ts"
import { at, listAt, textAt, tokensAt } from "./Json.ts"
import { type Dialect, described, instructions } from "./OpenAiDialect.ts"

const finishes: Readonly<Record<string, Finish>> = {
  length: "Length",
  max_tokens: "Length",
  content_filter: "Refusal"
}
const finishOf = (reason: string): Finish => (Object.hasOwn(finishes, reason) ? (finishes[reason] ?? "Stop") : "Stop")

const usageOf = (answer: unknown) => tokensAt(at(answer, "usage"), "prompt_tokens", "completion_tokens")

/** Text as a string, or in parts. */
const textOf = (content: unknown): string | undefined =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((part) => textAt(part, "text") ?? "").join("")
      : undefined

export const chat: Dialect = {
  path: "/chat/completions",
  streaming: { stream_options: { include_usage: true } },

  body: (model, request, taken) => {
    const { maxTokens, messages, seed, shape, temperature } = request
    const system = instructions(request, taken)
    return {
      model,
      messages: [
        ...(system === "" ? [] : [{ role: "system", content: system }]),
        ...messages.map(({ author, text }) => ({ role: author === "User" ? "user" : "assistant", content: text }))
      ],
      [taken.maxTokens]: maxTokens,
      temperature,
      ...(seed === null ? {} : { seed }),
      ...(shape === null || taken.format === "Words"
        ? {}
        : {
            response_format:
              taken.format === "Json"
                ? { type: "json_object" }
                : { type: "json_schema", json_schema: described(shape, taken.format) }
          })
    }
  },

  reply: (answer) => {
    const choice = at(answer, "choices", 0)
    if (choice === undefined) return Either.left({ fault: "Malformed", detail: "no choices in the answer" })
    const tokens = usageOf(answer)
    const refusal = textAt(choice, "message", "refusal")
    if (refusal !== undefined && refusal !== "") return Either.right({ text: refusal, finish: "Refusal", tokens })
    const finish = finishOf(textAt(choice, "finish_reason") ?? "")
    const text = textOf(at(choice, "message", "content"))
    if (text === undefined && finish === "Stop")
      return Either.left({ fault: "Malformed", detail: "no content in the answer" })
    return Either.right({ text: text ?? "", finish, tokens })
  },

  reader: () => {
    let finish: Finish | undefined
    let isRefusal = false
    let tokens: ReturnType<typeof usageOf> = Option.none()
    return {
      read: (event) => {
        const usage = usageOf(event)
        if (Option.isSome(usage)) tokens = usage
        const choice = listAt(event, "choices")[0]
        const reason = textAt(choice, "finish_reason")
        if (reason !== undefined) finish = finishOf(reason)
        const refusal = textAt(choice, "delta", "refusal") ?? ""
        if (refusal !== "") isRefusal = true
        return Either.right((textOf(at(choice, "delta", "content")) ?? "") + refusal)
      },
      end: () => (finish === undefined ? undefined : { _tag: "End", finish: isRefusal ? "Refusal" : finish, tokens })
    }
  }
}
