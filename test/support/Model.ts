/**
 * Roles that ask a model for what they say, and a model that keeps count: the flow that every model call takes (look up what was recorded,
 * ask, record, use), in its least form.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { RoleFailed } from "../../src/domain/Errors.ts"
import { script } from "../../src/layers/testing/Script.ts"
import { ModelCalls } from "../../src/services/ModelCalls.ts"
import type { Roles } from "./WorldRun.ts"

export type Name = RoleFailed["role"]

export interface Model {
  /** What it was asked, oldest first. */
  readonly asked: Array<string>
  readonly ask: (role: Name, prompt: string) => Effect.Effect<string, RoleFailed>
}

/** Answers with a digest of the prompt, or as `answer` says; `around` is done between question and answer, and `prefix` stands before every prompt. */
export const model = (
  around: (role: Name) => Effect.Effect<void, RoleFailed> = () => Effect.void,
  answer = (prompt: string, _call: number) => createHash("sha256").update(prompt).digest("hex").slice(0, 8),
  prefix = ""
): Model => {
  const asked: Array<string> = []
  const failed = (role: Name) => (error: { readonly message: string }) =>
    new RoleFailed({ role, reason: "Failed", detail: error.message, fault: "Unkept" })
  return {
    asked,
    ask: (role, said) =>
      Effect.gen(function* () {
        const prompt = prefix + said
        const calls = yield* ModelCalls
        const request = createHash("sha256").update(`${role}\n${prompt}`).digest("hex")
        const recorded = yield* Effect.mapError(calls.recorded(request), failed(role))
        if (recorded._tag === "Some") return recorded.value.text
        yield* around(role)
        asked.push(prompt)
        const text = answer(prompt, asked.length)
        const reply = {
          text,
          finish: "Stop" as const,
          promptTokens: prompt.length,
          completionTokens: text.length,
          estimated: false
        }
        const { promptTokens, completionTokens } = reply
        const call = {
          role,
          model: "scripted",
          promptTokens,
          completionTokens,
          sizeRatio: 0.5,
          money: 0.25,
          cached: false,
          estimated: false
        }
        yield* Effect.mapError(calls.record({ request, call, reply }), failed(role))
        return text
      })
  }
}

/** The same roles, each asking the model first, the Retriever `width` calls at a time; what it says stands in their proposals. */
export const onModel = (roles: Roles, { ask }: Model, width = 1): Roles => ({
  ...roles,
  planner: script((turn) =>
    Effect.flatMap(ask("Planner", `plan ${turn.cycle} ${JSON.stringify(turn.feedback)}`), (objective) =>
      Effect.map(roles.planner.call(turn), (proposal) => ({ ...proposal, value: { ...proposal.value, objective } }))
    )
  ),
  navigator: script((turn) => Effect.zipRight(ask("Navigator", `go ${turn.cycle}`), roles.navigator.call(turn))),
  retriever: script((turn) =>
    Effect.zipRight(
      Effect.all([ask("Retriever", `a ${turn.cycle}`), ask("Retriever", `b ${turn.cycle}`)], { concurrency: width }),
      roles.retriever.call(turn)
    )
  ),
  verifier: script((turn) =>
    Effect.flatMap(ask("Verifier", `judge ${JSON.stringify(turn.state.evidence)}`), (text) =>
      Effect.map(roles.verifier.call(turn), (proposal) => ({
        ...proposal,
        value: { ...proposal.value, justification: { ...proposal.value.justification, text } }
      }))
    )
  ),
  initializer: script((question) => Effect.zipRight(ask("Initializer", question), roles.initializer.call(question))),
  check: script((question) => Effect.zipRight(ask("CompactEvidenceCheck", question), roles.check.call(question))),
  reader: script((given) =>
    Effect.flatMap(ask("Reader", JSON.stringify(given)), (said) =>
      Effect.map(roles.reader.call(given), (reading) => ({ ...reading, text: `${reading.text} ${said}` }))
    )
  )
})
