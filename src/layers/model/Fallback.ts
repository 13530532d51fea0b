/**
 * An order of models: the next is asked where one could not be reached, would not serve or does not know what is asked of it. What a model
 * said is never asked of another: an answer that was cut, refused or of no form is that model's answer. Each meters what it cost.
 */
import { Effect, ExecutionPlan, Layer, Stream } from "effect"
import type { ModelError, ModelFault } from "../../domain/ModelError.ts"
import { LanguageModel, type LanguageModelShape } from "../../services/LanguageModel.ts"

/** An answer, or something of ours that another model would meet as well. */
const final: ReadonlySet<ModelFault> = new Set<ModelFault>(["Truncated", "Refused", "Unfit", "Unkept", "Interrupted"])
const fallsOver = ({ fault }: ModelError): boolean => !final.has(fault)

/** A stream goes over as long as nothing of it has been passed on. */
export const make = (first: LanguageModelShape, ...others: ReadonlyArray<LanguageModelShape>): LanguageModelShape => {
  const plan = ExecutionPlan.make(
    { provide: Layer.succeed(LanguageModel, first) },
    ...others.map((model) => ({ provide: Layer.succeed(LanguageModel, model), while: fallsOver }))
  )
  return {
    id: first.id,
    text: (request) =>
      Effect.withExecutionPlan(
        Effect.flatMap(LanguageModel, ({ text }) => text(request)),
        plan
      ),
    value: (request, schema, watch) =>
      Effect.withExecutionPlan(
        Effect.flatMap(LanguageModel, ({ value }) => value(request, schema, watch)),
        plan
      ),
    stream: (request) =>
      Stream.withExecutionPlan(
        Stream.flatMap(LanguageModel, ({ stream }) => stream(request)),
        plan,
        { preventFallbackOnPartialStream: true }
      )
  }
}
