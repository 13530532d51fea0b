/**
 * z by a model (C15): it says which slots the evidence fills, with which words, and what is missing.
 *
 * It leaves no text in memory: what a model has read may have told it what to write there.
 */
import { Effect, Layer, Option } from "effect"
import type { Plan } from "../../../domain/Plan.ts"
import { askedSlot } from "../../../domain/Planning.ts"
import { propose } from "../../../domain/Proposal.ts"
import * as VerifierPrompt from "../../../domain/prompts/VerifierPrompt.ts"
import { cut } from "../../../domain/Question.ts"
import type { Support } from "../../../domain/Verification.ts"
import { Digest } from "../../../services/Digest.ts"
import { LanguageModel } from "../../../services/LanguageModel.ts"
import { type Turn, Verifier } from "../../../services/Roles.ts"
import { failing } from "../embedded/Failing.ts"
import { failedRegion, remember } from "../embedded/Remembering.ts"
import { asking, boundsOf, type Considered, type Options } from "./Asking.ts"
import { quotedFrom, slotOf } from "./Pointing.ts"

const unborne = "it was called enough, but no words of the evidence were quoted for what is asked for"

/** A verdict on `evidence`. Pass needs words of the evidence for what is asked for; a Fail says at least what is missing. */
const considered = (
  plan: Plan,
  evidence: Turn<"Verifier">["state"]["evidence"],
  said: VerifierPrompt.Verified
): Considered<"Verifier"> => {
  const supported = said.filled.map(({ passage, quotation, slot: name }): Support => {
    const slot = slotOf(plan.slots, name)
    const { passage: id, span, text } = quotedFrom(evidence, { passage, quotation })
    return quotation.trim() === "" ? { slot, passage: id } : { slot, passage: id, span, text }
  })
  const missing = [...new Set(said.missing.map((name) => slotOf(plan.slots, name)))]
  const asked = plan.slots.some(({ name }) => name === askedSlot)
  const isBorne = supported.some((support) => "span" in support && (!asked || support.slot === askedSlot))
  const text = cut(said.justification.trim() || (missing.length > 0 ? `missing: ${missing.join(", ")}` : ""), 4000)
  if (said.verdict === "Pass" && !isBorne && missing.length === 0) {
    const justification = {
      text: text === "" ? unborne : `${text} (${unborne})`,
      missing: asked ? [askedSlot] : [],
      supported: supported.filter(({ slot }) => slot !== askedSlot)
    }
    return { proposal: propose("verification", { verdict: "Fail", justification }), objection: unborne }
  }
  return {
    proposal: propose("verification", { verdict: said.verdict, justification: { text, missing, supported } })
  }
}

export const layer = (options: Options = {}): Layer.Layer<Verifier, never, LanguageModel | Digest> =>
  Layer.effect(
    Verifier,
    Effect.gen(function* () {
      const model = yield* LanguageModel
      const digest = yield* Digest
      const prompt = VerifierPrompt.make(boundsOf(options))

      const verify = Effect.fnUntraced(function* (turn: Turn<"Verifier">) {
        const { evidence, plan } = turn.state
        if (Option.isNone(plan)) {
          const text = "there is no plan to judge the evidence by"
          return propose("verification", { verdict: "Fail", justification: { text, missing: [], supported: [] } })
        }
        const { known, slots } = plan.value
        const input = { question: turn.question, slots, known, evidence }
        const proposal = yield* asking("Verifier", turn, { model, digest, options }, prompt, input, (said) =>
          Effect.succeed(considered(plan.value, evidence, said))
        )
        if (proposal.value.verdict === "Fail")
          yield* failing("Verifier")(remember(turn, failedRegion(digest, turn, plan.value)))
        return proposal
      })
      return { propose: verify }
    })
  )
