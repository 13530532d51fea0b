/** The model that an experiment's methods are asked of: the reader's, so that all pay in the same coin. None unless the settings name one. */
import { Context, Option } from "effect"
import type { Manner } from "../domain/prompts/Prompt.ts"
import type { LanguageModelShape } from "./LanguageModel.ts"

export class MethodModel extends Context.Reference<MethodModel>()("staterag/services/MethodModel", {
  defaultValue: (): Option.Option<{ readonly model: LanguageModelShape; readonly manner: Manner }> => Option.none()
}) {}
