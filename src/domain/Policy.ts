/**
 * The policies of a run: one schema, each field with its default and its clause. The hash of all of them stands in every run and report.
 *
 * The defaults are the papers' system as written; the two extensions are off (`regionIncludesInitial`, `releaseEvidence: "union"`).
 */
import { Either, Option, ParseResult, Schema } from "effect"
import { assign } from "./Assign.ts"
import { compile } from "./Compiled.ts"
import { mostItems } from "./Evidence.ts"
import { mostCycles } from "./Plan.ts"

const Positive = Schema.Int.pipe(Schema.positive())
const field = <A, I>(schema: Schema.Schema<A, I>, value: A, clause: string, description: string) =>
  Schema.optionalWith(schema.annotations({ description: `${description} (${clause})` }), {
    default: () => value,
    exact: true
  })
const limit = Schema.NullOr(Schema.Finite.pipe(Schema.positive()))

/** How long artifacts of a kind are kept: in days, and how many at most; null is without limit. `off` keeps none. */
const Keep = Schema.Struct({
  scope: Schema.Literal("off", "task", "global"),
  days: Schema.NullOr(Positive),
  count: Schema.NullOr(Positive)
})
const Persistence = Schema.Struct({ SurfaceForm: Keep, Bridge: Keep, FailedRegion: Keep })
const Budget = Schema.Struct({ tokens: limit, calls: limit, money: limit, time: limit })

export const Policy = Schema.Struct({
  maxCycles: field(
    Positive.pipe(Schema.lessThanOrEqualTo(mostCycles)),
    3,
    "C16, C17",
    "T_max, the most cycles of one question"
  ),
  evidenceTokens: field(Positive, 2048, "C20", "how many reader tokens (o200k) of evidence the reader gets"),
  compactEvidence: field(
    Schema.Union(Schema.Literal("rule", "off"), Positive),
    "rule",
    "C19",
    "the compact-evidence check: rule, off, or its token budget"
  ),
  navigator: field(Schema.Literal("indexed", "beam", "exhaustive"), "indexed", "C12", "how the Navigator searches TAM"),
  beamWidth: field(Positive, 64, "C12", "traces kept a step by the beam Navigator"),
  beamDepth: field(Positive, 16, "C12", "steps that the beam Navigator takes at most"),
  entryRelations: field(
    Positive,
    8,
    "C12",
    "Relations that the indexed Navigator enters by words, and as many by vector, for each query of the plan"
  ),
  regionWidth: field(Schema.NonNegativeInt, 16, "C13", "neighbours of a passage in its region"),
  itemsPerCycle: field(
    Schema.NonEmptyArray(Positive.pipe(Schema.lessThanOrEqualTo(mostItems))),
    [5, 2, 1],
    "C14",
    "evidence items of cycle 1, 2, …; the last holds for all that follow"
  ),
  mergeOrder: field(
    Schema.Literal("oldestFirst", "newestFirst", "roundRobin", "score", "document"),
    "roundRobin",
    "C20",
    "in which order Fallback merges the cycles' evidence"
  ),
  regionIncludesInitial: field(Schema.Boolean, false, "C14, extension", "whether R also holds the regions of E⁰"),
  releaseEvidence: field(Schema.Literal("last", "union"), "last", "C20, extension", "what Release hands to the reader"),
  repairAttempts: field(Schema.NonNegativeInt, 1, "C10", "how often a role may mend its own proposal inside its stage"),
  readerIterations: field(
    Schema.Literal(1),
    1,
    "C21, C33",
    "reader calls a question; more than one is an experiment outside of C21 (a Layer of its own)"
  ),
  persistence: field(
    Persistence,
    {
      SurfaceForm: { scope: "task", days: 90, count: 10_000 },
      Bridge: { scope: "global", days: 90, count: 10_000 },
      FailedRegion: { scope: "task", days: 90, count: 10_000 }
    },
    "C33",
    "per artifact kind: scope, days, count"
  ),
  budget: field(
    Budget,
    { tokens: null, calls: null, money: null, time: null },
    "C35",
    "tokens, calls, money and time (milliseconds) that a run may cost; null is without limit"
  )
})
export type Policy = typeof Policy.Type

const exact = { onExcessProperty: "error" } as const
const whole = compile(Schema.typeSchema(Policy))

export const defaultPolicy: Policy = Option.getOrThrow(whole(Schema.decodeSync(Policy)({})))

export const policyNames: ReadonlyArray<string> = Object.keys(Policy.fields)

/** A setting that is no policy, or a value that does not fit it. */
export class PolicyError extends Schema.TaggedError<PolicyError>()("PolicyError", {
  name: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.name}: ${this.reason}`
  }
}

const explain = Schema.validateEither(Policy, exact)

/** A policy as a run holds it: checked, its settings in the order of the schema, and frozen, so that nobody who is shown it can change it. */
export const settled = (policy: Policy): Either.Either<Policy, PolicyError> =>
  Option.match(whole(policy), {
    onSome: (copy) => Either.right(copy),
    onNone: () =>
      Either.left(
        new PolicyError({
          name: "policy",
          reason: Either.match(explain(policy), {
            onLeft: (error) => ParseResult.TreeFormatter.formatErrorSync(error),
            onRight: () => "it does not fit its schema"
          })
        })
      )
  })

/**
 * Sets one policy by name from text, as `--set NAME=VALUE` gives it: `maxCycles=2`, `itemsPerCycle=5,2,1`, `budget.tokens=5000`,
 * `persistence.Bridge.days=30`. An unknown name is an error that names the nearest one.
 */
export const setPolicy = (policy: Policy, name: string, value: string): Either.Either<Policy, PolicyError> =>
  Either.mapLeft(
    assign(Policy, policy, { name, value, noun: "policy", isList: name === "itemsPerCycle" }),
    (reason) => new PolicyError({ name, reason })
  )
