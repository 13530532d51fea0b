/** E by a model (C14): which passages of the opened region are evidence, whole and in its order. Off by default. */
import { Effect, Layer, Option } from "effect"
import type { Passage } from "../../../domain/Corpus.ts"
import { type EvidenceItem, itemOf } from "../../../domain/Evidence.ts"
import { DocumentId, PassageId } from "../../../domain/Ids.ts"
import { propose } from "../../../domain/Proposal.ts"
import { held } from "../../../domain/prompts/Handles.ts"
import * as RetrieverPrompt from "../../../domain/prompts/RetrieverPrompt.ts"
import { Digest } from "../../../services/Digest.ts"
import { LanguageModel } from "../../../services/LanguageModel.ts"
import { Retriever, type Turn } from "../../../services/Roles.ts"
import { asking, boundsOf, type Options } from "./Asking.ts"

/** A passage that the region does not hold, under the name that the model gave it. */
const unknown = (said: string, cycle: number): EvidenceItem => {
  const name = said.trim() || "(unnamed)"
  return {
    passage: PassageId.make(name),
    document: DocumentId.make(name),
    title: "",
    start: 0,
    end: name.length,
    line: 1,
    text: name,
    score: 0,
    cycle
  }
}

/** As many as the cycle may bring and the reader's budget holds; the first is kept whatever its length where it alone fits. */
const itemsOf = (
  said: ReadonlyArray<string>,
  region: ReadonlyArray<Passage>,
  { cycle, policy }: Turn<"Retriever">,
  most: number
): ReadonlyArray<EvidenceItem> => {
  const items: Array<EvidenceItem> = []
  const taken = new Set<string>()
  let left = policy.evidenceTokens
  for (const name of said) {
    const passage = held("passage", region, name)
    if (passage === undefined) items.push(unknown(name, cycle))
    else if (!taken.has(passage.id) && taken.size < most && passage.tokens <= left) {
      items.push(itemOf(passage, 1 / (taken.size + 1), cycle))
      taken.add(passage.id)
      left -= passage.tokens
    }
  }
  return items
}

export const layer = (options: Options = {}): Layer.Layer<Retriever, never, LanguageModel | Digest> =>
  Layer.effect(
    Retriever,
    Effect.gen(function* () {
      const model = yield* LanguageModel
      const digest = yield* Digest
      const prompt = RetrieverPrompt.make(boundsOf(options))

      const retrieve = Effect.fnUntraced(function* (
        turn: Turn<"Retriever"> & { readonly region: ReadonlyArray<Passage> }
      ) {
        const { cycle, policy, question, state } = turn
        const region = turn.region.filter(({ text }) => text !== "")
        if (Option.isNone(state.plan) || region.length === 0) return propose("evidence", [])
        const most = policy.itemsPerCycle[Math.min(cycle, policy.itemsPerCycle.length) - 1] ?? policy.itemsPerCycle[0]
        const input = { question, objective: state.plan.value.objective, region, most }
        return yield* asking("Retriever", turn, { model, digest, options }, prompt, input, ({ passages }) =>
          Effect.succeed({ proposal: propose("evidence", itemsOf(passages, region, turn, most)) })
        )
      })
      return { propose: retrieve }
    })
  )
