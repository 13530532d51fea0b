/** Every way in which a model fails to answer: a closed list of reasons, what each means for another try, and what to do next. */
import { Schema } from "effect"

export const ModelFault = Schema.Literal(
  "Unauthorized",
  "QuotaExhausted",
  "RateLimited",
  "UnknownModel",
  "TooLong",
  "Rejected",
  "Unavailable",
  "Unreachable",
  "TimedOut",
  "Stalled",
  "Cut",
  "Malformed",
  "Truncated",
  "Refused",
  "Unfit",
  "BadVector",
  "OtherModel",
  "Unrecorded",
  "NotInstalled",
  "BadFile",
  "Unkept",
  "Interrupted"
)
export type ModelFault = typeof ModelFault.Type

interface Meaning {
  /** What went wrong, as the end of "the model NAME …". */
  readonly said: string
  readonly advice: string
  /** Whether the same request may succeed a moment later. */
  readonly passing: boolean
}

const meanings: { readonly [F in ModelFault]: Meaning } = {
  Unauthorized: {
    said: "does not accept the key",
    advice: "set OPENAI_API_KEY to a key of this provider; `staterag config` shows which base URL is in force",
    passing: false
  },
  QuotaExhausted: {
    said: "is out of quota",
    advice: "pay, raise the limit at the provider, or name another model; nothing was retried",
    passing: false
  },
  RateLimited: {
    said: "is asked too often",
    advice:
      "wait, or set `modelLimits.requestsPerMinute` and `modelLimits.tokensPerMinute` below what the provider allows",
    passing: true
  },
  UnknownModel: {
    said: "is not known there",
    advice: "check the model's name and OPENAI_BASE_URL",
    passing: false
  },
  TooLong: {
    said: "cannot take so long a prompt",
    advice: "lower `evidenceTokens`, or name a model with a longer context",
    passing: false
  },
  Rejected: {
    said: "refused the request",
    advice: "the server may not speak this API, or not this part of it: see the detail",
    passing: false
  },
  Unavailable: {
    said: "is not available",
    advice: "ask again later; `staterag resume` goes on from what was answered already",
    passing: true
  },
  Unreachable: {
    said: "cannot be reached",
    advice: "check OPENAI_BASE_URL, the network and the proxy; is the server running?",
    passing: true
  },
  TimedOut: { said: "did not answer in time", advice: "raise `modelTimeout`, or name a faster model", passing: true },
  Stalled: {
    said: "stopped in the middle of its answer",
    advice: "ask again; raise `modelIdle` where the server is slow",
    passing: true
  },
  Cut: { said: "broke off in the middle of its answer", advice: "ask again", passing: true },
  Malformed: {
    said: "gave what is no answer of this API",
    advice:
      "OPENAI_BASE_URL may name a web page or a server that speaks another API, or the model does not keep to `modelTokens`",
    passing: true
  },
  Truncated: {
    said: "reached its limit of tokens before its answer was whole",
    advice: "raise `modelTokens`: asking again would cut it again",
    passing: false
  },
  Refused: { said: "refused to answer", advice: "word the question otherwise, or name another model", passing: false },
  Unfit: {
    said: "did not answer in the form that was asked for, nor when it was shown why",
    advice: "name a model that is better at JSON, or one whose server enforces a schema",
    passing: false
  },
  BadVector: {
    said: "gave vectors that cannot be used",
    advice: "the server may not honour `encoding_format: float`, or the model has other dimensions than the corpus",
    passing: false
  },
  OtherModel: {
    said: "is not the one that made the vectors of this corpus",
    advice:
      "name that one (`--embedding`), or run `staterag index` again with this one: all passages are embedded anew",
    passing: false
  },
  Unrecorded: {
    said: "has no recorded answer to this request",
    advice: "record it: run once with the cassette in record mode",
    passing: false
  },
  NotInstalled: {
    said: "needs a package that is not installed",
    advice: "install it as the detail says",
    passing: false
  },
  BadFile: {
    said: "cannot be loaded",
    advice:
      "it may be of another kind, lack a part, or have been cut off: look at the file or folder, or fetch it again",
    passing: false
  },
  Unkept: {
    said: "answered, and the answer could not be kept before it was used",
    advice: "see the detail; another process may have taken this run over",
    passing: false
  },
  Interrupted: {
    said: "was interrupted",
    advice: "`staterag resume` goes on from what was answered already",
    passing: false
  }
}

/** Refused before a token was read or written: nobody bills these. */
const unpaid: ReadonlySet<ModelFault> = new Set<ModelFault>([
  "Unauthorized",
  "QuotaExhausted",
  "RateLimited",
  "UnknownModel",
  "TooLong",
  "Rejected",
  "Unavailable",
  "Unreachable",
  "Unrecorded",
  "NotInstalled",
  "BadFile"
])
/** Whether an attempt that failed so may stand on the provider's bill. */
export const mayHaveCost = (fault: ModelFault): boolean => !unpaid.has(fault)

/** Whether the same request may succeed a moment later. */
export const isPassing = (fault: ModelFault): boolean => meanings[fault].passing
export const modelAdvice = (fault: ModelFault): string => meanings[fault].advice

/** A model did not answer. Tokens that it cost all the same have been metered. */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  /** `openai:NAME`, `gguf:FILE`, … */
  model: Schema.String,
  fault: ModelFault,
  detail: Schema.String,
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  /** Milliseconds that the provider asked to wait. */
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true }),
  cause: Schema.optionalWith(Schema.Defect, { exact: true })
}) {
  override get message(): string {
    return `the model ${this.model} ${meanings[this.fault].said}${this.detail === "" ? "" : `: ${this.detail}`}`
  }
  /** What to do next. */
  get advice(): string {
    return meanings[this.fault].advice
  }
}
